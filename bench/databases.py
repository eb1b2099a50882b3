"""Databases for the benchmark, on an embedded server of its own."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from pydantic import SecretStr

from kbot.database import Database, open_database
from kbot.embedded.server import running
from kbot.settings import Settings


@asynccontextmanager
async def fresh_database(cache: Path, settings: Settings, name: str) -> AsyncGenerator[tuple[Database, Settings]]:
    """A new and migrated database with settings that name it, dropped at the end; one that an earlier run left
    behind is dropped first."""
    async with kept_database(cache, settings, name, anew=True) as opened:
        yield opened
    async with running(cache / "home") as server:
        await _drop(server.conninfo, name)


@asynccontextmanager
async def kept_database(
    cache: Path, settings: Settings, name: str, *, anew: bool = False
) -> AsyncGenerator[tuple[Database, Settings]]:
    """The migrated database of a name, made if it is not there, which stays for the next run."""
    async with running(cache / "home") as server:
        if anew:
            await _drop(server.conninfo, name)
        async with await psycopg.AsyncConnection.connect(server.conninfo, autocommit=True) as connection:
            found = await connection.execute("SELECT FROM pg_database WHERE datname = %s", (name,))
            if not found.rowcount:
                await connection.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        own = settings.model_copy(update={"database_url": SecretStr(make_conninfo(server.conninfo, dbname=name))})
        async with open_database(own) as database:
            yield database, own


async def drop_others(cache: Path, prefix: str, keep: str) -> None:
    """Drop the databases whose names begin alike, except one: what earlier versions of the tables left behind."""
    async with running(cache / "home") as server:
        async with await psycopg.AsyncConnection.connect(server.conninfo, autocommit=True) as connection:
            found = await connection.execute(
                "SELECT datname FROM pg_database WHERE starts_with(datname, %s) AND datname <> %s", (prefix, keep)
            )
            names: list[str] = [name for (name,) in await found.fetchall()]
        for name in names:
            await _drop(server.conninfo, name)


async def _drop(conninfo: str, name: str) -> None:
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
        await connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))
