"""The chains that ask a model to write: the answer, and a follow-up question made to stand alone."""

import re
from collections.abc import AsyncGenerator, Sequence

from kbot.chat import Passage
from kbot.history import Turn, as_messages
from kbot.language import Language
from kbot.models import ChatModel, complete, stream
from kbot.prompts import Persona, answer_prompt, format_passages, rewrite_prompt

_POINTS_BACK = re.compile(
    r"^\W*(?:e|mas|and|but|or|ou|also|what about|how about|então|so)\b"
    r"|\b(?:it|its|they|them|their|theirs|this|that|these|those|he|she|his|her|there|then|same|one|ones"
    r"|ele|ela|eles|elas|dele|dela|deles|delas|isso|isto|esse|essa|esses|essas|este|esta|nisso|disso|lá|mesmo|mesma)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 3


def write_answer(
    chat: ChatModel,
    question: str,
    passages: Sequence[Passage],
    turns: Sequence[Turn],
    *,
    persona: Persona,
    language: Language,
    timeout: float,  # not for the whole: seconds without a sign of life
) -> AsyncGenerator[str]:
    """The pieces of the answer as `kbot.models.stream` gives them; raises `ModelError`."""
    prompt = answer_prompt(persona, language).invoke(
        {"history": as_messages(turns), "passages": format_passages(passages), "question": question}
    )
    return stream(chat, prompt.to_messages(), timeout=timeout)


async def stand_alone(
    chat: ChatModel,
    question: str,
    turns: Sequence[Turn],
    *,
    language: Language,
    timeout: float,  # noqa: ASYNC109  # as above
) -> str:
    """The question as somebody would ask it who does not know the conversation.

    A model that only quotes cannot rewrite: a question that points back is then joined with the one before it.
    """
    if not turns:
        return question
    if not chat.writes:
        return f"{turns[-1].question} {question}" if points_back(question) else question
    prompt = rewrite_prompt(language).invoke({"history": as_messages(turns), "question": question})
    written = await complete(chat, prompt.to_messages(), timeout=timeout)
    lines = [line.strip().strip('"“”') for line in written.splitlines() if line.strip()]
    # A small model may answer instead of rewriting; what is far longer than any question is not one.
    if len(lines) == 1 and 0 < len(lines[0]) <= 3 * len(question) + 200:
        return lines[0]
    return f"{turns[-1].question} {question}" if points_back(question) else question


def points_back(question: str) -> bool:
    """Whether a question leans on the one before it: very short, opening with "and", or with a pronoun."""
    return len(re.findall(r"\w+", question)) <= _FEW_WORDS or bool(_POINTS_BACK.search(question))
