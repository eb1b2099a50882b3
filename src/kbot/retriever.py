"""kbot's search as a LangChain retriever, for a team's other LangChain programs."""

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PrivateAttr

from kbot.chat import Place
from kbot.engine import Engine


class Retriever(BaseRetriever):
    """The passages that kbot would read for a question, as LangChain documents.

    `page_content` is the passage; `metadata` holds source, title, page, heading, url, quote, and the evidence
    (similarity, sentence, coverage, score, each in [0, 1]). Make it where the engine was opened: `ainvoke` works in
    that event loop; `invoke` works from other threads while the loop runs, and from anywhere while it does not
    (`asyncio.Runner`). Elsewhere `invoke` raises RuntimeError.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    engine: Engine
    place: Place = Place("default", "")
    k: int = 8
    _loop: asyncio.AbstractEventLoop | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        self._loop = _running_loop()

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return await self._search(query)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        loop = self._loop
        if loop is None or loop.is_closed():
            raise RuntimeError(
                "The event loop of this retriever is not known or has ended: make it in a coroutine, where the engine "
                "was opened, and use it while that is open."
            )
        if loop is _running_loop():
            raise RuntimeError(
                "`invoke` would wait for the very event loop that it stops: call `await retriever.ainvoke(question)`."
            )
        if loop.is_running():
            return asyncio.run_coroutine_threadsafe(self._search(query), loop).result()
        return loop.run_until_complete(self._search(query))

    async def _search(self, query: str) -> list[Document]:
        shown = ("source", "title", "page", "heading", "url", "quote", "similarity", "sentence", "coverage", "score")
        return [
            Document(
                page_content=passage.text, id=passage.id, metadata={name: getattr(passage, name) for name in shown}
            )
            for passage in await self.engine.search(query, self.place, k=self.k)
        ]


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
