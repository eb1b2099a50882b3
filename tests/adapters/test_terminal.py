"""The terminal, by what a person sees on it: a screen that obeys the escape codes written to it."""

import asyncio
import io
from dataclasses import replace
from typing import cast

import pytest
from conformance import CITATIONS, GROUNDED, AdapterConformance
from rich.console import Console
from terminal_in_process import ScriptedBot, screen

from kbot.chat import Adapter, Answer, Bot, Content, IncomingMessage, Place, captions
from kbot_terminal import TerminalAdapter


class Glass:
    """A reader before a console that writes to memory."""

    def __init__(self, *, terminal: bool) -> None:
        self.stream = io.StringIO()
        console = Console(file=self.stream, force_terminal=terminal, width=100, height=20, _environ={"TERM": "xterm"})
        self.adapter = TerminalAdapter(console)
        self.place = Place("default", "terminal:test")

    async def seen(self) -> str:
        return screen(self.stream.getvalue())


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
