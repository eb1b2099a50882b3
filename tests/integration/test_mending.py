"""What is left unfinished on a platform is marked: by the process itself when it stops, or by another one later."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest
from screen import ENGLISH, PORTUGUESE, Held, Screen, bots, change_row, message, state_of, two_bots, until_state

from answering import Desk, somewhere
from captured import captured_logs
from fakes.ollama import FakeOllama
from kbot.chat import Content, IncomingMessage, Place
from kbot.database import open_database
from kbot.engine import Engine
from kbot.errors import DeliveryError

INTERRUPTED = f"{ENGLISH.interrupted}\n{PORTUGUESE.interrupted}"


class Away(Screen):
    """A platform that may be away: then every edit is lost."""

    away = False

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        if self.away:
            raise ConnectionError("503")
        await super().edit(place, message_id, content)


async def orphan(desk: Desk, screen: Screen) -> IncomingMessage:
    """A question whose process died in the middle of its answer."""
    asked = message()
    reply_id = f"{asked.place.channel}/0"
    screen.messages[reply_id] = Content("São", "growing")
    async with desk.database.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO inbox (workspace, platform, channel, message_id, owner, reply_ids) "
            "VALUES ('default', 'memory', %s, %s, -7, %s)",
            (asked.place.channel, asked.message_id, [reply_id]),
        )
    return asked


async def test_an_end_that_was_not_delivered_is_told_later(desk: Desk, model: FakeOllama) -> None:
    model.words = ["São 22 [1]."]
    screen, asked = Held(), message()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        answering = asyncio.create_task(one.answer(asked, screen))
        await screen.reached.wait()
        screen.refuses = True
        screen.let_go.set()
        with pytest.raises(DeliveryError):
            await answering
        screen.refuses = False
        assert await state_of(desk, asked) == ("undelivered", True)
        assert await two.repair(screen) == 0, "not at once"
        await change_row(desk, asked, "finished_at = clock_timestamp() - interval '31 s'")
        assert await two.repair(screen) == 1
        assert await one.repair(screen) == 0
    assert screen.text == INTERRUPTED
    assert [content.stage for content in screen.messages.values()] == ["failed"]
    assert await state_of(desk, asked) == ("failed", True)


async def test_what_cannot_be_mended_now_is_mended_later(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.mending._MARK_SECONDS", 0.2)
    screen = Away()
    screen.away = True
    asked = await orphan(desk, screen)
    async with bots(await desk.engine(model)) as (bot,):
        with captured_logs() as logs:
            assert await bot.repair(screen) == 1
        assert "reply_mended_later" in logs.events
        assert await state_of(desk, asked) == ("undelivered", True)
        screen.away = False
        assert await bot.repair(screen) == 0
        await change_row(desk, asked, "finished_at = clock_timestamp() - interval '31 s'")
        assert await bot.repair(screen) == 1
    assert screen.text == INTERRUPTED


async def test_while_it_serves_a_process_mends_what_others_leave(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.mending._EVERY_SECONDS", 0.1)
    screen = Screen()
    before = await orphan(desk, screen)
    async with bots(await desk.engine(model)) as (bot,), bot.serving(screen):
        await until_state(desk, before, "failed")
        during = await orphan(desk, screen)
        await until_state(desk, during, "failed")
        await screen.until(lambda: screen.text == f"{INTERRUPTED}\n---\n{INTERRUPTED}")
    after = await orphan(desk, screen)
    await asyncio.sleep(0.3)
    assert await state_of(desk, after) == ("claimed", False), "it serves no longer"
    async with bots(await desk.engine(model)) as (bot,):
        assert await bot.repair(screen) == 1


async def test_mending_outlives_a_database_that_is_away(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.mending._EVERY_SECONDS", 0.1)
    engine, screen = await desk.engine(model), Screen()
    asked = await orphan(desk, screen)
    async with open_database(desk.settings.model_copy(update={"pool_size": 2}), migrate=False) as small:
        small.pool.timeout = 0.1
        async with bots(Engine(engine.settings, small, engine.embedder, engine.chat, engine.reranker)) as (bot,):
            with captured_logs() as logs:
                async with AsyncExitStack() as stack:
                    async with small.pool.connection():
                        await stack.enter_async_context(bot.serving(screen))
                        await screen.until(lambda: "not_mended" in logs.events)
                    await until_state(desk, asked, "failed")
    assert screen.text == INTERRUPTED


async def test_a_process_that_stops_lets_answers_end_and_marks_the_others(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.bot.GRACE_SECONDS", 1.0)
    model.behaviour, model.delay = "slow", 0.1
    model.answers = [["São ", "22 ", "dias ", "[1]."], ["mais "] * 1000]
    ending, endless = message(), message()
    behind = message(place=endless.place)
    screen, elsewhere = Screen(), Screen()
    async with bots(await desk.engine(model)) as (bot,):
        async with bot.serving(elsewhere), bot.serving(screen):
            shown = ("São", "mais", PORTUGUESE.waiting.format(ahead=1))
            for asked, text in zip((ending, endless, behind), shown, strict=True):
                bot.receive(asked, screen)
                await screen.until(lambda text=text: text in screen.text)
            assert "dias" not in screen.text
            began = time.monotonic()
        assert time.monotonic() - began < 3
        assert [await state_of(desk, asked) for asked in (ending, endless, behind)] == [
            ("answered", True),
            ("failed", True),
            ("failed", True),
        ]
        await model.left.wait()
    texts = [content.text for content in screen.messages.values()]
    assert texts[0] == "São 22 dias [1]."
    assert texts[1].startswith("mais mais")
    assert texts[1].endswith(f"\n\n{PORTUGUESE.interrupted}")
    assert texts[2] == PORTUGUESE.interrupted
    assert elsewhere.views == []


async def test_one_platform_stops_without_the_other(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.bot.GRACE_SECONDS", 0.1)
    model.behaviour, model.delay = "slow", 0.1
    model.words = ["São ", "22 ", "dias ", "[1]."]
    stopped, living = Screen(), Screen()
    stopped.name = "elsewhere"
    async with bots(await desk.engine(model)) as (bot,), bot.serving(living):
        async with bot.serving(stopped):
            for screen in (living, stopped):
                bot.receive(message(), screen)
                await screen.until(lambda screen=screen: "São" in screen.text)
        assert stopped.text.endswith(PORTUGUESE.interrupted)
        await living.until(lambda: living.text == "São 22 dias [1].")


async def test_a_process_that_stops_while_the_platform_is_away_leaves_the_end_to_another(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.bot.GRACE_SECONDS", 0.1)
    monkeypatch.setattr("kbot.live_reply.PARTING_SECONDS", 0.5)
    model.behaviour, model.delay = "slow", 0.05
    model.words = ["mais "] * 1000
    screen, asked = Away(), message()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        async with one.serving(screen):
            one.receive(asked, screen)
            await screen.until(lambda: "mais" in screen.text)
            screen.away = True
            began = time.monotonic()
        assert time.monotonic() - began < 3
        assert await state_of(desk, asked) == ("undelivered", True)
        screen.away = False
        await change_row(desk, asked, "finished_at = clock_timestamp() - interval '31 s'")
        assert await two.repair(screen) == 1
    assert screen.text == f"{INTERRUPTED}\n---\n{PORTUGUESE.interrupted}", "told apart at once, and in its place later"


async def test_who_lost_the_database_does_not_take_its_living_replies_for_dead_ones(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.inbox._PULSE_SECONDS", 0.05)
    model.behaviour, model.delay = "slow", 0.3
    model.words = ["22 ", "dias ", "por ", "ano ", "[1]."]
    screen = Screen()
    async with bots(await desk.engine(model)) as (bot,):
        answering = asyncio.create_task(bot.answer(message(), screen))
        await screen.until(lambda: "22" in screen.text)
        with captured_logs() as logs:
            async with desk.database.pool.connection() as connection:
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid) "
                    "WHERE locktype = 'advisory' AND objsubid = 2 AND datname = current_database()"
                )
            async with asyncio.timeout(10):
                while "database_lost" not in logs.events:
                    assert await bot.repair(screen) == 0
                    await asyncio.sleep(0.02)
            assert await bot.repair(screen) == 0
        assert await answering
    assert screen.text == "22 dias por ano [1]."


async def test_the_reply_to_a_question_that_was_deleted_meanwhile_goes_instead_of_being_marked(desk: Desk) -> None:
    place, screen = somewhere(), Screen()
    screen.messages |= {"one": Content("half", "growing"), "two": Content("other half", "growing")}
    async with desk.database.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO inbox (workspace, platform, channel, message_id, owner, reply_ids, withdrawn) "
            "VALUES ('default', 'memory', %s, 'm', -7, %s, true)",
            (place.channel, ["one", "two"]),
        )
    async with bots(await desk.engine()) as (bot,):
        assert await bot.repair(screen) == 1
    assert screen.text == ""
