"""Files, folders and addresses become documents, each with its receipt."""

import asyncio
import os
from contextlib import aclosing
from pathlib import Path

import pytest
from knowledge import EVERYBODY, EVERYONE, FERIAS, LEAVE, add, miscounted, receipts, rows
from langchain_core.embeddings import Embeddings

from fakes.documents import line, pdf
from kbot.database import Database
from kbot.errors import EmbedderMismatch, ModelFailed
from kbot.ingestion.jobs import Shelf, Upload, ingest, uploads
from kbot.library import sources
from kbot.models import Embedder
from kbot.retrieval.search import search
from kbot.settings import Settings


def written(folder: Path, **files: str | bytes) -> Path:
    """A folder with files; a name's `__` is a slash, its `_` a dot."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_a_folder_is_all_its_visible_files_by_path(tmp_path: Path) -> None:
    written(tmp_path, b_md="b", a__z_md="z", a__b__c_txt="c", _hidden_md="h", a___env="secret", _git__config="g")
    found = uploads([str(tmp_path)])
    assert [item.source for item in found] == ["b.md", "a/z.md", "a/b/c.txt"]
    assert [item.path for item in found] == [tmp_path / "b.md", tmp_path / "a/z.md", tmp_path / "a/b/c.txt"]


def test_files_and_addresses_keep_their_order(tmp_path: Path) -> None:
    names = [str(tmp_path / "z.md"), "https://example.com/a.pdf", str(tmp_path / "missing.md"), "HTTP://EXAMPLE.COM/b"]
    found = uploads([*names, names[0]])
    assert [item.source for item in found] == [
        "z.md",
        "https://example.com/a.pdf",
        "missing.md",
        "HTTP://EXAMPLE.COM/b",
    ]
    assert [bool(item.url) for item in found] == [False, True, False, True]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    written(tmp_path, x__a__readme_md="1", x__b__readme_md="2", y__a__readme_md="3", y__other_md="4")
    found = uploads(
        [str(tmp_path / name) for name in ("x/a/readme.md", "x/b/readme.md", "y/a/readme.md", "y/other.md")]
    )
    assert [item.source for item in found] == ["x/a/readme.md", "b/readme.md", "y/a/readme.md", "other.md"]
    folders = uploads([str(tmp_path / "x"), str(tmp_path / "y")])
    assert [item.source for item in folders] == ["x/a/readme.md", "b/readme.md", "other.md", "y/a/readme.md"]
    assert len(uploads([str(tmp_path), str(tmp_path / "x"), str(tmp_path / "y/other.md")])) == 4, "each file once"


def test_a_name_is_text_whatever_its_bytes(tmp_path: Path) -> None:
    os.close(os.open(os.fsencode(tmp_path) + b"/f\xe9rias.md", os.O_CREAT | os.O_WRONLY))
    (tmp_path / "relato\u0301rio.md").write_text("r")
    found = {item.source for item in uploads([str(tmp_path)])}
    assert found == {"f\ufffdrias.md", "relatório.md"}


async def test_receipts_come_in_order_and_a_rejected_file_stops_no_other(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    written(tmp_path, a_md=LEAVE, b_bin=bytes(range(256)) * 40, c_md="", d_md=FERIAS, e_md=LEAVE)
    written(
        tmp_path,
        f_pdf=pdf(line(50, 700, b"The visitors sign the book at the reception."), b"", line(50, 700, b"End of it.")),
    )
    items = [*uploads([str(tmp_path)]), Upload("gone.md", tmp_path / "gone.md"), Upload("folder", tmp_path)]
    found = await receipts(database, embedder, settings, items)
    assert [receipt.source for receipt in found] == [item.source for item in items]
    assert [receipt.status for receipt in found] == [
        "added", "rejected", "rejected", "added", "duplicate", "added", "rejected", "rejected",
    ]  # fmt: skip
    assert all(receipt.reason.endswith(".") for receipt in found if receipt.status != "added")
    by = {receipt.source: receipt for receipt in found}
    assert by["e.md"].reason == "The same text is already there as a.md."
    assert (by["f.pdf"].pages, by["f.pdf"].pages_without_text) == (3, 1)
    assert by["f.pdf"].chunks == 2
    assert by["a.md"].pages is None
    assert "check its path" in by["gone.md"].reason
    stored = {source.source for source in await sources(database, EVERYBODY)}
    assert stored == {"a.md", "d.md", "f.pdf"}
    assert await miscounted(database) == []


async def test_ingesting_again_changes_what_changed(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    written(tmp_path, a_md=LEAVE, b_md=FERIAS)
    await receipts(database, embedder, settings, uploads([str(tmp_path)]))
    written(tmp_path, b_md=FERIAS + "\n\nUma frase nova no fim.")
    again = await receipts(database, embedder, settings, uploads([str(tmp_path)]))
    assert [(receipt.source, receipt.status) for receipt in again] == [("a.md", "duplicate"), ("b.md", "replaced")]
    assert again[0].reason == "Unchanged since it was last ingested."


async def test_a_shelf_is_where_documents_go(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    items = uploads([str(written(tmp_path, a_md=LEAVE))])
    await receipts(database, embedder, settings, items, Shelf("default", "slack:hr", "U1"))
    assert await sources(database, EVERYBODY) == []
    (source,) = await sources(database, EVERYBODY, everything=True)
    assert (source.scope, source.added_by, source.language) == ("slack:hr", "U1", "en")


async def test_progress_is_told_for_each_document(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    small = settings.model_copy(update={"chunk_characters": 200})
    long = "\n\n".join(
        f"Paragraph {n} of a long text, which speaks about the duty roster of the team." for n in range(200)
    )
    told: list[tuple[str, int, int]] = []

    def tell(source: str, done: int, total: int) -> None:
        told.append((source, done, total))

    items = uploads([str(written(tmp_path, a_md=long, b_md=FERIAS))])
    found = await receipts(database, embedder, small, items, progress=tell)
    for receipt in found:
        steps = [(done, total) for source, done, total in told if source == receipt.source]
        assert steps[-1] == (receipt.chunks, receipt.chunks)
        assert steps == sorted(steps)
    assert len([step for step in told if step[0] == "a.md"]) > 1


async def test_a_table_is_read_with_its_header(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    small = settings.model_copy(update={"chunk_characters": 300})
    table = "Nome;Ramal;Andar\n" + "".join(f"Pessoa Numero{n};{4000 + n};{n}\n" for n in range(80))
    await receipts(database, embedder, small, uploads([str(written(tmp_path, ramais_csv=table))]))
    found = await search(database, embedder, "Qual é o ramal da Pessoa Numero77?", EVERYBODY)
    hit = next(passage for passage in found if "Numero77" in passage.text)
    assert hit.text.startswith("| Nome | Ramal | Andar |\n| --- | --- | --- |\n| Pessoa Numero")
    assert "| Pessoa Numero77 | 4077 | 77 |" in hit.text


class Failing(Embeddings):
    """The real encoder, which fails at one text, or waits there for ever."""

    def __init__(self, inner: Embeddings, at: str, error: Exception | None) -> None:
        self.inner = inner
        self.at = at
        self.error = error
        self.reached = asyncio.Event()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return self.inner.embed_query(text)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if any(self.at in text for text in texts):
            self.reached.set()
            if self.error:
                raise self.error
            await asyncio.Event().wait()
        return await self.inner.aembed_documents(texts)


async def test_a_failing_model_stops_it_and_the_receipts_before_stand(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    written(tmp_path, a_md=LEAVE, b_md="The one that fails.", c_md=FERIAS, d_md="A last one, which is not reached.")
    failing = Failing(embedder.embeddings, "one that fails", ModelFailed("test", "It failed.", "Try again."))
    broken = Embedder(embedder.name, embedder.dimensions, failing, None)
    seen: list[str] = []

    async def collect() -> None:
        async for receipt in ingest(database, broken, settings, uploads([str(tmp_path)]), EVERYONE):
            seen.append(receipt.source)  # noqa: PERF401  # what came before the error is the point

    with pytest.raises(ModelFailed, match=r"It failed\. Try again\."):
        await collect()
    assert seen == ["a.md"]
    stored = {source.source for source in await sources(database, EVERYBODY)}
    assert {"a.md"} <= stored <= {"a.md", "c.md"}
    assert await miscounted(database) == []


async def test_another_embedder_stops_it(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    await add(database, embedder, "leave.md", LEAVE)
    other = Embedder("test:other", embedder.dimensions, embedder.embeddings, None)
    with pytest.raises(EmbedderMismatch):
        await receipts(database, other, settings, uploads([str(written(tmp_path, b_md=FERIAS))]))
    assert [source.source for source in await sources(database, EVERYBODY)] == ["leave.md"]


async def test_cancelled_it_leaves_nothing_half_done(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    written(tmp_path, a_md=LEAVE, b_md="The one that hangs.", c_md=FERIAS)
    hanging = Failing(embedder.embeddings, "one that hangs", None)
    slow = Embedder(embedder.name, embedder.dimensions, hanging, None)
    before = {task for task in asyncio.all_tasks() if "_ingest_one" in repr(task)}
    task = asyncio.create_task(receipts(database, slow, settings, uploads([str(tmp_path)])))
    async with asyncio.timeout(20):
        await hanging.reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert {task for task in asyncio.all_tasks() if "_ingest_one" in repr(task)} == before
    assert {source.source for source in await sources(database, EVERYBODY)} <= {"a.md", "c.md"}
    assert await miscounted(database) == []
    found = await receipts(database, embedder, settings, uploads([str(tmp_path)]))
    assert all(receipt.status in ("added", "duplicate") for receipt in found)
    assert await miscounted(database) == []


async def test_closed_early_it_stops(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    for n in range(8):
        written(tmp_path, **{f"a{n}_md": f"{LEAVE}\n\nNumber {n}."})
    async with aclosing(ingest(database, embedder, settings, uploads([str(tmp_path)]), EVERYONE)) as made:
        async for receipt in made:
            assert receipt.source == "a0.md"
            break
    stored = await rows(database, "SELECT count(*) FROM documents")
    assert 1 <= int(str(stored[0][0])) <= 4
    assert await miscounted(database) == []


async def test_a_name_that_is_no_text_stops_nothing(
    database: Database, embedder: Embedder, settings: Settings, tmp_path: Path
) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/inv\xff.txt"))
    try:
        odd.write_text("What this file is called is no text in UTF-8.")
    except OSError:
        pytest.skip("this file system takes no such name")
    (tmp_path / "z.txt").write_text("And this one follows it, by an ordinary name.")
    made = await receipts(database, embedder, settings, uploads([str(tmp_path)]))
    assert [(receipt.source, receipt.status) for receipt in made] == [("inv\ufffd.txt", "added"), ("z.txt", "added")]
