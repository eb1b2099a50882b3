"""Which messages are kbot's to answer: each event once, and those of the threads that it takes part in."""

import uuid
from dataclasses import replace

from screen import (
    Screen,
    message,
    state_of,
    two_bots,
)

from answering import Desk, somewhere
from fakes.ollama import FakeOllama


async def test_one_event_is_answered_once_under_whatever_message_it_comes(desk: Desk, model: FakeOllama) -> None:
    model.words = ["São 22 [1]."]
    screen, event = Screen(), uuid.uuid4().hex
    first, again, other = (replace(message(), event_id=each) for each in (event, event, uuid.uuid4().hex))
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        assert await one.answer(first, screen)
        assert await two.answer(again, screen) is None
        assert await two.answer(other, screen)
    assert len(screen.messages) == 2
    assert await state_of(desk, again) is None


async def test_kbot_takes_part_in_threads_in_which_it_was_asked(desk: Desk, model: FakeOllama) -> None:
    model.words = ["São 22 [1]."]
    opening = message()
    inside = message(place=somewhere("1700.1"))
    async with two_bots(desk, await desk.engine(model)) as (one, two):
        assert await one.answer(opening, Screen())
        assert await one.answer(inside, Screen())
        opened = replace(opening.place, thread=opening.message_id)
        assert await two.takes_part("memory", opened)
        assert await two.takes_part("memory", inside.place)
        assert not await two.takes_part("memory", replace(inside.place, thread="1700.2"))
        assert not await two.takes_part("memory", replace(opened, channel="memory:elsewhere"))
        assert not await two.takes_part("memory", opening.place), "a channel is no thread"
        for asked in (opening, inside):
            async with desk.database.pool.connection() as connection:
                await connection.execute("DELETE FROM inbox WHERE channel = %s", (asked.place.channel,))
        assert await two.takes_part("memory", opened), "also when the row is as old as to be dropped"
        assert await two.takes_part("memory", inside.place)
