"""The documents as admins see them: list, forget, reindex, and what people asked that none of them answers."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from psycopg.rows import class_row

from kbot.chat import Place
from kbot.database import Database
from kbot.ingestion.chunk import PageStart
from kbot.ingestion.cutting import Cutting, cut, plan
from kbot.ingestion.document import Document
from kbot.ingestion.index import LOCK, remove, replace_chunks
from kbot.ingestion.rows import Progress, embed_chunks
from kbot.logs import get_logger
from kbot.models import ChatModel, Embedder
from kbot.retrieval.search import scopes

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """An ingested document. `scope` is "" where the whole workspace may see it, else the one channel that may;
    `pages` is None for a format without pages."""

    source: str
    title: str
    url: str | None
    scope: str
    language: str
    pages: int | None
    pages_without_text: int
    chunks: int
    warnings: list[str]
    added_by: str
    added_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Gap:
    """A question that the documents did not answer: as it was last asked, a follow-up as it stands alone; how often, by
    how many people, when last, how many told an admin of it, and how many found that an answer to it did not help."""

    question: str
    times: int
    people: int
    last_asked: datetime
    reported: int
    unhelpful: int


_SOURCES: LiteralString = """
SELECT source, title, url, scope, language, page_count AS pages, pages_without_text, chunks, warnings, added_by,
  added_at, updated_at
FROM documents WHERE workspace = %(workspace)s AND (%(everything)s OR scope = ANY(%(scopes)s))
ORDER BY lower(source), scope
"""

_NAMED: LiteralString = """
SELECT id FROM documents WHERE workspace = %(workspace)s AND source = %(source)s AND scope = ANY(%(scopes)s)
ORDER BY scope DESC LIMIT 1
"""

# Questions that differ in case, accents and punctuation alone are one question. One that was asked in private is seen
# elsewhere only if somebody told the admins of it; and what a follow-up leans on, only if nothing private went before.
_GAPS: LiteralString = """
SELECT (array_agg(CASE WHEN standalone = '' OR hidden THEN question ELSE standalone END ORDER BY asked_at DESC))[1]
    AS question, count(*) AS times,
  count(DISTINCT nullif(author, '')) AS people, max(asked_at) AS last_asked, coalesce(sum(reports), 0)::int AS reported,
  coalesce(sum(dislikes), 0)::int AS unhelpful
FROM turns CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE opinion = 'reported') AS reports,
    count(*) FILTER (WHERE opinion = 'unhelpful') AS dislikes
  FROM opinions o WHERE o.workspace = turns.workspace AND o.turn_id = turns.id
) told
CROSS JOIN LATERAL (
  SELECT standalone <> question AND EXISTS (
    SELECT FROM turns earlier
    WHERE earlier.workspace = turns.workspace AND earlier.channel = turns.channel AND earlier.private
      AND earlier.channel <> %(channel)s AND earlier.asked_at < turns.asked_at
  ) AS hidden
) leaning
WHERE workspace = %(workspace)s AND (NOT grounded OR dislikes > 0)
  AND (NOT private OR channel = %(channel)s OR reports > 0)
  AND NOT EXISTS (
    SELECT FROM turns later
    WHERE later.workspace = turns.workspace AND later.grounded AND later.asked_at > turns.asked_at
      AND (NOT later.private OR later.channel = turns.channel)
      AND kbot_question_key(later.standalone) = kbot_question_key(turns.standalone)
  )
GROUP BY kbot_question_key(standalone)
ORDER BY reported DESC, times DESC, last_asked DESC
LIMIT %(limit)s
"""

_WORKSPACES: LiteralString = """
SELECT workspace FROM indexes i WHERE EXISTS (SELECT FROM documents d WHERE d.workspace = i.workspace)
ORDER BY workspace
"""

_REINDEXED: LiteralString = """
SELECT id, scope, source, title, url, media_type, language, text, layout, page_count, pages_without_text, warnings,
  added_by, fingerprint
