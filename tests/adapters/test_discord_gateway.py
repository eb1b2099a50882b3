"""Connections to Discord that end, fall silent or lose their session: nothing that people say is lost or doubled."""

import asyncio
import time
from collections.abc import AsyncGenerator

import pytest
from test_discord_listeners import Server, serving

from answering import FERIAS, Desk
from fakes.discord_events import append
from fakes.ollama import FakeOllama
from fakes.platform import Seen
from kbot_discord import client

BADGE = "How much does a lost badge cost?"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """New sessions begin at once: discord.py leaves the five seconds between them that the real Discord asks for."""

    async def begin(_client: client.Client, _shard: int | None, *, initial: bool = False) -> None:
        del initial

    monkeypatch.setattr(client.Client, "before_identify_hook", begin)


@pytest.fixture
async def club(desk: Desk) -> AsyncGenerator[Server]:
    async with serving(desk) as it:
        await it.world.say(it.channel, it.bruno, FERIAS)
        await it.reply("22 dias")
        yield it


async def answered(club: Server, *messages: str) -> dict[str, Seen]:
    """The replies to messages, by these, once each of them has its sources."""
    world = club.world

    def found() -> dict[str, Seen] | None:
        replies = {seen.id: seen for channel in [*world.channels] for seen in world.replies_of_bot(channel)}
        told = {str(world.all_messages[one].reference): seen for one, seen in replies.items() if seen.sources}
        return told if told.keys() >= {*messages} else None

    seen = await world.until(found, 20)
    assert seen
    return seen


def replies(club: Server, *channels: str) -> int:
    return sum(len(club.world.replies_of_bot(channel)) for channel in channels)


async def test_what_is_said_while_no_session_lives_is_answered_once(club: Server) -> None:
    world = club.world
    thread = world.add_thread(club.channel, club.bruno)
    other = world.add_channel(club.guild, "outro")
    direct = world.direct(club.bruno)
    first = await world.say(direct, club.bruno, FERIAS)
    await answered(club, first)
    world.refuse_connections(0.5)
    world.drop_connections()
    await asyncio.sleep(0.1)
    assert world.connections == 0
    said = [
        await world.say(club.channel, club.bruno, BADGE),
        await world.say(club.channel, club.bruno, BADGE, thread=thread),
        await world.say(other, club.bruno, BADGE),
        await world.say(direct, club.bruno, BADGE),
    ]
    await world.say(other, club.bruno, BADGE, mention=False)
    before = world.identifies
    await world.connected()
    assert world.identifies == before + 1
    told = await answered(club, *said)
    assert all("15 euros" in told[one].text for one in said)
    await asyncio.sleep(0.5)
    assert replies(club, club.channel, thread, other, direct) == 6


@pytest.mark.parametrize("resumable", [True, False])
async def test_a_session_that_discord_calls_invalid_loses_nothing(club: Server, resumable: bool) -> None:
    identifies = club.world.identifies
    await club.world.invalidate_sessions(resumable=resumable)
    said = await club.world.say(club.channel, club.bruno, BADGE)
    told = await answered(club, said)
    assert "15 euros" in told[said].text
    assert club.world.identifies == identifies + (not resumable)
    assert replies(club, club.channel) == 2


async def test_each_shard_takes_up_what_it_missed(desk: Desk) -> None:
    async with serving(desk, shards=2) as club:
        world = club.world
        await world.connected(2)
        guilds = [world.add_guild(f"Servidor {shard}", shard=shard) for shard in (0, 1)]
        channels = [world.add_channel(guild) for guild in guilds]
        people = [world.add_member(guild, f"pessoa {n}") for n, guild in enumerate(guilds)]
        said = [await world.say(channel, user, FERIAS) for channel, user in zip(channels, people, strict=True)]
        await answered(club, *said)
        await world.invalidate_sessions()
        said = [await world.say(channel, user, BADGE) for channel, user in zip(channels, people, strict=True)]
        told = await answered(club, *said)
        assert all("15 euros" in told[one].text for one in said)
        assert [replies(club, channel) for channel in channels] == [2, 2]


@pytest.mark.parametrize("silent", [False, True])
async def test_an_answer_in_flight_outlives_its_connection(
    desk: Desk, model: FakeOllama, monkeypatch: pytest.MonkeyPatch, silent: bool
) -> None:
    model.behaviour, model.delay = "slow", 0.1
    model.words = ["São ", *["22 "] * 30, "dias [1]."]
    monkeypatch.setattr(client, "SILENCE", 1.0)
    async with serving(desk, model, heartbeat=0.3) as club:
        world = club.world
        other = world.add_channel(club.guild, "outro")
        said = await world.say(club.channel, club.bruno, FERIAS)
        await world.until(lambda: "22 22" in "".join(seen.text for seen in world.replies_of_bot(club.channel)))
        broken = time.monotonic()
        world.silence_connections() if silent else world.drop_connections()
        later = await world.say(other, club.ana, FERIAS)
        await world.connected()
        assert time.monotonic() - broken < 5
        told = await answered(club, said, later)
        assert told[said].text.count("22 22 22") == told[later].text.count("22 22 22")
        assert replies(club, club.channel, other) == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [("MESSAGE_UPDATE", {"embeds": []}), ("MESSAGE_CREATE", {"content": "x"}), ("MESSAGE_CREATE", {"poll": None})],
)
async def test_an_event_that_nobody_understands_is_passed_over(
    club: Server, caplog: pytest.LogCaptureFixture, name: str, told: dict[str, object]
) -> None:
    event = {"id": club.world.new_id(), "channel_id": club.channel, "guild_id": club.guild, **told}
    for session in club.world.sessions.values():
        append(session, name, event)
    message = await club.world.say(club.channel, club.bruno, BADGE)
    await answered(club, message)
    assert "event_not_understood" in caplog.text
