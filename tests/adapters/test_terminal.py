"""The terminal, by what a person sees on it: a screen that obeys the escape codes written to it."""

import asyncio
import fcntl
import io
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from conformance import CITATIONS, GROUNDED, REFUSED, AdapterConformance
from rich.console import Console

from kbot.chat import Adapter, Answer, Bot, Content, IncomingMessage, Passage, Place, captions
from kbot.live_reply import LiveReply
from kbot_terminal import TerminalAdapter

CODE = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\s\S]")
READ = Passage(
    "c1",
    "d1",
    "rh.pdf",
    "Manual [de] RH",
    "Férias. São 22 dias.",
    0.71,
    0.82,
    0.5,
    1.21,
    "São 22 dias.",
    page=12,
    cited=True,
)


def screen(stream: str) -> str:
    """What stands on a screen, without end below, after a stream of text and escape codes."""
    rows: list[list[str]] = [[]]
    row = column = 0
    for match in CODE.finditer(stream):
        argument, command = match[1], match[2]
        if match[0] == "\n":
            row, column = row + 1, 0
            rows += [[]] if row == len(rows) else []
        elif match[0] in ("\r", "\b"):
            column = 0 if match[0] == "\r" else max(column - 1, 0)
        elif command == "A":
            row = max(row - int(argument or 1), 0)
        elif command == "K":
            rows[row] = rows[row][: {"": column, "0": column, "2": 0}[argument or ""]]
        elif command == "J":
            rows = [*rows[:row], rows[row][:column]]
        elif command or match[0][0] == "\x1b" or match[0] == "\x07":
            assert command in (None, "m", "h", "l", "C", "D"), match[0]
        else:
            rows[row] += [" "] * (column + 1 - len(rows[row]))
            rows[row][column] = match[0]
            column += 1
    return "\n".join("".join(line).rstrip() for line in rows)


class Glass:
    """A reader before a console that writes to memory."""

    def __init__(self, *, terminal: bool) -> None:
        self.stream = io.StringIO()
        console = Console(file=self.stream, force_terminal=terminal, width=100, height=20, _environ={"TERM": "xterm"})
        self.adapter = TerminalAdapter(console)
        self.place = Place("default", "terminal:test")

    async def seen(self) -> str:
        return screen(self.stream.getvalue())


class ScriptedBot:
    """Answers by rote, through a real `LiveReply`: "slow" never ends by itself, "moon" is refused."""

    async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
        answer = REFUSED if "moon" in message.text else replace(GROUNDED, question=message.text, read=(READ,))
        async with LiveReply(adapter, message.place, placeholder="searching…", interrupted="(stopped)") as reply:
            await asyncio.sleep(0.05)
            for word in ("word " * 10_000 if "slow" in message.text else answer.text).split(" "):
                reply.write(f"{word} ")
                await asyncio.sleep(0.05)
            reply.finish(answer.text, answer)
        return answer

    async def read(self, place: Place) -> Sequence[Passage]:
        return [READ]

    def workspace(self, platform: str, team: str) -> str:
        return "default"


class TestOnATerminal(AdapterConformance):
    @pytest.fixture
    def reader(self) -> Glass:
        return Glass(terminal=True)


class TestInAPipe(AdapterConformance):
    @pytest.fixture
    def reader(self) -> Glass:
        return Glass(terminal=False)


async def test_the_text_is_seen_growing_and_at_last_stands_alone():
    glass = Glass(terminal=True)
    views: list[str] = []
    asking = asyncio.create_task(glass.adapter.ask(cast(Bot, ScriptedBot()), "férias?"))
    while not asking.done():
        await asyncio.sleep(0.02)
        if (view := (await glass.seen()).strip()) and (not views or view != views[-1]):
            views.append(view)
    assert views[0] == "searching…"
    assert "São ▌" in views
    assert "São 22 dias [1][2]." in views[-1]
    assert "searching" not in views[-1]
    assert views[-1].splitlines()[-4:] == [
        "Sources",
        "[1] Manual de RH (rh.pdf) · p. 12 · Férias",
        "    https://ex.org/rh.pdf",
        "[2] FAQ",
    ]
    assert not any("Sources" in view for view in views[:-1])


