"""Fill kbot's tables with a corpus whose vectors are known, in bulk, and the indexes built after the rows."""

import uuid
from collections.abc import Iterator
from itertools import islice
from typing import LiteralString, cast

from pgvector.psycopg import HalfVector
from psycopg.sql import SQL, Identifier

from bench.corpus import Corpus
from kbot.database import Database
from kbot.models import Embedder

WORKSPACE = "bench"
_PER_DOCUMENT = 20
_NAMESPACE = uuid.UUID("0b5c7a52-98a5-4c5a-8f7e-4a1f5d1c9a10")

_DOCUMENTS: LiteralString = """
COPY documents (workspace, id, source, title, media_type, language, fingerprint, text, layout, chunks) FROM STDIN
"""
_CHUNKS: LiteralString = """
COPY chunks (workspace, id, document_id, scope, position, heading, text, start_offset, end_offset, language, embedding,
  sentences, spans) FROM STDIN (FORMAT BINARY)
"""
_CHUNK_TYPES = (
    "text", "uuid", "uuid", "text", "int4", "text", "text", "int4", "int4", "text", "halfvec", "halfvec[]", "int4[]",
)  # fmt: skip

# All indexes that are no constraint's, as Postgres would write them.
_INDEXES: LiteralString = """
SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = 'chunks'::regclass AND NOT EXISTS (SELECT FROM pg_constraint p WHERE p.conindid = i.indexrelid)
"""
_WORDS: LiteralString = """
INSERT INTO lexemes (workspace, lexeme, passages)
SELECT %s, word, ndoc FROM ts_stat('SELECT lexemes FROM chunks')
"""


async def fill(database: Database, embedder: Embedder, corpus: Corpus) -> None:
    """Put a corpus into an empty database, as one workspace of documents of twenty passages."""
    async with database.pool.connection() as connection:
        indexes = cast(list[tuple[str, LiteralString]], await (await connection.execute(_INDEXES)).fetchall())
        for name, _ in indexes:
            await connection.execute(SQL("DROP INDEX {}").format(Identifier(name)))
        await connection.execute(
            "INSERT INTO indexes (workspace, embedder, dimensions, passages) VALUES (%s, %s, %s, %s)",
            (WORKSPACE, embedder.name, embedder.dimensions, len(corpus.passages)),
        )
        await connection.execute(
            "INSERT INTO scopes (workspace, scope, passages) VALUES (%s, '', %s)", (WORKSPACE, len(corpus.passages))
        )
        async with connection.cursor().copy(_DOCUMENTS) as copy:
            for row in _documents(corpus):
                await copy.write_row(row)
        async with connection.cursor().copy(_CHUNKS) as copy:
            copy.set_types(_CHUNK_TYPES)
            for row in _chunks(corpus):
                await copy.write_row(row)
        await connection.execute("SET LOCAL maintenance_work_mem = '1GB'")
        for _, definition in indexes:
            await connection.execute(SQL(definition))
        await connection.execute("SELECT kbot_ensure_vector_index(%s)", (embedder.dimensions,))
        await connection.execute(_WORDS, (WORKSPACE,))
    async with database.pool.connection() as connection:
        await connection.set_autocommit(True)
        await connection.execute("VACUUM ANALYZE")
        await connection.set_autocommit(False)


def _documents(corpus: Corpus) -> Iterator[tuple[object, ...]]:
    for number, passages in enumerate(_by_document(corpus)):
        text = "\n\n".join(_text(corpus, i)[0] for i in passages)
        language = corpus.passages[passages[0]].language
        name = f"{number:06}.md"
        print_of = number.to_bytes(8)
        yield (
            WORKSPACE, _document_id(number), name, name, "text/markdown", language, print_of, text, "[]", len(passages),
        )  # fmt: skip


def _chunks(corpus: Corpus) -> Iterator[tuple[object, ...]]:
    for number, passages in enumerate(_by_document(corpus)):
        start = 0
        for position, i in enumerate(passages):
            text, spans = _text(corpus, i)
            vectors = [HalfVector(corpus.sentence_vectors[row]) for row in corpus.passages[i].rows]
            yield (
                WORKSPACE, uuid.uuid5(_NAMESPACE, str(i)), _document_id(number), "", position, "", text, start,
                start + len(text), corpus.passages[i].language, HalfVector(corpus.vectors[i]), vectors, spans,
            )  # fmt: skip
            start += len(text) + 2


def _by_document(corpus: Corpus) -> Iterator[list[int]]:
    rest = iter(range(len(corpus.passages)))
    while passages := list(islice(rest, _PER_DOCUMENT)):
        yield passages


def _text(corpus: Corpus, passage: int) -> tuple[str, list[int]]:
    text = ""
    spans: list[int] = []
    for row in corpus.passages[passage].rows:
        text += " " if text else ""
        spans += [len(text), len(text) + len(corpus.sentences[row]), 0]
        text += corpus.sentences[row]
    return text, spans


def _document_id(number: int) -> uuid.UUID:
    return uuid.uuid5(_NAMESPACE, f"document {number}")
