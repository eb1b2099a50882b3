"""How long a search takes, beside langchain-postgres's hybrid search and beside the bare vector index."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from statistics import fmean
from typing import Any, LiteralString

from pgvector.psycopg import HalfVector
from psycopg.sql import SQL, Composed, Literal

from bench.corpus import Corpus, make_corpus
from bench.databases import drop_others, kept_database
from bench.labelled import read_set
from bench.peer import open_engine, open_peer, search_peer
from bench.report import Result, Table, Target, percentiles
from bench.run import Bench
from bench.tables import WORKSPACE, fill
from kbot.chat import Place
from kbot.database import Database
from kbot.migration import read_migrations
from kbot.models import Embedder
from kbot.retrieval.search import search, search_values
from kbot.retrieval.statement import candidate_statement

_K = 8
_CANDIDATES = 40
_BLOCK = 20
_EXACT = 40  # questions whose nearest passages are looked for one by one
_SYSTEMS = ("bare index", "fused by rank", "kbot", "peer")

_BARE: LiteralString = """
SELECT id FROM chunks WHERE vector_dims(embedding) = {dimensions}
ORDER BY embedding::halfvec({dimensions}) <=> %s::halfvec({dimensions}) LIMIT {candidates}
"""

# Without the cast the index cannot serve it.
_NEAREST: LiteralString = "SELECT id FROM chunks ORDER BY embedding <=> %s LIMIT %s"

Ask = Callable[[str, list[float]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class _System:
    size: int
    name: str
    ask: Ask
    times: list[float]


async def retrieval(bench: Bench) -> Result:
    """p50 and p95 in milliseconds at each of `bench.sizes` passages. Embedding the question is no part of it: all are
    given its vector. After an untimed round of all questions, which brings what they read from disk into memory, the
    systems take turns, twenty questions each, so that noise meets all alike."""
    questions = [question.text for question in read_set(bench.sets, "dev").questions][: bench.questions]
    vectors = [await bench.embedder.embeddings.aembed_query(question) for question in questions]
    async with AsyncExitStack() as stack:
        systems: list[_System] = []
        recalls: list[tuple[str | float, ...]] = []
        for size in bench.sizes:
            database = await filled(bench, stack, size)
            recalls.append((str(size), await _recall(bench, database, vectors[:: len(vectors) // _EXACT])))
            systems += await _systems(bench, stack, database, size)
        for system in systems:
            for question, vector in zip(questions, vectors, strict=True):
                await system.ask(question, vector)
        for start in range(0, len(questions), _BLOCK):
            block = range(start, min(start + _BLOCK, len(questions)))
            turn = start // _BLOCK % len(systems)
            for system in systems[turn:] + systems[:turn]:
                for i in block:
                    began = time.perf_counter()
                    await system.ask(questions[i], vectors[i])
                    system.times.append((time.perf_counter() - began) * 1000)
    found = Table("what the vector index finds", ("passages", f"of the {_CANDIDATES} nearest, share"), tuple(recalls))
    return _result(bench, systems, found, len(questions))


async def filled(bench: Bench, stack: AsyncExitStack, size: int) -> Database:
    """A database with a corpus of `size` passages, kept for later runs with the same corpus and tables."""
    corpus = await make_corpus(bench.sets, bench.cache, bench.embedder, size)
    name = f"bench_{size}_{_recipe(corpus)}"
    await drop_others(bench.cache, f"bench_{size}_", name)
    database, _ = await stack.enter_async_context(kept_database(bench.cache, bench.settings, name))
    async with database.pool.connection() as connection:
        done = await connection.execute("SELECT FROM indexes WHERE workspace = %s", (WORKSPACE,))
    if not done.rowcount:
        await fill(database, bench.embedder, corpus)
    return database


def _bare(embedder: Embedder) -> Composed:
    return SQL(_BARE).format(dimensions=Literal(embedder.dimensions), candidates=Literal(_CANDIDATES))


async def _recall(bench: Bench, database: Database, vectors: Sequence[list[float]]) -> float:
    """The share of the nearest passages that the vector index finds, over some questions."""
    shares: list[float] = []
    bare = _bare(bench.embedder)
    async with database.pool.connection() as connection:
        for vector in vectors:
            exact = await (await connection.execute(_NEAREST, (HalfVector(vector), _CANDIDATES))).fetchall()
            found = await (await connection.execute(bare, (HalfVector(vector),))).fetchall()
            shares.append(len(set(exact) & set(found)) / len(exact))
    return fmean(shares)


async def _systems(bench: Bench, stack: AsyncExitStack, database: Database, size: int) -> list[_System]:
    embedder = bench.embedder
    bare = _bare(embedder)
    fused = candidate_statement(embedder.dimensions, _CANDIDATES)
    place = Place(WORKSPACE, "")
    engine = open_engine(database, await ef_search(database))
    stack.push_async_callback(engine.dispose)
    store = await open_peer(engine, database, embedder, _CANDIDATES)

    async def run(statement: Composed, values: Any) -> object:
        async with database.pool.reading() as connection:
            return await (await connection.execute(statement, values, prepare=True)).fetchall()

    def ask_bare(_: str, vector: list[float]) -> Awaitable[object]:
        return run(bare, (HalfVector(vector),))

    def ask_fused(question: str, vector: list[float]) -> Awaitable[object]:
        return run(fused, search_values(embedder, question, vector, place, k=_K))

    def ask_kbot(question: str, vector: list[float]) -> Awaitable[object]:
        return search(database, embedder, question, place, k=_K, candidates=_CANDIDATES, vector=vector)

    def ask_peer(question: str, vector: list[float]) -> Awaitable[object]:
        return search_peer(store, question, vector, _K, _CANDIDATES)

    asks = dict(zip(_SYSTEMS, (ask_bare, ask_fused, ask_kbot, ask_peer), strict=True))
    return [_System(size, name, ask, []) for name, ask in asks.items()]


async def ef_search(database: Database) -> str:
    """How broadly the database's connections search a vector index."""
    async with database.pool.connection() as connection:
        row = await (await connection.execute("SELECT current_setting('hnsw.ef_search')")).fetchone()
    assert row
    return row[0]


