"""Slack's other ways of showing an answer: native streams in direct messages, and replies for one person alone."""

from collections.abc import AsyncGenerator

import pytest
from conformance import GROUNDED
from slack_in_process import settings
from slack_thread import Thread, reading, thread_in

from fakes.platform import Faults
from fakes.slack import fake_slack
from kbot.chat import Content, DeliveryError, MessageGone, Place
from kbot_slack.adapter import SlackAdapter
from kbot_slack.ephemeral import EphemeralReply


@pytest.fixture
async def reader() -> AsyncGenerator[Thread]:
    async with reading() as thread:
        yield thread


@pytest.fixture
async def streamed() -> AsyncGenerator[Thread]:
    """A thread of direct messages where native streaming is on."""
    async with fake_slack() as slack:
        adapter = SlackAdapter(settings(slack, native_stream=True))
        async with adapter.connected():
            yield await thread_in(slack, adapter, direct=True)


async def test_direct_messages_are_streamed(streamed: Thread) -> None:
    adapter, place, slack = streamed.adapter, streamed.place, streamed.slack
    ts = await adapter.send(place, Content("🔎 …", "placeholder"))
    assert slack.traffic.times("assistant.threads.setStatus")
    for settled in ("São **22**", "São **22**", "São **22** <dias>"):
        await adapter.edit(place, ts, Content(f"{settled} ▌", "growing", settled=settled))
    assert [view.text for view in slack.views(ts)][-2:] == ["São **22**", "São **22** <dias>"]
    await adapter.edit(place, ts, Content(GROUNDED.text, "final", GROUNDED))
    (seen,) = slack.replies_of_bot(streamed.channel, streamed.ts)
    assert seen.text == GROUNDED.text
    assert len(seen.sources) == 2
    assert len(slack.traffic.times("chat.appendStream")) == 2
    assert len(slack.traffic.times("chat.update")) == 1


@pytest.mark.parametrize("trouble", ["taken back", "expired", "lost", "unknown", "restarted"])
async def test_a_stream_in_trouble_goes_on_by_edits(streamed: Thread, trouble: str) -> None:
    adapter, place, slack = streamed.adapter, streamed.place, streamed.slack
    if trouble == "unknown":
        slack.scopes.discard("chat:write")
        with pytest.raises(DeliveryError):
            await adapter.send(place, Content("…", "placeholder"))
        slack.scopes.add("chat:write")
    if trouble == "expired":
        slack.time_scale = 0
    ts = await adapter.send(place, Content("…", "placeholder"))
    if trouble == "lost":
        slack.faults, slack.faulty = Faults(1.0, ("lost",)), "chat.appendStream"
    if trouble != "restarted":
        await adapter.edit(place, ts, Content("São", "growing", settled="São"))
    second = Content("Não", "growing", settled="Não") if trouble == "taken back" else Content("São 22", "growing")
    if trouble == "restarted":
        adapter = SlackAdapter(adapter.settings)
        async with adapter.connected():
            with pytest.raises(ConnectionError, match="now it can be edited"):
                await adapter.edit(place, ts, second)
            await adapter.edit(place, ts, second)
    else:
        await adapter.edit(place, ts, second)
    assert streamed.texts == [second.text]
    await streamed.adapter.edit(place, ts, Content("the end", "final"))
    assert streamed.texts == ["the end"]
    await streamed.adapter.delete(place, ts)
    assert not streamed.texts


async def test_an_open_stream_can_be_deleted(streamed: Thread) -> None:
    ts = await streamed.adapter.send(streamed.place, Content("…", "placeholder"))
    await streamed.adapter.edit(streamed.place, ts, Content("São", "growing", settled="São"))
    await streamed.adapter.delete(streamed.place, ts)
    assert not streamed.texts


async def test_an_answer_for_one_person_comes_whole(reader: Thread) -> None:
    url = reader.slack.new_hook(reader.user, reader.channel)
    reply, place = EphemeralReply(reader.adapter, url), Place("default", f"slack:{reader.channel}", "ask:U1")

    def shown() -> list[str]:
        return [seen.text for seen in reader.slack.messages(reader.channel, user=reader.user) if seen.to]

    first = await reply.send(place, Content("searching", "placeholder"))
    await reply.edit(place, first, Content("part 1", "growing"))
    second = await reply.send(place, Content("part", "growing"))
    third = await reply.send(place, Content("surplus", "growing"))
    assert shown() == []
    await reply.edit(place, second, Content("part 2", "final", GROUNDED))
    assert shown() == ["part 1", "part 2"]
    await reply.delete(place, third)
    with pytest.raises(MessageGone):
        await reply.edit(place, second, Content("anew", "final"))
    with pytest.raises(MessageGone):
        await reader.adapter.edit(place, second, Content("mended", "failed"))
    for n in range(3):
        await reply.whisper(place, reader.user, f"whisper {n}")
    with pytest.raises(MessageGone, match="five"):
        await reply.whisper(place, reader.user, "too much")
    assert len(shown()) == 5
