"""The reranker goes with the index: recorded by what builds it, told apart, and changed to without embedding anything
anew."""

import asyncio
from pathlib import Path

import pytest
from knowledge import EVERYBODY, FERIAS, LEAVE, Watched, add, rows, smaller

from kbot.chat import Place
from kbot.database import Database
from kbot.errors import EmbedderMismatch, ModelFailed, RerankerMismatch
from kbot.ingestion.cutting import Cutting
from kbot.ingestion.jobs import Shelf, Upload, ingest
from kbot.library import forget, reindex
from kbot.models import Embedder, open_reranker
from kbot.reranking.opening import recorded_name
from kbot.retrieval.rerank import rerank
from kbot.retrieval.search import check_index, search
from kbot.settings import Settings

CUTTING = Cutting(100)  # as `add` cuts


async def recorded(database: Database) -> list[tuple[object, ...]]:
    return await rows(database, "SELECT workspace, reranker FROM indexes ORDER BY 1")


def silent(embedder: Embedder) -> Embedder:
    """The embedder, failing at the first passage."""

    def fail(batch: int) -> None:
        raise ModelFailed("test", "Something was embedded.", "Embed nothing.")

    return Embedder(embedder.name, embedder.dimensions, Watched(embedder.embeddings, fail), None)


async def test_a_search_records_nothing_and_takes_an_index_without_a_record(
    database: Database, embedder: Embedder
) -> None:
    assert await search(database, embedder, "leave", EVERYBODY, reranker="none") == []
    await add(database, embedder, "leave.md", LEAVE)
    found = await search(database, embedder, "days of leave", EVERYBODY)
    assert found
    for reranker in ("none", "embedded", "none"):
        await check_index(database, embedder, "default", reranker=reranker)
        assert await search(database, embedder, "days of leave", EVERYBODY, reranker=reranker) == found
    assert await recorded(database) == [("default", None)]


async def test_ingesting_records_the_reranker_where_there_is_none(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE, reranker="embedded")
    await add(database, embedder, "leave.md", LEAVE, workspace="older")
    assert await recorded(database) == [("default", "embedded"), ("older", None)]
    # The same file again is enough.
    assert (await add(database, embedder, "leave.md", LEAVE, workspace="older", reranker="none")).status == "duplicate"
    assert await recorded(database) == [("default", "embedded"), ("older", "none")]


async def test_ingesting_with_another_reranker_leaves_the_record(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE, reranker="embedded")
    for reranker in ("none", None):
        await add(database, embedder, f"{reranker}.md", f"{FERIAS} {reranker}", reranker=reranker)
    assert await recorded(database) == [("default", "embedded")]
    assert await search(database, embedder, "férias", EVERYBODY, reranker="embedded")
    # An embedder that does not fit changes nothing either.
    await add(database, embedder, "leave.md", LEAVE, workspace="older")
    with pytest.raises(EmbedderMismatch):
        await add(database, smaller(embedder), "ferias.md", FERIAS, workspace="older", reranker="none")
    assert await recorded(database) == [("default", "embedded"), ("older", None)]


async def test_first_documents_side_by_side_record_one_reranker(database: Database, embedder: Embedder) -> None:
    added = [add(database, embedder, f"{n}.md", f"{LEAVE} {n}", reranker="embedded") for n in range(4)]
    await asyncio.gather(*added)
    assert await recorded(database) == [("default", "embedded")]


async def test_what_is_ingested_goes_with_the_reranker_of_the_settings(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    (tmp_path / "leave.md").write_text(LEAVE, encoding="utf-8")
    items = [Upload("leave.md", tmp_path / "leave.md")]
    settings = Settings(reranker=" None ")
    assert [r.status async for r in ingest(database, embedder, settings, items, Shelf("default"))] == ["added"]
    assert await recorded(database) == [("default", "none")]


async def test_another_reranker_is_told_apart(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE, reranker="embedded")
    with pytest.raises(RerankerMismatch, match=r"goes with the reranker embedded.* configured for none.*kbot reindex"):
        await search(database, embedder, "days of leave", EVERYBODY, reranker="none")
    with pytest.raises(RerankerMismatch, match=r"KBOT_RERANKER=embedded"):
        await check_index(database, embedder, "default", reranker="none")
    with pytest.raises(EmbedderMismatch):
        await search(database, smaller(embedder), "days of leave", EVERYBODY, reranker="none")
    assert await search(database, embedder, "zzz", Place("nobody", ""), reranker="none") == []
    assert await recorded(database) == [("default", "embedded")]


async def test_an_emptied_index_is_any_rerankers(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE, reranker="embedded")
    await forget(database, EVERYBODY, "leave.md")
    await check_index(database, embedder, "default", reranker="none")
    await add(database, embedder, "ferias.md", FERIAS, reranker="none")
    await add(database, embedder, "leave.md", LEAVE, reranker="embedded")
    assert await search(database, embedder, "férias", EVERYBODY, reranker="none")
    assert await recorded(database) == [("default", "none")]


async def test_reindexing_for_another_reranker_embeds_nothing(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    await add(database, embedder, "ferias.md", FERIAS, reranker="embedded")
    before = await rows(database, "SELECT id, xmin::text FROM chunks ORDER BY id")
    done = reindex(database, silent(embedder), "default", cutting=CUTTING, reranker="none")
    assert sorted([name async for name in done]) == ["ferias.md", "leave.md"]
    assert await rows(database, "SELECT id, xmin::text FROM chunks ORDER BY id") == before
    assert await recorded(database) == [("default", "none")]
    assert await search(database, embedder, "days of leave", EVERYBODY, reranker="none")
    with pytest.raises(RerankerMismatch):
        await search(database, embedder, "days of leave", EVERYBODY, reranker="embedded")


async def test_reindexing_embeds_what_the_reranker_does_not_explain(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE, reranker="embedded")
    # The same pair: whoever asks for it wants the index rebuilt. Another way to cut: as it always was.
    for cutting, reranker in ((CUTTING, "embedded"), (Cutting(200), "none")):
        with pytest.raises(ModelFailed, match=r"Something was embedded"):
            [_ async for _ in reindex(database, silent(embedder), "default", cutting=cutting, reranker=reranker)]
        assert await recorded(database) == [("default", "embedded")], "what failed has changed nothing"
    other = smaller(embedder)
    assert [_ async for _ in reindex(database, other, "default", cutting=CUTTING, reranker="none")] == ["leave.md"]
    assert await search(database, other, "days of leave", EVERYBODY, reranker="none")
    assert [_ async for _ in reindex(database, other, "default", cutting=CUTTING)] == ["leave.md"]
    assert await recorded(database) == [("default", "none")], "a reindexing without a reranker leaves it"


async def test_wide_then_narrow(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    await add(database, embedder, "ferias.md", FERIAS)
    reranker = await open_reranker(Settings(), embedder)
    assert reranker.name == recorded_name(Settings().reranker)
    question = "Quantos dias de férias passam para o outro ano?"
    found = await search(database, embedder, question, EVERYBODY, k=40, reranker=reranker.name)
    done = await rerank(reranker, question, found, k=2)
    assert done.failed is None
    assert len(done.passages) == 2 < len(found)
    assert {p.id for p in (await rerank(reranker, question, found, k=40)).passages} == {p.id for p in found}
    assert "Até cinco dias de férias" in done.passages[0].text
    assert done.passages[0].score >= done.passages[1].score
