"""What becomes of a question after it was asked: it is edited, or deleted."""

import asyncio
import uuid
from dataclasses import replace

import pytest
from screen import (
    PORTUGUESE,
    SPOKEN,
    Held,
    Screen,
    begin,
    change_row,
    message,
    questions,
    state_of,
    two_bots,
    until_state,
)

from answering import FERIAS, UNKNOWN, Desk, somewhere
from captured import captured_logs
from fakes.ollama import FakeOllama
from kbot.chat import Content, Person, Place
from kbot.errors import DeliveryError
from kbot.library import gaps
from kbot.live_reply import LiveReply, Pacer

LIBRARY = "A que horas a biblioteca fecha de segunda a sexta?"
GYM = "A que horas a academia abre aos domingos?"
SOMEBODY = Person("ana", "pt")
REVISED = f"Às 20h [1].\n\n{PORTUGUESE.revised}"


class Sealed(Screen):
    """A screen that refuses every edit of a text that grows."""

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        if content.stage == "growing":
            raise DeliveryError("msg_too_long")
        await super().edit(place, message_id, content)


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_question_edited_while_it_is_answered_is_answered_anew_in_the_same_message(
    desk: Desk, model: FakeOllama, elsewhere: bool
) -> None:
    model.behaviour, model.delay = "slow", 0.03
    model.answers = [["mais "] * 1000, ["Às 20h ", "[1]."], ["Às 8h [1]."]]
    screen, asked = Screen(), message()
    edited = replace(asked, text=LIBRARY)
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        editor = two if elsewhere else one
        answering = await begin(one, asked, screen, "mais")
        assert await editor.revise(edited, screen)
        assert await one.revise(edited, screen), "delivered again, to another process"
        async with asyncio.timeout(3):
            answer = await answering
            await model.left.wait()
        assert await editor.revise(replace(asked, text=GYM), screen)
        assert await state_of(desk, asked) == ("answered", True), "a second edit changes nothing"
    assert screen.text == REVISED
    assert list(screen.messages) == [f"{asked.place.channel}/0"]
    assert screen.answers == [answer]
    assert "mais" not in str(screen.views[screen.views.index(PORTUGUESE.searching, 1) :])
    assert len(model.requests) == 2
    assert await questions(desk, asked.place) == [LIBRARY]


async def test_a_question_edited_after_its_answer_is_answered_anew_by_one_of_the_processes(
    desk: Desk, model: FakeOllama
) -> None:
    model.answers = [["São vinteduas [1].\n\n", *["Muito texto. "] * 200], ["Às 20h [1]."]]
    screen, asked = Screen(), message()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        before = await one.answer(asked, screen)
        assert before
        assert len(screen.messages) == 2
        edited = replace(asked, text=LIBRARY)
        assert await asyncio.gather(*(bot.revise(edited, screen) for bot in (two, one, two))) == [True] * 3
        await screen.until(lambda: screen.text == REVISED)
        await until_state(desk, asked, "answered")
        assert await two.revise(replace(asked, text=GYM), screen)
        assert await state_of(desk, asked) == ("answered", True)
        assert (await two.rate(before.id, asked.place, SOMEBODY, "helpful")) == PORTUGUESE.gone_answer
    assert list(screen.messages) == [f"{asked.place.channel}/0"]
    assert [answer.question for answer in screen.answers] == [LIBRARY]
    assert len(model.requests) == 2
    assert "vinteduas" not in str(model.requests[1]), "the old answer is no part of the conversation"
    assert await questions(desk, asked.place) == [LIBRARY]


