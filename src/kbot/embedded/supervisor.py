"""The process that runs the embedded Postgres: `python -m kbot.embedded.supervisor ROOT SOCKET`.

One supervisor serves all kbot processes of one home. It holds `supervisor.lock` while it lives, starts
Postgres, and then waits for the exclusive lock on `users.lock`, of which every kbot process holds a share.
The kernel drops a share however its process ends, so getting the lock means that nobody is left: Postgres is
stopped while it is held, and newcomers wait for it.

Postgres and its children inherit a third lock, `server.lock`. Whoever gets that one knows that no process of
a former server is alive, which neither a process id nor `postmaster.pid` can tell (zombies, ids in use
again). On Linux Postgres is stopped by the kernel when its supervisor is killed. A Postgres that ends by
itself ends its supervisor; the next connection of any kbot process starts both again (see `server`).
"""

import asyncio
import fcntl
import os
import pwd
import shutil
import signal
import socket
import struct
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

from kbot.embedded.cluster import BUSY, MAJOR, SOCKET_NAME, USER, Layout, binaries, hold, last_lines
from kbot.embedded.privileges import become, stop_with
from kbot.errors import DatabaseError, KbotError

STOP_SECONDS = 60.0
LOG_BYTES = 1_000_000
_LOG_SECONDS = 5.0
_SOL_LOCAL, _LOCAL_PEERPID = 0, 2  # sys/un.h of macOS

# Parallel workers are off because they share memory through /dev/shm, of which a container has 64 MB.
# Statements, their values and details of errors stay out of the log: they hold people's messages.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "50",
    "shared_buffers": "128MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "512MB",
    "max_parallel_workers": "0",
    "max_parallel_maintenance_workers": "0",
    "max_parallel_workers_per_gather": "0",
    "io_method": "sync",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}


