"""What evaluations leave in the database, and its end: the workspaces of what they asked of, and the runs."""

from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import AsyncConnection

from kbot.database import Database
from kbot.workspaces import is_evaluation

_WORKSPACES: LiteralString = "SELECT workspace FROM indexes WHERE workspace LIKE 'eval-%' ORDER BY workspace"

# Whoever ingests there holds the row until a document is in.
_LOCK: LiteralString = "SELECT FROM indexes WHERE workspace = ANY(%(workspaces)s) ORDER BY workspace FOR UPDATE"

# What a row's columns take where they are stored, read from their headers alone.
_HELD: LiteralString = """
SELECT
  (SELECT count(*) FROM documents WHERE workspace = ANY(%(workspaces)s)),
  (SELECT count(*) FROM chunks WHERE workspace = ANY(%(workspaces)s)),
  (SELECT coalesce(sum(pg_column_size(text)), 0) FROM documents WHERE workspace = ANY(%(workspaces)s))
    + (SELECT coalesce(sum(pg_column_size(text) + pg_column_size(embedding) + pg_column_size(sentences)
        + pg_column_size(spans) + pg_column_size(lexemes)), 0)
      FROM chunks WHERE workspace = ANY(%(workspaces)s)),
  (SELECT count(*) FROM evaluation_runs)
"""

# Chunks and what was read go with their documents; the word statistics of the whole workspace go at once.
_FORGET: tuple[LiteralString, ...] = (
    "DELETE FROM turns WHERE workspace = ANY(%(workspaces)s)",
    "DELETE FROM documents WHERE workspace = ANY(%(workspaces)s)",
    "DELETE FROM lexemes WHERE workspace = ANY(%(workspaces)s)",
    "DELETE FROM scopes WHERE workspace = ANY(%(workspaces)s)",
    "DELETE FROM indexes WHERE workspace = ANY(%(workspaces)s)",
)

_FORGET_RUNS: LiteralString = "DELETE FROM evaluation_runs"


@dataclass(frozen=True, slots=True)
class Held:
    """What evaluations hold: workspaces with so many documents and passages, whose texts and vectors take so many
    megabytes, and runs."""

    workspaces: int
    documents: int
    passages: int
    megabytes: float
    runs: int


async def held(database: Database) -> Held:
    """What is there now."""
    async with database.pool.connection() as connection:
        return await _held(connection, await _workspaces(connection))


async def clean(database: Database, *, runs: bool) -> Held:
    """Delete the workspaces of all evaluations and, if asked, all runs; returns what was there before."""
    async with database.pool.connection() as connection, connection.transaction():
        workspaces = await _workspaces(connection)
        await connection.execute(_LOCK, {"workspaces": workspaces})
        found = await _held(connection, workspaces)
        for statement in _FORGET:
            await connection.execute(statement, {"workspaces": workspaces})
        if runs:
            await connection.execute(_FORGET_RUNS)
    return found


async def _workspaces(connection: AsyncConnection[Any]) -> list[str]:
    rows = await (await connection.execute(_WORKSPACES)).fetchall()
    return [name for (name,) in rows if is_evaluation(name)]


async def _held(connection: AsyncConnection[Any], workspaces: list[str]) -> Held:
    row = await (await connection.execute(_HELD, {"workspaces": workspaces})).fetchone()
    documents, passages, size, runs = row or (0, 0, 0, 0)
    return Held(len(workspaces), documents, passages, round(int(size) / 1e6, 2), runs)