@pytest.mark.parametrize("notified", [True, False])
async def test_a_question_edited_at_the_last_moment_is_answered_anew(
    desk: Desk, model: FakeOllama, notified: bool
) -> None:
    model.answers = [["São 22 [1]."], ["Às 20h [1]."]]
    screen, asked = Held(), message()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        answering = asyncio.create_task(one.answer(asked, screen))
        await screen.reached.wait()
        if notified:
            assert await two.revise(replace(asked, text=LIBRARY), screen)
            await asyncio.sleep(0.2)
        else:
            await change_row(desk, asked, "revised = true, revision = %s", LIBRARY)
        screen.let_go.set()
        async with asyncio.timeout(3):
            assert await answering
        assert await state_of(desk, asked) == ("answered", True)
    assert "São 22 [1]." in screen.views
    assert screen.text == REVISED
    assert await questions(desk, asked.place) == [LIBRARY]


async def test_an_edit_at_the_last_moment_of_an_undelivered_answer_holds_up_nobody(
    desk: Desk, model: FakeOllama
) -> None:
    model.words = ["São 22 [1]."]
    screen, asked = Held(), message()
    async with two_bots(desk, await desk.engine(model)) as (one, _):
        answering = asyncio.create_task(one.answer(asked, screen))
        await screen.reached.wait()
        await change_row(desk, asked, "revised = true, revision = %s", LIBRARY)
        screen.refuses = True
        screen.let_go.set()
        with pytest.raises(DeliveryError):
            await answering
        assert await state_of(desk, asked) == ("undelivered", True)
        assert await one.answer(message(place=asked.place), Screen())
        screen.refuses = False
        await change_row(desk, asked, "finished_at = clock_timestamp() - interval '31 s'")
        assert await one.repair(screen) == 1


async def test_an_edit_that_cannot_be_answered_leaves_no_old_turn(desk: Desk, model: FakeOllama) -> None:
    model.words = ["São 22 [1]."]
    emptied, failed = message(), message()
    screens = Screen(), Screen()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        for asked, screen in zip((emptied, failed), screens, strict=True):
            assert await one.answer(asked, screen)
        model.behaviour = "fails"
        assert await two.revise(replace(emptied, text="?!"), screens[0])
        assert await two.revise(replace(failed, text=LIBRARY), screens[1])
        for asked in (emptied, failed):
            await until_state(desk, asked, "failed")
            assert await questions(desk, asked.place) == []
    assert screens[0].text == "\n".join(words.empty for words in SPOKEN)
    assert screens[1].text == PORTUGUESE.failed.format(model="ollama:llama3.2")
    assert [len(screen.messages) for screen in screens] == [1, 1]


