"""Questions to the chat model that take a yes or a no, graded by how sure it is of its yes.

A small model says yes to almost everything, but less surely where it should not: the probability of the word tells what
the word alone does not. It is read where the provider shows it, as LangChain's `logprobs`; elsewhere the word counts.
"""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from kbot.chat import Passage
from kbot.errors import ModelFailed, StreamCut
from kbot.failures import Source
from kbot.logs import get_logger
from kbot.models import ChatModel
from kbot.prompts import inert
from kbot.reflection.votes import Grade, votes

log = get_logger(__name__)

_SHOWS_ODDS = frozenset({"gguf", "ollama"})  # OpenAI's thinking models refuse to be asked, the others do not know how
_READ = 3
_WINDOW = 500
_BEFORE = 180

# In English for questions in either language, unlike what people read: these are for the model alone, which reads both,
# and the thresholds on its odds are measured with these words.
_PASSAGES = "You check passages of documents."
_REPLIES = "You check replies to questions."
_PASSAGE = "Passage {n}:\n{text}"
_CLAIM = "Text {n}: {text}\nStatement {n}: {claim}"
_LINES = "Reply with one line for each number: the number, a colon, and yes or no."
_ANSWERABLE = (
    "{passages}\n\nQuestion: {question}\n\nCan the question be answered from the passages alone? Reply yes or no."
)
_RELEVANT = (
    "{passages}\n\nQuestion: {question}\n\n"
    f"Which of the passages state the answer to the question, or a part of it? {_LINES}"
)
_SUPPORTED = (
    f"{{claims}}\n\nDoes each text say what its statement says, with the same facts, numbers and names? {_LINES}"
)
_ANSWERS = (
    "Question: {question}\n\nReply: {reply}\n\nDoes the reply give exactly what the question asks for? Reply yes or no."
)
_NEEDED = (
    "Somebody writes to an assistant that answers from documents. Does the message ask for information? Thanks, "
    "greetings and farewells do not. Reply yes or no."
)
_MESSAGE = "Message: {message}"

PROMPTS = (_PASSAGES, _REPLIES, _PASSAGE, _CLAIM, _ANSWERABLE, _RELEVANT, _SUPPORTED, _ANSWERS, _NEEDED, _MESSAGE)
"""All that a model is told here, with places for what it is told it about."""


def shows_odds(chat: ChatModel) -> bool:
    """Whether a model can tell how probable its yes was, and not only say it."""
    return Source(chat.name, chat.server).provider in _SHOWS_ODDS


async def answerable(
    chat: ChatModel,
    question: str,
    passages: Sequence[Passage],
    *,
    timeout: float,  # noqa: ASYNC109  # seconds without a sign of life
) -> Grade:
    """Whether passages, best first, answer the question; sure where the model does not say. One call.

    Shown are 500 characters around the quotes of the first three, some 400 tokens. Raises `ModelError` where the model
    does not answer at all.
    """
    shown = _ANSWERABLE.format(passages=_numbered(passages[:_READ]), question=question)
    return await _graded(chat, _PASSAGES, shown, timeout=timeout)


async def relevant(
    chat: ChatModel,
    question: str,
    passages: Sequence[Passage],
    *,
    timeout: float,  # noqa: ASYNC109  # as above
) -> list[Grade]:
    """For each passage whether it helps to answer; each surely does where the model does not say. One call for all.
    Raises as above."""
    shown = _RELEVANT.format(passages=_numbered(passages), question=question)
    return await _each_graded(chat, _PASSAGES, shown, len(passages), numbered=True, timeout=timeout)


async def supported(
    chat: ChatModel,
    claims: Sequence[tuple[str, str]],
    *,
    timeout: float,  # noqa: ASYNC109  # as above
) -> list[Grade]:
    """For each claim whether the text beside it says so; surely where the model does not say. One call for all.
    Raises as above."""
    blocks = [_CLAIM.format(n=n, text=text, claim=claim) for n, (claim, text) in enumerate(claims, 1)]
    shown = _SUPPORTED.format(claims="\n\n".join(blocks))
    return await _each_graded(chat, _PASSAGES, shown, len(claims), numbered=True, timeout=timeout)


async def answers(chat: ChatModel, question: str, reply: str, *, timeout: float) -> Grade:  # noqa: ASYNC109  # as above
    """Whether a reply gives what the question asks for; sure where the model does not say. One call. Raises as
    above."""
    return await _graded(chat, _REPLIES, _ANSWERS.format(question=question, reply=reply), timeout=timeout)


async def needs_documents(chat: ChatModel, message: str, *, timeout: float) -> bool:  # noqa: ASYNC109  # as above
    """Whether anything has to be looked up; true where the model does not say. One call. Raises as above."""
    return (await _graded(chat, _NEEDED, _MESSAGE.format(message=message), timeout=timeout)).share >= 0.5


async def _graded(chat: ChatModel, system: str, shown: str, *, timeout: float) -> Grade:  # noqa: ASYNC109  # as above
    (grade,) = await _each_graded(chat, system, shown, 1, numbered=False, timeout=timeout)
    return grade


async def _each_graded(
    chat: ChatModel,
    system: str,
    shown: str,
    count: int,
    *,
    numbered: bool,
    timeout: float,  # noqa: ASYNC109  # as above
) -> list[Grade]:
    """The votes that were asked for, in their order; a yes where none was made, which leaves things as they are."""
    messages = [SystemMessage(system), HumanMessage(inert(shown))]
    try:
        made = await votes(chat, messages, count, numbered=numbered, odds=shows_odds(chat), timeout=timeout)
    except (ModelFailed, StreamCut) as error:
        log.info("grading_failed", error=type(error).__name__)
        made = {}
    return [made.get(n, Grade(1.0, "nothing")) for n in range(1, count + 1)]


def _numbered(passages: Sequence[Passage]) -> str:
    return "\n\n".join(_PASSAGE.format(n=n, text=_around(passage)) for n, passage in enumerate(passages, 1))


def _around(passage: Passage) -> str:
    at = max(passage.text.find(passage.quote), 0)
    start = max(0, min(at - _BEFORE, len(passage.text) - _WINDOW))
    return passage.text[start : start + _WINDOW]