async def test_of_a_text_taller_than_the_screen_the_newest_lines_are_seen():
    glass = Glass(terminal=True)
    text = "\n".join(f"- item {n}" for n in range(100))
    message = await glass.adapter.send(glass.place, Content(text, "growing"))
    growing = await glass.seen()
    assert "item 99" in growing
    assert "item 70" not in growing
    await glass.adapter.edit(glass.place, message, Content(text, "final"))
    seen = await glass.seen()
    assert [seen.count(f"item {n}\n") for n in range(100)] == [1] * 100


async def test_a_pipe_gets_the_final_text_once_and_no_escape_code():
    glass = Glass(terminal=False)
    await glass.adapter.ask(cast(Bot, ScriptedBot()), "férias?")
    printed = glass.stream.getvalue()
    assert "\x1b" not in printed
    assert printed.startswith("São **22** dias [1][2].\n\nSources\n[1] ")
    assert "searching" not in printed
    assert [line for line in printed.splitlines() if line != line.rstrip()] == []
    await glass.adapter.send(glass.place, Content("word " * 100, "final"))
    assert "word " * 99 + "word\n" in glass.stream.getvalue(), "only a screen has an edge"


@pytest.mark.parametrize("terminal", [False, True])
async def test_what_was_written_stays_even_where_its_end_is_cut_off(terminal: bool):
    class Abandons(ScriptedBot):
        async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
            await adapter.send(message.place, Content("half an answer", "growing"))
            await asyncio.sleep(60)

    glass = Glass(terminal=terminal)
    asking = asyncio.create_task(glass.adapter.ask(cast(Bot, Abandons()), "férias?"))
    await asyncio.sleep(0.05)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (await glass.seen()).count("half an answer") == 1


def test_a_label_says_each_thing_once_and_tells_documents_apart():
    first = replace(CITATIONS[0], url=None)

    def shown(*fields: tuple[str, str, str]) -> list[str]:
        return captions([replace(first, source=source, title=title, heading=head) for source, title, head in fields])

    page = "· p. 12"
    assert shown(("plantao.md", "Plantão e folgas", "Plantão e folgas > Férias")) == [
        f"Plantão e folgas (plantao.md) {page} · Férias"
    ]
    assert shown(("rh/faq.md", "FAQ", "FAQ")) == [f"FAQ {page}"]
    assert shown(("rh/faq.md", "FAQ", ""), ("ti/faq.md", "FAQ", "")) == [
        f"FAQ (rh/faq.md) {page}",
        f"FAQ (ti/faq.md) {page}",
    ]
    assert shown(("rh.pdf", "Rh", "A > B"), ("rh.pdf", "Rh", "C")) == [f"Rh {page} · A > B", f"Rh {page} · C"]
    assert shown(("manual-de-rh.pdf", "Manual de RH", ""), ("x.pdf", "", "")) == [
        f"Manual de RH {page}",
        f"x.pdf {page}",
    ]


@pytest.mark.parametrize("terminal", [False, True])
async def test_no_escape_of_a_document_reaches_the_terminal(terminal: bool):
    glass = Glass(terminal=terminal)
    attack = "a\x1b[2Jb \x1b]0;title\x07c \x9b31m\r\x08 \u202egnp.exe\n\n[red]x[/red] [link](https://evil.example/x)"
    citation = replace(GROUNDED.citations[0], title=attack, heading=attack, url=attack)
    await glass.adapter.send(glass.place, Content(attack, "growing"))
    await glass.adapter.send(glass.place, Content(attack, "final", replace(GROUNDED, citations=(citation,))))
    stream = glass.stream.getvalue()
    for code in ("\x1b[2J", "\x1b]", "\x07", "\x9b", "\x08", "\u202e"):
        assert code not in stream
    assert "[red]x[/red]" in await glass.seen()
    assert "https://evil.example/x" in await glass.seen()


PROGRAM = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from kbot_terminal import TerminalAdapter
from test_terminal import ScriptedBot
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
