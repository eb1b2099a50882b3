"""A chat in the terminal as a person has it: a real process on a pseudo-terminal, or in a pipe."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from terminal_in_process import screen

PROGRAM = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from kbot_terminal import TerminalAdapter
from terminal_in_process import ScriptedBot
asyncio.run(TerminalAdapter().run(ScriptedBot()))
"""


class Session:
    """`kbot chat` as a person has it: a real process on a pseudo-terminal."""

    def __init__(self) -> None:
        self._master, slave = pty.openpty()
        self.modes_before = self.modes()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=_own_terminal,
        )
        os.close(slave)
        self._bytes = b""
        self._seen = 0

    @property
    def stream(self) -> str:
        return self._bytes.decode(errors="ignore")

    def modes(self) -> list[object]:
        return termios.tcgetattr(self._master)

    def type(self, text: str) -> None:
        self._seen = len(self.stream)
        os.write(self._master, text.encode())

    def wait_for(self, text: str, *, then_prompt: bool = True, seconds: float = 15) -> str:
        """The whole screen once the text, and a new prompt under it, came since the last typing."""
        until = time.monotonic() + seconds
        while True:
            new = screen(self.stream[self._seen :])
            if text in new and (new.endswith("\n>") or not then_prompt):
                return screen(self.stream)
            ready, _, _ = select.select([self._master], [], [], max(until - time.monotonic(), 0))
            assert ready, f"no {text!r} on:\n{screen(self.stream)}"
            self._bytes += os.read(self._master, 65536)

    def rest(self) -> str:
        """The whole screen, once the program has ended."""
        while select.select([self._master], [], [], 0.2)[0]:
            try:
                self._bytes += os.read(self._master, 65536)
            except OSError:  # nobody has the other side open
                break
        return screen(self.stream)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def session():
    session = Session()
    yield session
    session.close()


def test_a_chat_on_a_real_terminal(session: Session):
    session.wait_for("kbot")
    session.type("quantos dias de férias?\n")
    session.wait_for("[2] FAQ")
    session.type("/read\n")
    read = session.wait_for("  Férias. São 22 dias.")
    assert "✓ Manual [de] RH (rh.pdf) · p. 12\n" in read
    assert "similarity 0.71 · sentence 0.82 · coverage 0.50 · score 1.21\n  São 22 dias.\n" in read
    session.type("/help\n")
    session.wait_for("/quit")
    session.type("slow please\n")
    session.wait_for("word word", then_prompt=False)
    session.type("\x03")
    assert "word word" in session.wait_for("Stopped."), "what was read so far stays"
    session.type("to the moon?\n")
    seen = session.wait_for("I did not find this.")
    assert seen.count("Sources") == 1
    assert seen.count("(stopped)") == 1
    session.type("/unknown\n")
    session.wait_for("There is no /unknown here")
    session.type("\x04")
    assert session.process.wait(timeout=10) == 0
    assert session.modes() == session.modes_before


def test_ctrl_c_at_the_prompt_leaves_the_chat_and_a_terminal_as_it_was(session: Session):
    session.wait_for("kbot")
    session.type("half a question")
    session.wait_for("half a question", then_prompt=False)
    assert session.modes() != session.modes_before, "the line is being edited"
    session.type("\x03")
    assert session.process.wait(timeout=10) == 0
    assert session.rest().endswith("half a question\n")
    assert session.modes() == session.modes_before


def test_questions_from_a_pipe_are_answered_in_order_without_escape_codes():
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], input="férias?\n\nto the moon?\n", capture_output=True, text=True, timeout=30
    )
    assert run.returncode == 0, run.stderr
    assert "\x1b" not in run.stdout
    assert run.stdout.index("São **22** dias") < run.stdout.index("[2] FAQ") < run.stdout.index("I did not find this.")
    assert "> " not in run.stdout
