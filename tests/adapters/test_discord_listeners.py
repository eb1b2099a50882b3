"""What people write in Discord, and what they see of it: with the real bot on a real database."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from discord_in_process import addresses, running, settings

from answering import FERIAS, UNKNOWN, Desk
from fakes.discord import FakeDiscord, fake_discord
from fakes.ollama import FakeOllama
from fakes.platform import Seen
from kbot.bot import Bot
from kbot.chat import Place, SettingsError
from kbot.prompts import REFUSALS
from kbot.words import SPOKEN
from kbot_discord.adapter import DiscordAdapter

PORTUGUESE = SPOKEN[1]
MESSAGE_CONTENT = 1 << 15


@dataclass
class Server:
    """A server with kbot in it: ana is an admin, bruno is not."""

    world: FakeDiscord
    adapter: DiscordAdapter
    bot: Bot
    guild: str
    channel: str
    ana: str
    bruno: str

    async def reply(self, words: str, channel: str = "", thread: str | None = None) -> Seen:
        """kbot's last message in a channel, once it holds the words."""
        there = channel or self.channel

        def found() -> Seen | None:
            told = self.world.replies_of_bot(there, thread)
            return told[-1] if told and words in told[-1].text and "🔎" not in told[-1].text else None

        seen = await self.world.until(found)
        assert seen
        return seen


@asynccontextmanager
async def serving(
    desk: Desk, model: FakeOllama | None = None, *, shards: int = 1, heartbeat: float = 41.25, **more: Any
) -> AsyncGenerator[Server]:
    async with fake_discord(shards=shards) as world, Bot.open(await desk.engine(model)) as bot:
        world.heartbeat = heartbeat
        world.privileged = MESSAGE_CONTENT if more.get("message_content") else 0
        guild = world.add_guild()
        ana, bruno = world.add_member(guild, "ana", admin=True, locale="pt-BR"), world.add_member(guild, "bruno")
        channel = world.add_channel(guild)
        async with running(world, bot, **more) as adapter:
            yield Server(world, adapter, bot, guild, channel, ana, bruno)


@pytest.fixture
async def club(desk: Desk) -> AsyncGenerator[Server]:
    async with serving(desk) as it:
        yield it


@pytest.fixture
async def reading(desk: Desk) -> AsyncGenerator[Server]:
    """As `club`, of an application that may read message contents."""
    async with serving(desk, message_content=True) as it:
        yield it


async def quiet(seconds: float = 0.7) -> None:
    """Time in which kbot would have begun to answer."""
    await asyncio.sleep(seconds)


async def test_a_mention_is_answered_as_a_reply_with_sources_and_buttons(club: Server) -> None:
    message = await club.world.say(club.channel, club.bruno, FERIAS)
    seen = await club.reply("22 dias")
    assert club.world.all_messages[seen.id].reference == message
    assert "Política de férias" in seen.sources[0]
    assert seen.buttons == ("👍", "👎", "Mostrar tudo o que li")
    views = club.world.views(seen)
    assert "🔎" in str(views[0].text)
    assert not any(view.sources for view in views[:-1])
    assert not club.world.pings
    assert not club.world.previews


async def test_what_does_not_name_kbot_is_left_alone(club: Server) -> None:
    await club.world.say(club.channel, club.bruno, FERIAS, mention=False)
    other = club.world.add_member(club.guild, "robô", bot=True)
    await club.world.say(club.channel, other, FERIAS)
    await quiet()
    assert club.world.replies_of_bot(club.channel) == []


async def test_two_questions_at_once_are_answered_each_below_its_own(club: Server) -> None:
    first = await club.world.say(club.channel, club.bruno, FERIAS)
    second = await club.world.say(club.channel, club.ana, "How much does a lost badge cost?")
    await club.world.until(lambda: sum(bool(seen.sources) for seen in club.world.replies_of_bot(club.channel)) == 2)
    told = {club.world.all_messages[seen.id].reference: seen.text for seen in club.world.replies_of_bot(club.channel)}
    assert "22 dias" in told[first]
    assert "15 euros" in told[second]