@pytest.mark.parametrize("how", ["here", "elsewhere", "unnoticed"])
async def test_a_question_deleted_while_it_is_answered_stops_the_model_and_takes_the_reply_back(
    desk: Desk, model: FakeOllama, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbot.inbox._PULSE_SECONDS", 0.3 if how == "unnoticed" else 60.0)
    model.behaviour, model.delay = "slow", 0.002
    model.words = ["muito texto, "] * 5000
    screen, asked = Screen(), message()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        answering = await begin(one, asked, screen, "muito")
        await screen.until(lambda: len(screen.messages) == 2)
        if how == "unnoticed":
            await change_row(desk, asked, "withdrawn = true")
        else:
            bot = one if how == "here" else two
            await asyncio.gather(*(bot.withdraw("memory", asked.place, asked.message_id, screen) for _ in range(2)))
        async with asyncio.timeout(3):
            assert await answering is None
            await model.left.wait()
        assert screen.messages == {}
        assert await state_of(desk, asked) == ("failed", True)
        assert await questions(desk, asked.place) == []
        assert await one.answer(asked, screen) is None, "a redelivery does not bring it back"
        assert await one.revise(replace(asked, text=LIBRARY), screen)
        assert await state_of(desk, asked) == ("failed", True)


async def test_a_question_deleted_while_it_waits_is_never_asked(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay = "slow", 0.05
    model.words = ["22 ", "dias ", "[1]."]
    place = somewhere()
    first, waiting = message(place=place), message(f"{FERIAS} Segunda", place)
    screens = Screen(), Screen()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        answering = await begin(one, first, screens[0], "22")
        second = await begin(one, waiting, screens[1], PORTUGUESE.waiting.format(ahead=1))
        await two.withdraw("memory", place, waiting.message_id, screens[1])
        assert await second is None
        assert not answering.done()
        assert await answering
    assert screens[1].messages == {}
    assert "Segunda" not in str(model.requests)


async def test_a_question_deleted_after_its_answer_leaves_nothing(desk: Desk, model: FakeOllama) -> None:
    model.answers = [["São vinteduas [1].\n\n", *["Muito texto. "] * 200]]
    answered, refused = message(), message(UNKNOWN + uuid.uuid4().hex)
    screens = Screen(), Screen()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        assert await one.answer(answered, screens[0])
        assert await one.answer(refused, screens[1])
        assert refused.text in [gap.question for gap in await gaps(desk.database, refused.place, limit=1000)]
        with captured_logs() as logs:
            for asked, screen in zip((answered, refused), screens, strict=True):
                for bot in (two, two, one):
                    await bot.withdraw("memory", asked.place, asked.message_id, screen)
                await screen.until(lambda screen=screen: not screen.messages)
                async with asyncio.timeout(3):
                    while await questions(desk, asked.place):
                        await asyncio.sleep(0.02)
        assert refused.text not in [gap.question for gap in await gaps(desk.database, refused.place, limit=1000)]
        model.answers = [["Às 20h [1]."]]
        assert await one.answer(message(LIBRARY, answered.place), screens[0])
        assert "vinteduas" not in str(model.requests)
        assert await questions(desk, answered.place) == [LIBRARY]
    assert logs.events == []


async def test_a_question_deleted_at_the_last_moment_leaves_no_reply(desk: Desk, model: FakeOllama) -> None:
    model.words = ["São 22 [1]."]
    screen, asked = Held(), message()
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        answering = asyncio.create_task(one.answer(asked, screen))
        await screen.reached.wait()
        await two.withdraw("memory", asked.place, asked.message_id, screen)
        screen.let_go.set()
        assert await answering is None
        assert screen.messages == {}
        assert await questions(desk, asked.place) == []


async def test_a_reply_whose_edits_are_refused_is_taken_back_too() -> None:
    screen = Sealed()
    with captured_logs() as logs:
        async with LiveReply(screen, somewhere(), pacer=Pacer(0.01)) as reply:
            reply.write("mais")
            await screen.until(lambda: "edits_refused" in logs.events)
            assert screen.messages
            reply.withdraw()
    assert screen.messages == {}


async def test_what_nobody_answered_is_neither_revised_nor_taken_back(desk: Desk, model: FakeOllama) -> None:
    screen, asked = Screen(), message()
    async with two_bots(desk, await desk.engine(model)) as (bot, _):
        with captured_logs() as logs:
            assert not await bot.revise(asked, screen)
            await bot.withdraw("memory", asked.place, asked.message_id, screen)
        assert await bot.revise(replace(asked, from_bot=True), screen), "there is nothing to do"
    assert await state_of(desk, asked) is None
    assert (screen.views, logs.events, model.requests) == ([], [], [])


async def test_a_deleted_question_of_a_dead_process_is_not_mended(desk: Desk, model: FakeOllama) -> None:
    screen, asked = Screen(), message()
    screen.messages["half"] = Content("São", "growing")
    async with desk.database.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO inbox (workspace, platform, channel, message_id, owner, reply_ids) "
            "VALUES ('default', 'memory', %s, %s, -7, '{half}')",
            (asked.place.channel, asked.message_id),
        )
    async with two_bots(desk, await desk.engine(model)) as (bot, _):
        await bot.withdraw("memory", asked.place, asked.message_id, screen)
        assert await bot.repair(screen) == 0
        await screen.until(lambda: not screen.messages)
    assert await state_of(desk, asked) == ("failed", True)
