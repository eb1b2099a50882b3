"""File or address → pages of text. Parsing happens in a process of its own, bounded in time and memory."""

import asyncio
import json
import os
import signal
import stat
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kbot.errors import KbotError, Rejected
from kbot.ingestion.fetch import Fetched, fetch
from kbot.ingestion.pages import Loaded, Page, ParseLimits
from kbot.ingestion.worker import LENGTH, frame
from kbot.settings import Settings

__all__ = ["Fetched", "Loaded", "Page", "ParseLimits", "Parser", "fetch", "load", "parse_limits"]

_KEPT_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
)  # and so no tokens
_HEAVY_BYTES = 4_000_000


def parse_limits(settings: Settings) -> ParseLimits:
    """The limits that the settings ask for."""
    return ParseLimits(int(settings.max_file_megabytes * 1e6), settings.parse_seconds, settings.parse_megabytes)


async def load(path: Path, *, name: str | None = None, limits: ParseLimits) -> Loaded:
    """Read one file in a process started for it; see `Parser.load`. For more than one file, keep a `Parser`."""
    async with Parser(limits) as parser:
        return await parser.load(path, name=name)


class Parser:
    """Reads files one after another in one warm child process, since importing the parsers costs more than most files
    do.

    The child is killed and replaced when a file fails or takes too long, when the caller is cancelled, after a large
    file (what it left in memory counts against the next), and after `files` files. Calls from several tasks wait for
    each other.
    """

    def __init__(self, limits: ParseLimits, *, files: int = 200) -> None:
        self._limits = limits
        self._files = files
        self._left = 0
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._end()

    async def load(self, path: Path, *, name: str | None = None) -> Loaded:
        """Read a file into pages of text. `name` is the file's name as its sender knows it, by default the path's.

        Raises Rejected, with the reason in words, when the file cannot be read within the limits or not at all, and
        KbotError when the child does not start.
        """
        absolute, size = await asyncio.to_thread(_checked, path, self._limits)
        request = {
            "path": absolute,
            "name": unicodedata.normalize("NFC", name or path.name),
            "seconds": self._limits.seconds,
            "megabytes": self._limits.megabytes,
            "characters": self._limits.characters,
        }
        async with self._turn:
            answer = await self._ask(request)
            self._left -= 1
            if self._left <= 0 or size > _HEAVY_BYTES:
                await self._end()
        if "rejected" in answer:
            raise Rejected(answer["rejected"])
        return _loaded(answer["loaded"])

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        child = await self._running()
        answered = False
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await self._exchange(child, request)
            if "failed" in answer:
                raise Rejected(self._failure(answer["failed"]))
            answered = True
        except TimeoutError as error:
            raise Rejected(self._too_slow()) from error
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Rejected(self._death(await child.wait())) from error
        finally:
            if not answered:
                await self._end()
        return answer

    async def _exchange(self, child: asyncio.subprocess.Process, request: dict[str, Any]) -> dict[str, Any]:
        assert child.stdin
        assert child.stdout
        child.stdin.write(frame(request))
        await child.stdin.drain()
        (length,) = LENGTH.unpack(await child.stdout.readexactly(LENGTH.size))
        if length > 12 * self._limits.characters + 1_000_000:  # a character takes up to 12 bytes in JSON
            raise Rejected(
                "The reader's answer is larger than the file can explain; the file is not ingested. Save it anew."
            )
        return await asyncio.to_thread(json.loads, await child.stdout.readexactly(length))

    async def _running(self) -> asyncio.subprocess.Process:
        if self._child is not None and self._child.returncode is not None:
            await self._end()
        if self._child is None:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-m",
                "kbot.ingestion.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,  # parsers print parts of documents there
                env={key: os.environ[key] for key in _KEPT_ENVIRONMENT if key in os.environ},
                limit=1 << 20,
            )
            self._left = self._files
        return self._child

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.communicate()

    def _failure(self, kind: str) -> str:
        if kind == "MemoryError":
            return self._too_large()
        return (
            f"The file is damaged, or holds something its reader does not know ({kind}); open it in the program that "
            "made it, save it anew and ingest that."
        )

    def _too_slow(self) -> str:
        return (
            f"Reading the file took longer than {self._limits.seconds:g} s; split it, or let the operator raise "
            "KBOT_PARSE_SECONDS."
        )

    def _too_large(self) -> str:
        return (
            f"Reading the file takes more than {self._limits.megabytes} MB of memory; split it, or let the operator "
            "raise KBOT_PARSE_MEGABYTES."
        )

    def _death(self, code: int) -> str:
        if code >= 0:
            raise KbotError(
                f"The reader of files ended by itself (exit code {code}); run `{sys.executable} -I -m "
                "kbot.ingestion.worker` to see why."
            )
        name = signal.Signals(-code).name
        if name == "SIGXCPU":
            return self._too_slow()
        if name in ("SIGKILL", "SIGTERM"):
            return f"The reader was stopped from outside ({name}) while it read the file; ingest the file again."
        return (
            f"The file breaks its reader ({name}): it is damaged, or takes more than {self._limits.megabytes} MB of "
            "memory; open it in the program that made it, save it anew and ingest that."
        )


def _checked(path: Path, limits: ParseLimits) -> tuple[str, int]:
    """The absolute path and the size in bytes of a file that may be read."""
    try:
        status = path.stat()
    except OSError as error:
        raise Rejected(f"The file cannot be opened ({error.strerror}); check its path and permissions.") from error
    if not stat.S_ISREG(status.st_mode):
        raise Rejected("This is not a file; name a file, or the files of a folder one by one.")
    if status.st_size > limits.max_bytes:
        raise Rejected(
            f"The file has {status.st_size / 1e6:.1f} MB, more than the {limits.max_bytes / 1e6:g} MB that kbot takes; "
            "split it, or let the operator raise KBOT_MAX_FILE_MEGABYTES."
        )
    if not os.access(path, os.R_OK):
        raise Rejected("The file cannot be opened (permission denied); let the user that runs kbot read it.")
    return os.fspath(path.absolute()), status.st_size


def _loaded(answer: dict[str, Any]) -> Loaded:
    answer["pages"] = tuple(Page(**page) for page in answer["pages"])
    answer["warnings"] = tuple(answer["warnings"])
    return Loaded(**answer)