FROM documents WHERE workspace = %s AND id > %s ORDER BY id LIMIT 1
"""

_CUT: LiteralString = """
SELECT id, media_type, text, layout, url, fingerprint FROM documents WHERE workspace = %s AND id > %s
ORDER BY id LIMIT 100
"""

_RECORDED: LiteralString = "SELECT embedder, reranker FROM indexes WHERE workspace = %s FOR UPDATE"

_RECORD: LiteralString = """
UPDATE indexes SET embedder = %(embedder)s, dimensions = %(dimensions)s, reranker = coalesce(%(reranker)s, reranker)
WHERE workspace = %(workspace)s
"""


async def sources(database: Database, place: Place, *, everything: bool = False) -> list[Source]:
    """The documents that a place may see, by name; `everything`, for an operator, also those of private channels."""
    values = {"workspace": place.workspace, "scopes": scopes(place), "everything": everything}
    async with database.pool.connection() as connection, connection.cursor(row_factory=class_row(Source)) as cursor:
        await cursor.execute(_SOURCES, values)
        return await cursor.fetchall()


async def forget(database: Database, place: Place, source: str) -> int:
    """Delete a document by its name, with all that was read of it; returns how many were deleted (0: no such name).

    Where the place's own channel and the whole workspace have one of that name, the channel's goes first.
    """
    values = {"workspace": place.workspace, "source": source, "scopes": scopes(place)}
    async with database.pool.connection() as connection, connection.transaction():
        await connection.execute(LOCK, (place.workspace,))
        rows = await (await connection.execute(_NAMED, values)).fetchall()
        for (document_id,) in rows:
            await remove(connection, place.workspace, document_id)
    return len(rows)


async def gaps(database: Database, place: Place, *, limit: int = 50) -> list[Gap]:
    """What people asked and the documents did not answer, most asked first. Questions from private places stay there,
    and those answered since are left out."""
    values = {"workspace": place.workspace, "channel": place.channel, "limit": limit}
    async with database.pool.connection() as connection, connection.cursor(row_factory=class_row(Gap)) as cursor:
        await cursor.execute(_GAPS, values)
        return await cursor.fetchall()


async def indexed_workspaces(database: Database) -> list[str]:
    """The workspaces that hold documents."""
    async with database.pool.connection() as connection:
        rows = await (await connection.execute(_WORKSPACES)).fetchall()
    return [workspace for (workspace,) in rows]


async def cut_otherwise(
    database: Database, workspace: str, *, cutting: Cutting, chat: ChatModel | None = None
) -> tuple[int, int]:
    """How many documents of a workspace were cut in another way than `cutting` wants now, and how many there are. It
    reads all texts."""
    otherwise = total = 0
    last = UUID(int=0)
    while True:
        async with database.pool.reading() as connection:
            rows = await (await connection.execute(_CUT, (workspace, last))).fetchall()
        if not rows:
            return otherwise, total
        last = rows[-1][0]
        total += len(rows)
        otherwise += await asyncio.to_thread(_cut_otherwise, rows, workspace, cutting, chat)


def told_of_cutting(workspace: str, otherwise: int, total: int) -> str:
    """What an operator is told of such documents."""
    return (
        f"Workspace {workspace}: {otherwise} of {total} documents were cut with other settings than KBOT_CHUNKING, "
        "KBOT_CHUNK_CHARACTERS and KBOT_SECTION_CHARACTERS have now. Run `kbot reindex` to cut them anew, or set those "
        "back."
    )


def _cut_otherwise(rows: list[tuple[Any, ...]], workspace: str, cutting: Cutting, chat: ChatModel | None) -> int:
    changed = 0
    for _, media_type, text, layout, url, fingerprint in rows:
        pages = tuple(PageStart(**page) for page in layout)
        document = Document(workspace, "", "", media_type, text, pages, url=url)
        changed += bytes(fingerprint) != document.fingerprint(plan(cutting, media_type, text, chat))
    return changed


async def reindex(
    database: Database,
    embedder: Embedder,
    workspace: str,
    *,
    cutting: Cutting,
    chat: ChatModel | None = None,
    reranker: str | None = None,
    progress: Progress | None = None,
) -> AsyncGenerator[str]:
    """Cut and embed every document of a workspace anew, from the stored texts, and record the embedder and the
    reranker. `chat` proposes where to cut those for which `cutting` wants it. Where the reranker is another than the
    recorded one and the embedder is not, documents stay as they are unless they are now cut differently.

    Yields the name of each document as it is done. All of it is one transaction: until the end people are answered
    from the old index, and if it fails nothing has changed.
    """
    async with database.pool.connection() as connection:
        # On its own: it locks the table against writers until its transaction ends.
        await connection.execute("SELECT kbot_ensure_vector_index(%s)", (embedder.dimensions,))
    async with database.pool.connection() as connection, connection.transaction():
        recorded = await (await connection.execute(_RECORDED, (workspace,))).fetchone()
        values = {"workspace": workspace, "embedder": embedder.name, "dimensions": embedder.dimensions}
        await connection.execute(_RECORD, values | {"reranker": reranker})
        embedded_by, reranked_by = recorded or (None, None)
        kept = embedded_by == embedder.name and reranked_by is not None and reranker not in (None, reranked_by)
        last = UUID(int=0)
        while row := await (await connection.execute(_REINDEXED, (workspace, last))).fetchone():
            last, scope, source, title, url, media_type, language, text, layout, page_count, empty, *rest = row
            warnings, by, fingerprint = rest
            pages = tuple(PageStart(**page) for page in layout)
            document = Document(
                workspace, source, title, media_type, text, pages, scope, url, page_count, empty, tuple(warnings), by
            )
            how = plan(cutting, media_type, text, chat)
            if kept and bytes(fingerprint) == document.fingerprint(how):
                yield source
                continue
            pieces = await cut(embedder, chat, text, pages, how, timeout=cutting.model_timeout)
            if pieces.warnings:
                log.warning("cut_by_length", document=str(document.id), reason=" ".join(pieces.warnings))
            await connection.execute(
                "UPDATE documents SET chunks = %s, fingerprint = %s WHERE workspace = %s AND id = %s",
                (len(pieces.chunks), document.fingerprint(how), workspace, last),
            )
            rows = await embed_chunks(embedder, document, language, pieces, progress)
            await replace_chunks(connection, document, rows)
            yield source