async def test_a_direct_message_and_a_reply_need_no_mention(club: Server) -> None:
    direct = club.world.direct(club.bruno)
    await club.world.say(direct, club.bruno, FERIAS)
    await club.reply("22 dias", direct)
    await club.world.say(club.channel, club.bruno, UNKNOWN)
    refusal = await club.reply(REFUSALS["pt"])
    await club.world.say(club.channel, club.bruno, FERIAS, reply_to=refusal.id)
    await club.reply("22 dias")


async def test_a_thread_is_a_conversation_and_goes_on_without_a_mention(reading: Server) -> None:
    thread = reading.world.add_thread(reading.channel, reading.bruno)
    await reading.world.say(reading.channel, reading.bruno, FERIAS, thread=thread, mention=False)
    await quiet()
    assert reading.world.replies_of_bot(reading.channel, thread) == []
    await reading.world.say(reading.channel, reading.bruno, FERIAS, thread=thread)
    await reading.reply("22 dias", thread=thread)
    await reading.world.say(
        reading.channel, reading.bruno, "How much does a lost badge cost?", thread=thread, mention=False
    )
    await reading.reply("15 euros", thread=thread)
    await reading.world.say(reading.channel, reading.bruno, f"<@{reading.ana}> {FERIAS}", thread=thread, mention=False)
    await quiet()
    assert len(reading.world.replies_of_bot(reading.channel, thread)) == 2


async def test_without_message_contents_a_thread_needs_a_mention_and_blank_messages_are_not_answered(
    club: Server,
) -> None:
    thread = club.world.add_thread(club.channel, club.bruno)
    await club.world.say(club.channel, club.bruno, FERIAS, thread=thread)
    await club.reply("22 dias", thread=thread)
    await club.world.say(club.channel, club.bruno, FERIAS, thread=thread, mention=False)
    await quiet()
    assert len(club.world.replies_of_bot(club.channel, thread)) == 1


async def test_what_is_delivered_three_times_is_answered_once(club: Server) -> None:
    club.world.deliver_times = 3
    await club.world.say(club.channel, club.bruno, FERIAS)
    await club.reply("22 dias")
    await quiet()
    assert len(club.world.replies_of_bot(club.channel)) == 1


async def test_an_edited_question_is_answered_anew_once_and_a_preview_is_no_edit(club: Server) -> None:
    message = await club.world.say(club.channel, club.bruno, f"{UNKNOWN} https://example.org/a")
    refusal = await club.reply(REFUSALS["pt"])
    await quiet()
    assert PORTUGUESE.revised not in club.world.replies_of_bot(club.channel)[0].text
    await club.world.edit(club.channel, message, FERIAS)
    revised = await club.reply("22 dias")
    assert revised.id == refusal.id
    assert PORTUGUESE.revised in revised.text


async def test_a_deleted_question_takes_its_reply_along(club: Server) -> None:
    club.world.rates["edit message"] = (50, 1.0)
    messages = [await club.world.say(club.channel, club.bruno, FERIAS) for _ in range(3)]
    await club.world.until(lambda: sum(bool(one.sources) for one in club.world.replies_of_bot(club.channel)) == 3)
    await club.world.delete(club.channel, messages[0])
    await club.world.until(lambda: len(club.world.replies_of_bot(club.channel)) == 2)
    await club.world.purge(club.channel, messages[1:])
    await club.world.until(lambda: not club.world.replies_of_bot(club.channel))


async def test_files_are_ingested_by_an_admin_and_seen_in_a_private_channel_alone(club: Server) -> None:
    world = club.world
    secret = world.add_channel(club.guild, "direção", private=True, members=[club.ana])
    text = b"# Cofre\n\nA senha do cofre da tesouraria fica com a Marta.\n"
    await world.say(secret, club.ana, "ingerir", files=[("cofre.md", text)])
    await club.reply(PORTUGUESE.ingested.format(done=1, total=1), secret)
    question = "Com quem fica a senha do cofre da tesouraria?"
    await world.say(secret, club.ana, question)
    await club.reply("Marta", secret)
    await world.say(club.channel, club.bruno, question)
    await club.reply(REFUSALS["pt"])
    assert "Marta" not in "".join(seen.text for seen in world.replies_of_bot(club.channel))


