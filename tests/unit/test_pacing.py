"""The pace of live replies that share a budget."""

import asyncio
import time

from chat_in_memory import PLACE, STEP, Platform, grow, platform, words

from kbot.errors import RateLimited
from kbot.live_reply import LiveReply, Pacer


async def test_a_rate_limit_is_kept_by_all_replies_of_a_scope():
    chats = [platform(), platform()]
    pacer = Pacer(STEP)
    chats[0].faults = {1: RateLimited(0.15)}

    async def answer(chat: Platform) -> None:
        async with LiveReply(chat, PLACE, pacer=pacer) as reply:
            await grow(reply, words(25, "w"), 0.01)
            reply.finish("end")

    started = time.monotonic()
    await asyncio.gather(*map(answer, chats))
    assert [chat.seen for chat in chats] == [["end"], ["end"]]
    during = [at - started for chat in chats for at, _, _ in chat.calls if 0.05 < at - started < 0.13]
    assert during == []


async def test_a_platform_with_a_strict_rate_sees_few_refused_calls():
    chat = platform(gap=0.03)
    async with LiveReply(chat, PLACE, pacer=Pacer(0.035)) as reply:
        await grow(reply, words(30, "w"), 0.01)
        reply.finish("end")
    assert chat.seen == ["end"]
    assert len(chat.calls) - len(chat.views) <= 3


async def test_the_interval_grows_with_the_number_of_replies_that_grow():
    pacer = Pacer(0.5)
    with pacer.growing():
        assert pacer.pause == 0.5
        with pacer.growing(), pacer.growing():
            assert pacer.pause == 1.5
    assert Pacer(1.5).pause == 1.5


async def test_a_reply_that_only_waits_does_not_slow_those_that_grow():
    pacer = Pacer(STEP)
    async with LiveReply(platform(), PLACE, pacer=pacer) as waiting, LiveReply(platform(), PLACE, pacer=pacer) as reply:
        waiting.show("waiting")
        await grow(reply, words(10), STEP)
        assert pacer.pause == STEP
        waiting.finish("end")


async def test_what_the_platform_asks_to_wait_is_waited():
    pacer = Pacer(STEP)
    assert await pacer.grant("final") == 0
    await pacer.limited(0.25)
    assert 0.2 < await pacer.grant("final") <= 0.25
