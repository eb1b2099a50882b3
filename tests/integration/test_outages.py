"""The database goes away while people ask: they are told so, once, and nothing is answered twice or too late."""

import asyncio
from dataclasses import replace

import psycopg
import pytest
from screen import PORTUGUESE, Screen, bots, message, state_of

from answering import FERIAS, Desk
from captured import captured_logs
from fakes.ollama import FakeOllama
from kbot.database import open_database
from kbot.engine import Engine
from kbot.errors import DatabaseError


async def test_an_exhausted_pool_becomes_words_and_leaves_no_row_open(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.3
    model.words = ["22 ", "[1]."]
    engine = await desk.engine(model)
    async with open_database(desk.settings.model_copy(update={"pool_size": 2}), migrate=False) as small:
        small.pool.timeout = 0.3
        async with bots(Engine(engine.settings, small, engine.embedder, engine.chat, engine.reranker)) as (bot,):
            before, during = Screen(), Screen()
            with captured_logs() as logs:
                async with small.pool.connection():
                    assert await bot.answer(message(), before) is None
                asked = message()
                answering = asyncio.create_task(bot.answer(asked, during))
                await during.until(lambda: "22" in during.text)
                async with small.pool.connection():
                    assert await answering is None
                    assert await state_of(desk, asked) == ("claimed", False)
                async with asyncio.timeout(10):
                    while await state_of(desk, asked) != ("failed", True):
                        await asyncio.sleep(0.05)
            assert await bot.answer(replace(asked, message_id="next"), Screen()), "the conversation goes on"
    assert before.text == PORTUGUESE.database
    assert during.text == f"22 [1].\n\n{PORTUGUESE.database}"
    assert "KBOT_POOL_SIZE" in str(logs)
    assert FERIAS not in str(logs)


async def test_a_lost_connection_does_not_make_a_living_process_a_dead_one(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.inbox._PULSE_SECONDS", 0.05)
    model.behaviour, model.delay = "slow", 0.2
    model.words = ["22 ", "dias ", "[1]."]
    screen = Screen()
    async with bots(*[await desk.engine(model)] * 2) as (one, two):
        answering = asyncio.create_task(one.answer(message(), screen))
        await screen.until(lambda: "22" in screen.text)
        with captured_logs() as logs:
            async with await psycopg.AsyncConnection.connect(desk.database.conninfo, autocommit=True) as connection:
                cursor = await connection.execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks JOIN pg_stat_activity USING (pid) "
                    "WHERE locktype = 'advisory' AND objsubid = 2 AND datname = current_database()"
                )
                assert await cursor.fetchone() == (2,)
            async with asyncio.timeout(10):
                while logs.events.count("database_lost") < 2:
                    await asyncio.sleep(0.05)
            await asyncio.sleep(1.2)
        assert await two.repair(screen) == 0
        assert await answering
    assert screen.text == "22 dias [1]."


async def test_while_the_database_is_away_a_message_is_told_so_once_and_not_answered_later(
    desk: Desk, model: FakeOllama
) -> None:
    engine = await desk.engine(model)
    async with open_database(desk.settings.model_copy(update={"pool_size": 2}), migrate=False) as small:
        small.pool.timeout = 0.3
        async with bots(Engine(engine.settings, small, engine.embedder, engine.chat, engine.reranker)) as (bot,):
            asked, screen = message(), Screen()
            async with small.pool.connection():
                await asyncio.gather(bot.answer(asked, screen), bot.answer(asked, screen))
            assert await bot.answer(asked, screen) is None
    assert screen.text == PORTUGUESE.database
    assert model.requests == []


async def test_a_question_deleted_while_the_database_is_away_is_not_answered_later(
    desk: Desk, model: FakeOllama
) -> None:
    model.behaviour = "hangs"
    model.words = ["São ", "22"]
    engine = await desk.engine(model, model_timeout=30.0)
    async with open_database(desk.settings.model_copy(update={"pool_size": 2}), migrate=False) as small:
        small.pool.timeout = 0.3
        async with bots(Engine(engine.settings, small, engine.embedder, engine.chat, engine.reranker)) as (bot,):
            running, waiting, screen = message(), message(), Screen()
            answering = asyncio.create_task(bot.answer(running, screen))
            await screen.until(lambda: "22" in screen.text)
            async with small.pool.connection():
                for asked in (running, waiting):
                    with pytest.raises(DatabaseError):
                        await bot.withdraw("memory", asked.place, asked.message_id, screen)
                await model.left.wait()
            assert await answering is None
            assert await bot.answer(waiting, screen) is None
    assert screen.text == ""
