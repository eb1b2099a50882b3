"""The way to Postgres: a pool on the server of KBOT_DATABASE_URL or on the embedded one, migrated first."""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import LiteralString

import psycopg
from pgvector.psycopg import register_vector_async  # pyright: ignore[reportUnknownVariableType]  # it has no types
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction
from psycopg.types import TypeInfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from kbot.errors import DatabaseError, DatabaseUnreachable, SettingsError
from kbot.migration import Connection, apply_pending, find_pending, read_migrations
from kbot.settings import Settings

CONNECT_SECONDS = 10
CHECKOUT_SECONDS = 15.0
# Then the pool stops retrying by itself, ever more slowly, and the next statement makes it try anew.
_RECONNECT_SECONDS = 15.0

# What a server may answer to a sound statement; other errors of psycopg are faults of kbot.
_REFUSED = (psycopg.OperationalError, InsufficientPrivilege, ReadOnlySqlTransaction)

# Plans hang neither on a question's words nor on statistics, which lag behind what is ingested: they are made once a
# connection, and look rows up by their keys.
_SESSION: LiteralString = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', false), set_config('hnsw.ef_search', '100', false),
  set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
  set_config('jit', 'off', false)
"""


class Pool(AsyncConnectionPool[Connection]):
    """A pool whose failures to give or to keep a connection are DatabaseUnreachable."""

    @asynccontextmanager
    async def connection(
        self,
        timeout: float | None = None,  # noqa: ASYNC109  # the name is the pool's
    ) -> AsyncGenerator[Connection]:
        """A connection for a block: committed at its end, rolled back when it raises.

        Raises DatabaseUnreachable when none is to be had within `timeout` seconds (default CHECKOUT_SECONDS),
        or when the server goes away inside the block; DatabaseError when the server cannot do what it is asked (its
        disk is full, a deadlock).
        """
        try:
            async with super().connection(timeout) as connection:
                yield connection
        except PoolTimeout as error:
            async with _session(await self._resolve_conninfo()):
                pass  # or raise its own reason
            raise DatabaseUnreachable(
                f"All {self.max_size} database connections of this process were busy for "
                f"{timeout or self.timeout:g} s. Raise KBOT_POOL_SIZE or lower KBOT_CONCURRENCY."
            ) from error
        except _REFUSED as error:
            if not _means_lost(error):
                raise DatabaseError(_refusal(error)) from error
            raise DatabaseUnreachable(
                f"The connection to Postgres was lost: {_words(error)}. "
                "Try again; if it stays away, look at the server's log."
            ) from error

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Connection]:
        """A connection for single statements that only read: no transaction is opened and closed around them, which
        saves two round trips. Raises as `connection` does."""
        async with self.connection() as connection:
            await connection.set_autocommit(True)
            try:
                yield connection
            finally:
                if not connection.closed:
                    await connection.set_autocommit(False)


@dataclass(frozen=True, slots=True)
class Database:
    """An open database. `conninfo` holds the password; `version` is the server's ("18.4"); `data` is the
    folder of the embedded server, None for any other."""

    pool: Pool
    conninfo: str = field(repr=False)
    embedded: bool
    version: str
    data: Path | None


@asynccontextmanager
async def open_database(settings: Settings, *, migrate: bool = True) -> AsyncGenerator[Database]:
    """The database that the settings name, migrated unless told otherwise, for as long as the block runs.

    Raises SettingsError (the address cannot be read; no embedded server on this system), DatabaseUnreachable,
    MigrationError, or DatabaseError (the embedded server cannot be made or started).
    """
    async with AsyncExitStack() as stack:
        data: Path | None = None
        current: str | Callable[[], Awaitable[str]]
        if settings.database_url is not None:
            conninfo = current = read_address(settings.database_url.get_secret_value())
        elif sys.platform == "win32":
            raise SettingsError(
                "The embedded Postgres does not run on Windows. Set KBOT_DATABASE_URL to a Postgres server "
                "with pgvector, such as the one of docker-compose.yml."
            )
        else:
            from kbot.embedded.server import revive, running  # their locks do not exist on Windows

            server = await stack.enter_async_context(running(settings.home))
            conninfo, data = server.conninfo, server.layout.data
            current = partial(revive, server)
        async with _session(conninfo) as connection:
            if migrate:
                await apply_pending(connection, read_migrations())
            major, minor = divmod(connection.info.server_version, 10000)
        pool = Pool(
            current,
            open=False,
            min_size=min(2, settings.pool_size),
            max_size=settings.pool_size,
            timeout=CHECKOUT_SECONDS,
            reconnect_timeout=_RECONNECT_SECONDS,
            configure=_configure,
            check=Pool.check_connection,
            name="kbot",
        )
        await pool.open()
        stack.push_async_callback(pool.close)
        yield Database(pool, conninfo, data is not None, f"{major}.{minor}", data)


async def migrate(conninfo: str, migrations: Traversable | None = None) -> list[str]:
    """Apply the SQL files (default: those that kbot brings) that the database lacks; returns their names.

    Raises MigrationError or DatabaseUnreachable.
    """
    async with _session(conninfo) as connection:
        return await apply_pending(connection, read_migrations(migrations))


async def pending(conninfo: str, migrations: Traversable | None = None) -> list[str]:
    """The names of the migrations that the database lacks; raises like `migrate`, and changes nothing."""
    async with _session(conninfo) as connection:
        return [migration.name for migration in await find_pending(connection, read_migrations(migrations))]


def read_address(url: str) -> str:
    """A Postgres address (URI or keywords) as a conninfo with kbot's defaults.

    Raises SettingsError, which shows nothing of the address: its password may be anywhere in a wrong one.
    """
    wrong = SettingsError(
        "KBOT_DATABASE_URL cannot be read. It should look like postgresql://user:password@host:5432/name, "
        "with characters such as @ / : # % in the password percent-encoded (@ is %40)."
    )
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # libpq's own message quotes the address, and with it the password.
        raise wrong from None
    # What follows a bare @ or / of a password ends up in these, and libpq would name them.
    ports = str(parts.get("port", "")).replace(",", "")
    if (ports and not ports.isdigit()) or "@" in f"{parts.get('host', '')}{parts.get('dbname', '')}":
        raise wrong
    return make_conninfo("", **{"connect_timeout": CONNECT_SECONDS, "application_name": "kbot", **parts})


@asynccontextmanager
async def _session(conninfo: str) -> AsyncGenerator[Connection]:
    """A connection of its own, in autocommit. Raises DatabaseUnreachable, also when it is lost in the block."""
    try:
        async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
            yield connection
    except _REFUSED as error:
        if not _means_lost(error):
            raise DatabaseError(_refusal(error)) from error
        parts = conninfo_to_dict(conninfo)
        place = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
        raise DatabaseUnreachable(
            f"Postgres at {place} cannot be used: {_words(error)}. "
            "Start it, or correct KBOT_DATABASE_URL (unset, kbot runs its own)."
        ) from None


async def _configure(connection: Connection) -> None:
    """Teach a connection pgvector's types and their arrays, for statements and COPY, if the database has them, and
    how kbot's statements are to be run."""
    if await TypeInfo.fetch(connection, "vector") is not None:
        await register_vector_async(connection)
    await connection.execute(_SESSION)
    await connection.commit()


def _means_lost(error: psycopg.Error) -> bool:
    """Whether the session has ended: libpq's own errors have no SQLSTATE (Postgres manual, appendix A)."""
    state = error.sqlstate
    return state is None or state.startswith("08") or state in {"57P01", "57P02", "57P03", "57P05"}


def _refusal(error: psycopg.Error) -> str:
    """A full disk, a deadlock, missing rights: the server's words name the cause, and hold no values of ours."""
    cause = error.diag.message_primary or _words(error)
    if isinstance(error, InsufficientPrivilege | ReadOnlySqlTransaction):
        return f"Postgres does not let kbot work: {cause}. Give its role the database, and the right to write in it."
    return f"Postgres could not do what it was asked: {cause}."


def _words(error: psycopg.Error) -> str:
    return " ".join(str(error).split()).rstrip(".")