async def supervise(layout: Layout, socket_folder: Path) -> None:
    """Run Postgres until nobody uses it, or SIGTERM or SIGINT come; DatabaseError when it ends by itself."""
    users, server = hold(layout.users_lock), hold(layout.server_lock)
    programs = binaries()
    uid, gid = _own(layout.server, socket_folder)
    if os.geteuid() == 0:
        become(uid, gid, [programs / "postgres", layout.server, socket_folder])

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    await _await_former(server, layout, socket_folder)
    await _initialise(layout, programs, server)
    _sweep(layout, socket_folder)

    options = [f"--{name}={value}" for name, value in SETTINGS.items()]
    process = await asyncio.create_subprocess_exec(
        *(programs / "postgres", "-D", layout.data, f"--unix_socket_directories={socket_folder}", *options),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={"LC_ALL": "C"},
        pass_fds=(server,),
        preexec_fn=partial(stop_with, os.getpid()),
    )
    assert process.stderr is not None
    log = asyncio.create_task(_keep_log(process.stderr, layout.log))
    ended = asyncio.create_task(process.wait())

    def await_last_user() -> None:
        fcntl.flock(users, fcntl.LOCK_EX)
        with suppress(RuntimeError):  # the loop is closed: Postgres has ended by itself in the meantime
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=await_last_user, daemon=True).start()
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({ended, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        await asyncio.wait({log}, timeout=_LOG_SECONDS)
        raise DatabaseError(
            f"Postgres ended by itself (exit code {ended.result()}). Look for the cause in its last lines, mend "
            f"it, and start kbot again:\n{last_lines(layout.log, 8)}"
        )
    process.send_signal(signal.SIGINT)
    await asyncio.wait({ended}, timeout=STOP_SECONDS)
    if not ended.done():
        process.send_signal(signal.SIGQUIT)
    await ended
    await asyncio.wait({log}, timeout=_LOG_SECONDS)


def _own(folder: Path, socket_folder: Path) -> tuple[int, int]:
    """Make the folders of Postgres; returns its user and group: the folder's owner, or for root nobody."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.stat()
    uid, gid = status.st_uid, status.st_gid
    if uid == 0 == os.geteuid():
        try:
            entry = pwd.getpwnam("nobody")
            uid, gid = entry.pw_uid, entry.pw_gid
        except KeyError:
            uid = gid = 65534
    for place in {folder, socket_folder}:
        place.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(place, uid, gid)
    return uid, gid


def _sweep(layout: Layout, socket_folder: Path) -> None:
    """Remove what a killed server left. Postgres would judge by process ids, which others may have by now."""
    for leftover in (layout.data / "postmaster.pid", *socket_folder.glob(f"{SOCKET_NAME}*")):
        leftover.unlink(missing_ok=True)


async def _await_former(lock: int, layout: Layout, socket_folder: Path) -> None:
    """Take the lock that every process of a former server holds, asking that server to stop."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + STOP_SECONDS
    asked: set[int] = set()
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lines = layout.postmaster()
            pid = _listener(Path(lines[4] if len(lines) > 4 else socket_folder) / SOCKET_NAME)
            if pid is not None and pid not in asked:
                asked.add(pid)
                os.kill(pid, signal.SIGINT)
        else:
            return
        if loop.time() > deadline:
            raise DatabaseError(
                f"Processes of a former embedded Postgres are still at work in {layout.data}. Find them with "
                f"`fuser {layout.server_lock}`, end them, and start kbot again."
            )
        await asyncio.sleep(0.05)


def _listener(path: Path) -> int | None:
    """The id of the process that listens on a Unix socket, from the kernel; None when nobody does."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(os.fspath(path))
        except OSError:
            return None
        if sys.platform == "darwin":
            return struct.unpack("i", client.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, struct.calcsize("i")))[0]
        return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


async def _initialise(layout: Layout, programs: Path, lock: int) -> None:
    """Make the data folder unless there is one; an interrupted attempt leaves nothing that looks like one."""
    version = layout.data / "PG_VERSION"
    if version.exists():
        found = version.read_text().strip()
        if found != MAJOR:
            raise DatabaseError(
                f"{layout.data} was made by Postgres {found}, and this kbot brings Postgres {MAJOR}. Use the "
                f"kbot that made it, or move {layout.data} away and add the documents again, or set "
                "KBOT_DATABASE_URL."
            )
        return
    _require_name(os.geteuid())
    unfinished = layout.server / "data.new"
    if unfinished.exists():
        shutil.rmtree(unfinished)
    process = await asyncio.create_subprocess_exec(
        *(programs / "initdb", "-D", unfinished, "-U", USER, "--auth=trust", "--no-instructions"),
        *("--encoding=UTF8", "--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={"LC_ALL": "C"},
        pass_fds=(lock,),
        preexec_fn=partial(stop_with, os.getpid()),
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        words = "\n".join(output.decode(errors="replace").strip().splitlines()[-8:])
        raise DatabaseError(
            f"The data folder {unfinished} could not be made. Mend what the last lines name and start kbot "
            f"again, or set KBOT_HOME to another folder:\n{words}"
        )
    unfinished.rename(layout.data)
    folder = os.open(layout.server, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _require_name(uid: int) -> None:
    """initdb asks for its user's name, which is unknown in a container that was started with a bare id."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        raise DatabaseError(
            f"The embedded Postgres cannot be made by user id {uid}, which has no name on this system. "
            "Add it to /etc/passwd, run kbot as a user that is there, or set KBOT_DATABASE_URL."
        ) from None


async def _keep_log(stream: asyncio.StreamReader, path: Path) -> None:
    """Append what Postgres says to its log until it ends."""
    while chunk := await stream.read(65536):
        # A full disk must not stop the reading: Postgres would wait for it for ever.
        with suppress(OSError):
            _append(path, chunk)


def _append(path: Path, chunk: bytes) -> None:
    """Append to a log that keeps one older file: at most twice LOG_BYTES."""
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    with path.open("ab") as file:
        file.write(chunk)


def main(root: str, socket_folder: str) -> int:
    """Become the supervisor in the background. The process that calls it ends at once: with 0 when the
    background one holds the lock, with BUSY when another supervisor does."""
    layout = Layout(Path(root))
    lock = hold(layout.supervisor_lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return BUSY
    if os.fork():
        os._exit(0)
    os.setsid()
    try:
        asyncio.run(supervise(layout, Path(socket_folder)))
    except KbotError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.strerror}: {error.filename or layout.root}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
