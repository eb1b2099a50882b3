"""kbot's search as a LangChain retriever, for a team's other LangChain programs."""

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from kbot.chat import Place
from kbot.engine import Engine


class Retriever(BaseRetriever):
    """The passages that kbot would read for a question, as LangChain documents.

    `page_content` is the passage; `metadata` holds id, source, title, page, heading, url, quote, and the evidence
    (similarity, sentence, coverage, score, each in [0, 1]). It is asynchronous, as kbot is: use `ainvoke`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    engine: Engine
    place: Place = Place("default", "")
    k: int = 8

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        shown = ("source", "title", "page", "heading", "url", "quote", "similarity", "sentence", "coverage", "score")
        return [
            Document(
                page_content=passage.text, id=passage.id, metadata={name: getattr(passage, name) for name in shown}
            )
            for passage in await self.engine.search(query, self.place, k=self.k)
        ]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        raise NotImplementedError("kbot is asynchronous: call `await retriever.ainvoke(question)`.")
