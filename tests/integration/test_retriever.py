"""kbot's passages for other LangChain programs: the retriever, the vector store, and the examples that show them."""

import asyncio
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from knowledge import FERIAS, LEAVE, add
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import VectorStore
from sqlalchemy.exc import DBAPIError

from kbot.chat import Place
from kbot.database import Database, open_database
from kbot.engine import Engine
from kbot.errors import EmbedderMismatch
from kbot.ingestion.load import Page
from kbot.models import Embedder, open_chat_model, open_reranker
from kbot.retriever import Retriever
from kbot.settings import Settings
from kbot.vectorstore import open_vector_store

DOCS = Path(__file__).parents[2] / "docs"
QUESTION = "How many days of paid leave are there?"


@pytest.fixture
async def engine(database: Database, embedder: Embedder, settings: Settings) -> Engine:
    """An engine whose workspace holds shared and secret documents, beside another workspace."""
    await add(database, embedder, "leave.md", LEAVE, title="Leave policy")
    await add(database, embedder, "ferias.pdf", [Page(3, FERIAS)])
    await add(database, embedder, "secret.md", f"{LEAVE}\n\nThe secret is 98765.", scope="slack:hr")
    await add(database, embedder, "other.md", f"{LEAVE}\n\nAnother team says 4711.", workspace="team b\\c")
    quoting = settings.model_copy(update={"chat_model": "extractive"})
    return Engine(
        quoting, database, embedder, await open_chat_model(quoting, embedder), await open_reranker(quoting, embedder)
    )


async def test_it_returns_what_kbot_would_read(engine: Engine) -> None:
    found = await Retriever(engine=engine).ainvoke(QUESTION)
    passages = await engine.search(QUESTION, k=8)
    assert [document.id for document in found] == [passage.id for passage in passages]
    assert found[0].page_content == passages[0].text
    assert found[0].metadata == {
        "source": "leave.md", "title": "Leave policy", "page": None, "heading": "Leave", "url": None,
        "quote": "Every employee has 25 days of paid leave in a year.", "similarity": passages[0].similarity,
        "sentence": passages[0].sentence, "coverage": passages[0].coverage, "score": passages[0].score,
    }  # fmt: skip


async def test_it_keeps_to_its_place_and_k(engine: Engine) -> None:
    assert len(await Retriever(engine=engine, k=1).ainvoke(QUESTION)) == 1
    for place, secret in ((Place("default", "slack:general"), False), (Place("default", "slack:hr"), True)):
        found = await Retriever(engine=engine, place=place, k=40).ainvoke("the secret 98765")
        assert any("98765" in document.page_content for document in found) == secret
        assert not any("4711" in document.page_content for document in found)


async def test_it_is_a_step_of_a_chain(engine: Engine) -> None:
    def quote(found: list[Document]) -> str:
        return str(found[0].metadata["quote"])

    chain = Retriever(engine=engine, k=1) | RunnableLambda(quote)
    assert await chain.ainvoke(QUESTION) == "Every employee has 25 days of paid leave in a year."
    assert len(await Retriever(engine=engine, k=1).abatch([QUESTION, "férias"])) == 2


async def test_invoke_works_from_another_thread_and_not_in_the_loop(engine: Engine) -> None:
    retriever = Retriever(engine=engine)
    found = await asyncio.to_thread(retriever.invoke, QUESTION)
    assert found[0].metadata["source"] == "leave.md"
    with pytest.raises(RuntimeError, match=r"call `await retriever\.ainvoke"):
        retriever.invoke(QUESTION)
    unbound = await asyncio.to_thread(lambda: Retriever(engine=engine))
    with pytest.raises(RuntimeError, match=r"make it in a coroutine"):
        await asyncio.to_thread(unbound.invoke, QUESTION)


