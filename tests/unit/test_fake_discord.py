"""The local Discord enforces what Discord does to messages: shown with the real client."""

import asyncio
import io
import time
from collections.abc import AsyncGenerator

import discord
import pytest
from aiohttp import ClientSession, ServerDisconnectedError
from discord_bot import Bot, connected

from fakes.discord import FakeDiscord, fake_discord
from fakes.discord_reading import sources

NONE = discord.AllowedMentions.none()


@pytest.fixture
async def world() -> AsyncGenerator[FakeDiscord]:
    async with fake_discord() as served:
        yield served


@pytest.fixture
async def bot(world: FakeDiscord) -> AsyncGenerator[Bot]:
    world.add_channel(world.add_guild())
    async with connected(world, Bot()) as client:
        yield client


@pytest.fixture
def guild(bot: Bot) -> str:
    return str(bot.guilds[0].id)


@pytest.fixture
def channel(bot: Bot) -> discord.TextChannel:
    return bot.guilds[0].text_channels[0]


async def refused(call: object, *codes: int) -> discord.HTTPException:
    """The error with which Discord answers; it must be one of the codes."""
    assert asyncio.iscoroutine(call)
    with pytest.raises(discord.HTTPException) as caught:
        await call
    assert caught.value.code in codes
    return caught.value


async def test_a_reply_grows_in_place_and_a_reader_sees_it(world: FakeDiscord, bot: Bot, guild: str) -> None:
    ana = world.add_member(guild)
    channel = bot.guilds[0].text_channels[0]
    question = await world.say(str(channel.id), ana, "férias?")
    await world.until(lambda: bot.heard)
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Mostrar tudo o que li", custom_id="read:1"))
    view.add_item(discord.ui.Button(emoji="👍", custom_id="up:1"))
    sent = await bot.heard[0].reply("a procurar…", allowed_mentions=NONE)
    final = "São 22 dias [1].\n\n**Fontes**\n-# [1] [Manual](<https://x.pt/rh>) · p. 3\n2. [Lei](<https://x.pt/lei>)"
    await sent.edit(content=final, view=view)

    asked, answer = world.messages(str(channel.id))
    assert (asked.id, asked.replies, answer.replies) == (question, False, True)
    assert answer.text == final
    assert answer.sources == ("[1] [Manual](<https://x.pt/rh>) · p. 3", "2. [Lei](<https://x.pt/lei>)")
    assert answer.buttons == ("Mostrar tudo o que li", "👍")
    assert answer.edited
    assert [seen.text for seen in world.views(answer)] == ["a procurar…", final]
    assert [bool(seen.sources) for seen in world.views(answer)] == [False, True]
    assert world.all_messages[answer.id].reference == question


def test_sources_are_the_list_below_their_heading() -> None:
    assert sources("**Sources**\n\n> \\[1] a\n2. b\nEnd\n3. c") == ("\\[1] a", "2. b")
    assert sources("1. uma lista\n2. na resposta") == ()
    assert sources("As fontes dizem:\n[1] a") == ()


async def test_sizes(world: FakeDiscord, channel: discord.TextChannel) -> None:
    world.rates.clear()
    await channel.send("x" * 2000)
    await refused(channel.send("x" * 2001), 50035)
    await refused(channel.send("  \n "), 50006)
    await refused(channel.send(embed=discord.Embed(description="x" * 4097)), 50035)
    half = discord.Embed(description="x" * 3001)
    await refused(channel.send(embeds=[half, half]), 50035)
    await refused(channel.send("x", view=_button("x" * 81)), 50035)
    assert world.invalid == 0


async def test_components_are_counted(world: FakeDiscord, channel: discord.TextChannel) -> None:
    world.rates.clear()
    await channel.send(view=_layout(texts=20))
    await refused(channel.send(view=_layout(texts=41)), 50035)
    await refused(channel.send(view=_layout(texts=2, size=2001)), 50035)
    row = {"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": str(n)} for n in range(6)]}
    rows = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": str(n)}]} for n in range(6)]
    twins = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": "same"}] * 2}]
    for wrong in ([row], rows, twins):
        answer = await _raw(world, channel, {"content": "x", "components": wrong})
        assert answer["code"] == 50035


async def test_a_nonce_is_enforced(world: FakeDiscord, channel: discord.TextChannel) -> None:
    first = await channel.send("um", nonce="7")
    again = await channel.send("um", nonce="7")
    assert first.id == again.id
    assert len(world.messages(str(channel.id))) == 1


