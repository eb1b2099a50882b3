"""A chat model that answers as it did before: a call to a slow model is made once, and its answer kept in a file."""

import hashlib
import json
import sqlite3
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk, ChatResult

_TABLE = "CREATE TABLE IF NOT EXISTS calls (call TEXT PRIMARY KEY, chunks TEXT, whole INTEGER, seconds REAL)"
_FIND = "SELECT chunks, whole, seconds FROM calls WHERE call = ?"
_KEEP = "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)"


class ReplayedChatModel(BaseChatModel):
    """The chat model `inner`, whose streamed answers are kept in the SQLite file `kept`, by its name, messages and
    arguments.

    An answer that was left early is kept as far as it went; who reads on has it written again. `seconds` adds up what
    the calls took when they were made, however fast they are replayed.
    """

    inner: BaseChatModel
    shown: str
    kept: Path
    seconds: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "replayed"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("kbot streams every answer.")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        asked = json.dumps([self.shown, convert_to_openai_messages(messages), stop, kwargs], sort_keys=True)
        call = hashlib.sha256(asked.encode()).hexdigest()
        known, whole, seconds = self._find(call)
        before = self.seconds
        self.seconds = before + seconds
        for told in known:
            yield _generation(told)
        if whole:
            return
        chunks: list[dict[str, Any]] = []
        begun = time.perf_counter()
        answer = cast(AsyncGenerator[AIMessageChunk], self.inner.astream(messages, stop=stop, **kwargs))
        try:
            async with aclosing(answer):
                async for chunk in answer:
                    told = _told(chunk)
                    if any(told.values()):  # else a sign of life, which is another one each time
                        chunks.append(told)
                    if len(chunks) > len(known) or not any(told.values()):
                        yield _generation(told)
            whole = True
        finally:
            seconds = time.perf_counter() - begun
            self.seconds = before + seconds
            if len(chunks) > len(known) or whole:
                self._keep(call, chunks, whole, seconds)

    def _find(self, call: str) -> tuple[list[dict[str, Any]], bool, float]:
        with closing(sqlite3.connect(self.kept)) as database, database:
            database.execute(_TABLE)
            row = database.execute(_FIND, (call,)).fetchone()
        return (json.loads(row[0]), bool(row[1]), row[2]) if row else ([], False, 0.0)

    def _keep(self, call: str, chunks: list[dict[str, Any]], whole: bool, seconds: float) -> None:
        with closing(sqlite3.connect(self.kept)) as database, database:
            database.execute(_KEEP, (call, json.dumps(chunks), whole, seconds))


def _told(chunk: AIMessageChunk) -> dict[str, Any]:
    return {
        "content": chunk.text,
        "additional_kwargs": chunk.additional_kwargs,
        "response_metadata": chunk.response_metadata,
    }


def _generation(told: dict[str, Any]) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(**told))
