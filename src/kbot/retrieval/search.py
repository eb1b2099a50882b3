"""Find the passages for a question: one SQL statement, all evidence returned, nothing that the place may not see."""

import unicodedata
from dataclasses import replace
from typing import Any, LiteralString

from pgvector.psycopg import HalfVector
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from kbot.characters import storable
from kbot.chat import Passage, Place
from kbot.database import Database
from kbot.errors import EmbedderMismatch, RerankerMismatch
from kbot.models import Embedder
from kbot.outline import heading_at
from kbot.retrieval.statement import SCORES, search_statement
from kbot.workspaces import is_evaluation

# Passages that the rare words of a question may bring in before they are ranked; see `kbot.retrieval.statement`.
BUDGET = 100
# A pasted log or page is no question: what lies past this many characters is not looked up word by word.
_LONGEST = 2000

_STORED: LiteralString = "SELECT embedder, reranker FROM indexes WHERE workspace = %s AND passages > 0"


def scopes(place: Place) -> list[str]:
    """What a place may see: what the whole workspace may, and what was ingested in its own channel."""
    return ["", place.channel] if place.channel else [""]


async def search(
    database: Database,
    embedder: Embedder,
    question: str,
    place: Place,
    *,
    k: int = 8,
    candidates: int = 40,
    fusion: str = "sum",
    vector: list[float] | None = None,
    budget: int = BUDGET,
    reranker: str | None = None,
) -> list[Passage]:
    """The `k` best passages for a question, best first, each with its evidence.

    `fusion` is "sum" (the weighted sum of the three kinds of evidence), "rrf" (reciprocal rank fusion of the two
    candidate lists; Cormack, Clarke and Büttcher, 2009), or one of "dense", "sentence" and "lexical" alone. `vector`
    spares the embedding of a question that was embedded already. `budget` bounds the passages that rare words bring
    in. `reranker` is the name of the one that the passages are for: an index that is recorded with none is any
    reranker's; without a name, and in an evaluation's workspace, it is not asked for. Raises `EmbedderMismatch`,
    `RerankerMismatch`, `ModelError`, `DatabaseError`.
    """
    if fusion not in SCORES:
        raise ValueError(f"fusion is one of {', '.join(SCORES)}, not {fusion!r}")
    question = _readable(question)
    if is_evaluation(place.workspace):
        reranker = None
    if vector is None:
        vector = await embedder.embeddings.aembed_query(question)
    values = search_values(embedder, question, vector, place, k=k, budget=budget, reranker=reranker)
    statement = search_statement(embedder.dimensions, fusion, candidates)
    async with database.pool.reading() as connection:
        cursor = connection.cursor(row_factory=dict_row)
        rows = await (await cursor.execute(statement, values, prepare=True)).fetchall()
        if not rows and await _check(connection, place.workspace, embedder, reranker):
            values["reranker"] = None
            rows = await (await cursor.execute(statement, values, prepare=True)).fetchall()
    return [_with_nearest_heading(Passage(**row)) for row in rows]


def search_values(
    embedder: Embedder,
    question: str,
    vector: list[float],
    place: Place,
    *,
    k: int,
    budget: int = BUDGET,
    reranker: str | None = None,
) -> dict[str, Any]:
    """What the statements of `kbot.retrieval.statement` take."""
    return {
        "vector": HalfVector(vector),
        "text": question[:_LONGEST],
        "workspace": place.workspace,
        "scopes": scopes(place),
        "embedder": embedder.name,
        "reranker": reranker,
        "budget": budget,
        "k": k,
    }


async def check_index(database: Database, embedder: Embedder, workspace: str, *, reranker: str | None = None) -> None:
    """Raises `EmbedderMismatch` where a workspace's vectors are another embedder's, and `RerankerMismatch` where its
    index is recorded with another reranker; one that is recorded with none, and an evaluation's, goes with any."""
    if is_evaluation(workspace):
        reranker = None
    async with database.pool.connection() as connection:
        await _check(connection, workspace, embedder, reranker)


def _with_nearest_heading(passage: Passage) -> Passage:
    """The passage under the heading of its best sentence."""
    place = passage.text.find(passage.quote) if passage.quote else -1
    return replace(passage, heading=heading_at(passage.text, place, passage.heading)) if place > 0 else passage


def _readable(question: str) -> str:
    """The question as Postgres can take it, its accents composed as they are in the documents."""
    return storable(unicodedata.normalize("NFC", question.replace("\0", " ")))


async def _check(connection: AsyncConnection[Any], workspace: str, embedder: Embedder, reranker: str | None) -> bool:
    """Whether there is an index for this pair, which a search has missed if it was only just recorded."""
    row = await (await connection.execute(_STORED, (workspace,))).fetchone()
    if row and row[0] != embedder.name:
        raise EmbedderMismatch(workspace, row[0], embedder.name)
    if row and reranker is not None and row[1] not in (None, reranker):
        raise RerankerMismatch(workspace, row[1], reranker)
    return row is not None and reranker is not None
