"""What Discord sends, as the core knows it."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

import discord

from kbot.chat import Attachment, IncomingMessage, Place, without_mentions

Channel = discord.abc.GuildChannel | discord.abc.PrivateChannel | discord.Thread | discord.PartialMessageable | None

_SPOKEN = {discord.MessageType.default, discord.MessageType.reply}
_EMOJI = re.compile(r"<a?(:\w+:)\d+>")
_TIME = re.compile(r"<t:(\d+)(?::\w)?>")


def message(said: discord.Message, me: discord.ClientUser, workspace: str) -> IncomingMessage | None:
    """A message as the core takes it; None where nobody says anything: notices and kbot's own. Another bot's is passed
    on as such, for the core decides about bots."""
    if said.type not in _SPOKEN or said.author.id == me.id:
        return None
    return IncomingMessage(
        platform="discord",
        place=place(said.channel, said.guild, workspace),
        message_id=str(said.id),
        author=str(said.author.id),
        text=text(said, me),
        attachments=attachments(said.attachments, said.jump_url),
        direct=said.guild is None,
        from_bot=said.author.bot,
        addressed=said.guild is None or names(said, me) or answers(said, me),
    )


def place(channel: Channel, guild: discord.Guild | None, workspace: str) -> Place:
    """Where something is said: the channel, or the thread with the channel it hangs on. A private thread stands for
    itself: what is ingested in it must not be seen in the channel."""
    if isinstance(channel, discord.Thread):
        top = channel.id if channel.is_private() else channel.parent_id
        return Place(workspace, f"discord:{top}", str(channel.id), is_private(channel, guild))
    return Place(workspace, f"discord:{getattr(channel, 'id', 0)}", None, is_private(channel, guild))


def channel_id(place: Place) -> str:
    """The id of the channel or thread in which a place's messages are posted."""
    return place.thread if place.thread and place.thread.isdecimal() else place.channel.removeprefix("discord:")


def is_private(channel: Channel, guild: discord.Guild | None) -> bool:
    """Whether not everybody in the server may read a channel; one of which Discord does not say counts as private."""
    if guild is None or isinstance(channel, discord.PartialMessageable) or channel is None:
        return True
    if isinstance(channel, discord.Thread):
        return channel.is_private() or is_private(channel.parent, guild)
    if not isinstance(channel, discord.abc.GuildChannel):
        return True
    return not channel.permissions_for(guild.default_role).view_channel


def names(said: discord.Message, me: discord.ClientUser) -> bool:
    """Whether a message mentions kbot, or the role that Discord made for it."""
    own = said.guild.self_role if said.guild else None
    return any(person.id == me.id for person in said.mentions) or (own is not None and own in said.role_mentions)


def answers(said: discord.Message, me: discord.ClientUser) -> bool:
    """Whether a message is a reply to one of kbot's."""
    original = said.reference.resolved if said.reference else None
    return isinstance(original, discord.Message) and original.author.id == me.id


def names_others(said: discord.Message, me: discord.ClientUser) -> bool:
    """Whether a message speaks to other people, a role or everybody, not to kbot: in a thread it then keeps still."""
    others = [person for person in said.mentions if person.id != me.id]
    return not names(said, me) and bool(others or said.role_mentions or said.mention_everyone)


def is_readable(said: discord.Message, me: discord.ClientUser, intents: discord.Intents) -> bool:
    """Whether Discord has shown kbot what the message says. Without the intent for it, it does so only where kbot is
    mentioned by itself (a mention of its role is not one) and in direct messages."""
    return said.guild is None or intents.message_content or any(person.id == me.id for person in said.mentions)


def attachments(files: Iterable[discord.Attachment], link: str | None = None) -> tuple[Attachment, ...]:
    """The files of a message or a command."""
    return tuple(Attachment(file.filename, file.url, file.size, file.content_type, link) for file in files)


def text(said: discord.Message, me: discord.ClientUser) -> str:
    """What a person wrote, as plain text for the model: without mentions of kbot, others by name, emoji by their
    short names, line breaks kept."""
    written = said.content
    own = said.guild.self_role if said.guild else None
    mine = rf"<@!?{me.id}>" + (rf"|<@&{own.id}>" if own else "")
    for found in (
        *((rf"<@!?{person.id}>", f"@{person.display_name}") for person in said.mentions if person.id != me.id),
        *((rf"<@&{role.id}>", f"@{role.name}") for role in said.role_mentions if role != own),
        *((rf"<#{channel.id}>", f"#{channel.name}") for channel in said.channel_mentions),
    ):
        written = re.sub(found[0], lambda _, name=found[1]: name, written)
    written = _TIME.sub(_day, _EMOJI.sub(r"\1", written))
    return without_mentions(written, mine).strip()


def links(urls: str) -> tuple[str, ...]:
    """The addresses in a text, each once."""
    return tuple(dict.fromkeys(part.strip("<>,;") for part in urls.split() if part.strip("<>,;")))


def _day(found: re.Match[str]) -> str:
    try:
        return f"{datetime.fromtimestamp(int(found[1]), UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, OSError, ValueError):
        return found[0]
