"""A growing reply when things go wrong: the platform, the message, the work that writes it."""

import asyncio
import time

import pytest
from chat_in_memory import ANSWER, PLACE, STEP, grow, platform, words

from kbot.chat import Content
from kbot.errors import DeliveryError, MessageGone, RateLimited
from kbot.live_reply import LiveReply, Pacer


@pytest.mark.parametrize("late", [False, True])
async def test_the_final_is_retried_until_it_is_delivered(late: bool):
    chat = platform()
    chat.faults = {1: ConnectionError("reset"), 2: RateLimited(0.15), 3: RateLimited(0)}
    chat.late = late
    started = time.monotonic()
    async with LiveReply(chat, PLACE) as reply:
        reply.finish("final", ANSWER)
    assert list(chat.messages.values()) == [Content("final", "final", ANSWER)]
    assert time.monotonic() - started >= 0.15
    assert len(chat.calls) == 5


async def test_a_lost_placeholder_is_made_good_by_what_follows():
    chat = platform()
    chat.faults = {0: ConnectionError("reset"), 1: RateLimited(0.02), 2: ConnectionError("reset")}
    async with LiveReply(chat, PLACE) as reply:
        await grow(reply, words(10), 0.01)
        reply.finish("done")
    assert chat.seen == ["done"]
    assert chat.views[0][0].startswith("palavra0")


async def test_a_final_that_is_not_taken_before_the_deadline_raises():
    chat = platform()
    chat.refuse = lambda verb, content: ConnectionError("503") if content.stage == "final" else None

    async def answer() -> None:
        async with LiveReply(chat, PLACE, deadline=0.3) as reply:
            reply.finish("final")

    with pytest.raises(DeliveryError, match="did not take the final text"):
        await answer()


async def test_a_platform_that_always_asks_to_wait_is_tried_again_until_patience_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("kbot.pacing._LONGEST_BAR", 0.1)
    monkeypatch.setattr("kbot.pacing._LONGEST_PATIENCE", 0.5)
    chat = platform()
    chat.refuse = lambda verb, content: RateLimited(3600) if content.stage == "final" else None
    started = time.monotonic()

    async def answer() -> None:
        async with LiveReply(chat, PLACE, deadline=0.5) as reply:
            reply.finish("final")

    with pytest.raises(DeliveryError):
        await answer()
    assert 0.5 < time.monotonic() - started < 5
    assert len(chat.calls) > 4