async def test_who_is_no_admin_is_told_so(club: Server) -> None:
    await club.world.say(club.channel, club.bruno, "ingerir", files=[("a.md", b"# A\n\nB.\n")])
    await club.reply(PORTUGUESE.only_admins)


async def test_admins_are_the_users_and_roles_that_are_set(desk: Desk) -> None:
    async with fake_discord() as world, Bot.open(await desk.engine()) as bot:
        guild = world.add_guild()
        role = world.add_role(guild, "docs")
        ana, rui = world.add_member(guild, "ana", admin=True), world.add_member(guild, "rui", roles=[role])
        eva = world.add_user("eva")
        channel, direct = world.add_channel(guild), world.direct(eva)
        async with running(world, bot, admins=frozenset({role, eva})) as adapter:
            await world.until(lambda: adapter.directory.channel(_place(channel)) is not None)
            who = [await adapter.is_admin(_place(channel), person) for person in (ana, rui, eva)]
            assert who == [False, True, True]
            assert await adapter.is_admin(_place(direct), eva)
            assert not await adapter.is_admin(_place(direct), ana)
            assert not await adapter.is_admin(_place(channel), world.add_user("ninguém"))


async def test_a_permission_that_is_missing_is_named_once(club: Server, caplog: pytest.LogCaptureFixture) -> None:
    club.world.deny(club.channel, "send_messages")
    for _ in range(2):
        await club.world.say(club.channel, club.bruno, FERIAS)
        await quiet(0.4)
    assert caplog.text.count("permission_missing") == 1
    assert "missing='Send Messages'" in caplog.text
    assert FERIAS not in caplog.text
    assert club.world.token not in caplog.text


async def test_a_channel_without_its_history_is_answered_without_a_reference(club: Server) -> None:
    club.world.deny(club.channel, "read_message_history")
    await club.world.say(club.channel, club.bruno, FERIAS)
    seen = await club.reply("22 dias")
    assert club.world.all_messages[seen.id].reference is None


async def test_a_channel_that_is_deleted_stops_the_model(desk: Desk, model: FakeOllama) -> None:
    model.behaviour, model.delay, model.words = "slow", 0.05, ["mais "] * 500
    async with fake_discord() as world, Bot.open(await desk.engine(model)) as bot:
        guild = world.add_guild()
        user, channel = world.add_member(guild), world.add_channel(guild)
        async with running(world, bot):
            await world.say(channel, user, FERIAS)
            await world.until(lambda: "mais" in "".join(seen.text for seen in world.replies_of_bot(channel)))
            world.delete_channel(channel)
            async with asyncio.timeout(10):
                await model.left.wait()


async def test_a_session_goes_on_after_its_connection_was_cut(club: Server) -> None:
    await club.world.say(club.channel, club.bruno, FERIAS)
    await club.reply("22 dias")
    await club.world.refresh_connections()
    await club.world.say(club.channel, club.bruno, "How much does a lost badge cost?")
    await club.reply("15 euros")


async def test_servers_that_come_are_served_and_those_that_go_are_logged(
    club: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "kbot_discord")
    await club.world.until(lambda: "discord_ready" in caplog.text)
    guild = club.world.add_guild("Outra")
    await club.world.until(lambda: "server_joined" in caplog.text)
    user, channel = club.world.add_member(guild), club.world.add_channel(guild)
    await club.world.say(channel, user, FERIAS)
    await club.reply("22 dias", channel)
    club.world.remove_guild(guild)
    await club.world.until(lambda: "server_left" in caplog.text)


async def test_what_keeps_kbot_from_starting_is_said_in_one_line(desk: Desk) -> None:
    async with fake_discord() as world, Bot.open(await desk.engine()) as bot, addresses():
        for more, told in (
            ({"token": "wrong"}, "KBOT_DISCORD_TOKEN"),
            ({"message_content": True}, "Message Content Intent"),
            ({"api_url": "http://127.0.0.1:9/api/v10"}, "KBOT_DISCORD_API_URL"),
        ):
            with pytest.raises(SettingsError, match=told) as raised:
                async with asyncio.timeout(10):
                    await DiscordAdapter(settings(world, **more)).run(bot)
            assert "\n" not in str(raised.value)


def _place(channel: str) -> Place:
    return Place("default", f"discord:{channel}")