async def test_invoke_works_where_no_loop_runs(engine: Engine) -> None:
    def synchronous() -> str:
        async def begun(stack: AsyncExitStack) -> Retriever:
            database = await stack.enter_async_context(open_database(engine.settings, migrate=False))
            own = Engine(engine.settings, database, engine.embedder, engine.chat, engine.reranker)
            return Retriever(engine=own)

        stack = AsyncExitStack()
        with asyncio.Runner() as runner:
            retriever = runner.run(begun(stack))
            source = retriever.invoke(QUESTION)[0].metadata["source"]
            runner.run(stack.aclose())
        with pytest.raises(RuntimeError, match=r"has ended"):
            retriever.invoke(QUESTION)
        return source

    assert await asyncio.to_thread(synchronous) == "leave.md"


@asynccontextmanager
async def opened(engine: Engine, workspace: str = "default") -> AsyncGenerator[VectorStore]:
    """The store as other programs take it: any of LangChain's."""
    async with open_vector_store(engine, workspace) as store:
        yield store


async def test_the_vector_store_searches_what_everybody_may_see(engine: Engine) -> None:
    async with opened(engine) as store:
        found = await store.asimilarity_search_with_score(QUESTION, k=40)
        assert {document.metadata["source"] for document, _ in found} == {"leave.md", "ferias.pdf"}
        distances = [distance for _, distance in found]
        assert distances == sorted(distances)
        first, distance = found[0]
        assert first.page_content.startswith("# Leave")
        assert first.metadata == {
            "source": "leave.md", "title": "Leave policy", "page": None, "heading": "Leave", "url": None,
            "language": "en",
        }  # fmt: skip
        (passage,) = [p for p in await engine.search(QUESTION) if p.id == str(first.id)]
        assert distance == pytest.approx(1 - passage.similarity, abs=1e-3)
        assert {d.metadata["page"] for d, _ in found if d.metadata["source"] == "ferias.pdf"} == {3}
        assert len(await store.asimilarity_search(QUESTION)) == 3
        (filtered,) = await store.asimilarity_search("leave", k=1, filter={"source": "ferias.pdf"})
        assert filtered.metadata["source"] == "ferias.pdf"
        assert await store.amax_marginal_relevance_search(QUESTION, k=2, fetch_k=3)
        assert (await store.as_retriever(search_kwargs={"k": 1}).ainvoke(QUESTION))[0].id == first.id


async def test_the_vector_store_of_another_workspace_is_another(engine: Engine) -> None:
    async with opened(engine, "team b\\c") as store:
        found = await store.asimilarity_search("the secret 98765", k=40)
        assert {document.metadata["source"] for document in found} == {"other.md"}
    async with opened(engine, "nobody") as store:
        assert await store.asimilarity_search(QUESTION, k=40) == []
    async with engine.database.pool.connection() as connection:
        assert await (await connection.execute("SELECT FROM shared_passages")).fetchall() == []


async def test_the_vector_store_is_read_only(engine: Engine) -> None:
    async with opened(engine) as store:
        with pytest.raises(DBAPIError, match=r"read-only transaction|cannot insert into view"):
            await store.aadd_texts(["A new text."])


async def test_the_vector_store_of_another_embedder_is_refused(engine: Engine) -> None:
    other = Embedder("test:other", 512, engine.embedder.embeddings, None)
    with pytest.raises(EmbedderMismatch):
        async with open_vector_store(Engine(engine.settings, engine.database, other, engine.chat, engine.reranker)):
            pass


async def test_the_documented_examples_run(
    engine: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    examples = re.findall(r"```python\n(.*?)```", (DOCS / "langchain.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 2
    assert settings.database_url
    environment = {
        "PATH": "/usr/bin:/bin",
        "KBOT_DATABASE_URL": settings.database_url.get_secret_value(),
        "KBOT_CHAT_MODEL": "extractive",
        "KBOT_HOME": str(tmp_path),
    }
    for example in examples:
        program = tmp_path / "example.py"
        program.write_text(example, encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-X", "utf8", program, cwd=tmp_path, env=environment, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        assert process.returncode == 0
        assert b"leave.md" in output
        assert b"98765" not in output
