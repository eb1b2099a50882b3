"""Apply numbered SQL files to a database, each once, in order, whole or not at all."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import psycopg
from psycopg.rows import TupleRow

from kbot.errors import MigrationError

Connection = psycopg.AsyncConnection[TupleRow]

LOCK_SECONDS = 600.0
_POLL_SECONDS = 0.1
_LOCK = 7_201_186_421  # any number that no other program of the same database uses

_TABLE = b"""
CREATE TABLE IF NOT EXISTS kbot_migrations (
    name text PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now(),
    checksum text NOT NULL
)"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its name, its SQL, and the SHA-256 of that with Unix line ends, in hex."""

    name: str
    sql: str
    checksum: str


def read_migrations(folder: Traversable | None = None) -> list[Migration]:
    """The files NNNN_name.sql of a folder (default: those that kbot brings), in order.

    Raises MigrationError when a file's name has no number or its number is taken.
    """
    found: dict[str, Migration] = {}
    sources = [entry for entry in (folder or files("kbot_migrations")).iterdir() if entry.name.endswith(".sql")]
    for entry in sorted(sources, key=lambda source: source.name):
        number = re.fullmatch(r"(\d{4})_\w+\.sql", entry.name)
        if number is None or number[1] in found:
            raise MigrationError(
                f"The migration {entry.name} needs a name like 0001_name.sql, with a number of its own."
            )
        sql = entry.read_text(encoding="utf-8").replace("\r\n", "\n")
        found[number[1]] = Migration(entry.name, sql, hashlib.sha256(sql.encode()).hexdigest())
    return list(found.values())


async def find_pending(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """The migrations that the database does not have.

    Raises MigrationError when the database has one that is not among them, or one that was changed since.
    """
    known = await connection.execute("SELECT to_regclass('kbot_migrations') IS NOT NULL")
    recorded: dict[str, str] = {}
    if await known.fetchone() == (True,):
        rows = await connection.execute("SELECT name, checksum FROM kbot_migrations")
        recorded = dict(await rows.fetchall())
    newer = sorted(recorded.keys() - {migration.name for migration in migrations})
    if newer:
        raise MigrationError(
            f"The database is newer than this kbot, which knows nothing of {', '.join(newer)}. "
            "Upgrade kbot, or give it another database."
        )
    for migration in migrations:
        if recorded.get(migration.name, migration.checksum) != migration.checksum:
            raise MigrationError(
                f"This database was made by a kbot whose {migration.name} was another: a pre-release, or a file that "
                "was changed since. Give kbot another database (KBOT_DATABASE_URL, or KBOT_HOME for its own) and "
                "ingest the documents anew; who changed the file restores it, and puts the change into a new migration."
            )
    return [migration for migration in migrations if migration.name not in recorded]


async def apply_pending(connection: Connection, migrations: Sequence[Migration]) -> list[str]:
    """Apply what the database lacks; returns the names.

    `connection` is in autocommit and of no pool: a lock stays with it until it is closed. Safe when many processes do
    so at once: one applies, the others wait and find nothing left. Raises MigrationError, with the failing file rolled
    back and those before it kept.
    """
    if not await find_pending(connection, migrations):
        return []
    await _lock(connection)
    await _record_table(connection)
    applied: list[str] = []
    for migration in await find_pending(connection, migrations):
        await _apply(connection, migration)
        applied.append(migration.name)
    return applied


async def _lock(connection: Connection) -> None:
    # Not pg_advisory_lock: who waits in it holds a snapshot, for which CREATE INDEX CONCURRENTLY would wait.
    deadline = asyncio.get_running_loop().time() + LOCK_SECONDS
    while asyncio.get_running_loop().time() < deadline:
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,))
        if await cursor.fetchone() == (True,):
            return
        await asyncio.sleep(_POLL_SECONDS)
    raise MigrationError(
        f"Another kbot has been migrating this database for {LOCK_SECONDS:g} s. "
        "Wait for it, or end it, and start kbot again."
    )


async def _record_table(connection: Connection) -> None:
    try:
        await connection.execute(_TABLE)
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationError(
            f"The table kbot_migrations cannot be made: {error.diag.message_primary}. {_grant(connection)}"
        ) from error


async def _apply(connection: Connection, migration: Migration) -> None:
    try:
        async with connection.transaction():
            await connection.execute(migration.sql.encode())
            await connection.execute(
                "INSERT INTO kbot_migrations (name, checksum) VALUES (%s, %s)",
                (migration.name, migration.checksum),
            )
    except psycopg.Error as error:
        raise MigrationError(
            f"The migration {migration.name} failed{_line(migration, error)} and was rolled back: "
            f"{error.diag.message_primary or error}. {_next_step(connection, error)}"
        ) from error


def _line(migration: Migration, error: psycopg.Error) -> str:
    position = error.diag.statement_position
    return f" in line {migration.sql[: int(position) - 1].count(chr(10)) + 1}" if position else ""


def _next_step(connection: Connection, error: psycopg.Error) -> str:
    if "extension" in (error.diag.message_primary or ""):
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            return (
                f'Ask an administrator to run CREATE EXTENSION vector in "{connection.info.dbname}", '
                "then start kbot again."
            )
        if isinstance(error, psycopg.errors.FeatureNotSupported | psycopg.errors.UndefinedFile):
            return "Install pgvector (0.8 or newer) on the Postgres server, then start kbot again."
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return _grant(connection)
    return "Mend the cause and start kbot again; if it is the migration itself, report it."


def _grant(connection: Connection) -> str:
    database, user = connection.info.dbname, connection.info.user
    return f'As an administrator run ALTER DATABASE "{database}" OWNER TO "{user}", then start kbot again.'
