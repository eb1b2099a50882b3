"""The peer: hybrid search of langchain-postgres, on a table of its own in the same database."""

from collections.abc import Awaitable, Callable
from typing import Any, LiteralString, cast

from langchain_core.documents import Document
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from langchain_postgres.v2.indexes import HNSWIndex
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from kbot.database import Database
from kbot.models import Embedder

_TABLE = "peer"
_Find = Callable[..., Awaitable[list[tuple[Document, float]]]]
_FILL: LiteralString = """
INSERT INTO peer (langchain_id, content, content_tsv, embedding)
SELECT id, text, to_tsvector('pg_catalog.english', text), embedding::vector(512) FROM chunks
"""


def open_engine(database: Database, ef_search: str) -> AsyncEngine:
    """Connections to the database for the peer, which searches with the same breadth as kbot."""
    parts = conninfo_to_dict(database.conninfo)
    query = {
        "host": str(parts["host"]),
        "options": f"-c hnsw.ef_search={ef_search} -c hnsw.iterative_scan=relaxed_order -c jit=off",
    }
    url = URL.create("postgresql+psycopg", username=str(parts["user"]), database=str(parts["dbname"]), query=query)
    return create_async_engine(url)


async def open_peer(engine: AsyncEngine, database: Database, embedder: Embedder, candidates: int) -> PGVectorStore:
    """The store, filled from kbot's table if it is empty, with an HNSW and a GIN index of its own making."""
    pg_engine = PGEngine.from_engine(engine)
    async with database.pool.connection() as connection:
        found = await (await connection.execute("SELECT to_regclass('peer') IS NOT NULL")).fetchone()
    config = _config(candidates)
    if not (found and found[0]):
        await pg_engine.ainit_vectorstore_table(_TABLE, embedder.dimensions, hybrid_search_config=config)
        async with database.pool.connection() as connection:
            await connection.execute(_FILL)
    store = await PGVectorStore.create(pg_engine, embedder.embeddings, _TABLE, hybrid_search_config=config)
    if not (found and found[0]):
        await store.aapply_hybrid_search_index()
        await store.aapply_vector_index(HNSWIndex())
        async with database.pool.connection() as connection:
            await connection.set_autocommit(True)
            await connection.execute("VACUUM ANALYZE peer")
            await connection.set_autocommit(False)
    return store


async def search_peer(store: PGVectorStore, question: str, vector: list[float], k: int, candidates: int) -> list[str]:
    """The ids of the peer's `k` best passages. Its configuration keeps the first question it sees, so each question
    gets its own."""
    config = _config(candidates, question)
    find = cast(_Find, store.asimilarity_search_with_score_by_vector)  # pyright: ignore[reportUnknownMemberType]  # half typed
    found = await find(vector, k=k, hybrid_search_config=config)
    return [str(document.id) for document, _ in found]


def _config(candidates: int, question: str = "") -> HybridSearchConfig:
    return HybridSearchConfig(
        tsv_column="content_tsv",
        fts_query=question,
        fusion_function=cast(Any, reciprocal_rank_fusion),
        primary_top_k=candidates,
        secondary_top_k=candidates,
    )
