"""The program `kbot` as its users have it: a process of its own, with a home of its own."""

import contextlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

KBOT = [sys.executable, "-m", "kbot"]


@dataclass(frozen=True, slots=True)
class Run:
    """What a run printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Its output as JSON, a value a line; anything else on standard output is an error here."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True, slots=True)
class Program:
    """`kbot` in a folder, with these settings and no other."""

    folder: Path
    settings: dict[str, str]

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KBOT_")}
        return {**kept, "COLUMNS": "200", "PYTHONWARNINGS": "error", **self.settings}

    def but(self, **settings: str) -> "Program":
        return Program(self.folder, {**self.settings, **{f"KBOT_{k.upper()}": v for k, v in settings.items()}})

    def __call__(self, *arguments: str, stdin: str | bytes = b"") -> Run:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [*KBOT, *arguments],
            input=given,
            capture_output=True,
            timeout=90,
            env=self.environment,
            cwd=self.folder,
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str) -> "Talk":
        """A run that a test talks to over pipes."""
        process = subprocess.Popen(
            [*KBOT, *arguments],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return Talk(process, process.stdin, process.stdout, process.stderr)


@dataclass(frozen=True, slots=True)
class Talk:
    """A run that goes on, and its pipes."""

    process: "subprocess.Popen[bytes]"
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def say(self, line: str) -> None:
        self.stdin.write(f"{line}\n".encode())
        self.stdin.flush()

    def ends(self) -> tuple[int, str]:
        """Its exit code, and what it told on standard error."""
        code = self.process.wait(timeout=30)
        told = self.stderr.read().decode()
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        return code, told
