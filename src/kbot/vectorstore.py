"""kbot's passages as a LangChain vector store, read only (the extra `kbot[langchain]`)."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from langchain_postgres import PGEngine, PGVectorStore
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.ext.asyncio import create_async_engine

from kbot.engine import Engine

_COLUMNS = ["source", "title", "page", "heading", "url", "language"]


@asynccontextmanager
async def open_vector_store(engine: Engine, workspace: str = "default", *, k: int = 4) -> AsyncGenerator[PGVectorStore]:
    """The passages that everybody in a workspace may see, with kbot's own vectors, while the block runs.

    `metadata` holds source, title, page, heading, url and language. Its asynchronous methods search (exactly, by
    cosine distance) and find by id; what writes fails. Raises `EmbedderMismatch`, `DatabaseError`.
    """
    await engine.check(workspace)
    parts = conninfo_to_dict(engine.database.conninfo)
    # The view shows the workspace that its session names, and nothing to a session that names none.
    named = re.sub(r"([\\\s])", r"\\\1", workspace)
    options = f"{parts.get('options') or ''} -c kbot.workspace={named} -c default_transaction_read_only=on"
    pool = create_async_engine("postgresql+psycopg://", connect_args={**parts, "options": options.strip()})
    try:
        yield await PGVectorStore.create(
            PGEngine.from_engine(pool),
            engine.embedder.embeddings,
            "shared_passages",
            id_column="id",
            content_column="content",
            embedding_column="embedding",
            metadata_columns=_COLUMNS,
            k=k,
        )
    finally:
        await pool.dispose()
