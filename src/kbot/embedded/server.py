"""The embedded server as its users see it: `running(home)` starts or joins it, the last to leave stops it.

Any number of kbot processes share the server of one home. Each holds a share of a lock for as long as it
runs, which needs no handler and no clean exit; the rest is the supervisor's work (see `supervisor`). When the
server was killed, `revive`, called before each new connection, starts it again: statements under way fail,
later ones do not notice.
"""

import asyncio
import fcntl
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from kbot.embedded.cluster import BUSY, PORT, SOCKET_NAME, USER, Layout, binaries, hold, last_lines
from kbot.errors import DatabaseError, DatabaseUnreachable

START_SECONDS = 120.0
_POLL_SECONDS = 0.03
_SOCKET_BYTES = 103  # what macOS takes in an address; Linux takes 107
_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG")


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running server: its files, and how to connect to it."""

    layout: Layout
    conninfo: str


@asynccontextmanager
async def running(home: Path) -> AsyncGenerator[EmbeddedServer]:
    """The embedded server of a home folder, started if need be, which stays up at least until the block ends.

    Raises DatabaseError when it cannot be made or started, DatabaseUnreachable when it does not answer in
    START_SECONDS, and SettingsError when its programs are not installed.
    """
    binaries()
    layout = _layout(home)
    with ExitStack() as held:
        with _explained(layout):
            _make_folders(layout)
            start = await _locked(layout.start_lock, fcntl.LOCK_EX)
            try:
                # A server that is stopping holds this lock until it is gone.
                held.callback(os.close, await _locked(layout.users_lock, fcntl.LOCK_SH))
                conninfo = await _started(layout)
            finally:
                os.close(start)
        yield EmbeddedServer(layout, conninfo)


async def revive(server: EmbeddedServer) -> str:
    """Make sure that the server answers, starting it again if it is gone; returns how to connect.

    To be called inside `running`, of which it raises the errors.
    """
    with _explained(server.layout):
        start = await _locked(server.layout.start_lock, fcntl.LOCK_EX)
        try:
            return await _started(server.layout)
        finally:
            os.close(start)


def supervised(home: Path) -> bool:
    """Whether a server of this home is up, starting or stopping."""
    layout = _layout(home)
    return layout.root.exists() and _supervised(layout)


@contextmanager
def _explained(layout: Layout) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise DatabaseError(
            f"The embedded Postgres cannot keep its files in {layout.root}: {error.strerror} "
            f"({error.filename}). Make room, or make it writable for this user, or set KBOT_HOME to another "
            "folder."
        ) from error


def _layout(home: Path) -> Layout:
    return Layout(home.resolve() / "postgres")


def _make_folders(layout: Layout) -> None:
    layout.root.parent.mkdir(parents=True, exist_ok=True)
    layout.root.mkdir(mode=_folder_mode(), exist_ok=True)


def _folder_mode() -> int:
    # For root Postgres runs as another user, who must pass the folder but may not list it.
    return 0o711 if os.geteuid() == 0 else 0o700


def _socket_folder(layout: Layout) -> Path:
    """Where the socket shall be: beside the data, or, where that is too long an address, in a private folder
    with a short name."""
    if len(os.fsencode(layout.server / SOCKET_NAME)) <= _SOCKET_BYTES:
        return layout.server
    digest = hashlib.sha256(os.fsencode(layout.root)).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"kbot-{os.geteuid()}-{digest}"
    folder.mkdir(mode=_folder_mode(), exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise DatabaseError(
            f"{folder}, where the embedded Postgres wants its socket, belongs to somebody else. Remove it, "
            "or set KBOT_HOME to a folder with a shorter path."
        )
    return folder / "server"


async def _locked(path: Path, operation: int) -> int:
    """Take a lock without blocking the loop; returns the open file, whose closing lets go."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + START_SECONDS
    file = hold(path)
    try:
        while True:
            try:
                fcntl.flock(file, operation | fcntl.LOCK_NB)
            except BlockingIOError:
                if loop.time() > deadline:
                    raise DatabaseUnreachable(
                        "Another kbot process has been starting or stopping the embedded Postgres for "
                        f"{START_SECONDS:g} s. See which (`fuser {path}`), end it, and start again."
                    ) from None
            else:
                return file
            await asyncio.sleep(_POLL_SECONDS)
    except BaseException:
        os.close(file)
        raise


def _supervised(layout: Layout) -> bool:
    """Whether a supervisor lives. Ask under `start.lock`: asking takes a share for a moment, and a supervisor
    that starts would think that another one lives."""
    file = hold(layout.supervisor_lock)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(file)


async def _started(layout: Layout) -> str:
    """Start a supervisor unless one lives, and wait until its server answers; returns how to connect."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + START_SECONDS
    launched = False
    cause = "it has not opened its socket"
    while loop.time() < deadline:
        if _supervised(layout):
            conninfo = _conninfo(layout)
            if conninfo is not None:
                try:
                    async with await psycopg.AsyncConnection.connect(conninfo, connect_timeout=5):
                        return conninfo
                except psycopg.OperationalError as error:
                    cause = str(error).strip()
        elif launched:
            report = last_lines(layout.report) or "Its supervisor was killed; start kbot again."
            raise DatabaseError(f"The embedded Postgres in {layout.root} did not start. {report}")
        else:
            launched = await _launch(layout) != BUSY
        await asyncio.sleep(_POLL_SECONDS)
    raise DatabaseUnreachable(
        f"The embedded Postgres in {layout.root} runs but does not answer: {cause}. After a crash it may be "
        f"recovering: see {layout.log}, and start kbot again."
    )


async def _launch(layout: Layout) -> int:
    with layout.report.open("wb") as report:
        process = await asyncio.create_subprocess_exec(
            # -P: a folder named kbot where the user happens to stand is not to be imported.
            *(sys.executable, "-P", "-m", "kbot.embedded.supervisor", layout.root, _socket_folder(layout)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=report,
            stderr=report,
            cwd="/",
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        )
        return await process.wait()


def _conninfo(layout: Layout) -> str | None:
    """How to connect, from what the server itself wrote; None while it is not ready."""
    lines = layout.postmaster()
    if len(lines) < 8 or lines[7].strip() != "ready":
        return None
    # Not this process's own choice of a folder: another one may have started the server with another TMPDIR.
    return make_conninfo(host=lines[4], port=PORT, user=USER, dbname="postgres", application_name="kbot")
