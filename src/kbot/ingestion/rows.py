"""The rows of a document's passages: embedded in batches, in the order in which they are copied into the table."""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import LiteralString

from pgvector.psycopg import HalfVector

from kbot.ingestion.chunk import Chunk
from kbot.ingestion.cutting import Pieces
from kbot.ingestion.document import Document
from kbot.models import Embedder

_BATCH = 32

Progress = Callable[[int, int], None]
"""Called with how many of a document's chunks are embedded, and how many there are."""

Row = tuple[object, ...]
"""A passage as it is copied into the table, in the order of `COPY`."""

COPY: LiteralString = """
COPY chunks (workspace, id, document_id, scope, position, page, heading, context, header, text, start_offset,
  end_offset, section_start, section_end, language, embedding, title_sentences, sentences, spans)
FROM STDIN (FORMAT BINARY)
"""
CHUNK_TYPES = (
    "text", "uuid", "uuid", "text", "int4", "int4", "text", "text", "text", "text", "int4", "int4", "int4", "int4",
    "text", "halfvec", "int4", "halfvec[]", "int4[]",
)  # fmt: skip


async def embed_chunks(
    embedder: Embedder, document: Document, language: str, pieces: Pieces, progress: Progress | None = None
) -> list[Row]:
    """The rows of a document's passages, embedded in batches; raises `ModelError`."""
    seen: Counter[str] = Counter()
    rows: list[Row] = []
    rest = iter(pieces.chunks)
    while batch := list(islice(rest, _BATCH)):
        rows.extend(await _rows(embedder, document, language, batch, pieces.vectors, seen))
        if progress:
            progress(len(rows), len(pieces.chunks))
    return rows


async def _rows(
    embedder: Embedder,
    document: Document,
    language: str,
    batch: Sequence[Chunk],
    known: Mapping[str, HalfVector],
    seen: Counter[str],
) -> list[Row]:
    passages = [piece.passage for piece in batch]
    titles = [title for piece in batch for title in piece.titles]
    said = [piece.text[s.start : s.end] for piece in batch for s in piece.sentences]
    new = [text for text in said if text not in known]
    vectors = [HalfVector(v) for v in await embedder.embeddings.aembed_documents([*passages, *titles, *new])]
    of_titles = iter(vectors[len(passages) :])
    of_new = iter(vectors[len(passages) + len(titles) :])
    of_said = iter([known[text] if text in known else next(of_new) for text in said])
    rows: list[Row] = []
    for piece, passage, vector in zip(batch, passages, vectors, strict=False):
        seen[passage] += 1
        chunk_id = uuid.uuid5(document.id, f"{seen[passage]}\x1f{passage}")
        own = [*islice(of_titles, len(piece.titles)), *islice(of_said, len(piece.sentences))]
        spans = [number for s in piece.sentences for number in (s.start, s.end, s.page or 0)]
        rows.append(
            (
                document.workspace, chunk_id, document.id, document.scope, piece.position, piece.page, piece.heading,
                piece.context, piece.header, piece.text, piece.start, piece.end, *(piece.section or (None, None)),
                language, vector, len(piece.titles), own, spans,
            )
        )  # fmt: skip
    return rows
