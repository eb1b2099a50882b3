"""The chains that ask a model to write: the answer, and a follow-up question made to stand alone."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from langchain_core.messages import BaseMessage

from kbot.chat import Passage
from kbot.errors import ModelFailed, StreamCut
from kbot.grounding import plain
from kbot.history import Turn, as_messages
from kbot.language import Language
from kbot.logs import get_logger
from kbot.models import ChatModel, stream
from kbot.prompts import Persona, answer_prompt, format_passages, inert, rewrite_prompt

log = get_logger(__name__)

_POINTS_BACK = re.compile(
    r"^\W*(?:e|mas|and|but|or|ou|also|what about|how about|então|so)\s"
    r"|\b(?:it|its|they|them|their|theirs|this|that|these|those|he|she|his|her|then|same"
    r"|ele|ela|eles|elas|dele|dela|deles|delas|isso|isto|esse|essa|esses|essas|este|nisso|disso|lá|mesmo|mesma)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 3
# Words that begin with the same so many letters count as the same, in both languages: "domingo", "domingos".
_ROOT = 5


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
        {"history": as_messages(turns), "passages": format_passages(passages), "question": inert(question)}
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

    Where the model cannot rewrite, or what it wrote is no rewriting of the question, a question that points back is
    joined with the last one that does not. Raises `ModelError` if the model does not answer at all.
    """
    if not turns:
        return question
    if chat.writes:
        prompt = rewrite_prompt(language).invoke({"history": as_messages(turns), "question": inert(question)})
        written = await _first_words(chat, prompt.to_messages(), limit=3 * len(question) + 200, timeout=timeout)
        if is_rewriting(written, question):
            return written
    if not points_back(question):
        return question
    topic = next((turn.question for turn in reversed(turns) if not points_back(turn.question)), turns[0].question)
    return f"{topic} {question}"


def points_back(question: str) -> bool:
    """Whether a question leans on the one before it: very short, opening with "and", or with a pronoun."""
    return len(re.findall(r"\w+", question)) <= _FEW_WORDS or bool(_POINTS_BACK.search(question))


def is_rewriting(written: str, question: str) -> bool:
    """Whether a text may be the question in other words: one line, which keeps some of its longer words, if it has
    any. A small model may answer instead, or write about something else."""
    if not written or "\n" in written:
        return False
    longer = _roots(question)
    return not longer or not longer.isdisjoint(_roots(written))


async def _first_words(
    chat: ChatModel,
    messages: Sequence[BaseMessage],
    *,
    limit: int,
    timeout: float,  # noqa: ASYNC109  # as above
) -> str:
    """What the model writes, without quotes; empty if it says nothing, or more than `limit` characters."""
    text = ""
    try:
        async with aclosing(stream(chat, messages, timeout=timeout)) as pieces:
            async for piece in pieces:
                text = text + piece if piece else ""
                if len(text) > limit:
                    return ""
    except (ModelFailed, StreamCut) as error:
        log.info("rewriting_failed", error=type(error).__name__)
        return ""
    return text.strip().strip('"“”').strip()


def _roots(text: str) -> set[str]:
    return {word[:_ROOT] for word in plain(text).split() if len(word) >= _ROOT - 1}
