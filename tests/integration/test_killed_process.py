"""What a process leaves that was killed in the middle of an answer, and what the next one makes of it."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from screen import ENGLISH, PORTUGUESE, Screen, bots, message, state_of

from answering import Desk, somewhere
from captured import captured_logs
from fakes.ollama import FakeOllama
from kbot.chat import Content

PROGRAM = f"""
import asyncio, json, sys
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[1])!r}]
from kbot.bot import Bot
from kbot.engine import Engine
from screen import Place, Screen, message

class Told(Screen):
    def _show(self, message_id, content):
        super()._show(message_id, content)
        print(json.dumps([message_id, content.text]), flush=True)

async def main():
    async with Engine.open() as engine, Bot.open(engine) as bot:
        await bot.answer(message(place=Place("default", sys.argv[1]), message_id="m1"), Told())

asyncio.run(main())
"""


async def test_what_a_killed_process_left_is_mended_by_the_next(desk: Desk, model: FakeOllama, tmp_path: Path) -> None:
    model.behaviour = "hangs"
    model.words = ["São ", "22"]
    place = somewhere()
    database_url = desk.settings.database_url
    assert database_url is not None
    environment = {
        **os.environ,
        "KBOT_DATABASE_URL": database_url.get_secret_value(),
        "KBOT_CHAT_MODEL": "ollama:llama3.2",
        "KBOT_OLLAMA_URL": model.url,
    }
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, place.channel, stdout=asyncio.subprocess.PIPE, env=environment, cwd=tmp_path
    )
    assert killed.stdout is not None
    reply_id, text = "", ""
    async with asyncio.timeout(30):
        while "22" not in text:
            reply_id, text = json.loads(await killed.stdout.readline())
    screen = Screen()
    screen.messages[reply_id] = Content(text, "growing")
    asked = message(place=place, message_id="m1")
    model.behaviour, model.words = "normal", ["22 [1]."]
    async with bots(await desk.engine(model)) as (bot,):
        assert await bot.repair(screen) == 0, "its process lives"
        follow_up = asyncio.create_task(bot.answer(message(place=place), Screen()))
        await asyncio.sleep(0.3)
        assert not follow_up.done()
        killed.send_signal(signal.SIGKILL)
        await killed.wait()
        async with asyncio.timeout(10):
            assert await follow_up, "a dead process holds up nobody"
        assert await state_of(desk, asked) == ("claimed", False)
        assert await bot.repair(screen) == 1
        assert await bot.repair(screen) == 0
        assert await state_of(desk, asked) == ("failed", True)
        assert await bot.answer(asked, screen) is None, "a redelivery does not answer it again"
    assert screen.text == f"{ENGLISH.interrupted}\n{PORTUGUESE.interrupted}"
    assert screen.messages[reply_id].stage == "failed"


async def test_a_reply_that_cannot_be_mended_does_not_stop_the_others(desk: Desk, model: FakeOllama) -> None:
    place = somewhere()
    async with desk.database.pool.connection() as connection:
        await connection.cursor().executemany(
            "INSERT INTO inbox (workspace, platform, channel, message_id, owner, reply_ids) "
            "VALUES ('default', 'memory', %s, %s, -7, %s)",
            [(place.channel, "a", ["gone"]), (place.channel, "b", []), (place.channel, "c", ["full", "here"])],
        )
    screen = Screen()
    screen.messages["here"] = Content("half", "growing")
    with captured_logs() as logs:
        async with bots(await desk.engine(model)) as (bot,):
            assert await bot.repair(screen) == 3
    interrupted = f"{ENGLISH.interrupted}\n{PORTUGUESE.interrupted}"
    assert screen.messages["here"].text == interrupted
    assert screen.text.count(interrupted) == 2, "who was given no reply at all is told too"
    assert logs.events == ["reply_not_mended"]
