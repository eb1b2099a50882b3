"""Chunks become rows: embedded in batches, copied into Postgres, and a document's old chunks replaced in one
transaction.

Whoever changes the passages of a workspace first locks its row of `indexes`: one at a time, in an order in which no two
wait for each other. Embedding takes long, and happens before; no connection is held meanwhile.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import AsyncConnection
from psycopg.abc import Params

from kbot.database import Database
from kbot.errors import EmbedderMismatch
from kbot.ingestion.cutting import Cutting, Pieces, cut, plan
from kbot.ingestion.document import Document
from kbot.ingestion.rows import CHUNK_TYPES, COPY, Progress, Row, embed_chunks
from kbot.language import detect_language
from kbot.models import ChatModel, Embedder


@dataclass(frozen=True, slots=True)
class Indexed:
    """What became of a document: "added", "replaced", or "duplicate" of `same_as` (its own source when it is
    unchanged); `warnings` say what its sender should know of how it was cut."""

    status: str
    chunks: int
    same_as: str = ""
    warnings: tuple[str, ...] = ()


LOCK: LiteralString = "SELECT FROM indexes WHERE workspace = %s FOR UPDATE"
"""Makes the transaction the only one that changes the passages of a workspace."""

# An index without passages is anybody's: nothing in it was made by another embedder. One without a reranker, from an
# older kbot, gets the first that something is ingested with. The row is locked even where it stays as it is.
_RECORD: LiteralString = """
INSERT INTO indexes (workspace, embedder, dimensions, reranker)
VALUES (%(workspace)s, %(embedder)s, %(dimensions)s, %(reranker)s)
ON CONFLICT (workspace) DO UPDATE SET embedder = excluded.embedder, dimensions = excluded.dimensions,
  reranker = excluded.reranker
WHERE CASE WHEN indexes.passages = 0
  THEN (indexes.embedder, indexes.reranker) IS DISTINCT FROM (excluded.embedder, excluded.reranker)
  ELSE indexes.embedder = excluded.embedder AND indexes.reranker IS NULL AND excluded.reranker IS NOT NULL
END
"""

_STORED: LiteralString = "SELECT embedder FROM indexes WHERE workspace = %s AND passages > 0"

_SAME: LiteralString = """
SELECT source, chunks FROM documents
WHERE workspace = %s AND scope = %s AND fingerprint = %s ORDER BY source = %s DESC LIMIT 1
"""

_UPSERT: LiteralString = """
INSERT INTO documents (workspace, id, scope, source, title, url, media_type, language, fingerprint, text, layout,
  page_count, pages_without_text, chunks, warnings, added_by)
VALUES (%(workspace)s, %(id)s, %(scope)s, %(source)s, %(title)s, %(url)s, %(media_type)s, %(language)s,
  %(fingerprint)s, %(text)s, %(layout)s, %(page_count)s, %(pages_without_text)s, %(chunks)s, %(warnings)s, %(added_by)s)
ON CONFLICT (workspace, id) DO UPDATE SET title = excluded.title, url = excluded.url, media_type = excluded.media_type,
  language = excluded.language, fingerprint = excluded.fingerprint, text = excluded.text, layout = excluded.layout,
  page_count = excluded.page_count, pages_without_text = excluded.pages_without_text, chunks = excluded.chunks,
  warnings = excluded.warnings, added_by = excluded.added_by, updated_at = now()
