"""Real processes that use an embedded server, for the tests of its life: they say what they see, leave when told."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import psycopg

from kbot.embedded.cluster import Layout
from kbot.embedded.server import running, supervised

PROGRAM = """
import asyncio, sys
from pathlib import Path
import psycopg
from kbot.embedded.server import running

async def main():
    async with running(Path(sys.argv[1])) as server:
        async with await psycopg.AsyncConnection.connect(server.conninfo) as connection:
            for word in sys.argv[2:]:
                await connection.execute("CREATE TABLE IF NOT EXISTS kept (id serial, word text)")
                await connection.execute("INSERT INTO kept (word) VALUES (%s)", (word,))
            started = await (await connection.execute("SELECT pg_postmaster_start_time()")).fetchone()
        print(started[0].isoformat(), flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


class User:
    """A kbot process that uses the server of a home. `started` is when the server it sees was started."""

    def __init__(self, process: asyncio.subprocess.Process, started: str) -> None:
        self.process = process
        self.started = started

    async def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert await self.process.wait() == 0


async def start_user(home: Path, *arguments: str, before: tuple[str, ...] = ()) -> User:
    process = await asyncio.create_subprocess_exec(
        *(*before, sys.executable, "-c", PROGRAM, home, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    return User(process, (await process.stdout.readline()).decode().strip())


@asynccontextmanager
async def user(home: Path, *arguments: str) -> AsyncGenerator[User]:
    started = await start_user(home, *arguments)
    try:
        yield started
    finally:
        if started.process.returncode is None:
            await started.leave()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


def processes(home: Path) -> list[psutil.Process]:
    """All processes of the server of a home: by their arguments, and by their working folder, the data folder."""
    root = str(Layout(home.resolve() / "postgres").root)
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.status() != psutil.STATUS_ZOMBIE and (
                any(part.startswith(root) for part in process.cmdline()) or process.cwd().startswith(root)
            ):
                found.append(process)
    return found


async def gone(home: Path) -> None:
    """Wait until no process of the server of a home is left."""
    await until(lambda: not supervised(home))
    await until(lambda: not processes(home))


def supervisor(home: Path) -> psutil.Process:
    return next(process for process in processes(home) if "kbot.embedded.supervisor" in process.cmdline())


def postmaster(home: Path) -> psutil.Process:
    return next(process for process in processes(home) if process.ppid() == supervisor(home).pid)


async def words(home: Path) -> list[str]:
    async with (
        running(home) as server,
        await psycopg.AsyncConnection.connect(server.conninfo) as connection,
    ):
        rows = await connection.execute("SELECT word FROM kept ORDER BY id")
        return [row[0] for row in await rows.fetchall()]


def copied(made: Path, place: Path) -> None:
    """Copy a home whose server is stopped, with the owner of its files."""
    shutil.copytree(made, place, dirs_exist_ok=True)
    owner = Layout(made / "postgres").server.stat()
    server = Layout(place / "postgres").server
    for path in (server, *server.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
