"""The chain that asks a model to write the answer."""

from collections.abc import AsyncGenerator, Sequence

from kbot.chat import Passage
from kbot.constraints import Constraint
from kbot.history import Turn, as_messages
from kbot.language import Language
from kbot.models import ChatModel
from kbot.prompts import Persona, answer_prompt, ask_again, format_passages, inert
from kbot.streaming import stream


def write_answer(
    chat: ChatModel,
    question: str,
    passages: Sequence[Passage],
    turns: Sequence[Turn],
    *,
    persona: Persona,
    language: Language,
    timeout: float,  # not for the whole: seconds without a sign of life
    rejected: Sequence[str] = (),
) -> AsyncGenerator[str]:
    """The pieces of the answer as `kbot.models.stream` gives them, in the form that the model's `grammar` holds it to;
    raises `ModelError`. `rejected` are statements of an earlier draft that the passages do not support."""
    prompt = answer_prompt(persona, language).invoke(
        {
            "history": as_messages(turns),
            "passages": format_passages(passages),
            "question": ask_again(inert(question), rejected, language),
        }
    )
    form = Constraint(len(passages), persona.refusal_in(language))
    return stream(chat, prompt.to_messages(), timeout=timeout, constraint=form)
