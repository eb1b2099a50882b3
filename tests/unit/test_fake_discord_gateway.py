"""The local Discord's gateway, with the real client at it."""

import asyncio
from collections.abc import AsyncGenerator

import discord
import pytest
from discord_bot import Bot, connected

from fakes.discord import FakeDiscord, fake_discord


@pytest.fixture
async def world() -> AsyncGenerator[FakeDiscord]:
    async with fake_discord() as served:
        yield served


async def test_a_bot_hears_mentions_and_direct_messages_and_nothing_else_without_the_intent(
    world: FakeDiscord,
) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as bot:
        await world.say(channel, ana, "quantos dias de férias?")
        await world.say(channel, ana, "conversa de outros", mention=False, files=[("a.txt", b"a")])
        await world.say(world.direct(ana), ana, "em particular")
        await world.until(lambda: len(bot.heard) == 3)
        assert bot.texts() == [f"<@{world.bot}> quantos dias de férias?", "", "em particular"]
        assert bot.heard[0].mentions == [bot.user]
        assert not bot.heard[1].attachments
        assert isinstance(bot.heard[2].channel, discord.DMChannel)


async def test_a_reply_is_readable_if_it_rings_the_bot(world: FakeDiscord) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as bot:
        mine = str((await bot.text_channel(channel).send("22 dias")).id)
        await world.say(channel, ana, "e ao domingo?", reply_to=mine)
        await world.say(channel, ana, "em silêncio", reply_to=mine, mention=False)
        await world.until(lambda: len(bot.texts()) == 2)
        assert bot.texts() == ["e ao domingo?", ""]
        assert bot.heard[-1].reference
        assert str(bot.heard[-1].reference.message_id) == mine


async def test_a_preview_updates_a_message_that_nobody_edited(world: FakeDiscord) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as bot:
        message = await world.say(channel, ana, "lê https://x.pt/rh")
        await world.until(lambda: bot.edits)
        assert bot.edits[0].message.edited_at is None
        assert len(bot.edits[0].message.embeds) == 1
        await world.purge(channel, [message])
        await world.until(lambda: bot.deleted == [int(message)])


async def test_privileged_intents_are_given_only_where_they_are_switched_on(world: FakeDiscord) -> None:
    intents = discord.Intents.default() | discord.Intents(message_content=True)
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    refused = Bot(intents=intents)
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with connected(world, refused):
            pass
    world.privileged = intents.value
    async with connected(world, Bot(intents=intents)) as bot:
        await world.say(channel, ana, "ouves isto?", mention=False)
        await world.until(lambda: bot.texts() == ["ouves isto?"])


async def test_a_wrong_token_is_refused(world: FakeDiscord) -> None:
    with pytest.raises(discord.LoginFailure):
        async with connected(world, Bot(), token="another"):
            pass
    assert world.invalid == 1


async def test_edits_and_deletions_reach_the_bot(world: FakeDiscord) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as bot:
        question = await world.say(channel, ana, "férias?")
        await world.edit(channel, question, "férias em agosto?")
        await world.delete(channel, question)
        await world.until(lambda: bot.deleted == [int(question)])
        assert bot.edits[0].message.content == f"<@{world.bot}> férias em agosto?"
        assert [view.text for view in world.views(question)] == [
            f"<@{world.bot}> férias?",
            f"<@{world.bot}> férias em agosto?",
            None,
        ]


@pytest.mark.parametrize("how", ["drop", "reconnect", "resumable"])
async def test_what_is_said_while_the_connection_is_gone_comes_with_the_resume(world: FakeDiscord, how: str) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as bot:
        match how:
            case "drop":
                world.drop_connections()
            case "reconnect":
                await world.refresh_connections()
            case _:
                await world.invalidate_sessions(resumable=True)
        await world.say(channel, ana, "um")
        await world.until(lambda: len(bot.heard) == 1, 10)
        assert "RESUMED" in bot.events
        assert bot.events.count("READY") == 1


async def test_a_gateway_that_refuses_is_tried_until_it_takes_the_bot(world: FakeDiscord) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as bot:
        world.refuse_connections(0.3)
        world.drop_connections()
        await world.until(lambda: world.connections == 0)
        await world.say(channel, ana, "um")
        await world.connected()
        await world.say(channel, ana, "dois")
        # An AutoShardedClient whose first attempt fails identifies anew: what was said in between is lost to it.
        await world.until(lambda: bot.texts() == [f"<@{world.bot}> dois"])
        assert world.identifies == 2


async def test_an_invalid_session_makes_the_bot_identify_again(world: FakeDiscord) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as bot:
        await world.invalidate_sessions()
        await world.until(lambda: bot.events.count("READY") == 2, 15)
        await world.say(channel, ana, "um")
        await world.until(lambda: len(bot.heard) == 1)
        assert "RESUMED" not in bot.events


async def test_a_silent_gateway_is_noticed_by_its_missing_acknowledgements(world: FakeDiscord) -> None:
    world.heartbeat = 0.2
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot(heartbeat_timeout=0.5)) as bot:
        world.silence_connections()
        await world.say(channel, ana, "um")
        await asyncio.sleep(0.2)
        assert not bot.heard
        await world.until(lambda: len(bot.heard) == 1)
        assert "RESUMED" in bot.events


async def test_dispatches_can_come_several_times(world: FakeDiscord) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    world.deliver_times = 3
    async with connected(world, Bot()) as bot:
        message = await world.say(channel, ana, "um")
        await world.until(lambda: len(bot.heard) == 3)
        assert {str(heard.id) for heard in bot.heard} == {message}


async def test_each_shard_hears_its_own_guilds() -> None:
    async with fake_discord(shards=2) as world:
        guilds = [world.add_guild(shard=shard) for shard in (0, 1)]
        channels = [world.add_channel(guild) for guild in guilds]
        people = [world.add_member(guild) for guild in guilds]
        async with connected(world, Bot()) as bot:
            assert bot.shard_count == world.connections == 2
            for channel, person in zip(channels, people, strict=True):
                await world.say(channel, person, "um")
            await world.until(lambda: len(bot.heard) == 2)
            shards = {str(one.id): one.shard_id for one in bot.guilds}
            assert shards == {guilds[0]: 0, guilds[1]: 1}


async def test_guilds_come_and_go(world: FakeDiscord) -> None:
    guild = world.add_guild()
    async with connected(world, Bot()) as bot:
        other = world.add_guild("Outra")
        channel = world.add_channel(other)
        await world.until(lambda: len(bot.guilds) == 2 and bot.get_channel(int(channel)))
        world.remove_guild(guild)
        world.delete_channel(channel)
        await world.until(lambda: [str(one.id) for one in bot.guilds] == [other])
        await world.until(lambda: bot.get_channel(int(channel)) is None)


async def test_two_connections_of_one_application_both_hear_everything(world: FakeDiscord) -> None:
    guild = world.add_guild()
    channel, ana = world.add_channel(guild), world.add_member(guild)
    async with connected(world, Bot()) as one, connected(world, Bot()) as two:
        await world.say(channel, ana, "um")
        await world.until(lambda: len(one.heard) == len(two.heard) == 1)
