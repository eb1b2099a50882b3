"""Commands on simcord's Discord, which has its own idea of permissions, menus and restarts."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import discord
import simcord
from discord_in_process import addresses
from pydantic import SecretStr

from answering import FERIAS, Desk, ask
from kbot.bot import Bot
from kbot.chat import Forbidden, Place
from kbot.words import SPOKEN
from kbot_discord.adapter import DiscordAdapter
from kbot_discord.buttons import AnswerButton
from kbot_discord.calls import Calls
from kbot_discord.client import Client
from kbot_discord.settings import DiscordSettings

ENGLISH, _ = SPOKEN


@dataclass
class Simulated:
    """A server in simcord, with somebody who may manage it and somebody who may not."""

    env: simcord.Env
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    admin: simcord.MemberActor
    member: simcord.MemberActor
    again: Callable[[], Client]

    @property
    def client(self) -> Client:
        """kbot's client, the one before a restart or after it."""
        assert isinstance(self.env.bot, Client)
        return self.env.bot

    def channel_of_bot(self) -> discord.TextChannel:
        """The channel as kbot's client knows it."""
        found = self.client.get_channel(self.channel.id)
        assert isinstance(found, discord.TextChannel)
        return found


def client_of(bot: Bot, session: aiohttp.ClientSession) -> Client:
    """A client whose adapter is in use, without a connection of its own."""
    client = Client()
    given: dict[str, Any] = {"_env_file": None, "token": SecretStr("x"), "admins": frozenset[str]()}
    adapter = DiscordAdapter(DiscordSettings(**given))
    adapter.prepare(client, Calls(session, "http://127.0.0.1:9", "x"), application="1", user="1")
    client.serve(adapter, bot)
    return client


@asynccontextmanager
async def simulated(desk: Desk) -> AsyncGenerator[Simulated]:
    # Not in a fixture: simcord's clock must be left in the task that entered it.
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(addresses())
        session = await stack.enter_async_context(aiohttp.ClientSession())
        bot = await stack.enter_async_context(Bot.open(await desk.engine()))
        async with simcord.run(client_of(bot, session), shard_count=1) as env:
            guild = env.create_guild()
            manage = guild.create_role("docs", permissions=discord.Permissions(manage_guild=True))
            yield Simulated(
                env,
                guild,
                guild.create_text_channel("geral"),
                guild.add_member(env.create_user("ana"), roles=[manage]),
                guild.add_member(env.create_user("bruno")),
                lambda: client_of(bot, session),
            )


async def test_a_member_is_offered_the_question_alone(desk: Desk) -> None:
    async with simulated(desk) as it:
        assert it.member.available_commands(it.channel) == ("ask",)
        assert set(it.admin.available_commands(it.channel)) == {"ask", "ingest", "sources", "forget", "gaps"}


async def test_a_report_is_shown_to_its_admin_alone(desk: Desk) -> None:
    async with simulated(desk) as it:
        result = await it.admin.slash(it.channel, "sources")
        simcord.assert_responded(result, contains="ferias.md", ephemeral=True)


async def test_an_admin_whom_the_server_lets_in_but_kbot_does_not_is_told_so(desk: Desk) -> None:
    async with simulated(desk) as it:
        known = await it.client.tree.fetch_commands()
        for name in ("sources", "gaps"):
            (command,) = [each for each in known if each.name == name]
            it.guild.set_command_permissions(command, {it.member: True})
            result = await it.member.slash(it.channel, name)
            simcord.assert_responded(result, contains=ENGLISH.only_admins, ephemeral=True)
            simcord.assert_error(it.env, Forbidden)


async def test_names_are_proposed_to_admins(desk: Desk) -> None:
    async with simulated(desk) as it:
        proposed = await it.admin.autocomplete(it.channel, "forget", "source", "bibl")
        assert [one["value"] for one in proposed] == ["biblioteca.md"]
        result = await it.admin.slash(it.channel, "forget", source="nada.md")
        simcord.assert_responded(result, contains=ENGLISH.unknown_source.format(name="`nada.md`"), ephemeral=True)


async def test_the_buttons_of_an_answer_work_after_a_restart(desk: Desk) -> None:
    place = Place("default", "discord:0")
    async with simulated(desk) as it:
        engine = await desk.engine()
        answer = await ask(engine, FERIAS, replace(place, channel=f"discord:{it.channel.id}"))
        row = discord.ui.View(timeout=None)
        row.add_item(AnswerButton("helpful", answer.id)).add_item(AnswerButton("read", answer.id))
        shown = await it.channel_of_bot().send("22 dias", view=row)
        await it.env.restart_bot(it.again())
        result = await it.member.click(shown, label="helpful")
        simcord.assert_responded(result, contains=ENGLISH.thanks, ephemeral=True)
        result = await it.member.click(shown, label="read")
        simcord.assert_responded(result, contains="Cada pessoa tem 22 dias", ephemeral=True)
