"""The Slack adapter in front of a local Slack: what a reader sees, also when calls fail."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

import pytest
from conformance import AdapterConformance
from pydantic import SecretStr
from slack_in_process import settings
from slack_thread import Thread, reading

from fakes.platform import FAULTS, Faults
from kbot.chat import Attachment, Content, DeliveryError, MessageGone, Place, RateLimited, Rejected
from kbot.live_reply import LiveReply, Pacer
from kbot_slack import line
from kbot_slack.adapter import SlackAdapter
from kbot_slack.blocks import TEXT
from kbot_slack.markup import count

T = TypeVar("T")


@pytest.fixture
async def reader() -> AsyncGenerator[Thread]:
    async with reading() as thread:
        yield thread


async def insisted(call: Callable[[], Awaitable[T]]) -> T:
    """What the core does: the call again until it is taken."""
    while True:
        try:
            return await call()
        except RateLimited as limit:
            if limit.retry_after > 1:
                raise
        except ConnectionError:
            continue


class TestSlack(AdapterConformance):
    @pytest.fixture
    async def reader(self) -> AsyncGenerator[Thread]:
        async with reading() as thread:
            yield thread


async def test_failing_calls_lose_and_double_nothing(reader: Thread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "INTERVAL", 0.01)
    reader.slack.faults, reader.slack.faulty = Faults(0.3, FAULTS, seed=3), ""
    reader.slack.burst = 1_000
    reader.slack.rates |= {"chat.update": 1_000, "chat.delete": 1_000}
    adapter, place = reader.adapter, reader.place
    top = Place("default", place.channel)
    ids = [await insisted(lambda n=n: adapter.send(place, Content(f"text {n}", "placeholder"))) for n in range(30)]
    same = [await insisted(lambda: adapter.send(top, Content("the same", "placeholder"))) for _ in range(5)]
    for n, ts in enumerate(ids):
        await insisted(lambda n=n, ts=ts: adapter.edit(place, ts, Content(f"final {n}", "final")))
    assert reader.texts == [f"final {n}" for n in range(30)]
    assert [seen.id for seen in reader.slack.replies_of_bot(reader.channel)] == same
    assert reader.slack.faults.made.keys() == set(FAULTS)
    for ts in same:
        try:
            await insisted(lambda ts=ts: adapter.delete(top, ts))
        except MessageGone:
            assert reader.slack.seen(ts) is None
    assert reader.slack.replies_of_bot(reader.channel) == []


async def test_a_lost_post_is_found_on_another_page(reader: Thread) -> None:
    reader.slack.faults = Faults(1.0, ("lost",))
    with pytest.raises(ConnectionError):
        await reader.adapter.send(reader.place, Content("first", "placeholder"))
    reader.slack.faults = Faults()
    for n in range(250):
        await reader.slack.say(reader.channel, reader.user, str(n), thread=reader.ts)
    ts = await reader.adapter.send(reader.place, Content("first", "placeholder"))
    assert reader.texts == ["first"]
    assert reader.slack.seen(ts) is not None


async def test_a_lost_post_that_shows_other_words_by_now_is_one_message(reader: Thread) -> None:
    reader.slack.faults = Faults(1.0, ("lost",))
    with pytest.raises(ConnectionError):
        await reader.adapter.send(reader.place, Content("searching", "placeholder", key="k.0"))
    reader.slack.faults = Faults()
    await reader.adapter.send(reader.place, Content("number 2 in the queue", "placeholder", key="k.0"))
    await reader.adapter.send(reader.place, Content("another", "placeholder", key="k.1"))
    assert await reader.seen() == "number 2 in the queue\nanother"


async def test_two_posts_of_the_same_text_stay_two(reader: Thread) -> None:
    reader.slack.faults = Faults(1.0, ("lost",))
    with pytest.raises(ConnectionError):
        await reader.adapter.send(reader.place, Content("searching", "placeholder"))
    reader.slack.faults = Faults()
    ids = {await reader.adapter.send(reader.place, Content("searching", "placeholder")) for _ in range(2)}
    assert len(ids) == len(reader.texts) == 2


async def test_a_post_that_nobody_waits_for_is_taken_back(reader: Thread) -> None:
    sending = asyncio.create_task(reader.adapter.send(reader.place, Content("searching", "placeholder")))
    await asyncio.sleep(0)  # it has begun, and is not answered yet
    assert sending.cancel()
    assert isinstance((await asyncio.gather(sending, return_exceptions=True))[0], asyncio.CancelledError)
    await reader.slack.until(lambda: reader.slack.traffic.times("chat.delete"))
    assert not reader.texts


async def test_who_was_removed_is_told_once(reader: Thread, caplog: pytest.LogCaptureFixture) -> None:
    ts = await reader.adapter.send(reader.place, Content("x", "placeholder"))
    reader.slack.archive(reader.channel)
    for _ in range(3):
        with pytest.raises(MessageGone, match="Unarchive"):
            await reader.adapter.edit(reader.place, ts, Content("y", "growing"))
    assert caplog.text.count("slack_lost") == 1
    reader.slack.channels[reader.channel].archived = False
    await reader.adapter.edit(reader.place, ts, Content("secret words", "growing"))
    reader.slack.kick_bot(reader.channel)
    for _ in range(2):
        with pytest.raises(MessageGone, match="Invite"):
            await reader.adapter.send(reader.place, Content("secret words", "placeholder"))
    assert caplog.text.count("slack_lost") == 2
    assert not reader.adapter.calls.dead.is_set()
    reader.slack.revoke_tokens()
    for place in (reader.place, Place("default", "slack:C1")):
        with pytest.raises(MessageGone, match="Install the app again"):
            await reader.adapter.send(place, Content("secret words", "placeholder"))
    assert reader.adapter.calls.dead.is_set()
    assert caplog.text.count("slack_lost") == 3
    assert "secret words" not in caplog.text
    assert reader.slack.bot_token not in caplog.text


async def test_a_refusal_names_the_call_and_the_next_step(reader: Thread) -> None:
    reader.slack.scopes.discard("chat:write")
    with pytest.raises(DeliveryError, match=r"chat.postMessage with missing_scope \(chat:write\)\. Add the scope"):
        await reader.adapter.send(reader.place, Content("x", "final"))


async def test_a_limit_of_slack_is_told_with_its_seconds(reader: Thread) -> None:
    ts = await reader.adapter.send(reader.place, Content("x", "growing"))
    for kind, seconds in (("limited", 1), ("limited_fraction", 0.7), ("limited_ok", 1)):
        reader.slack.faults = Faults(1.0, (kind,))
        with pytest.raises(RateLimited) as limit:
            await reader.adapter.edit(reader.place, ts, Content("x", "final"))
        assert limit.value.retry_after == seconds


async def test_a_whisper_is_for_one_person(reader: Thread) -> None:
    await reader.adapter.whisper(reader.place, reader.user, "só **você**")
    (seen,) = reader.slack.replies_of_bot(reader.channel, reader.ts, reader.user)
    assert (seen.text, seen.to) == ("só **você**", reader.user)
    direct = reader.slack.direct(reader.user).id
    await reader.adapter.whisper(Place("default", f"slack:{direct}"), reader.user, "oi")
    assert [(seen.text, seen.to) for seen in reader.slack.replies_of_bot(direct)] == [("oi", None)]


async def test_a_long_answer_goes_on_in_messages_each_once(reader: Thread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "INTERVAL", 0.01)
    text = "\n\n".join(f"line {n} & more" for n in range(6_000))
    reader.slack.rates, reader.slack.burst = dict.fromkeys(reader.slack.rates, 100_000), 100
    async with LiveReply(reader.adapter, reader.place, pacer=Pacer(0.01)) as reply:
        reply.finish(text)
    assert "".join(f"{each}\n" for each in reader.texts).split() == text.split()
    assert len(reader.texts) > 20
    assert all(count(each) <= TEXT for each in reader.texts)


async def test_a_file_that_is_longer_than_a_message_is_refused(reader: Thread) -> None:
    with pytest.raises(DeliveryError, match="KBOT_ANSWER_TOKENS"):
        await reader.adapter.send_file(reader.place, "answer.md", "&" * TEXT)
    assert reader.texts == []


async def test_admins_are_those_of_the_setting_or_of_the_workspace(reader: Thread) -> None:
    boss = reader.slack.add_user("bia", owner=True)
    adapter = reader.adapter
    assert [await adapter.is_admin(reader.place, user) for user in (boss, reader.user, "U404")] == [True, False, False]
    chosen = SlackAdapter(settings(reader.slack, admins=frozenset({reader.user})))
    async with chosen.connected():
        assert [await chosen.is_admin(reader.place, user) for user in (boss, reader.user)] == [False, True]


async def test_the_token_goes_to_slack_alone(reader: Thread) -> None:
    file = reader.slack.add_file("a.pdf", b"x", "application/pdf", reader.user)
    bearer = {"Authorization": f"Bearer {reader.slack.bot_token}"}
    for url in (file["url_private"], "https://files.slack.com/files-pri/T1-F1/a.pdf"):
        assert reader.adapter.download(Attachment("a.pdf", url, 1)) == bearer
    elsewhere = ("https://files.example.org/a", "http://files.slack.com/a", "https://slack.com.evil.org/a")
    elsewhere = (*elsewhere, "https://[bad/x.md", "https://files.slack.com@evil.org/x", "x")
    for url in (*elsewhere, "https://evil-slack.com/a", reader.slack.url.replace("127.0.0.1", "127.0.0.2") + "/a"):
        with pytest.raises(Rejected, match="another service"):
            reader.adapter.download(Attachment("a.pdf", url, 1))
    with pytest.raises(Rejected, match=r"Slack holds a\.pdf back"):
        reader.adapter.download(Attachment("a.pdf", "", 0))
    real = SlackAdapter(settings(reader.slack, bot_token=SecretStr("t"), api_url="https://slack.com/api/"))
    with pytest.raises(Rejected):
        real.download(Attachment("a.pdf", file["url_private"], 1))


async def test_what_is_private(reader: Thread) -> None:
    slack, directory = reader.slack, reader.adapter.directory
    group, direct = slack.add_channel("rh", [reader.user], kind="group"), slack.direct(reader.user).id
    closed = slack.add_channel("diretoria", [reader.user], kind="group", bot=False)
    found = [await directory.is_private(each) for each in (reader.channel, group, direct, closed, "C404")]
    assert found == [False, True, True, True, True]
    slack.scopes -= {"channels:read", "groups:read"}
    new = slack.add_channel("novo", [reader.user])
    assert await directory.is_private(new), "what Slack does not say counts as private"
    directory.learn(new, "channel")
    assert not await directory.is_private(new)
