"""The pace of live replies that share a budget."""

import asyncio
import time

from chat_in_memory import PLACE, STEP, Platform, grow, platform, words

from kbot.errors import RateLimited
from kbot.live_reply import LiveReply, Pacer


async def test_a_rate_limit_is_kept_by_all_replies_of_a_scope():
    chats = [platform(), platform()]
    pacer = Pacer(None, STEP)
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
    async with LiveReply(chat, PLACE, pacer=Pacer(None, 0.035)) as reply:
        await grow(reply, words(30, "w"), 0.01)
        reply.finish("end")
    assert chat.seen == ["end"]
    assert len(chat.calls) - len(chat.views) <= 3


async def test_a_spent_budget_drops_interim_edits_and_never_a_final():
    chats = [platform() for _ in range(3)]
    pacer = Pacer(per_minute=6, interval=STEP)

    async def answer(chat: Platform) -> None:
        async with LiveReply(chat, PLACE, pacer=pacer) as reply:
            await grow(reply, words(40, "w"), 0.005)
            reply.finish("end")

    started = time.monotonic()
    await asyncio.gather(*map(answer, chats))
    assert time.monotonic() - started < 2
    assert [chat.seen for chat in chats] == [["end"]] * 3
    assert sum(chat.verbs().count("edit") for chat in chats) <= 6


async def test_the_interval_grows_with_the_number_of_live_replies_and_the_budget_is_spread():
    pacer = Pacer(per_minute=60, interval=0.5)
    with pacer.live():
        assert pacer.pause == 1.0
        with pacer.live(), pacer.live():
            assert pacer.pause == 3.0
    assert Pacer(None, 1.5).pause == 1.5


async def test_a_budget_keeps_one_edit_for_each_live_reply():
    pacer = Pacer(per_minute=3, interval=STEP)
    with pacer.live():
        assert [await pacer.interim() for _ in range(2)] == [0, 0]
        assert 50 < await pacer.interim() <= 60
        assert await pacer.final() == 0
        await pacer.limited(0.25)
        assert 0.2 < await pacer.final() <= 0.25
