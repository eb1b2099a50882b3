"""One budget of edits for all processes: never more than the platform allows, and finals before everything else."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from screen import LIMITS, PORTUGUESE, Screen, bots, message, two_bots

from answering import Desk
from captured import captured_logs
from fakes.ollama import FakeOllama
from kbot.budget import Budget
from kbot.chat import Content, Place
from kbot.database import Database, open_database
from kbot.live_reply import LiveReply, Pacer
from kbot.settings import Settings

PLACE = Place("default", "memory:here")


class Counting(Screen):
    """A screen in a workspace with a budget of its own, that counts its edits by their stage."""

    def __init__(self, per_minute: int, budget: str) -> None:
        super().__init__()
        self.limits = replace(LIMITS, per_minute=per_minute, budget=budget)
        self.edits: list[str] = []

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        self.edits.append(content.stage)
        await super().edit(place, message_id, content)


@pytest.fixture
async def budgets(settings: Settings) -> AsyncGenerator[list[Budget]]:
    """The same budget of six edits a minute in two processes."""
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(open_database(settings, migrate=False)) for _ in range(2)]
        yield [Budget(database, "default", "memory", "T1", 6) for database in opened]


async def spent(database: Database, name: str, *ages: float) -> None:
    """Set how many seconds ago the edits of a budget were made."""
    async with database.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO budgets (workspace, budget, spent) VALUES ('default', %(budget)s, "
            "ARRAY(SELECT clock_timestamp() - make_interval(secs => age) FROM unnest(%(ages)s::float8[]) age)) "
            "ON CONFLICT (workspace, budget) DO UPDATE SET spent = excluded.spent",
            {"budget": f"memory:{name}", "ages": list(ages)},
        )


async def counted(database: Database, name: str) -> int:
    """How many edits were counted."""
    async with database.pool.connection() as connection:
        row = await (
            await connection.execute("SELECT cardinality(spent) FROM budgets WHERE budget = %s", (f"memory:{name}",))
        ).fetchone()
    return row[0] if row else 0


async def asked_at_once(budgets: list[Budget], kind: str, times: int) -> list[float]:
    """What all processes are told who ask so often at once."""
    return await asyncio.gather(*(budgets[n % len(budgets)].spend(kind) for n in range(times)))


async def test_all_processes_together_never_go_beyond_the_budget(budgets: list[Budget]) -> None:
    growing = await asked_at_once(budgets, "growing", 20)
    assert growing.count(0.0) == 3, "half at once, the rest is spread over the minute"
    assert all(9 < wait <= 10.1 for wait in growing if wait)
    finals = await asked_at_once(budgets, "final", 20)
    assert finals.count(0.0) == 6 + 5 - 3, "finals go although others wait, a little beyond the plan"
    assert all(58 < wait <= 60.5 for wait in finals if wait)
    assert 0.0 not in await asked_at_once(budgets, "growing", 4)
    assert await counted(budgets[0].database, "T1") == 11


async def test_what_is_older_than_a_minute_does_not_count(budgets: list[Budget]) -> None:
    one, two = budgets
    await spent(one.database, "T1", 75, 65, 61, *range(59, 48, -1))
    wait = await two.spend("final")
    assert 1.2 < wait <= 1.5
    await asyncio.sleep(wait)
    told = await asked_at_once(budgets, "final", 4)
    assert told.count(0.0) == 1
    assert await counted(one.database, "T1") == 11, "what is old is dropped"


async def test_an_edit_is_made_as_soon_as_the_oldest_of_a_full_minute_is_over(budgets: list[Budget]) -> None:
    one, two = budgets
    await spent(one.database, "T1", 59, 50, 40, 30, 20, 10)
    assert 1.2 < await two.spend("growing") <= 1.5
    await spent(one.database, "T1", 50, 40, 30, 20, 11)
    assert (await asked_at_once(budgets, "growing", 6)).count(0.0) == 1, "spread over the minute"
    assert await counted(one.database, "T1") == 6


async def test_lines_about_waiting_are_left_out_first(budgets: list[Budget]) -> None:
    await spent(budgets[0].database, "T1", 40, 30, 20)
    assert await budgets[1].spend("status") > 20
    assert await budgets[1].spend("growing") == 0
    assert 0.0 not in await asked_at_once(budgets, "growing", 4)
    assert await budgets[1].spend("final") == 0


async def test_a_last_edit_is_kept_back_for_each_reply_that_is_being_written(budgets: list[Budget]) -> None:
    one, two = budgets
    await spent(one.database, "T1", 45, 30, 15)
    async with one.database.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO inbox (workspace, platform, channel, message_id, owner, writing) "
            "SELECT 'default', 'memory', 'c', 'm' || n, 7, true FROM generate_series(1, 3) n"
        )
    assert await two.spend("growing") > 10
    async with one.database.pool.connection() as connection:
        await connection.execute("UPDATE inbox SET writing = false WHERE message_id <> 'm1'")
    assert await two.spend("growing") == 0


async def test_what_the_platform_bars_is_barred_for_all(budgets: list[Budget]) -> None:
    one, two = budgets
    await one.bar(3)
    await two.bar(0.5)
    for kind in ("final", "growing", "status"):
        assert 2 < await two.spend(kind) <= 3
    for other in (replace(two, name="T2"), replace(two, workspace="w2"), replace(two, platform="other")):
        assert await other.spend("final") == 0
    pacer = Pacer(0.01, two)
    assert await pacer.grant("final") > 2


async def test_a_bar_that_is_over_bars_nobody(budgets: list[Budget]) -> None:
    one, two = budgets
    await one.bar(0.2)
    await asyncio.sleep(await two.spend("final"))
    assert await two.spend("final") == 0


async def test_finals_pass_while_the_database_is_away(budgets: list[Budget]) -> None:
    (budget, _), busy = budgets, AsyncExitStack()
    budget.database.pool.timeout = 0.1
    with captured_logs() as logs:
        async with busy:
            for _ in range(4):
                await busy.enter_async_context(budget.database.pool.connection())
            assert await budget.spend("final") == 0
            assert await budget.spend("growing") > 0
            assert await budget.spend("status") > 0
            await budget.bar(60)
    assert logs.events == ["edits_not_counted"] * 4
    assert await budget.spend("growing") == 0, "as soon as it is there again"


async def test_a_final_waits_for_the_budget_beyond_its_deadline(budgets: list[Budget]) -> None:
    await spent(budgets[0].database, "T1", *[59.3] * 11)
    screen = Counting(6, "T1")
    began = time.monotonic()
    async with LiveReply(screen, PLACE, pacer=Pacer(0.01, budgets[0]), deadline=0.5) as reply:
        for word in ("São ", "22 ", "dias."):
            reply.write(word)
            await asyncio.sleep(0.05)
    assert screen.edits == ["final"]
    assert screen.text == "São 22 dias."
    assert time.monotonic() - began > 1


async def test_many_answers_of_two_processes_share_one_budget_and_every_final_is_seen(
    desk: Desk, model: FakeOllama
) -> None:
    model.behaviour, model.delay = "slow", 0.03
    model.words = [*["palavra "] * 8, "[1]."]
    name = uuid.uuid4().hex
    screens = [Counting(6, name) for _ in range(8)]
    async with two_bots(desk, await desk.engine(model, concurrency=8)) as processes:
        answers = await asyncio.gather(*(processes[n % 2].answer(message(), each) for n, each in enumerate(screens)))
    assert all(answers)
    assert all(screen.text == f"{'palavra ' * 8}[1]." for screen in screens)
    edits = [stage for screen in screens for stage in screen.edits]
    assert edits.count("final") == 8
    assert len(edits) <= 6 + 5
    assert await counted(desk.database, name) == len(edits)


async def test_a_reply_shows_nothing_in_between_when_the_budget_is_spent(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.03
    model.words = ["São ", "22 ", "dias ", "[1]."]
    name = uuid.uuid4().hex
    await spent(desk.database, name, 30, 25, 20, 15, 10, 5)
    screen = Counting(6, name)
    async with bots(await desk.engine(model)) as (bot,):
        assert await bot.answer(message(), screen)
    assert screen.views == [PORTUGUESE.searching, "São 22 dias [1]."]
