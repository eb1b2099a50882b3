"""What people write where kbot reads it, change and delete."""

from collections.abc import Iterable

import discord

from kbot.chat import Place
from kbot_discord import events
from kbot_discord.desk import Desk
from kbot_discord.turn import Turn, begin


async def written(desk: Desk, said: discord.Message, client: discord.Client, me: discord.ClientUser) -> None:
    """A new message: one that names kbot, answers it, or goes on in a thread with it is handed to the bot."""
    message = events.message(said, me, desk.workspace(said.guild))
    if message is None or not events.is_readable(said, me, client.intents):
        return
    if message.addressed or await _goes_on(desk, said, message.place, me):
        begin(Turn(reference=message.message_id))
        desk.bot.receive(message, desk.adapter)


async def edited(
    desk: Desk, event: discord.RawMessageUpdateEvent, client: discord.Client, me: discord.ClientUser
) -> None:
    """A message was written anew. Discord tells of previews, pins and new threads in the same way."""
    said, before = event.message, event.cached_message
    if said.edited_at is None or (before is not None and before.content == said.content):
        return
    message = events.message(said, me, desk.workspace(said.guild))
    if message is None or not events.is_readable(said, me, client.intents):
        return
    begin(Turn(reference=message.message_id))
    if not await desk.bot.revise(message, desk.adapter) and message.addressed:
        desk.bot.receive(message, desk.adapter)


async def deleted(
    desk: Desk, channel_id: int, guild_id: int | None, message_ids: Iterable[int], client: discord.Client
) -> None:
    """Messages were deleted, one or many at once."""
    guild = client.get_guild(guild_id) if guild_id else None
    channel = client.get_channel(channel_id) or client.get_partial_messageable(channel_id, guild_id=guild_id)
    place = events.place(channel, guild, desk.workspace(guild))
    begin(Turn())
    for message_id in message_ids:
        await desk.bot.withdraw("discord", place, str(message_id), desk.adapter)


async def _goes_on(desk: Desk, said: discord.Message, place: Place, me: discord.ClientUser) -> bool:
    """Whether a message goes on in a thread that kbot takes part in, has opened, or that hangs on its message."""
    thread = said.channel
    if not isinstance(thread, discord.Thread) or events.names_others(said, me):
        return False
    starter = thread.starter_message
    begun = thread.owner_id == me.id or (starter is not None and starter.author.id == me.id)
    return begun or await desk.bot.takes_part("discord", place)
