"""Requests to ingest survive their process: another one goes on, in the same receipt."""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from attachments import RULES, Files, fresh, names, one_bot, sent, served_files
from screen import PORTUGUESE, Screen, state_of, two_bots, until_state

from answering import Desk
from kbot.chat import Content, IngestRequest, Person
from kbot.intake import as_message


@pytest.fixture
async def files() -> AsyncGenerator[Files]:
    async with served_files() as served:
        yield served


async def test_a_stopped_process_hands_its_request_on_with_the_receipt(
    desk: Desk, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.bot.GRACE_SECONDS", 0.05)
    gate = files.held["b.md"] = asyncio.Event()
    bodies = {name: RULES.replace(b"22", name.encode()) for name in ("a.md", "b.md", "c.md")}
    asked = sent(*(files.attachment(name, body) for name, body in bodies.items()), private=True)
    screen = Screen()
    async with two_bots(desk, await desk.engine()) as (one, two):
        async with one.serving(screen):
            one.receive(asked, screen)
            await screen.until(lambda: "✅ `a.md`" in screen.text)
        assert screen.text.endswith(PORTUGUESE.paused)
        assert "`b.md`" not in screen.text
        assert await state_of(desk, asked) == ("claimed", False)
        gate.set()
        assert await two.repair(screen) == 1
        await until_state(desk, asked, "answered")
        assert await two.repair(screen) == 0
    assert list(screen.messages) == [f"{asked.place.channel}/0"]
    head, _, *lines = screen.text.splitlines()
    assert head == f"{PORTUGUESE.ingested.format(done=3, total=3)} {PORTUGUESE.seen_here}"
    assert [line.split("`")[1] for line in lines] == ["a.md", "b.md", "c.md"]
    assert Counter(name for name, _ in files.asked)["a.md"] == 1, "it went on from the next file"
    assert await names(desk, asked.place) == dict.fromkeys(bodies, asked.place.channel)


PROGRAM = f"""
import asyncio, json, sys
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[1])!r}]
from kbot.bot import Bot
from kbot.chat import Attachment, IngestRequest, Person, Place
from kbot.engine import Engine
from screen import Screen

class Told(Screen):
    def _show(self, message_id, content):
        super()._show(message_id, content)
        print(json.dumps([message_id, content.text]), flush=True)

async def main():
    workspace, channel, url = sys.argv[1:]
    files = tuple(Attachment(name, f"{{url}}/{{name}}", 10) for name in ("a.md", "b.md"))
    request = IngestRequest("memory", Place(workspace, channel), "r", Person("chefe", "pt"), files, shared=False)
    async with Engine.open() as engine, Bot.open(engine) as bot:
        screen = Told()
        async with bot.serving(screen):
            bot.ingest(request, screen)
            await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_a_killed_process_leaves_its_request_to_another(desk: Desk, files: Files, tmp_path: Path) -> None:
    gate = files.held["b.md"] = asyncio.Event()
    files.attachment("a.md")
    files.attachment("b.md", RULES.replace(b"22", b"23"))
    place = fresh()
    database_url = desk.settings.database_url
    assert database_url is not None
    killed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, place.workspace, place.channel, files.url),
        stdout=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "KBOT_DATABASE_URL": database_url.get_secret_value(),
            "KBOT_CHAT_MODEL": "extractive",
        },
        cwd=tmp_path,
    )
    assert killed.stdout is not None
    receipt_id, text = "", ""
    async with asyncio.timeout(30):
        while "`a.md`" not in text or "⏳" in text:
            receipt_id, text = json.loads(await killed.stdout.readline())
    screen = Screen()
    screen.messages[receipt_id] = Content(text, "growing")
    request = as_message(IngestRequest("memory", place, "r", Person("chefe")))
    async with one_bot(desk) as bot:
        assert await bot.repair(screen) == 0, "its process lives"
        killed.send_signal(signal.SIGKILL)
        await killed.wait()
        gate.set()
        async with asyncio.timeout(10):
            while not await bot.repair(screen):
                await asyncio.sleep(0.05)
        await until_state(desk, request, "answered")
    assert list(screen.messages) == [receipt_id]
    head, _, *lines = screen.text.splitlines()
    assert head == f"{PORTUGUESE.ingested.format(done=2, total=2)} {PORTUGUESE.seen_here}"
    assert lines == ["- ✅ `a.md` · adicionado · 1 trecho", "- ✅ `b.md` · adicionado · 1 trecho"]
    assert await names(desk, place) == dict.fromkeys(("a.md", "b.md"), place.channel)
