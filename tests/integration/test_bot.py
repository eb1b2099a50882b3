"""One message in, one reply out, as its reader sees it on a platform that enforces its limits."""

import asyncio
import json
import logging
from dataclasses import asdict, replace
from typing import Any

import pytest
from screen import ENGLISH, PORTUGUESE, Screen, bots, message, state_of

from answering import DOCUMENTS, FERIAS, UNKNOWN, Desk, somewhere
from captured import captured_logs
from fakes.ollama import Behaviour, FakeOllama
from kbot.bot import Bot
from kbot.chat import Attachment, Place
from kbot.database import open_database
from kbot.engine import Engine
from kbot.errors import DeliveryError
from kbot.history import last_turns
from kbot.prompts import COURTESIES, REFUSALS


async def test_a_question_is_answered_live_and_its_sources_come_last(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.05
    model.words = ["São ", "22 ", "dias ", "por ", "ano [1]", "."]
    screen, asked = Screen(), message()
    async with bots(await desk.engine(model)) as (bot,):
        answer = await bot.answer(asked, screen)
    assert answer is not None
    assert answer.grounded
    assert screen.views[0] == PORTUGUESE.searching
    assert any("22" in view and "ano" not in view for view in screen.views), "it grew"
    assert screen.text == "São 22 dias por ano [1]."
    assert screen.answers == [answer]
    assert not any(name in view for view in screen.views for name in DOCUMENTS)
    assert await state_of(desk, asked) == ("answered", True)
    assert (await bot.read(asked.place))[0].source == "ferias.md"


@pytest.mark.parametrize(
    ("question", "words"), [(UNKNOWN, []), (FERIAS, ["Não sei: 22 [1]. ", REFUSALS["pt"]]), (FERIAS, ["São 22 dias."])]
)
async def test_a_reader_never_sees_a_source_of_an_ungrounded_answer(
    desk: Desk, model: FakeOllama, question: str, words: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    model.words = words
    screen, asked = Screen(), message(question)
    with captured_logs() as logs:
        async with bots(await desk.engine(model)) as (bot,):
            answer = await bot.answer(asked, screen)
    assert answer is not None
    assert not answer.grounded
    seen = json.dumps([asdict(content) for content in screen.messages.values()], ensure_ascii=False)
    told = f"{screen.views} {seen} {logs} {caplog.text}"
    for name in (*DOCUMENTS, "Política de férias", "antecedência"):
        assert name not in told
    for text in (question, "22 dias"):
        assert text not in f"{logs} {caplog.text}"
    assert screen.text == (REFUSALS["pt"] if answer.refused else f"São 22 dias.\n\n{PORTUGUESE.uncited}")
    assert await bot.read(asked.place) == []


async def test_a_message_is_answered_once_however_often_it_comes(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.02
    model.words = ["22 [1]."]
    screen, asked = Screen(), message()
    async with open_database(desk.settings, migrate=False) as other:
        here = await desk.engine(model)
        there = Engine(here.settings, other, here.embedder, here.chat, here.reranker)
        async with bots(here, there) as (one, two):
            answers = await asyncio.gather(*(bot.answer(asked, screen) for bot in (one, two, one, two)))
            again = await two.answer(asked, screen)
    assert [answer is not None for answer in answers].count(True) == 1
    assert again is None
    assert len(model.requests) == len(screen.messages) == 1


async def test_bots_and_thanks_among_people_are_not_answered_and_files_not_ignored(
    desk: Desk, model: FakeOllama
) -> None:
    screen = Screen()
    file = Attachment("a.pdf", "https://ex.org/a.pdf", 10)
    async with bots(await desk.engine(model)) as (bot,):
        assert await bot.answer(message(from_bot=True), screen) is None
        assert await bot.answer(replace(message("obrigado!"), addressed=False), screen) is None
        assert screen.views == []
        assert await bot.answer(message("", attachments=(file,)), screen) is None
    assert screen.text == f"{ENGLISH.unread_files}\n{PORTUGUESE.unread_files}"
    assert model.requests == []


async def test_thanks_are_answered_in_the_language_of_the_conversation(desk: Desk, model: FakeOllama) -> None:
    place = message("").place
    async with bots(await desk.engine(model)) as (bot,):
        for text, told in (
            ("ok", "\n".join(COURTESIES["acknowledgement"].values())),
            ("obrigado!", COURTESIES["thanks"]["pt"]),
            ("E o que mais se faz por aqui nas férias?", ""),
            ("👍", COURTESIES["acknowledgement"]["pt"]),
            ("thanks for your help", COURTESIES["thanks"]["en"]),
        ):
            screen = Screen()
            await bot.answer(replace(message(text), place=place), screen)
            assert not told or screen.text == told
    assert [turn.question for turn in await last_turns(desk.database, place, 6)] == [
        "E o que mais se faz por aqui nas férias?"
    ]


@pytest.mark.parametrize("text", ["", "  ", "?!", "🤔"])
async def test_who_says_nothing_is_told_what_to_say(desk: Desk, model: FakeOllama, text: str) -> None:
    screen, asked = Screen(), message(text)
    async with bots(await desk.engine(model)) as (bot,):
        assert await bot.answer(asked, screen) is None
        assert await bot.answer(asked, screen) is None
    assert screen.text == f"{ENGLISH.empty}\n{PORTUGUESE.empty}"
    assert model.requests == []


@pytest.mark.parametrize(
    ("behaviour", "settings", "kept", "words"),
    [
        ("normal", {"ollama_url": "http://127.0.0.1:9"}, "", PORTUGUESE.unreachable),
        ("normal", {"chat_model": "ollama:mistral"}, "", PORTUGUESE.missing),
        ("silent", {}, "", PORTUGUESE.timeout),
        ("hangs", {}, "São 22 dias", PORTUGUESE.timeout),
        ("cut", {}, "São 22 dias", PORTUGUESE.cut),
        ("undone", {}, "São 22 dias", PORTUGUESE.cut),
        ("fails", {}, "", PORTUGUESE.failed),
    ],
)
async def test_each_failure_is_told_in_words_under_what_was_written(
    desk: Desk, model: FakeOllama, behaviour: Behaviour, settings: dict[str, Any], kept: str, words: str
) -> None:
    model.words = ["São 22 ", "dias"]
    engine = await desk.engine(model, **({"model_timeout": 0.4} | settings))
    model.behaviour = behaviour
    screen, asked = Screen(), message()
    with captured_logs() as logs:
        async with bots(engine) as (bot,):
            assert await bot.answer(asked, screen) is None
    said = words.format(model=engine.chat.name, name=engine.chat.name.partition(":")[2])
    assert screen.text == f"{kept}\n\n{said}".strip()
    assert screen.answers == []
    assert [content.stage for content in screen.messages.values()] == ["failed"]
    assert await state_of(desk, asked) == ("failed", True)
    assert logs.events == ["answer_failed"]
    assert FERIAS not in str(logs)
    assert "dias" not in str(logs)
    assert not any(name in f"{screen.views} {logs}" for name in DOCUMENTS)


async def test_a_conversation_is_answered_in_order_and_others_beside_it(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.15
    model.words = ["22 ", "[1]."]
    here, elsewhere = somewhere(), somewhere()
    screens = [Screen() for _ in range(4)]
    done: list[int] = []

    async def answer(bot: Bot, n: int, place: Place) -> None:
        assert await bot.answer(message(f"{FERIAS} Pergunta {n}", place), screens[n])
        done.append(n)

    async with bots(await desk.engine(model)) as (bot,):
        asking = [asyncio.create_task(answer(bot, n, here)) for n in range(3)]
        asking.append(asyncio.create_task(answer(bot, 3, elsewhere)))
        await asyncio.gather(*asking)
    assert [n for n in done if n != 3] == [0, 1, 2]
    assert done.index(3) < 2, "another conversation does not wait for this one"
    assert PORTUGUESE.waiting.format(ahead=2) in screens[2].views
    assert PORTUGUESE.waiting.format(ahead=1) in screens[2].views
    assert "Na fila" not in str(screens[3].views)
    turns = await last_turns(desk.database, here, 6)
    assert [turn.question for turn in turns] == [f"{FERIAS} Pergunta {n}" for n in range(3)]


async def test_past_the_limit_people_are_told_their_place_in_the_queue(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.15
    model.words = ["22 ", "[1]."]
    screens = [Screen() for _ in range(4)]
    async with bots(await desk.engine(model, concurrency=1)) as (bot,):
        answers = await asyncio.gather(*(bot.answer(message(), screen) for screen in screens))
    assert all(answers)
    queues = [[view for view in screen.views if "número" in view] for screen in screens]
    numbers = [[int(view.split("número ")[1].split()[0]) for view in queue] for queue in queues]
    assert sorted(numbers) == [[], [1], [2, 1], [3, 2, 1]]


async def test_a_deleted_reply_stops_the_model_and_frees_its_conversation(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.05
    model.words = ["mais "] * 1000
    screen, asked = Screen(), message()
    async with bots(await desk.engine(model)) as (bot,):
        answering = asyncio.create_task(bot.answer(asked, screen))
        await screen.until(lambda: "mais" in screen.text)
        screen.deleted.update(screen.messages)
        async with asyncio.timeout(10):
            assert await answering is None
            await model.left.wait()
        assert await state_of(desk, asked) == ("failed", True)


async def test_a_place_that_takes_no_message_is_an_error_for_the_adapter(desk: Desk, model: FakeOllama) -> None:
    screen, asked = Screen(), message()
    screen.refuses = True
    async with bots(await desk.engine(model)) as (bot,):
        with pytest.raises(DeliveryError):
            await bot.answer(asked, screen)
    assert await state_of(desk, asked) == ("failed", True)
    assert model.requests == []


async def test_a_cancelled_answer_closes_its_row(desk: Desk, model: FakeOllama) -> None:
    model.behaviour = "hangs"
    model.words = ["São ", "22"]
    screen, asked = Screen(), message()
    async with bots(await desk.engine(model, model_timeout=30.0)) as (bot,):
        answering = asyncio.create_task(bot.answer(asked, screen))
        await screen.until(lambda: "22" in screen.text)
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering
        await model.left.wait()
    assert screen.text == f"São 22\n\n{PORTUGUESE.interrupted}"
    assert await state_of(desk, asked) == ("failed", True)


async def test_a_note_stands_outside_of_a_fence_that_the_model_left_open(desk: Desk, model: FakeOllama) -> None:
    model.words = ["```\nlinha"]
    screen = Screen()
    async with bots(await desk.engine(model)) as (bot,):
        await bot.answer(message(), screen)
    assert screen.text == f"```\nlinha\n```\n\n{PORTUGUESE.uncited}"


@pytest.mark.parametrize("text", [":+1:", ":pray::skin-tone-3:", "https://ex.org/a?b=c", "🙏 :tada:"])
async def test_emoji_and_bare_addresses_among_people_are_no_questions(desk: Desk, model: FakeOllama, text: str) -> None:
    screen = Screen()
    async with bots(await desk.engine(model)) as (bot,):
        assert await bot.answer(replace(message(text), addressed=False), screen) is None
    assert screen.views == []
    assert model.requests == []
