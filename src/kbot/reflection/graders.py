"""Questions to the chat model that take a yes or a no, graded by how sure it is of its yes.

A small model says yes to almost everything, but less surely where it should not: the probability of the word tells what
the word alone does not. It is read where the provider shows it, as LangChain's `logprobs`; elsewhere the word counts.
"""

import math
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, SystemMessage

from kbot.chat import Passage
from kbot.errors import ModelFailed, StreamCut
from kbot.failures import Source
from kbot.logs import get_logger
from kbot.models import ChatModel
from kbot.prompts import inert
from kbot.streaming import chunks
from kbot.thinking import UNSAID, ThinkFilter

log = get_logger(__name__)

_Token = dict[str, Any]

_YES = frozenset({"yes", "sim", "true"})
_NO = frozenset({"no", "não", "nao", "nã", "false"})
_WORD = re.compile(r"\b(?:yes|no|sim|não|nao|true|false)\b", re.IGNORECASE)
_SHOWS_ODDS = frozenset({"gguf", "ollama"})  # OpenAI's thinking models refuse to be asked, the others do not know how
_ALTERNATIVES = 20
_LINE_CHARACTERS = 40  # a vote is "12: yes"; a model that writes much more has not understood
_READ = 3
_WINDOW = 500
_BEFORE = 180

_PASSAGES = "You check passages of documents."
_ANSWERABLE = "Can the question be answered from the passages alone? Reply yes or no."
_LINES = "Reply with one line for each number: the number, a colon, and yes or no."
_RELEVANT = f"Which of the passages state the answer to the question, or a part of it? {_LINES}"
_SUPPORTED = f"Does each text say what its statement says, with the same facts, numbers and names? {_LINES}"
_ANSWERS = "Does the reply give exactly what the question asks for? Reply yes or no."
_NEEDED = (
    "Somebody writes to an assistant that answers from documents. Does the message ask for information? Thanks, "
    "greetings and farewells do not. Reply yes or no."
)


@dataclass(frozen=True, slots=True)
class Grade:
    """`share` is the model's probability of yes against that of no, in [0, 1], where `basis` is "odds"; 1 or 0 by its
    `word`; and the grader's safe default where it said `nothing` that can be read."""

    share: float
    basis: Literal["odds", "word", "nothing"]


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
    shown = f"{_numbered(passages[:_READ])}\n\nQuestion: {question}\n\n{_ANSWERABLE}"
    (grade,) = await _graded(chat, _PASSAGES, shown, count=1, default=1.0, timeout=timeout)
    return grade


async def relevant(
    chat: ChatModel,
    question: str,
    passages: Sequence[Passage],
    *,
    timeout: float,  # noqa: ASYNC109  # as above
) -> list[Grade]:
    """For each passage whether it helps to answer; all surely do where the model does not say. One call for all. Raises
    as above."""
    shown = f"{_numbered(passages)}\n\nQuestion: {question}\n\n{_RELEVANT}"
    return await _graded(chat, _PASSAGES, shown, count=len(passages), default=1.0, timeout=timeout)


async def supported(
    chat: ChatModel,
    claims: Sequence[tuple[str, str]],
    *,
    timeout: float,  # noqa: ASYNC109  # as above
) -> list[Grade]:
    """For each claim whether the text beside it says so; all surely where the model does not say. One call for all.
    Raises as above."""
    blocks = "\n\n".join(f"Text {n}: {text}\nStatement {n}: {claim}" for n, (claim, text) in enumerate(claims, 1))
    shown = f"{blocks}\n\n{_SUPPORTED}"
    return await _graded(chat, _PASSAGES, shown, count=len(claims), default=1.0, timeout=timeout)


async def answers(chat: ChatModel, question: str, reply: str, *, timeout: float) -> Grade:  # noqa: ASYNC109  # as above
    """Whether a reply gives what the question asks for; sure where the model does not say. One call. Raises as
    above."""
    shown = f"Question: {question}\n\nReply: {reply}\n\n{_ANSWERS}"
    (grade,) = await _graded(chat, "You check replies to questions.", shown, count=1, default=1.0, timeout=timeout)
    return grade


