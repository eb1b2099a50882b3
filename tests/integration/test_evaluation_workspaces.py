"""What evaluations ask of stands in workspaces of their own, which nothing else changes, until it is deleted."""

import pytest
from knowledge import LEAVE, add, miscounted, rows
from operators import Operator
from test_cli_docs import documented_json, keys

from kbot.chat import Place
from kbot.commands import documents, evaluating, operating
from kbot.database import Database
from kbot.errors import SettingsError
from kbot.evaluation import ledger
from kbot.models import Embedder
from kbot.retrieval.search import check_index, search
from kbot.workspaces import evaluation_workspace, is_evaluation

CHUNKS = "SELECT workspace, id, xmin::text FROM chunks WHERE workspace LIKE 'eval-%%' ORDER BY 1, 2"


def test_an_evaluations_workspace_is_told_by_its_name() -> None:
    assert is_evaluation(evaluation_workspace("0123456789abcdef0123"))
    for name in ("default", "eval", "eval-uation", "eval-0123456789abcdef0", "my-eval-0123456789abcdef"):
        assert not is_evaluation(name)


async def test_reindexing_for_other_settings_leaves_evaluations_alone(
    operator: Operator, database: Database, embedder: Embedder
) -> None:
    await operator.measure(operator.asked(), "before")
    await add(database, embedder, "leave.md", LEAVE)
    before = await rows(database, CHUNKS)
    assert before
    other = operator.settings.model_copy(update={"chunk_characters": 200, "reranker": "none"})
    assert await documents.reindex(other, "", out=operator.out, err=operator.err) == 0
    assert operator.shown().startswith("default: 1 documents indexed")
    assert "eval-" not in operator.shown()
    assert await rows(database, CHUNKS) == before
    with pytest.raises(SettingsError, match=r"is an evaluation's.*kbot eval clean"):
        await documents.reindex(other, str(before[0][0]), out=operator.out, err=operator.err)


async def test_any_reranker_searches_what_an_evaluation_asks_of(
    operator: Operator, database: Database, embedder: Embedder
) -> None:
    shape = await operator.measure(operator.asked(), "with words")
    operator.settings = operator.settings.model_copy(update={"reranker": "none"})
    again = await operator.measure(operator.asked(), "as they are")
    assert again["workspace"] == shape["workspace"]
    assert [run["configuration"]["reranker"] for run in (shape, again)] == ["embedded", "none"]
    assert await rows(database, "SELECT reranker FROM indexes") == [(None,)]
    # One that an earlier kbot recorded does not bind either.
    async with database.pool.connection() as connection:
        await connection.execute("UPDATE indexes SET reranker = 'onnx:older'")
    assert await search(database, embedder, "férias", Place(shape["workspace"], ""), reranker="none")
    await check_index(database, embedder, shape["workspace"], reranker="embedded")


async def test_doctor_counts_evaluations_and_names_none(operator: Operator, database: Database) -> None:
    shape = await operator.measure(operator.asked(), "run")
    passages = len(await rows(database, CHUNKS))
    assert await operating.doctor(operator.settings, quick=True, as_json=False, out=operator.out) == 0
    assert shape["workspace"] not in operator.shown()
    assert "✓ documents: Nothing has been ingested yet: kbot ingest PATH" in operator.shown()
    told = f"✓ evaluations: 1 workspace with {passages} passages; `kbot eval clean` deletes them"
    assert told in operator.shown()


async def test_cleaning_deletes_documents_and_keeps_runs_and_teams(
    operator: Operator, database: Database, embedder: Embedder
) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    await operator.measure(operator.asked(), "one")
    operator.settings = operator.settings.model_copy(update={"chunk_characters": 200})
    await operator.measure(operator.asked(), "two")
    before = await rows(database, CHUNKS)

    async def clean(*, runs: bool = False, delete: bool = True, as_json: bool = True) -> None:
        code = await evaluating.clean(operator.settings, runs=runs, delete=delete, as_json=as_json, out=operator.out)
        assert code == 0

    await clean(delete=False)
    dry = operator.shape()
    assert keys(dry) == keys(documented_json()["eval clean"])
    assert (dry["workspaces"], dry["documents"], dry["passages"], dry["runs"]) == (2, 10, len(before), 0)
    assert dry["megabytes"] > 0
    assert dry["deleted"] is False
    assert await rows(database, CHUNKS) == before
    await clean()
    assert operator.shape() == {**dry, "deleted": True}
    for table in ("documents", "chunks", "lexemes", "scopes", "indexes", "turns"):
        assert await rows(database, f"SELECT DISTINCT workspace FROM {table}") in ([("default",)], []), table
    assert await miscounted(database) == []
    assert [run.name for run in await ledger.kept_runs(database)] == ["one", "two"]
    assert await search(database, embedder, "days of leave", Place("default", ""))
    assert (await operator.measure(operator.asked(), "three"))["measures"]["hit@5"]["value"] == 1.0
    await clean(runs=True, as_json=False)
    assert "Deleted: 1 workspace of evaluations with 5 documents" in operator.shown()
    assert ", and 3 runs." in operator.shown()
    assert await ledger.kept_runs(database) == []
