"""Documents in the index: replaced whole, counted exactly, whoever else writes or reads at the same time."""

import asyncio
import random
from collections import Counter

import pytest
from knowledge import EVERYBODY, FERIAS, LEAVE, Watched, add, document, miscounted, rows, watched
from langchain_core.embeddings import Embeddings

from kbot.chat import Place
from kbot.database import Database
from kbot.errors import ModelFailed
from kbot.ingestion.cutting import Cutting
from kbot.ingestion.index import Indexed, index
from kbot.ingestion.load import Page
from kbot.library import forget, indexed_workspaces, reindex
from kbot.models import Embedder
from kbot.retrieval.search import search


def long_text(mark: str, paragraphs: int = 40) -> str:
    return "\n\n".join(f"Paragraph {n} of the version {mark}, about the duty roster." for n in range(paragraphs))


async def chunk_ids(database: Database, source: str) -> list[object]:
    found = await rows(
        database,
        "SELECT c.id FROM chunks c JOIN documents d ON d.workspace = c.workspace AND d.id = c.document_id "
        "WHERE d.source = %s ORDER BY c.position",
        source,
    )
    return [row[0] for row in found]


async def test_a_document_is_added_replaced_and_left_as_it_is(database: Database, embedder: Embedder) -> None:
    assert await add(database, embedder, "leave.md", LEAVE) == Indexed("added", 2)
    ids = await chunk_ids(database, "leave.md")
    assert await add(database, embedder, "leave.md", LEAVE) == Indexed("duplicate", 2, "leave.md")
    assert await add(
        database, embedder, "leave.md", f"{LEAVE}\n\n## New\n\nA new part of the same document."
    ) == Indexed("replaced", 3)
    assert (await chunk_ids(database, "leave.md"))[:2] == ids, "what did not change keeps its id"
    assert await add(database, embedder, "leave.md", LEAVE) == Indexed("replaced", 2)
    assert await chunk_ids(database, "leave.md") == ids
    assert await miscounted(database) == []


