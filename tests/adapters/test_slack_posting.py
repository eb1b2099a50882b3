"""How new messages come into a Slack channel: at Slack's pace, in order; and what becomes of a stream in trouble."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from slack_in_process import settings

from fakes.platform import Faults
from fakes.slack import FakeSlack, fake_slack
from kbot.chat import Content, MessageGone, Place, RateLimited
from kbot_slack import line
from kbot_slack.adapter import SlackAdapter
from kbot_slack.blocks import TEXT
from kbot_slack.calls import seconds_in
from kbot_slack.ephemeral import EphemeralReply


@asynccontextmanager
async def posting(slack: FakeSlack, *, native_stream: bool = False) -> AsyncGenerator[SlackAdapter]:
    adapter = SlackAdapter(settings(slack, native_stream=native_stream))
    async with adapter.connected():
        yield adapter


@pytest.fixture
async def slack() -> AsyncGenerator[FakeSlack]:
    async with fake_slack() as slack:
        yield slack


@pytest.fixture
def channel(slack: FakeSlack) -> str:
    return slack.add_channel("geral", [slack.add_user("ana")])


@pytest.fixture
async def thread(slack: FakeSlack) -> Place:
    """A question in direct messages, below which a reply is streamed."""
    user = slack.add_user("bruno")
    direct = slack.direct(user).id
    return Place("default", f"slack:{direct}", await slack.say(direct, user, "?"))


async def post_at_once(adapter: SlackAdapter, channel: str, count: int) -> None:
    place = Place("default", f"slack:{channel}")
    texts = [f"text {n:02}" for n in range(count)]
    await asyncio.gather(*(adapter.send(place, Content(text, "placeholder", key=text)) for text in texts))


def texts(slack: FakeSlack, place: Place) -> list[str]:
    return [seen.text for seen in slack.replies_of_bot(place.channel.removeprefix("slack:"), place.thread)]


def outcomes(slack: FakeSlack, method: str) -> list[str]:
    return [ended for _, called, ended in slack.traffic.calls if called == method]


async def test_many_posts_in_a_channel_keep_the_pace_and_their_order(
    slack: FakeSlack, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "INTERVAL", 0.11)
    monkeypatch.setattr(line, "BURST", 3)
    slack.rates["chat.postMessage"], slack.burst = 600, 4
    other = slack.add_channel("outro", [])
    async with posting(slack) as adapter:
        elsewhere = asyncio.create_task(post_at_once(adapter, other, 1))
        await post_at_once(adapter, channel, 15)
        assert elsewhere.done(), "one channel does not wait for another"
        await elsewhere
    shown = [seen.text for seen in slack.replies_of_bot(channel)]
    assert sorted(shown) == [f"text {n:02}" for n in range(15)]
    assert shown[3:] == sorted(shown[3:])
    assert set(outcomes(slack, "chat.postMessage")) == {"ok"}


async def test_a_refused_post_makes_the_whole_line_wait_once(slack: FakeSlack, channel: str) -> None:
    slack.faults, slack.faulty = Faults(1.0, ("limited_fraction",)), "chat.postMessage"
    place = Place("default", f"slack:{channel}")
    async with posting(slack) as adapter:
        first = asyncio.create_task(adapter.send(place, Content("first", "placeholder")))
        await slack.until(lambda: slack.faults.made["limited_fraction"])
        slack.faults = Faults()
        await asyncio.gather(first, adapter.send(place, Content("second", "placeholder")))
    assert texts(slack, place) == ["first", "second"]
    assert outcomes(slack, "chat.postMessage") == ["limited_fraction", "ok", "ok"]


async def test_who_would_wait_too_long_is_told_how_long(
    slack: FakeSlack, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "_PATIENCE", 0.5)
    slack.faults = Faults(1.0, ("limited",))
    place = Place("default", f"slack:{channel}")
    async with posting(slack) as adapter:
        for _ in range(2):
            with pytest.raises(RateLimited) as limit:
                await adapter.send(place, Content("x", "placeholder"))
            assert 0.5 < limit.value.retry_after < 2.5
    assert outcomes(slack, "chat.postMessage") == ["limited"], "the second did not even ask"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("0.7", 0.7),
        ("0", 0),
        ("nan", 1),
        ("inf", 1),
        ("1e400", 1),
        ("-5", 1),
        ("soon", 1),
        ("", 1),
        (None, 1),
    ],
)
def test_what_is_no_time_to_wait_is_a_second(header: str | None, seconds: float) -> None:
    assert seconds_in(header) == seconds


async def test_a_long_wait_is_told_the_operator_once(
    slack: FakeSlack, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    slack.rates["chat.update"] = 1
    place = Place("default", f"slack:{channel}")
    async with posting(slack) as adapter:
        ts = await adapter.send(place, Content("x", "growing"))
        await adapter.edit(place, ts, Content("y", "growing"))
        slack.rates["chat.update"] = 0  # 60 s
        for _ in range(3):
            with pytest.raises(RateLimited) as limit:
                await adapter.edit(place, ts, Content("z", "growing"))
            adapter.calls._note_limit("chat.update", RateLimited(limit.value.retry_after + 3_540))  # pyright: ignore[reportPrivateUsage]  # an hour, which the local Slack never asks for
    assert caplog.text.count("slack_asks_to_wait") == 1


async def test_a_stream_whose_begin_was_not_answered_is_gone_on_with(slack: FakeSlack, thread: Place) -> None:
    async with posting(slack, native_stream=True) as adapter:
        slack.faults, slack.faulty = Faults(1.0, ("lost",)), "chat.startStream"
        ts = await adapter.send(thread, Content("…", "placeholder"))
        slack.faults = Faults()
        await adapter.edit(thread, ts, Content("São ▌", "growing", settled="São"))
        await adapter.edit(thread, ts, Content("São 22.", "final"))
    assert texts(slack, thread) == ["São 22."]
    assert outcomes(slack, "chat.appendStream") == ["ok"]
    assert not outcomes(slack, "chat.postMessage")


async def test_a_begin_in_doubt_is_looked_for_until_slack_answers(slack: FakeSlack, thread: Place) -> None:
    async with posting(slack, native_stream=True) as adapter:
        slack.faults, slack.faulty = Faults(1.0, ("lost",)), "c"  # the search fails as well
        with pytest.raises(ConnectionError):
            await adapter.send(thread, Content("…", "placeholder"))
        slack.faults = Faults()
        ts = await adapter.send(thread, Content("…", "placeholder"))
        await adapter.edit(thread, ts, Content("22", "final"))
    assert texts(slack, thread) == ["22"]


async def test_a_stream_that_never_began_is_a_post(slack: FakeSlack, thread: Place) -> None:
    async with posting(slack, native_stream=True) as adapter:
        slack.faults, slack.faulty = Faults(1.0, ("error", "drop")), "chat.startStream"
        await adapter.send(thread, Content("…", "placeholder"))
    assert texts(slack, thread) == ["…"]
    assert outcomes(slack, "chat.postMessage") == ["ok"]


async def test_the_end_of_a_stream_waits_as_slack_asks(slack: FakeSlack, thread: Place) -> None:
    async with posting(slack, native_stream=True) as adapter:
        ts = await adapter.send(thread, Content("…", "placeholder"))
        await adapter.edit(thread, ts, Content("São", "growing", settled="São"))
        for kind, error in (("limited", RateLimited), ("error", ConnectionError), ("lost", ConnectionError)):
            slack.faults, slack.faulty = Faults(1.0, (kind,)), "chat.stopStream"
            with pytest.raises(error):
                await adapter.edit(thread, ts, Content("São 22.", "final"))
        slack.faults = Faults()
        await adapter.edit(thread, ts, Content("São 22.", "final"))
    assert texts(slack, thread) == ["São 22."]
    assert outcomes(slack, "chat.stopStream") == ["limited", "error", "lost", "message_not_in_streaming_state"]
    assert outcomes(slack, "chat.update") == ["ok"]


async def test_text_that_may_have_been_appended_is_not_appended_again(slack: FakeSlack, thread: Place) -> None:
    async with posting(slack, native_stream=True) as adapter:
        ts = await adapter.send(thread, Content("…", "placeholder"))
        slack.faults, slack.faulty = Faults(1.0, ("lost",)), "chat."
        growing = Content("São ▌", "growing", settled="São")
        with pytest.raises(ConnectionError):
            await adapter.edit(thread, ts, growing)
        slack.faults = Faults()
        await adapter.edit(thread, ts, growing)
    assert texts(slack, thread) == ["São ▌"]
    assert outcomes(slack, "chat.appendStream") == ["lost"]


async def test_an_answer_for_one_person_says_what_is_not_shown(slack: FakeSlack, channel: str) -> None:
    user = next(iter(slack.channels[channel].members - {slack.bot.id}))
    place = Place("default", f"slack:{channel}", f"ask:{user}")
    async with posting(slack) as adapter:
        for whole, cut in (("short", False), ("```\n" + "linha & mais\n" * 900, True)):
            reply = EphemeralReply(adapter, slack.new_hook(user, channel))
            await reply.send_file(place, "answer.md", whole)
            told = [seen for seen in slack.messages(channel, user=user) if seen.to][-1]
            assert ("direct message" in told.text, "mensagem direta" in told.text) == (cut, cut)
            assert len(slack.posts[told.id].text) <= TEXT
            assert told.text.count("```") % 2 == 0
        with pytest.raises(MessageGone):
            await reply.edit(place, "ask:gone", Content("x", "final"))
    assert not slack.unfurls