async def test_what_is_gone_or_not_the_bots_is_refused(world: FakeDiscord, guild: str, bot: Bot) -> None:
    channel = bot.guilds[0].text_channels[0]
    theirs = await world.say(str(channel.id), world.add_member(guild), "olá")
    await refused(channel.get_partial_message(int(theirs)).edit(content="x"), 50005)
    await refused(channel.get_partial_message(int(theirs)).delete(), 50013)
    mine = await channel.send("x")
    await world.delete(str(channel.id), str(mine.id))
    await refused(mine.edit(content="y"), 10008)
    world.delete_channel(str(channel.id))
    await refused(mine.edit(content="y"), 10003)


async def test_permissions_are_asked_for(world: FakeDiscord, guild: str, bot: Bot) -> None:
    channel = world.add_channel(guild, "fechado")
    await world.until(lambda: bot.get_channel(int(channel)))
    place = bot.text_channel(channel)
    world.deny(channel, "attach_files")
    await place.send("x")
    await refused(place.send("x", file=discord.File(io.BytesIO(b"x"), "a.md")), 50013)
    world.deny(channel, "send_messages")
    await refused(place.send("x"), 50013)
    world.deny(channel, "view_channel")
    await refused(place.send("x"), 50001)
    assert world.invalid == 3
    await world.until(lambda: not place.permissions_for(place.guild.me).view_channel)


async def test_a_private_channel_is_one_that_everyone_cannot_read(world: FakeDiscord, guild: str, bot: Bot) -> None:
    ana, rui = world.add_member(guild, "ana"), world.add_member(guild, "rui", admin=True)
    channel = world.add_channel(guild, "rh", private=True, members=[ana])
    await world.until(lambda: bot.get_channel(int(channel)))
    place = bot.text_channel(channel)
    assert not place.permissions_for(place.guild.default_role).view_channel
    assert place.permissions_for(place.guild.me).send_messages
    assert (await place.guild.fetch_member(int(rui))).guild_permissions.manage_guild
    await world.say(channel, ana, "em segredo")
    with pytest.raises(PermissionError):
        await world.say(channel, rui, "não vejo isto")


async def test_mentions_ring_only_where_they_are_allowed(world: FakeDiscord, guild: str, bot: Bot) -> None:
    channel, ana = bot.guilds[0].text_channels[0], world.add_member(guild)
    text = f"<@{ana}> @everyone `@here`"
    await channel.send(text, allowed_mentions=NONE)
    assert not world.pings
    loud = await channel.send(text)
    assert world.pings == [(str(loud.id), ana), (str(loud.id), "@everyone")]


async def test_links_unfold_unless_they_are_suppressed(world: FakeDiscord, channel: discord.TextChannel) -> None:
    await channel.send("https://x.pt/a", suppress_embeds=True)
    await channel.send("[a](<https://x.pt/a>) `https://x.pt/b`")
    assert not world.previews
    bare = await channel.send("[a](https://x.pt/a)")
    assert world.previews == [(str(bare.id), "https://x.pt/a")]


async def test_files_go_both_ways(world: FakeDiscord, guild: str, bot: Bot) -> None:
    channel = bot.guilds[0].text_channels[0]
    await world.say(str(channel.id), world.add_member(guild), "lê", files=[("manual de rh.txt", "olá".encode())])
    await world.until(lambda: bot.heard)
    attachment = bot.heard[0].attachments[0]
    assert (attachment.filename, attachment.size, attachment.content_type) == ("manual de rh.txt", 4, "text/plain")
    assert await attachment.read() == "olá".encode()
    async with ClientSession() as session, session.get(attachment.url.split("?")[0]) as unsigned:
        assert unsigned.status == 404
    sent = await channel.send(file=discord.File(io.BytesIO(b"# resto"), "answer.md"))
    assert world.files(str(sent.id)) == {"answer.md": "# resto"}
    edited = await sent.edit(content="sem ficheiro", attachments=[])
    assert not edited.attachments
    assert world.files(str(sent.id)) == {}


