"""What happens on every platform, told once: kbot runs as a process, and the tests see what a reader sees.

A platform's test module subclasses `Scenes` and gives it the fixture `stage`.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr
from stage import Question, Running, Stage, kbot

from answering import DOCUMENTS, FERIAS, UNKNOWN, Desk
from fakes.ollama import FakeOllama
from fakes.platform import Seen
from kbot.prompts import REFUSALS
from kbot.words import SPOKEN

ENGLISH, PORTUGUESE = SPOKEN
WORDS = [f"palavra{n} " for n in range(40)]
WHOLE = f"{''.join(WORDS)}fim [1]."


def text_of(told: list[Seen]) -> str:
    return "\n".join(seen.text for seen in told)


def unfinished(told: list[Seen]) -> bool:
    text = text_of(told)
    return not text or "▌" in text or any(line in text for line in ("🔎", "⏳"))


class Scenes:
    """The tests; the fixture `stage` comes from the subclass, with at least ten people."""

    @pytest.fixture
    def stage(self) -> Stage:
        raise NotImplementedError("Give the scenes their `stage` fixture.")

    @pytest.fixture
    def environment(self, desk: Desk, model: FakeOllama) -> dict[str, str]:
        """kbot's settings: the database of the desk, and the scripted model."""
        address = desk.settings.database_url
        assert isinstance(address, SecretStr)
        model.words = [*WORDS, "fim [1]."]
        return {
            "database_url": address.get_secret_value(),
            "chat_model": "ollama:llama3.2",
            "ollama_url": model.url,
            "pool_size": "6",
            "history_turns": "0",
        }

    async def test_an_answer_grows_and_its_sources_come_last(
        self, stage: Stage, environment: dict[str, str], model: FakeOllama, tmp_path: Path
    ):
        model.behaviour, model.delay = "slow", 0.1
        async with kbot(stage, tmp_path, settings=environment) as (running,):
            question = await stage.ask(FERIAS)
            told = await self._answered(stage, question)
            assert await running.stop() == pytest.approx((0, 0), abs=10)
        assert len(told) == 1
        assert WHOLE in told[0].text.replace("\n", " ")
        assert "Política de férias" in told[0].sources[0]
        views = stage.views(told[0])
        assert "🔎" in str(views[0].text)
        assert len(views) >= 3
        assert all(not view.sources for view in views[:-1])
        assert all(not set(DOCUMENTS) & set(str(view.text).split()) for view in views)
        seen = [len(str(view.text).removesuffix(" ▌")) for view in views[1:]]  # the cursor goes with the last of it
        assert seen == sorted(seen)
        assert not stage.pings()
        assert FERIAS not in running.log
        assert "palavra7" not in running.log

    async def test_a_refusal_shows_no_source_and_can_be_told_to_an_admin(
        self, stage: Stage, environment: dict[str, str], tmp_path: Path
    ):
        async with kbot(stage, tmp_path, settings=environment | {"chat_model": "extractive"}):
            question = await stage.ask(UNKNOWN)
            (told,) = await self._answered(stage, question)
            assert REFUSALS["pt"] in told.text
            assert not told.sources
            (button,) = [each for each in told.buttons if "admin" in each]
            await stage.click(told, button)
            async with asyncio.timeout(10):
                while PORTUGUESE.reported not in text_of(stage.told(question)):
                    await asyncio.sleep(0.05)

    async def test_many_questions_at_once_are_all_answered_within_the_rate(
        self, stage: Stage, environment: dict[str, str], model: FakeOllama, tmp_path: Path
    ):
        model.behaviour, model.delay = "slow", 0.02
        async with kbot(stage, tmp_path, settings=environment):
            questions = await asyncio.gather(*(stage.ask(FERIAS, person) for person in range(10)))
            for question in questions:
                (told,) = await self._answered(stage, question, seconds=90)
                assert WHOLE in told.text.replace("\n", " ")
                assert told.sources
        if stage.most_per_minute:
            assert stage.traffic.most_per_minute(stage.edit) <= stage.most_per_minute
        assert not any(outcome == "limited" for _, _, outcome in stage.traffic.calls)

    async def test_failing_calls_lose_and_double_nothing(
        self, stage: Stage, environment: dict[str, str], tmp_path: Path
    ):
        stage.faults.share, stage.faults.seed = 0.3, 7
        async with kbot(stage, tmp_path, settings=environment | {"chat_model": "extractive"}):
            questions = [await stage.ask(FERIAS, person) for person in range(10)]
            for question in questions:
                (told,) = await self._answered(stage, question, seconds=90)
                assert told.text.count("22 dias úteis") == 1
                assert told.sources
        assert sum(stage.faults.made.values()) >= 5

    async def test_what_is_delivered_three_times_to_two_processes_is_answered_once(
        self, stage: Stage, environment: dict[str, str], model: FakeOllama, tmp_path: Path
    ):
        stage.deliver(3)
        async with kbot(stage, tmp_path, processes=2, settings=environment):
            questions = await asyncio.gather(*(stage.ask(FERIAS, person) for person in range(6)))
            for question in questions:
                await self._answered(stage, question)
            await asyncio.sleep(1)
            assert [len(stage.told(question)) for question in questions] == [1] * 6
        assert len(model.requests) == 6

    async def test_what_a_killed_process_left_is_marked_by_the_next(
        self, stage: Stage, environment: dict[str, str], model: FakeOllama, tmp_path: Path
    ):
        model.behaviour = "hangs"
        async with kbot(stage, tmp_path, settings=environment | {"concurrency": "10"}) as (killed,):
            questions = await asyncio.gather(*(stage.ask(FERIAS, person) for person in range(6)))
            await self._until(lambda: all("palavra" in text_of(stage.told(each)) for each in questions), killed)
            await killed.kill()
        async with kbot(stage, tmp_path, settings=environment) as (running,):
            await self._until(lambda: not any(unfinished(stage.told(each)) for each in questions), running)
            told = [text_of(stage.told(each)) for each in questions]
        assert all(PORTUGUESE.interrupted in text and ENGLISH.interrupted in text for text in told)

    async def test_a_stop_lets_answers_end_or_marks_them(
        self, stage: Stage, environment: dict[str, str], model: FakeOllama, tmp_path: Path
    ):
        model.answers = [["22 dias [1]."]]
        model.behaviour = "hangs"
        async with kbot(stage, tmp_path, settings=environment | {"concurrency": "10"}) as (running,):
            questions = await asyncio.gather(*(stage.ask(FERIAS, person) for person in range(5)))
            await self._until(lambda: all("a" in text_of(stage.told(each)) for each in questions), running)
            await self._until(lambda: sum("palavra" in text_of(stage.told(each)) for each in questions) >= 4, running)
            code, seconds = await running.stop()
        assert code == 0
        assert seconds <= 10
        texts = [text_of(stage.told(each)) for each in questions]
        assert all(PORTUGUESE.interrupted in text for text in texts)
        assert "▌" not in "".join(texts)

    async def test_an_edited_question_revises_the_reply_once(
        self, stage: Stage, environment: dict[str, str], tmp_path: Path
    ):
        async with kbot(stage, tmp_path, settings=environment | {"chat_model": "extractive"}) as (running,):
            question = await stage.ask(UNKNOWN)
            (refusal,) = await self._answered(stage, question)
            await stage.edit_question(question, FERIAS)
            await self._until(lambda: "22 dias" in text_of(stage.told(question)), running)
            (revised,) = await self._answered(stage, question)
            assert revised.id == refusal.id
            assert PORTUGUESE.revised.strip("✏️ *") in revised.text
            assert revised.sources
            await stage.edit_question(question, UNKNOWN)
            await asyncio.sleep(1.5)
            assert "22 dias" in text_of(stage.told(question))

    async def test_a_deleted_question_stops_the_model_and_takes_the_reply_back(
        self, stage: Stage, environment: dict[str, str], model: FakeOllama, tmp_path: Path
    ):
        model.behaviour = "hangs"
        async with kbot(stage, tmp_path, settings=environment) as (running,):
            question = await stage.ask(FERIAS)
            await self._until(lambda: "palavra" in text_of(stage.told(question)), running)
            await stage.delete_question(question)
            async with asyncio.timeout(10):
                await model.left.wait()
            await self._until(lambda: not stage.told(question), running)

    async def test_a_deleted_reply_stops_the_model(
        self, stage: Stage, environment: dict[str, str], model: FakeOllama, tmp_path: Path
    ):
        model.behaviour, model.delay, model.words = "slow", 0.1, ["mais "] * 500
        async with kbot(stage, tmp_path, settings=environment) as (running,):
            question = await stage.ask(FERIAS)
            await self._until(lambda: "mais" in text_of(stage.told(question)), running)
            await stage.delete_reply(stage.told(question)[0])
            async with asyncio.timeout(15):
                await model.left.wait()
            assert not stage.told(question)

    async def test_files_become_documents_and_then_answers(
        self, stage: Stage, environment: dict[str, str], tmp_path: Path
    ):
        # Of its own for each platform: they share a database, where the same text is not added twice.
        text = f"# Cantina {stage.name}\n\nA cantina serve almoço das onze e meia às catorze horas.\n".encode()
        async with kbot(stage, tmp_path, settings=environment | {"chat_model": "extractive"}) as (running,):
            asked = await stage.ask(
                "ingerir", files=[(f"cantina-{stage.name}.md", text), ("foto.png", b"\x89PNG\r\n\x1a\n" + b"0" * 64)]
            )
            await self._until(
                lambda: PORTUGUESE.ingested.format(done=1, total=2) in text_of(stage.told(asked)), running
            )
            (receipt,) = stage.told(asked)
            assert f"cantina-{stage.name}.md" in receipt.text
            assert PORTUGUESE.added in receipt.text
            assert PORTUGUESE.rejected in receipt.text
            question = await stage.ask("A que horas a cantina serve almoço?")
            (told,) = await self._answered(stage, question)
            assert "onze e meia" in told.text
            assert "Cantina" in told.sources[0]

    async def test_who_is_no_admin_is_told_so_and_files_are_not_ignored(
        self, stage: Stage, environment: dict[str, str], tmp_path: Path
    ):
        file = ("segredo.md", b"# Segredo\n\nA senha do cofre de testes vale 4711.\n")
        async with kbot(stage, tmp_path, settings=environment | {"chat_model": "extractive"}) as (running,):
            asked = await stage.ask("ingerir", 1, files=[file])
            await self._until(lambda: PORTUGUESE.only_admins in text_of(stage.told(asked, 1)), running)
            question = await stage.ask(FERIAS, 1, files=[file])
            (told,) = await self._answered(stage, question)
            assert PORTUGUESE.unread_files.split(".")[0] in told.text
            assert "22 dias" in told.text
            lost = await stage.ask("Qual a senha do cofre de testes?", 1)
            assert "4711" not in text_of(await self._answered(stage, lost))

    async def _answered(self, stage: Stage, question: Question, seconds: float = 30.0) -> list[Seen]:
        end = time.monotonic() + seconds
        while unfinished(told := stage.told(question)):
            if time.monotonic() > end:
                raise TimeoutError(f"after {seconds} s the reply is {told}")
            await asyncio.sleep(0.05)
        return told

    async def _until(self, holds: Callable[[], bool], running: Running, seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s:\n{running.log}")
            await asyncio.sleep(0.05)
