"""Replies on a chat platform: kbot as a process in front of a local platform that enforces the real one's limits."""

import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import numpy as np
from stage import Question, Running, Stage, discord_stage, kbot, slack_stage

from answering import FERIAS, fill
from bench.databases import fresh_database
from bench.report import Result, Table, Target, percentiles
from bench.run import Bench
from fakes.ollama import FakeOllama, fake_ollama
from fakes.platform import Seen

CROWD = 20
WORDS = [f"palavra{n} " for n in range(120)]
ENDING = "fim [1]."
WHOLE = f"{''.join(WORDS)}{ENDING}"
TOKEN_SECONDS = 0.1
FAULTY = 0.3
_LONGEST = 900.0

Opened = Callable[[int], AbstractAsyncContextManager[Stage]]


async def slack(bench: Bench) -> Result:
    """Replies on Slack."""
    return await delivery("slack", slack_stage, bench)


async def discord(bench: Bench) -> Result:
    """Replies on Discord."""
    return await delivery("discord", discord_stage, bench)


async def delivery(name: str, opened: Opened, bench: Bench) -> Result:
    """A crowd that asks at once, calls that fail, messages delivered several times to two processes, and a crash."""
    async with _desk(bench) as (settings, model):
        crowd, aged, targets = await _crowd(opened, settings, model)
        faults = await _faults(opened, settings, bench.answers)
        twice = await _three_times(opened, settings, model)
        killed = await _killed(opened, settings, model)
    columns = ("scene", "answers", "lost", "doubled", "unfinished", "edits a minute", "limited", "seconds")
    return Result(
        name,
        (
            Table("replies as a reader sees them in the end", columns, (crowd, faults, twice, killed)),
            Table(f"{CROWD} questions at once", ("what", "p50 s", "p95 s"), aged),
        ),
        (
            *targets,
            Target(
                "lost, doubled or unfinished",
                float(sum(sum(map(int, row[2:5])) for row in (crowd, faults, twice, killed))),
                most=0,
            ),
        ),
    )


Row = tuple[str, int, int, int, int, int, int, float]


async def _crowd(
    opened: Opened, settings: dict[str, str], model: FakeOllama
) -> tuple[Row, tuple[tuple[str, float, float], ...], list[Target]]:
    model.behaviour, model.delay, model.words = "slow", TOKEN_SECONDS, [*WORDS, ENDING]
    async with opened(CROWD) as stage, _serving(stage, settings) as _:
        began = time.monotonic()
        questions = await asyncio.gather(*(stage.ask(FERIAS, person) for person in range(CROWD)))
        await _all_ended(stage, questions)
        row = _row("crowd", stage, questions, WHOLE, began)
        first, ages = list[float](), list[float]()
        for question in questions:
            views = stage.views(stage.told(question)[0])
            first.append(views[0].at - question.asked)
            growing = [view.at for view in views if "palavra" in str(view.text)]
            ages.extend(age for one, other in itertools.pairwise(growing) for age in np.arange(0, other - one, 0.1))
    p50, p95 = percentiles(first)
    old50, old95 = percentiles(ages)
    targets = [Target("seconds to the placeholder, p95", p95, most=1.0)]
    if stage.most_per_minute:
        targets.append(Target("edits in any minute", float(row[5]), most=stage.most_per_minute))
        targets.append(Target("calls refused for their rate", float(row[6]), most=0))
    return row, (("question to placeholder", p50, p95), ("age of the text on the screen", old50, old95)), targets


async def _faults(opened: Opened, settings: dict[str, str], answers: int) -> Row:
    async with opened(CROWD) as stage, _serving(stage, settings | {"chat_model": "extractive"}):
        stage.faults.share = FAULTY
        began = time.monotonic()
        questions = [await stage.ask(FERIAS, n % CROWD) for n in range(answers)]
        await _all_ended(stage, questions)
        return _row(f"{FAULTY:.0%} of calls fail", stage, questions, "22 dias úteis", began)


async def _three_times(opened: Opened, settings: dict[str, str], model: FakeOllama) -> Row:
    model.behaviour, model.words = "normal", [*WORDS, ENDING]
    async with opened(CROWD) as stage, _serving(stage, settings, processes=2):
        stage.deliver(3)
        began = time.monotonic()
        questions = await asyncio.gather(*(stage.ask(FERIAS, person) for person in range(CROWD)))
        await _all_ended(stage, questions)
        await asyncio.sleep(3)
        return _row("delivered 3 times, 2 processes", stage, questions, WHOLE, began)


async def _killed(opened: Opened, settings: dict[str, str], model: FakeOllama) -> Row:
    model.behaviour, model.words = "hangs", WORDS
    async with opened(10) as stage:
        began = time.monotonic()
        async with _serving(stage, settings | {"concurrency": "10"}) as (killed,):
            questions = await asyncio.gather(*(stage.ask(FERIAS, person) for person in range(10)))
            await _until(lambda: all("palavra" in _text(stage.told(each)) for each in questions))
            await killed.kill()
        async with _serving(stage, settings):
            await _all_ended(stage, questions)
            return _row("kill -9 during 10, then a start", stage, questions, "Interrupted", began)


def _row(scene: str, stage: Stage, questions: Sequence[Question], wanted: str, began: float) -> Row:
    ended = time.monotonic()
    told = [stage.told(question) for question in questions]
    texts = [_text(seen).replace("\n", " ") for seen in told]
    return (
        scene,
        len(questions),
        sum(wanted not in text for text in texts),
        sum(text.count(wanted) > 1 or len(seen) > 1 for text, seen in zip(texts, told, strict=True)),
        sum(map(_unfinished, told)),
        stage.traffic.most_per_minute(stage.edit),
        sum(outcome == "limited" for _, _, outcome in stage.traffic.calls),
        round(ended - began, 1),
    )


def _text(told: Sequence[Seen]) -> str:
    return "\n".join(seen.text for seen in told)


def _unfinished(told: Sequence[Seen]) -> bool:
    text = _text(told)
    return not text or any(mark in text for mark in ("▌", "🔎", "⏳"))


async def _all_ended(stage: Stage, questions: Sequence[Question]) -> None:
    await _until(lambda: not any(_unfinished(stage.told(question)) for question in questions))


async def _until(holds: Callable[[], bool]) -> None:
    """Wait; what has not come by the end is counted, not raised."""
    end = time.monotonic() + _LONGEST
    while time.monotonic() < end:
        if holds():
            return
        await asyncio.sleep(0.2)


@asynccontextmanager
async def _serving(stage: Stage, settings: dict[str, str], processes: int = 1) -> AsyncGenerator[list[Running]]:
    with tempfile.TemporaryDirectory(prefix="kbot-bench-") as folder:
        async with kbot(stage, Path(folder), settings=settings, processes=processes) as started:
            yield started


@asynccontextmanager
async def _desk(bench: Bench) -> AsyncGenerator[tuple[dict[str, str], FakeOllama]]:
    """kbot's settings for a database with a few documents, and a scripted model."""
    with tempfile.TemporaryDirectory(prefix="kbot-bench-") as folder:
        async with (
            fresh_database(bench.cache, bench.settings, "delivery") as (database, settings),
            fake_ollama() as model,
        ):
            await fill(settings, database, bench.embedder, Path(folder))
            yield (
                {
                    "database_url": database.conninfo,
                    "chat_model": "ollama:llama3.2",
                    "ollama_url": model.url,
                    "history_turns": "0",
                },
                model,
            )