async def test_edits_are_limited_to_five_in_five_seconds(world: FakeDiscord, channel: discord.TextChannel) -> None:
    world.rates["edit message"] = (5, 1.0)
    sent = await channel.send("0")
    begin = time.monotonic()
    for n in range(6):
        await sent.edit(content=str(n))
    # discord.py waits itself once the headers say that nothing is left.
    assert 0.9 < time.monotonic() - begin < 2
    assert world.invalid == 0
    answers = [await _raw(world, channel, {"content": "x"}, edit=str(sent.id)) for _ in range(6)]
    assert "retry_after" in answers[-1]
    assert world.invalid >= 1


async def test_all_calls_together_are_limited_too(world: FakeDiscord, channel: discord.TextChannel) -> None:
    world.total_rate = (3, 0.3)
    await asyncio.gather(*(channel.fetch_message(1) for _ in range(3)), return_exceptions=True)
    answer = await _raw(world, channel, {"content": "x"})
    assert answer["global"] is True


async def test_old_messages_are_edited_seldom(world: FakeDiscord, channel: discord.TextChannel) -> None:
    sent = await channel.send("0")
    world.time_scale = 0.0
    world.rates["edit old message"] = (1, 60.0)
    await sent.edit(content="1")
    answer = await _raw(world, channel, {"content": "2"}, edit=str(sent.id))
    assert answer["code"] == 30046
    assert world.messages(str(channel.id))[0].text == "1"


async def test_threads_and_direct_messages(world: FakeDiscord, guild: str, bot: Bot) -> None:
    channel, ana = bot.guilds[0].text_channels[0], world.add_member(guild)
    question = await world.say(str(channel.id), ana, "férias?")
    await world.until(lambda: bot.heard)
    thread = await bot.heard[0].create_thread(name="férias")
    assert str(thread.id) == question
    await thread.send("aqui")
    await world.say(str(channel.id), ana, "e ao domingo?", thread=str(thread.id), mention=False)
    await world.until(lambda: len([one for one in bot.heard if one.channel.id == thread.id]) == 3)
    assert bot.heard[-3].type is discord.MessageType.thread_starter_message
    assert world.messages(str(channel.id), str(thread.id))[0].text == "aqui"
    await refused(bot.heard[0].create_thread(name="outra"), 160004)
    direct = await (await bot.fetch_user(int(ana))).create_dm()
    await direct.send("olá")
    assert [seen.text for seen in world.messages(world.direct(ana))] == ["olá"]
    shy = await bot.fetch_user(int(world.add_user("rui", takes_direct=False)))
    await refused(shy.send("olá"), 50007)


@pytest.mark.parametrize(("kind", "seen"), [("drop", 0), ("lost", 1), ("error", 0), ("limited_fraction", 0)])
async def test_calls_fail_as_asked(world: FakeDiscord, channel: discord.TextChannel, kind: str, seen: int) -> None:
    world.error_statuses = (503,)
    world.faults.kinds, world.faults.share = (kind,), 1.0
    sending = asyncio.create_task(channel.send("x"))
    if kind == "limited_fraction":
        await world.until(lambda: world.faults.made[kind] == 2)
        world.faults.share = 0.0
        await sending
        assert world.traffic.times("create message", "limited")
        assert len(world.messages(str(channel.id))) == 1
        return
    with pytest.raises((ServerDisconnectedError, discord.DiscordServerError)):
        await sending
    assert len(world.messages(str(channel.id))) == seen
    assert len(world.traffic.times("create message", kind)) == 1


def _button(label: str) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    button: discord.ui.Button[discord.ui.View] = discord.ui.Button(label=label, custom_id="x")
    return view.add_item(button)


def _layout(texts: int, size: int = 10) -> discord.ui.LayoutView:
    view = discord.ui.LayoutView(timeout=None)
    view._total_children = -1000  # pyright: ignore[reportPrivateUsage]  # the client counts too: here the server shall
    for _ in range(texts):
        view.add_item(discord.ui.TextDisplay("x" * size))
    return view


async def _raw(
    world: FakeDiscord, channel: discord.TextChannel, body: dict[str, object], edit: str | None = None
) -> dict[str, object]:
    """The answer to a call that the client would not make, or would make again."""
    path = f"{world.api_url}/channels/{channel.id}/messages" + (f"/{edit}" if edit else "")
    async with (
        ClientSession(headers={"Authorization": f"Bot {world.token}"}) as session,
        session.request("PATCH" if edit else "POST", path, json=body) as response,
    ):
        if response.status == 429:
            assert response.headers["Via"]
        return await response.json()