RETURNING xmax <> 0 AS replaced
"""

_WORDS: LiteralString = """
SELECT word, ndoc FROM ts_stat(
  format('SELECT lexemes FROM chunks WHERE workspace = %%L AND document_id = %%L', %s::text, %s::uuid)
)
"""

_COUNT_WORDS: LiteralString = """
INSERT INTO lexemes (workspace, lexeme, passages)
SELECT %(workspace)s, word, change
FROM unnest(%(words)s::text[], %(changes)s::bigint[]) AS c(word, change)
ON CONFLICT (workspace, lexeme) DO UPDATE SET passages = lexemes.passages + excluded.passages
"""

_FORGET_WORDS: LiteralString = "DELETE FROM lexemes WHERE workspace = %s AND lexeme = ANY(%s) AND passages <= 0"

_COUNT_PASSAGES: LiteralString = """
WITH s AS (
  INSERT INTO scopes (workspace, scope, passages) VALUES (%(workspace)s, %(scope)s, %(change)s)
  ON CONFLICT (workspace, scope) DO UPDATE SET passages = scopes.passages + excluded.passages
)
UPDATE indexes SET passages = passages + %(change)s WHERE workspace = %(workspace)s
"""


async def index(
    database: Database,
    embedder: Embedder,
    document: Document,
    *,
    cutting: Cutting,
    chat: ChatModel | None = None,
    reranker: str | None = None,
    progress: Progress | None = None,
) -> Indexed:
    """Store a document and its passages; an older version of it is gone in the same instant, and an unchanged one
    stays. `chat` proposes where to cut it, where `cutting` wants that; `reranker` is recorded with an index that has
    none.

    Raises `EmbedderMismatch` when the workspace's vectors are another embedder's, and `ModelError` when embedding
    fails; nothing is changed then.
    """
    how = plan(cutting, document.media_type, document.text, chat)
    fingerprint = document.fingerprint(how)
    language = detect_language(document.text)
    content = (document.workspace, document.scope, fingerprint, document.source)
    # A look without the lock, and so without a write, tells whether cutting and embedding can be spared.
    async with database.pool.connection() as connection:
        await _check(connection, document.workspace, embedder)
        same = await _fetch(connection, _SAME, content)
    pieces: Pieces | None = None
    rows: list[Row] = []
    while True:
        if not same and pieces is None:
            pieces = await cut(embedder, chat, document.text, document.pages, how, timeout=cutting.model_timeout)
            rows = await embed_chunks(embedder, document, language, pieces, progress)
        async with database.pool.connection() as connection, connection.transaction():
            await claim_index(connection, document.workspace, embedder, reranker)
            same = await _fetch(connection, _SAME, content)
            if same:
                if same[0] != document.source:
                    await remove(connection, document.workspace, document.id)
                return Indexed("duplicate", same[1], same[0])
            if pieces is not None:
                columns = _columns(document, language, fingerprint, len(rows))
                upserted = await _fetch(connection, _UPSERT, columns)
                replaced = bool(upserted and upserted[0])
                await replace_chunks(connection, document, rows, new=not replaced)
                return Indexed("replaced" if replaced else "added", len(rows), warnings=pieces.warnings)


async def claim_index(
    connection: AsyncConnection, workspace: str, embedder: Embedder, reranker: str | None = None
) -> None:
    """Make sure that the workspace's vectors are this embedder's, and that an index for them exists."""
    values = {"workspace": workspace, "embedder": embedder.name, "dimensions": embedder.dimensions}
    claimed = await connection.execute(_RECORD, values | {"reranker": reranker})
    if claimed.rowcount:
        await connection.execute("SELECT kbot_ensure_vector_index(%s)", (embedder.dimensions,))
    await _check(connection, workspace, embedder)


async def _check(connection: AsyncConnection, workspace: str, embedder: Embedder) -> None:
    stored = await _fetch(connection, _STORED, (workspace,))
    if stored and stored[0] != embedder.name:
        raise EmbedderMismatch(workspace, stored[0], embedder.name)


async def remove(connection: AsyncConnection, workspace: str, document_id: uuid.UUID) -> None:
    """Delete a document with its passages, and take its words out of the statistics; the caller has the lock."""
    old = await _words(connection, workspace, document_id)
    gone = await connection.execute(
        "DELETE FROM chunks WHERE workspace = %s AND document_id = %s", (workspace, document_id)
    )
    forgotten = "DELETE FROM documents WHERE workspace = %s AND id = %s RETURNING scope"
    if row := await _fetch(connection, forgotten, (workspace, document_id)):
        await _count(connection, workspace, row[0], Counter[str](), old, -gone.rowcount)


async def replace_chunks(
    connection: AsyncConnection, document: Document, rows: Sequence[Row], *, new: bool = False
) -> None:
    """Replace a document's passages, of which a new one has none, within the caller's transaction, which has the
    lock."""
    old: Counter[str] = Counter()
    gone = 0
    if not new:
        old = await _words(connection, document.workspace, document.id)
        deleted = await connection.execute(
            "DELETE FROM chunks WHERE workspace = %s AND document_id = %s", (document.workspace, document.id)
        )
        gone = deleted.rowcount
    async with connection.cursor().copy(COPY) as copy:
        copy.set_types(CHUNK_TYPES)
        for row in rows:
            await copy.write_row(row)
    words = await _words(connection, document.workspace, document.id)
    await _count(connection, document.workspace, document.scope, words, old, len(rows) - gone)


def _columns(document: Document, language: str, fingerprint: bytes, chunks: int) -> dict[str, object]:
    columns: dict[str, object] = {name: getattr(document, name) for name in Document.__dataclass_fields__}
    made = {"id": document.id, "layout": document.layout, "warnings": list(document.warnings), "chunks": chunks}
    return columns | made | {"language": language, "fingerprint": fingerprint}


async def _words(connection: AsyncConnection, workspace: str, document_id: uuid.UUID) -> Counter[str]:
    rows = await connection.execute(_WORDS, (workspace, document_id))
    return Counter(dict(await rows.fetchall()))


async def _count(
    connection: AsyncConnection, workspace: str, scope: str, new: Counter[str], old: Counter[str], passages: int
) -> None:
    """Bring the statistics up to date: of words, and of passages."""
    changes = {word: new[word] - old[word] for word in new | old if new[word] != old[word]}
    words = list(changes)
    await connection.execute(_COUNT_WORDS, {"workspace": workspace, "words": words, "changes": list(changes.values())})
    if fewer := [word for word in words if changes[word] < 0]:
        await connection.execute(_FORGET_WORDS, (workspace, fewer))
    await connection.execute(_COUNT_PASSAGES, {"workspace": workspace, "scope": scope, "change": passages})


async def _fetch(connection: AsyncConnection, statement: LiteralString, values: Params) -> tuple[Any, ...] | None:
    return await (await connection.execute(statement, values)).fetchone()
