"""How long ingest takes beside embedding the same texts, which no ingest can do without."""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil

from bench.databases import fresh_database
from bench.labelled import read_set, write_files
from bench.report import Cell, Result, Table, Target
from bench.run import Bench
from kbot.database import Database
from kbot.ingestion.chunk import PageStart, chunk, join_pages
from kbot.ingestion.jobs import Shelf, ingest, uploads
from kbot.ingestion.load import Parser, parse_limits
from kbot.settings import Settings

# One turn embeds alone, ingests, and embeds alone again; what else the machine does meanwhile meets both.
_SMALL_FILES = 75
_SMALL_TURNS = 4
_LARGE = ("Northwind_Health_Plus_Benefits_Details.pdf", "debian-faq.en.pdf", "debian-faq.pt.pdf")
_COLUMNS = ("documents", "passages", "parse s", "embed s", "ingest s", "(ingest - parse) / embed", "peak MB")


@dataclass(slots=True)
class _Memory:
    """How much more memory than at first the process took at most, in megabytes."""

    _before: int = field(default_factory=lambda: psutil.Process().memory_info().rss)
    peak: float = 0.0

    def look(self) -> None:
        self.peak = max(self.peak, (psutil.Process().memory_info().rss - self._before) / 1e6)


@dataclass(frozen=True, slots=True)
class _Turn:
    passages: int
    parse: float
    embed: float
    whole: float

    @property
    def ratio(self) -> float:
        return (self.whole - self.parse) / self.embed


async def ingestion(bench: Bench) -> Result:
    """Large documents one by one and many small files, each into a fresh database through kbot's own ingest."""
    with tempfile.TemporaryDirectory() as name:
        files = sorted(write_files(read_set(bench.sets, "dev"), Path(name)))
        groups = [files[start::_SMALL_TURNS][:_SMALL_FILES] for start in range(_SMALL_TURNS)]
        rows = [await _case(bench, f"{_SMALL_FILES} small, {_SMALL_TURNS} times", groups)]
    documents = [[str(bench.sets.parent / "docs" / name)] for name in _LARGE]
    rows.append(await _case(bench, f"one large, {len(_LARGE)} times", documents))
    targets = tuple(
        Target(f"{row[0]}: time of ingest without parsing / of embedding alone", float(row[5] or 0), most=1.25)
        for row in rows
    )
    note = (
        "Embedding alone: all texts in one call, before and after the ingest, the mean of the two; the ratio is the "
        "median of the turns. Parsing alone: in its own process, nothing beside it. Memory: above what was taken."
    )
    return Result("ingest", (Table("ingest", _COLUMNS, tuple(rows)),), targets, (note,))


async def _case(bench: Bench, title: str, groups: Sequence[Sequence[str]]) -> tuple[Cell, ...]:
    async with (
        fresh_database(bench.cache, bench.settings, "bench_ingest") as (database, settings),
        _watched() as memory,
    ):
        turns = [await _turn(bench, names, database, settings) for names in groups]
    return (
        title,
        sum(turn.passages for turn in turns),
        sum(turn.parse for turn in turns),
        sum(turn.embed for turn in turns),
        sum(turn.whole for turn in turns),
        median(turn.ratio for turn in turns),
        memory.peak,
    )


async def _turn(bench: Bench, names: Sequence[str], database: Database, settings: Settings) -> _Turn:
    began = time.perf_counter()
    documents = [text async for text in _parsed(names, settings)]
    parse = time.perf_counter() - began
    texts, passages = _texts(documents, settings.chunk_characters)
    before = await _embed(bench, texts)
    began = time.perf_counter()
    async for receipt in ingest(database, bench.embedder, settings, uploads(names), Shelf("ingest")):
        if receipt.status != "added":
            raise RuntimeError(f"{receipt.source} was not added: {receipt.status} {receipt.reason}")
    whole = time.perf_counter() - began
    return _Turn(passages, parse, (before + await _embed(bench, texts)) / 2, whole)


async def _parsed(names: Sequence[str], settings: Settings) -> AsyncGenerator[tuple[str, tuple[PageStart, ...]]]:
    async with Parser(parse_limits(settings)) as parser:
        for upload in uploads(names):
            assert upload.path
            yield join_pages((await parser.load(upload.path)).pages)


def _texts(documents: Sequence[tuple[str, tuple[PageStart, ...]]], size: int) -> tuple[list[str], int]:
    """All that is embedded of the documents, and how many passages they have."""
    texts: list[str] = []
    passages = 0
    for text, pages in documents:
        for piece in chunk(text, pages, size=size):
            passages += 1
            texts += [piece.passage, *piece.titles, *(piece.text[s.start : s.end] for s in piece.sentences)]
    return texts, passages


async def _embed(bench: Bench, texts: list[str]) -> float:
    began = time.perf_counter()
    await bench.embedder.embeddings.aembed_documents(texts)
    return time.perf_counter() - began


@asynccontextmanager
async def _watched() -> AsyncGenerator[_Memory]:
    memory = _Memory()

    async def watch() -> None:
        while True:
            memory.look()
            await asyncio.sleep(0.05)

    task = asyncio.create_task(watch())
    try:
        yield memory
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