def _recipe(corpus: Corpus) -> str:
    made = "".join(migration.checksum for migration in read_migrations()) + corpus.key
    return hashlib.sha256(made.encode()).hexdigest()[:12]


def _result(bench: Bench, systems: list[_System], recall: Table, count: int) -> Result:
    found = {(s.size, s.name): percentiles(s.times) for s in systems}
    rows: list[tuple[str | float, ...]] = []
    for size in bench.sizes:
        peer = found[size, "peer"]
        for name in _SYSTEMS:
            p50, p95 = found[size, name]
            rows.append((f"{size} {name}", p50, p95, peer[0] / p50, peer[1] / p95, p50 / found[size, "bare index"][0]))
    columns = ("passages, system", "p50 ms", "p95 ms", "peer / it, p50", "peer / it, p95", "it / bare, p50")
    targets: list[Target] = []
    for size in bench.sizes:
        peer = found[size, "peer"][0]
        text = f"peer's p50 / p50 of {{}} at {size}"
        targets.append(Target(text.format("candidates fused by rank"), peer / found[size, "fused by rank"][0], least=2))
        targets.append(Target(text.format("kbot's whole statement"), peer / found[size, "kbot"][0], least=1))
    if {20_000, 100_000} <= set(bench.sizes):
        growth = found[100_000, "kbot"][1] / found[20_000, "kbot"][1]
        targets.append(Target("kbot's p95 at 100k / at 20k", growth, most=2))
    notes = (f"{count} questions of dev, the question's vector given to all; k = {_K}, {_CANDIDATES} candidates.",)
    return Result("retrieval", (Table("search", columns, tuple(rows)), recall), tuple(targets), notes)