async def needs_documents(chat: ChatModel, message: str, *, timeout: float) -> bool:  # noqa: ASYNC109  # as above
    """Whether anything has to be looked up; true where the model does not say. One call. Raises as above."""
    (grade,) = await _graded(chat, _NEEDED, f"Message: {message}", count=1, default=1.0, timeout=timeout)
    return grade.share >= 0.5


async def _graded(
    chat: ChatModel,
    system: str,
    shown: str,
    *,
    count: int,
    default: float,
    timeout: float,  # noqa: ASYNC109  # as above
) -> list[Grade]:
    """The votes that were asked for, in their order; where one is missing, none is believed."""
    grades: list[Grade] = []
    messages = [SystemMessage(system), HumanMessage(inert(shown))]
    try:
        async with aclosing(_votes(chat, messages, count, timeout)) as votes:
            async for grade in votes:
                grades.append(grade)
                if len(grades) == count:
                    return grades
    except (ModelFailed, StreamCut) as error:
        log.info("grading_failed", error=type(error).__name__)
    return [Grade(default, "nothing")] * count


async def _votes(
    chat: ChatModel,
    messages: Sequence[BaseMessage],
    count: int,
    timeout: float,  # noqa: ASYNC109  # as above
) -> AsyncGenerator[Grade]:
    """Each yes or no as it is written; the end if the model writes something else."""
    wanted: dict[str, Any] = {"logprobs": True, "top_logprobs": _ALTERNATIVES} if shows_odds(chat) else {}
    if chat.grammar == "gbnf":
        wanted["grammar"] = _grammar(count)
    thoughts = ThinkFilter()
    said, told = "", 0
    async with aclosing(chunks(chat, messages, timeout=timeout, **wanted)) as reply:
        while len(said) < _LINE_CHARACTERS * count:
            chunk = await anext(reply, None)
            pieces = thoughts.feed(chunk.text) if chunk else thoughts.end()
            for piece in pieces:
                said, told = (said + piece, told) if piece != UNSAID else ("", 0)
            odds = [] if thoughts.thinking or not chunk else list(_odds(chunk))
            for share in odds:
                yield Grade(share, "odds")
            if odds:
                told = len(said)
            # The last word of what is there may go on in the next piece.
            for word in _WORD.finditer(said, told):
                if chunk and word.end() == len(said):
                    break
                told = word.end()
                yield Grade(float(word[0].lower() in _YES), "word")
            if not chunk:
                return


def _odds(chunk: AIMessageChunk) -> Iterator[float]:
    """The probability of yes against no at each token of a chunk that is one of them."""
    shown: Any = chunk.response_metadata.get("logprobs") or []
    tokens = cast(list[_Token], shown["content"] or [] if isinstance(shown, dict) else shown)
    for token in tokens:
        if _plain(token["token"]) in _YES | _NO:
            others: list[_Token] = token.get("top_logprobs") or [token]
            yes = sum(math.exp(other["logprob"]) for other in others if _plain(other["token"]) in _YES)
            no = sum(math.exp(other["logprob"]) for other in others if _plain(other["token"]) in _NO)
            if yes + no > 0:  # neither need be among the likeliest where a grammar chose the word
                yield yes / (yes + no)


def _plain(token: str) -> str:
    return token.strip().strip(".,:;\"'*").lower()


def _grammar(count: int) -> str:
    """In llama.cpp's notation: a vote, or numbered lines of one each."""
    if count == 1:
        return 'root ::= "Yes" | "No"'
    lines = r' "\n" '.join(f'"{n}: " vote' for n in range(1, count + 1))
    return f'root ::= {lines}\nvote ::= "yes" | "no"'


def _numbered(passages: Sequence[Passage]) -> str:
    return "\n\n".join(f"Passage {n}:\n{_around(passage)}" for n, passage in enumerate(passages, 1))


def _around(passage: Passage) -> str:
    at = max(passage.text.find(passage.quote), 0)
    start = max(0, min(at - _BEFORE, len(passage.text) - _WINDOW))
    return passage.text[start : start + _WINDOW]
