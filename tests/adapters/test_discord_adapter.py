"""The Discord adapter in front of a local Discord: what a reader sees, also when calls fail."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from conformance import CITATIONS, GROUNDED, REFUSED, AdapterConformance
from discord_in_process import addresses, settings

from fakes.discord import FakeDiscord, fake_discord
from fakes.discord_state import KINDS
from fakes.platform import Faults
from kbot.chat import Attachment, Content, DeliveryError, MessageGone, Place, RateLimited, Rejected
from kbot_discord.adapter import DiscordAdapter
from kbot_discord.buckets import Bucket
from kbot_discord.calls import seconds_in
from kbot_discord.turn import Turn, begin

T = TypeVar("T")


@dataclass
class Channel:
    """A channel, as somebody there sees it."""

    adapter: DiscordAdapter
    world: FakeDiscord
    channel: str
    user: str

    @property
    def place(self) -> Place:
        return Place("default", f"discord:{self.channel}")

    @property
    def texts(self) -> list[str]:
        return [seen.text for seen in self.world.replies_of_bot(self.channel)]

    async def seen(self) -> str:
        files = [text for seen in self.world.replies_of_bot(self.channel) for text in self.world.files(seen).values()]
        return "\n".join([*self.texts, *files])


@asynccontextmanager
async def reading() -> AsyncGenerator[Channel]:
    async with fake_discord() as world, addresses():
        guild = world.add_guild()
        user, channel = world.add_member(guild), world.add_channel(guild)
        adapter = DiscordAdapter(settings(world))
        async with adapter.connected():
            begin(Turn())
            yield Channel(adapter, world, channel, user)


@pytest.fixture
async def reader() -> AsyncGenerator[Channel]:
    async with reading() as channel:
        yield channel


async def insisted(call: Callable[[], Awaitable[T]]) -> T:
    """What the core does: the call again until it is taken."""
    while True:
        try:
            return await call()
        except RateLimited as limit:
            await asyncio.sleep(limit.retry_after)
        except ConnectionError:
            pass


class TestDiscord(AdapterConformance):
    @pytest.fixture
    async def reader(self) -> AsyncGenerator[Channel]:
        async with reading() as channel:
            channel.world.rates |= {"create message": (50, 1.0), "edit message": (50, 1.0)}
            yield channel


async def test_failing_calls_lose_and_double_nothing(reader: Channel) -> None:
    reader.world.faults = Faults(0.3, KINDS, seed=3)
    reader.world.rates |= {"create message": (1000, 1.0), "edit message": (1000, 1.0), "delete message": (1000, 1.0)}
    adapter, place = reader.adapter, reader.place
    ids = [await insisted(lambda n=n: adapter.send(place, Content(f"text {n}", "placeholder"))) for n in range(30)]
    for n, message in enumerate(ids):
        await insisted(lambda n=n, message=message: adapter.edit(place, message, Content(f"final {n}", "final")))
    assert reader.texts == [f"final {n}" for n in range(30)]
    assert {"lost", "drop", "error"} <= reader.world.faults.made.keys()


async def test_what_is_posted_again_after_a_lost_answer_shows_the_newest_text(reader: Channel) -> None:
    reader.world.faults = Faults(1.0, ("lost",))
    with pytest.raises(ConnectionError):
        await reader.adapter.send(reader.place, Content("searching", "placeholder"))
    reader.world.faults = Faults()
    await reader.adapter.send(reader.place, Content("the answer", "growing"))
    assert reader.texts == ["the answer"]


async def test_the_first_message_refers_to_the_question_however_late_it_comes(reader: Channel) -> None:
    asked = await reader.world.say(reader.channel, reader.user, "férias?")
    begin(Turn(reference=asked))
    late = await reader.adapter.send(reader.place, Content("the answer", "final", key="k.0"))
    further = await reader.adapter.send(reader.place, Content("more of it", "final", key="k.1"))
    begin(Turn(reference=asked))
    of_a_revision = await reader.adapter.send(reader.place, Content("a second part", "final", key="r.1"))
    messages = reader.world.all_messages
    assert [messages[each].reference for each in (late, further, of_a_revision)] == [asked, None, None]


async def test_a_call_says_at_once_how_long_to_wait(reader: Channel) -> None:
    message = await reader.adapter.send(reader.place, Content("0", "placeholder"))
    begun = time.monotonic()
    for n in range(5):
        await reader.adapter.edit(reader.place, message, Content(str(n), "growing"))
    with pytest.raises(RateLimited) as limited:
        await reader.adapter.edit(reader.place, message, Content("6", "growing"))
    assert time.monotonic() - begun < 1
    assert 3 < limited.value.retry_after <= 5
    assert reader.world.invalid == 0


async def test_a_cancelled_post_is_taken_back(reader: Channel) -> None:
    posting = asyncio.create_task(reader.adapter.send(reader.place, Content("searching", "placeholder")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    posting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await posting
    await reader.world.until(lambda: reader.world.traffic.times("delete message"))
    assert reader.texts == []


async def test_sources_that_do_not_fit_stand_below_and_go_with_their_answer(reader: Channel) -> None:
    answer = replace(GROUNDED, id="0b0f1f6e-0000-4000-8000-000000000001")
    message = await reader.adapter.send(reader.place, Content("…", "placeholder"))
    await reader.adapter.edit(reader.place, message, Content("w " * 990, "final", answer))
    first, below = reader.world.replies_of_bot(reader.channel)
    assert (first.sources, first.buttons) == ((), ())
    assert "Manual de RH" in below.sources[0]
    assert "👍" in below.buttons
    # Another process, which knows nothing of the message below, revises the answer.
    other = DiscordAdapter(settings(reader.world))
    async with other.connected():
        await other.edit(reader.place, message, Content(REFUSED.text, "final", REFUSED))
    assert reader.texts == [REFUSED.text]


async def test_an_answer_of_many_sources_loses_none(reader: Channel) -> None:
    many = tuple(replace(CITATIONS[0], n=n, title=f"Manual {n} {'x' * 200}", source=f"{n}.pdf") for n in range(1, 31))
    answer = replace(GROUNDED, citations=many)
    await insisted(lambda: reader.adapter.send(reader.place, Content("Tudo.", "final", answer)))
    listed = await reader.seen()
    assert all(f"[{n}] [Manual {n} " in listed for n in range(1, 31))


async def test_nothing_is_called_and_nothing_unfolds(reader: Channel) -> None:
    text = f"@everyone <@{reader.user}> https://example.org/x"
    message = await reader.adapter.send(reader.place, Content("…", "placeholder"))
    await reader.adapter.edit(reader.place, message, Content(text, "final", GROUNDED))
    assert not reader.world.pings
    assert not reader.world.previews
    assert text in reader.texts[0]


async def test_what_is_gone_and_what_is_refused(reader: Channel) -> None:
    message = await reader.adapter.send(reader.place, Content("x", "final"))
    await reader.world.delete(reader.channel, message)
    with pytest.raises(MessageGone, match="10008"):
        await reader.adapter.edit(reader.place, message, Content("y", "final"))
    with pytest.raises(MessageGone):
        await reader.adapter.delete(reader.place, message)
    with pytest.raises(DeliveryError, match="50006") as refused:
        await reader.adapter.send(reader.place, Content(" ", "final"))
    assert not isinstance(refused.value, MessageGone)
    reader.world.delete_channel(reader.channel)
    with pytest.raises(MessageGone, match="10003"):
        await reader.adapter.send(reader.place, Content("x", "final"))
    with pytest.raises(MessageGone):
        await reader.adapter.send(replace(reader.place, thread="ask:1"), Content("x", "final"))


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("https://cdn.discordapp.com/attachments/1/2/a.pdf?ex=1", True),
        ("https://media.discordapp.net/attachments/1/2/a.pdf", True),
        ("http://cdn.discordapp.com/attachments/1/2/a.pdf", False),
        ("https://cdn.discordapp.com.evil.org/a.pdf", False),
        ("https://evil.org/a.pdf", False),
        ("http://169.254.169.254/latest", False),
        ("https://[bad/a.pdf", False),
        ("", False),
    ],
)
async def test_files_come_from_discord_alone(url: str, taken: bool) -> None:
    async with fake_discord() as world:
        local, real = (
            DiscordAdapter(settings(world)),
            DiscordAdapter(settings(world, api_url="https://discord.com/api/v10")),
        )
        for adapter in (local, real):
            if taken:
                assert adapter.download(Attachment("a.pdf", url, 1)) == {}
            else:
                with pytest.raises(Rejected):
                    adapter.download(Attachment("a.pdf", url, 1))
        assert local.download(Attachment("a.pdf", f"{world.url}/attachments/1/2/a.pdf", 1)) == {}
        with pytest.raises(Rejected):
            real.download(Attachment("a.pdf", f"{world.url}/attachments/1/2/a.pdf", 1))


@pytest.mark.parametrize(
    ("told", "seconds"), [(0.3, 0.3), ("7", 7), ("nan", None), ("inf", None), (-5, None), ("soon", None), (None, None)]
)
def test_what_is_no_time_to_wait_is_none(told: object, seconds: float | None) -> None:
    assert seconds_in(told) == seconds


@pytest.mark.parametrize("told", ["nan", "inf", "1e9", "-5"])
def test_a_channel_is_not_mute_for_what_a_header_says(told: str) -> None:
    bucket = Bucket()
    bucket.learn({"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": told})
    assert bucket.ends - time.monotonic() <= 120