async def test_a_long_wait_is_asked_for_again_and_ends_with_the_platforms_mind(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("kbot.pacing._LONGEST_BAR", 0.1)
    chat = platform()
    chat.faults = {1: RateLimited(3600), 2: RateLimited(3600)}
    async with LiveReply(chat, PLACE, deadline=0.5) as reply:
        reply.finish("final")
    assert chat.seen == ["final"]


async def test_where_no_edit_is_taken_in_time_the_interruption_is_told_in_a_new_message():
    chat = platform()
    chat.refuse = lambda verb, content: RateLimited(60) if verb == "edit" else None

    async def answer() -> None:
        async with LiveReply(chat, PLACE, interrupted="(stopped)"):
            await asyncio.sleep(60)

    task = asyncio.create_task(answer())
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert chat.seen[-1] == "(stopped)"


async def test_a_platform_that_hangs_does_not_hold_the_reply_past_the_deadline():
    chat = platform()

    async def answer() -> None:
        async with LiveReply(chat, PLACE, deadline=0.2) as reply:
            chat.latency = 60
            reply.write("x")
            await asyncio.sleep(0.05)
            reply.finish("x y")

    with pytest.raises(DeliveryError):
        await answer()


@pytest.mark.parametrize("refused_from", [0, 3, 1000])
async def test_when_edits_are_refused_only_the_unseen_part_is_sent(refused_from: int):
    chat = platform(post=400, edit=200)
    edits = 0

    def refuse(verb: str, content: Content) -> Exception | None:
        nonlocal edits
        edits += verb == "edit"
        over = verb == "edit" and (edits > refused_from or content.stage == "final")
        return DeliveryError("edit window closed") if over else None

    chat.refuse = refuse
    text = words(20)
    async with LiveReply(chat, PLACE, cursor="") as reply:
        await grow(reply, text, 0.006)
        text += " fim"
        reply.finish(text, ANSWER)
    assert len(chat.seen) == 2
    together = "".join(chat.seen).replace(" ", "").removeprefix("…")
    assert together == text.replace(" ", "")
    assert chat.answers == [None, ANSWER]


async def test_sources_come_even_if_all_text_is_seen_and_its_message_takes_no_edit():
    chat = platform()
    chat.refuse = lambda verb, content: DeliveryError("closed") if content.stage == "final" and verb == "edit" else None
    async with LiveReply(chat, PLACE, cursor="") as reply:
        reply.write("all of it")
        await asyncio.sleep(3 * STEP)
        reply.finish("all of it", ANSWER)
    assert chat.seen == ["all of it", "—"]
    assert chat.answers == [None, ANSWER]


async def test_a_text_that_changed_after_a_refusal_goes_on_from_the_line_that_changed():
    chat = platform()
    chat.refuse = lambda verb, content: DeliveryError("closed") if content.stage == "final" and verb == "edit" else None
    async with LiveReply(chat, PLACE, cursor="") as reply:
        reply.write("one line\nwith [3] in it")
        await asyncio.sleep(3 * STEP)
        reply.finish("one line\nwith [1] in it")
    assert chat.seen == ["one line\nwith [3] in it", "with [1] in it"]


async def test_a_deleted_message_stops_the_writer():
    chat = platform()
    reply = LiveReply(chat, PLACE)
    written = 0

    async def answer() -> None:
        nonlocal written
        async with reply:
            for _ in range(200):
                reply.write("token ")
                written += 1
                chat.deleted = written > 10
                await asyncio.sleep(0.005)

    with pytest.raises(MessageGone):
        await answer()
    assert written < 100
    assert reply.gone.is_set()
    calls = len(chat.calls)
    await asyncio.sleep(5 * STEP)
    assert len(chat.calls) == calls
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_message_deleted_before_the_final_raises_and_nothing_is_posted():
    chat = platform()
    reply = LiveReply(chat, PLACE)

    async def answer() -> None:
        async with reply:
            chat.deleted = True
            reply.finish("final")

    with pytest.raises(MessageGone):
        await answer()
    assert chat.seen == ["…"]
    assert reply.gone.is_set()


async def test_a_place_that_takes_no_message_is_an_error_at_the_door():
    chat = platform()
    chat.refuse = lambda verb, content: DeliveryError("not in channel")
    pacer = Pacer(STEP)

    async def answer() -> None:
        async with LiveReply(chat, PLACE, pacer=pacer):
            pytest.fail("the block must not run")

    with pytest.raises(DeliveryError, match="not in channel"):
        await answer()
    assert pacer.pause == STEP


async def test_an_exception_in_the_block_keeps_the_text_so_far_and_goes_on():
    chat = platform()

    async def answer() -> None:
        async with LiveReply(chat, PLACE, interrupted="(interrupted)") as reply:
            reply.write("Some **words")
            raise RuntimeError("model fell over")

    with pytest.raises(RuntimeError, match="model fell over"):
        await answer()
    assert list(chat.messages.values()) == [Content("Some **words**\n\n(interrupted)", "failed")]


async def test_a_cancelled_block_is_painted_and_stays_cancelled():
    chat = platform()

    async def answer() -> None:
        async with LiveReply(chat, PLACE, interrupted="(stopped)") as reply:
            await grow(reply, words(1000), 0.01)

    task = asyncio.create_task(answer())
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert chat.seen[-1].endswith("(stopped)")
    assert list(chat.messages.values())[-1].stage == "failed"


async def test_an_exception_is_not_hidden_by_a_platform_that_fails_too():
    chat = platform()
    chat.refuse = lambda verb, content: DeliveryError("down") if content.stage == "failed" else None

    async def answer() -> None:
        async with LiveReply(chat, PLACE) as reply:
            reply.write("x")
            raise RuntimeError("model fell over")

    with pytest.raises(RuntimeError, match="model") as caught:
        await answer()
    assert "down" in caught.value.__notes__[0]


async def test_fail_puts_its_words_under_what_was_written():
    chat = platform()
    async with LiveReply(chat, PLACE) as reply:
        reply.write("```\ncode")
        reply.fail("The model stopped.")
    assert list(chat.messages.values()) == [Content("```\ncode\n```\n\nThe model stopped.", "failed")]


async def test_a_block_left_without_a_word_says_so():
    chat = platform()
    async with LiveReply(chat, PLACE, interrupted="No answer came."):
        pass
    assert list(chat.messages.values()) == [Content("No answer came.", "failed")]


async def test_a_blank_final_text_is_an_error_of_the_caller():
    chat = platform()

    async def answer() -> None:
        async with LiveReply(chat, PLACE) as reply:
            reply.finish(" \n")

    with pytest.raises(ValueError, match="blank"):
        await answer()


async def test_an_unexpected_failure_of_an_adapter_is_raised_after_the_final_text():
    chat = platform()
    chat.faults = {1: KeyError("bug")}

    async def answer() -> None:
        async with LiveReply(chat, PLACE) as reply:
            reply.write("x")
            await asyncio.sleep(3 * STEP)
            reply.finish("final")

    with pytest.raises(KeyError, match="bug"):
        await answer()
    assert chat.seen == ["final"]


async def test_a_wait_that_the_platform_asks_for_is_no_part_of_the_deadline():
    chat = platform()
    chat.faults = {1: RateLimited(0.5)}
    async with LiveReply(chat, PLACE, deadline=0.3) as reply:
        reply.finish("final")
    assert chat.seen == ["final"]
