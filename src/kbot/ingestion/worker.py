"""The process that parses: requests on standard input, answers on standard output, each a length and JSON.

It is started by `kbot.ingestion.load.Parser` as `python -I -m kbot.ingestion.worker`, dies on whatever a parser
raises beyond `Rejected` after naming it, and is replaced: what state a parser leaves behind after that, nobody knows.
"""

import json
import os
import struct
import sys
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from kbot.errors import Rejected
from kbot.ingestion.formats import read

LENGTH = struct.Struct(">I")


def frame(message: dict[str, Any]) -> bytes:
    """A message as it goes over the pipe: four bytes of length, big-endian, and JSON."""
    body = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(body)) + body


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what a library prints must not be taken for an answer

    no_memory = frame({"failed": "MemoryError"})  # made while there is some

    def last_words(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        os.write(answers.fileno(), no_memory if kind is MemoryError else frame({"failed": kind.__name__}))

    sys.excepthook = last_words
    while request := _receive(sys.stdin.buffer):
        _limit(request["seconds"], request["megabytes"])
        try:
            loaded = read(Path(request["path"]), request["name"], request["characters"])
        except Rejected as error:
            _send(answers, {"rejected": str(error)})
        else:
            _send(answers, {"loaded": asdict(loaded)})


def _receive(requests: BinaryIO) -> dict[str, Any] | None:
    head = requests.read(LENGTH.size)
    return json.loads(requests.read(*LENGTH.unpack(head))) if len(head) == LENGTH.size else None


def _send(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(frame(message))
    answers.flush()


def _limit(seconds: float, megabytes: int) -> None:
    """Memory for the process, CPU time for this file, no file written: the kernel ends what goes beyond. Elsewhere
    than on Linux, where these limits are absent or not kept, the time-out of the parent alone holds."""
    if sys.platform != "linux":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime + seconds) + 1
    bounds = {
        resource.RLIMIT_AS: megabytes << 20,
        resource.RLIMIT_CPU: spent,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in bounds.items():
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