async def test_the_same_text_under_another_name_is_a_duplicate(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    assert await add(database, embedder, "copy.md", LEAVE) == Indexed("duplicate", 2, "leave.md")
    await add(database, embedder, "other.md", FERIAS)
    assert await add(database, embedder, "other.md", LEAVE) == Indexed("duplicate", 2, "leave.md")
    assert await rows(database, "SELECT source FROM documents") == [("leave.md",)], "its old text is gone"
    assert await miscounted(database) == []


async def test_the_same_text_elsewhere_is_no_duplicate(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    assert (await add(database, embedder, "leave.md", LEAVE, scope="slack:hr")).status == "added"
    assert (await add(database, embedder, "copy.md", LEAVE, scope="slack:hr")).same_as == "leave.md"
    assert (await add(database, embedder, "leave.md", LEAVE, workspace="other")).status == "added"
    assert len(await rows(database, "SELECT DISTINCT id FROM documents")) == 3
    assert len(await rows(database, "SELECT DISTINCT id FROM chunks")) == 6
    assert await miscounted(database) == []


async def test_a_document_without_text_is_kept_without_passages(database: Database, embedder: Embedder) -> None:
    assert await add(database, embedder, "scan.pdf", [Page(1, "")]) == Indexed("added", 0)
    assert await search(database, embedder, "anything", EVERYBODY) == []
    assert await add(database, embedder, "scan.pdf", LEAVE) == Indexed("replaced", 2)
    assert await add(database, embedder, "scan.pdf", [Page(1, "")]) == Indexed("replaced", 0)
    assert await miscounted(database) == []


async def test_repeated_passages_have_ids_of_their_own(database: Database, embedder: Embedder) -> None:
    pages = [Page(number, "This page says the same as every other page.") for number in range(1, 41)]
    assert await add(database, embedder, "same.pdf", pages) == Indexed("added", 40)
    ids = await chunk_ids(database, "same.pdf")
    assert len(set(ids)) == 40
    await add(database, embedder, "same.pdf", pages[:30])
    assert await chunk_ids(database, "same.pdf") == ids[:30]
    assert await miscounted(database) == []


async def test_progress_counts_the_chunks(database: Database, embedder: Embedder) -> None:
    told: list[tuple[int, int]] = []
    made = document("long.md", long_text("1"))
    done = await index(database, embedder, made, cutting=Cutting(100), progress=lambda n, of: told.append((n, of)))
    assert told[-1] == (done.chunks, done.chunks)
    assert told == sorted(set(told))
    assert len(told) >= 2


async def test_versions_at_once_leave_one_of_them_whole(database: Database, embedder: Embedder) -> None:
    texts = [long_text(str(n), 6) for n in range(5)]
    done = await asyncio.gather(*(add(database, embedder, "a.md", text) for text in texts))
    assert Counter(one.status for one in done) == {"added": 1, "replaced": 4}
    (stored,) = await rows(database, "SELECT text FROM documents")
    assert stored[0] in texts
    held = await rows(database, "SELECT text FROM chunks ORDER BY position")
    assert "\n\n".join(str(text) for (text,) in held) == stored[0]
    assert await miscounted(database) == []


async def test_one_content_at_once_under_many_names_is_stored_once(database: Database, embedder: Embedder) -> None:
    done = await asyncio.gather(*(add(database, embedder, f"{n}.md", LEAVE) for n in range(6)))
    assert Counter(one.status for one in done) == {"added": 1, "duplicate": 5}
    assert len(await rows(database, "SELECT FROM documents")) == 1
    assert await miscounted(database) == []


async def test_new_workspaces_at_once_do_not_wait_for_each_other_forever(
    database: Database, embedder: Embedder
) -> None:
    await asyncio.gather(*(add(database, embedder, "a.md", LEAVE, workspace=f"team-{n}") for n in range(8)))
    assert await indexed_workspaces(database) == [f"team-{n}" for n in range(8)]
    assert await miscounted(database) == []


class Held(Watched):
    """An encoder that is at its passages until it is let go."""

    def __init__(self, inner: Embeddings) -> None:
        super().__init__(inner)
        self.waiting = 0
        self.release = asyncio.Event()

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        self.waiting += 1
        await self.release.wait()
        return await self.inner.aembed_documents(texts)


async def test_embedding_keeps_no_connection_from_those_who_ask(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    held = Held(embedder.embeddings)
    slow = Embedder(embedder.name, embedder.dimensions, held, None)
    many = 2 * database.pool.max_size
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        for n in range(many):
            group.create_task(add(database, slow, f"{n}.md", long_text(str(n), 3)))
        while held.waiting < many:
            await asyncio.sleep(0.01)
        assert await search(database, embedder, "paid leave", EVERYBODY)
        held.release.set()
    assert await miscounted(database) == []


async def test_a_failing_embedder_leaves_the_old_version(database: Database, embedder: Embedder) -> None:
    def fail(batch: int) -> None:
        if batch == 2:
            raise ModelFailed("test", "The model failed.", "Try again.")

    await add(database, embedder, "a.md", long_text("one"))
    before = await chunk_ids(database, "a.md")
    with pytest.raises(ModelFailed):
        await add(database, watched(embedder, fail), "a.md", long_text("two"))
    with pytest.raises(ModelFailed):
        await add(database, watched(embedder, fail), "b.md", long_text("three"))
    assert await chunk_ids(database, "a.md") == before
    found = await search(database, embedder, "the version one, two or three of the duty roster", EVERYBODY, k=40)
    assert found
    assert all("version one" in passage.text for passage in found)
    assert await miscounted(database) == []


async def test_a_reader_never_sees_half_a_document(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "a.md", long_text("v0"))
    whole = len(await chunk_ids(database, "a.md"))
    question = "the duty roster"
    vector = await embedder.embeddings.aembed_query(question)
    done = False
    seen: set[str] = set()

    async def read() -> None:
        while not done:
            found = await search(database, embedder, question, EVERYBODY, k=200, candidates=200, vector=vector)
            versions = {passage.text.partition("version ")[2][:2] for passage in found}
            assert len(versions) == 1
            assert len(found) == whole
            around = {text.partition("version ")[2][:2] for p in found for text in (p.before, p.after) if text}
            assert around == versions
            seen.update(versions)

    async def write() -> None:
        nonlocal done
        try:
            for n in range(1, 5):
                await add(database, embedder, "a.md", long_text(f"v{n}"))
        finally:
            done = True

    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        group.create_task(read())
        group.create_task(write())
    assert len(seen) >= 2


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_the_statistics_are_exact_after_any_sequence(database: Database, embedder: Embedder, seed: int) -> None:
    chance = random.Random(seed)
    words = ["férias", "leave", "duty", "roster", "plantão", "payment", "reembolso", "expense", "office", "escritório"]
    places = [("default", ""), ("default", "slack:hr"), ("other", "")]

    async def step() -> None:
        workspace, scope = chance.choice(places)
        source = f"{chance.randrange(4)}.md"
        if chance.random() < 0.25:
            await forget(database, Place(workspace, scope or "slack:general"), source)
        elif chance.random() < 0.1:
            [_ async for _ in reindex(database, embedder, workspace, cutting=Cutting(chance.choice([60, 100])))]
        else:
            said = [f"About {chance.choice(words)} and {chance.choice(words)}." for _ in range(chance.randrange(5))]
            await add(database, embedder, source, "\n\n".join(said), workspace=workspace, scope=scope)

    for _ in range(12):
        await asyncio.gather(*(step() for _ in range(3)))
        assert await miscounted(database) == []
