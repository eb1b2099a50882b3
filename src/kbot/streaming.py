"""What a chat model writes, piece by piece: its failures explained, its thinking held back."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from typing import Any, cast

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.runnables import RunnableConfig

from kbot import failures
from kbot.constraints import Constraint, QuotedText, request
from kbot.errors import ModelFailed, StreamCut
from kbot.failures import TITLES, Source, explained
from kbot.logs import get_logger
from kbot.models import ChatModel
from kbot.thinking import UNSAID, ThinkFilter

__all__ = ["UNSAID", "chunks", "complete", "ending_of", "one_line", "require_end", "stream"]

log = get_logger(__name__)

_CLOSING = {*TITLES} - {"extractive"}
_LENGTH = {"length", "max_tokens", "model_context_window_exceeded"}
_WITHHELD = {"content_filter", "safety", "recitation", "refusal", "blocklist", "prohibited_content", "spii"}


async def chunks(
    chat: ChatModel,
    messages: Sequence[BaseMessage],
    *,
    timeout: float,  # noqa: ASYNC109  # not for the whole: seconds without a sign of life
    config: RunnableConfig | None = None,
    **held: Any,
) -> AsyncGenerator[AIMessageChunk]:
    """The model's answer as it comes; close it and the model stops. `held` are further arguments of the call. Raises a
    `ModelError` when the model does not answer, and `StreamCut` when it breaks off."""
    source = Source(chat.name, chat.server)
    begun = False
    answer = chat.model.astream(list(messages), config, **held)
    async with aclosing(cast(AsyncGenerator[AIMessageChunk], answer)) as arriving:
        while True:
            with explained(source, timeout, begun=begun):
                async with asyncio.timeout(timeout):
                    chunk = await anext(arriving, None)
            if chunk is None:
                return
            begun = True
            yield chunk


async def stream(
    chat: ChatModel,
    messages: Sequence[BaseMessage],
    *,
    timeout: float,  # noqa: ASYNC109  # not for the whole: seconds without a sign of life
    constraint: Constraint | None = None,
    config: RunnableConfig | None = None,
) -> AsyncGenerator[str]:
    """The visible text of the model's answer, piece by piece; close it and the model stops.

    With a `constraint` the model is held to it as its `grammar` says.

    A piece that is `UNSAID` (the empty string, and no other piece is empty) takes back all before it: it turned out to
    be thinking, or of another form. `timeout` is in seconds without a sign of life, thinking being one.

    Raises a `ModelError` when the model does not answer, and `StreamCut` when it stops in the middle.
    """
    thoughts = ThinkFilter()
    held = request(chat.grammar, constraint) if constraint else {}
    quoted = QuotedText() if constraint and chat.grammar == "json" else None
    said = False
    ending = ""
    async with aclosing(chunks(chat, messages, timeout=timeout, config=config, **held)) as answer:
        async for chunk in answer:
            ending = ending_of(chunk) or ending
            for piece in _read(quoted, thoughts.feed(chunk.text)):
                said = True
                yield piece
    for piece in _read(quoted, thoughts.end()):
        said = True
        yield piece
    require_end(chat, ending)
    if not said:
        raise failures.said_nothing(Source(chat.name, chat.server), thought=thoughts.thinking)


async def complete(
    chat: ChatModel,
    messages: Sequence[BaseMessage],
    *,
    timeout: float,  # noqa: ASYNC109  # as in stream
) -> str:
    """The whole visible text of a short answer. Raises as `stream` does."""
    text = ""
    async with aclosing(stream(chat, messages, timeout=timeout)) as pieces:
        async for piece in pieces:
            text = text + piece if piece else ""
    return text.strip()


async def one_line(
    chat: ChatModel,
    messages: Sequence[BaseMessage],
    *,
    limit: int,
    timeout: float,  # noqa: ASYNC109  # as in stream
) -> str:
    """A single line that was asked for, without quotes; empty if the model says nothing, fails at it, or writes several
    lines, or more than `limit` characters. Raises `ModelError` if it does not answer at all."""
    text = ""
    try:
        async with aclosing(stream(chat, messages, timeout=timeout)) as pieces:
            async for piece in pieces:
                text = text + piece if piece else ""
                if len(text) > limit:
                    return ""
    except (ModelFailed, StreamCut) as error:
        log.info("line_failed", error=type(error).__name__)
        return ""
    text = text.strip().strip('"“”').strip()
    return "" if "\n" in text else text


def _read(quoted: QuotedText | None, pieces: Iterable[str]) -> Iterator[str]:
    return (text for piece in pieces for text in (quoted.feed(piece) if quoted else (piece,)))


def ending_of(chunk: AIMessageChunk) -> str:
    """Why the model ended, in lower case, from the closing metadata of any provider; empty before that."""
    told = chunk.response_metadata
    reason = told.get("done_reason") or told.get("finish_reason") or told.get("stop_reason")
    return str(reason).lower() if reason else "stop" if told.get("done") else ""


def require_end(chat: ChatModel, ending: str) -> None:
    """Raises `StreamCut` if a model that has stopped had not come to its end, by the last `ending_of` its chunks."""
    source = Source(chat.name, chat.server)
    if ending in _LENGTH:
        raise failures.too_many_tokens(source)
    if ending in _WITHHELD:
        raise failures.cut(source, f"the provider withheld it ({ending})")
    if not ending and source.provider in _CLOSING:
        raise failures.cut(source, "the end is missing")
