"""A place that sees little beside a place that sees much still gets all its candidates, and not by way of the other's
passages."""

import json
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector.psycopg import HalfVector
from psycopg.sql import SQL

from kbot.chat import Place
from kbot.database import Database
from kbot.ingestion.index import claim_index
from kbot.models import Embedder
from kbot.retrieval.search import search, search_values
from kbot.retrieval.statement import search_statement

CANDIDATES = 40
# How many passages, and how far from the question: those of the crowd are all nearer than those of anybody else.
SHARES = {
    ("team", "chat:crowd"): (2000, 0.2),
    ("team", ""): (30, 2.0),
    ("team", "chat:few"): (30, 2.0),
    ("other", ""): (120, 2.0),
}
QUESTION = "orçamento anual"

COPY = """
COPY chunks (workspace, id, document_id, scope, position, text, start_offset, end_offset, language, embedding,
  sentences, spans) FROM STDIN (FORMAT BINARY)
"""
TYPES = ("text", "uuid", "uuid", "text", "int4", "text", "int4", "int4", "text", "halfvec", "halfvec[]", "int4[]")

Shares = dict[tuple[str, str], dict[str, NDArray[np.float16]]]


@asynccontextmanager
async def shared_table(database: Database, embedder: Embedder, question: NDArray[np.float64]) -> AsyncGenerator[Shares]:
    random = np.random.default_rng(7)
    made: Shares = {}
    for (workspace, scope), (count, distance) in SHARES.items():
        vectors = question + distance * random.standard_normal((count, len(question))) / np.sqrt(len(question))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        document = uuid.uuid4()
        ids = [uuid.uuid4() for _ in range(count)]
        made[workspace, scope] = dict(zip(map(str, ids), vectors.astype(np.float16), strict=True))
        async with database.pool.connection() as connection:
            await claim_index(connection, workspace, embedder)
            await connection.execute(
                "INSERT INTO documents (workspace, id, scope, source, title, media_type, language, fingerprint, text,"
                " layout, chunks) VALUES (%s, %s, %s, 's', 't', 'text/plain', 'pt', '', '', '[]', %s)",
                (workspace, document, scope, count),
            )
            async with connection.cursor().copy(COPY) as copy:
                copy.set_types(TYPES)
                for position, (chunk, vector) in enumerate(zip(ids, vectors, strict=True)):
                    half = HalfVector(vector)
                    text = f"O orçamento número {position}."
                    spans = [0, len(text), 0]
                    await copy.write_row(
                        (workspace, chunk, document, scope, position, text, 0, len(text), "pt", half, [half], spans)
                    )  # fmt: skip
            await connection.execute(
                "UPDATE indexes SET passages = passages + %s WHERE workspace = %s", (count, workspace)
            )
            await connection.execute("INSERT INTO scopes VALUES (%s, %s, %s)", (workspace, scope, count))
    yield made


def nearest(question: NDArray[np.float64], *shares: dict[str, NDArray[np.float16]]) -> list[str]:
    """The ids of the nearest passages by their exact cosine."""
    cosines = {name: float(vector @ question) for share in shares for name, vector in share.items()}
    return sorted(cosines, key=lambda name: -cosines[name])[:CANDIDATES]


async def index_scans(database: Database, embedder: Embedder, place: Place, question: list[float]) -> int:
    """How often the vector index was entered for a question."""
    values = search_values(embedder, QUESTION, question, place, k=8)
    statement = search_statement(embedder.dimensions, "sum", CANDIDATES)
    async with database.pool.connection() as connection:
        row = await (
            await connection.execute(SQL("EXPLAIN (ANALYZE, FORMAT JSON) {}").format(statement), values)
        ).fetchone()
    assert row
    plan = json.loads(row[0]) if isinstance(row[0], str) else row[0]
    return sum(
        node["Actual Loops"]
        for node in nodes(plan[0]["Plan"])
        if node.get("Index Name", "").startswith("chunks_embedding")
    )


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


async def test_who_sees_little_gets_it_exactly_and_who_sees_much_through_the_index(
    database: Database, embedder: Embedder
) -> None:
    question = np.asarray(await embedder.embeddings.aembed_query(QUESTION))
    vector: list[float] = question.tolist()
    async with shared_table(database, embedder, question) as shares:
        team, few, other = shares["team", ""], shares["team", "chat:few"], shares["other", ""]
        for place, visible in (
            (Place("team", "chat:few"), (team, few)),
            (Place("team", "chat:elsewhere"), (team,)),
            (Place("other", "chat:any"), (other,)),
        ):
            found = await search(database, embedder, QUESTION, place, k=CANDIDATES, fusion="dense", vector=vector)
            ids = [passage.id for passage in found]
            expected = nearest(question, *visible)
            assert set(expected) <= {*ids, *expected[-2:]}, place  # half floats may swap the last
            assert set(ids) <= {name for share in visible for name in share}, place
            assert len(ids) == min(CANDIDATES, sum(map(len, visible))), place
            assert await index_scans(database, embedder, place, vector) == 0, place
        crowd = Place("team", "chat:crowd")
        found = await search(database, embedder, QUESTION, crowd, k=CANDIDATES, fusion="dense", vector=vector)
        assert len({passage.id for passage in found} & shares["team", "chat:crowd"].keys()) == CANDIDATES
        assert await index_scans(database, embedder, crowd, vector) == 1


async def test_words_are_found_where_little_is_seen(database: Database, embedder: Embedder) -> None:
    question = np.asarray(await embedder.embeddings.aembed_query(QUESTION))
    async with shared_table(database, embedder, question) as shares:
        async with database.pool.connection() as connection:
            await connection.execute(
                "INSERT INTO lexemes SELECT workspace, w.lexeme, count(*) FROM chunks, unnest(lexemes) w GROUP BY 1, 2"
            )
        place = Place("other", "chat:any")
        for fusion in ("sum", "rrf", "lexical"):
            found = await search(database, embedder, QUESTION, place, k=8, fusion=fusion, vector=question.tolist())
            assert len(found) == 8, fusion
            assert {passage.id for passage in found} <= shares["other", ""].keys(), fusion
            assert all(passage.coverage > 0 for passage in found), fusion
