"""The world of the local Discord: people, guilds, channels, messages, interactions, and who may do what."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import discord

from fakes.platform import Faults, Traffic, View

Json = dict[str, Any]
File = tuple[str, bytes]
"""A file's name and content."""

TEXT, DIRECT, PUBLIC_THREAD, PRIVATE_THREAD = 0, 1, 11, 12
THREAD_OPENED, REPLY, THREAD_STARTER = 18, 19, 21
"""Types of messages; those about threads are Discord's own, and no reader takes them for something said."""
SUPPRESS_EMBEDS, HAS_THREAD, EPHEMERAL, LOADING, COMPONENTS_V2 = 1 << 2, 1 << 5, 1 << 6, 1 << 7, 1 << 15
ALL_PERMISSIONS = discord.Permissions.all().value
KINDS = ("limited", "limited_fraction", "error", "drop", "lost")
"""The faults that Discord knows."""


def bits(*names: str) -> int:
    """The permission bits of some names ("send_messages")."""
    return discord.Permissions(**dict.fromkeys(names, True)).value


EVERYONE = bits(
    *("view_channel", "send_messages", "send_messages_in_threads", "create_public_threads", "embed_links"),
    *("attach_files", "read_message_history", "add_reactions", "use_application_commands", "mention_everyone"),
)


@dataclass(slots=True)
class User:
    id: str
    name: str
    bot: bool = False
    locale: str = "en-US"
    takes_direct: bool = True


@dataclass(slots=True)
class Role:
    id: str
    name: str
    permissions: int


@dataclass(slots=True)
class Guild:
    id: str
    name: str
    owner: str
    locale: str
    roles: dict[str, Role] = field(default_factory=dict[str, Role])
    members: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """User ids with the ids of their roles, @everyone not listed."""


@dataclass(slots=True)
class Channel:
    id: str
    kind: int
    guild: str | None
    name: str
    parent: str | None = None
    owner: str = ""
    overwrites: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """What a role or a member is allowed and denied here."""
    people: list[str] = field(default_factory=list[str])
    """Who is in a thread or a direct message."""
    messages: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Message:
    id: str
    channel: str
    author: str
    content: str
    embeds: list[Json] = field(default_factory=list[Json])
    components: list[Json] = field(default_factory=list[Json])
    attachments: list[Json] = field(default_factory=list[Json])
    flags: int = 0
    kind: int = 0
    reference: str | None = None
    nonce: str | None = None
    interaction: "Interaction | None" = None
    to: str | None = None
    users: list[str] = field(default_factory=list[str])
    roles: list[str] = field(default_factory=list[str])
    everyone: bool = False
    born: float = field(default_factory=time.monotonic)
    sent: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    edited: str | None = None


@dataclass(slots=True)
class Interaction:
    """What a person did with the bot, and how it was answered: `answer` is the type of the callback."""

    id: str
    token: str
    kind: int
    user: str
    channel: str
    data: Json
    source: str | None = None
    answer: int | None = None
    response: str | None = None
    """The id of the message that is its original response."""
    choices: list[Json] = field(default_factory=list[Json])
    modal: Json | None = None
    born: float = field(default_factory=time.monotonic)


@dataclass
class Session:
    """One gateway session; the frame at index i of the log has sequence i + 1."""

    id: str
    shard: int
    intents: int
    log: list[str] = field(default_factory=list[str])
    news: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class World:
    """Everything there is, and the rules that a test may change at any time.

    `time_scale` multiplies the long spans (the 15 minutes of a token, the hour after which edits are limited);
    `answer_within` is the time for the first answer to an interaction, in seconds. `rates` are calls per seconds and
    channel (or token) by method. `expired` is the error for a token that is over: 10015, or 50027 (401).
    """

    url: str = ""
    token: str = "MTIzNDU2Nzg5.local.discord"
    time_scale: float = 1.0
    answer_within: float = 3.0
    expired: int = 10015
    deliver_times: int = 1
    shards: int = 1
    heartbeat: float = 41.25
    privileged: int = 0
    """Bits of the privileged intents that the application may ask for."""
    refused_until: float = 0.0
    """Until then (`time.monotonic`) no gateway connection is taken."""
    rates: dict[str, tuple[int, float]] = field(
        default_factory=lambda: {
            "create message": (5, 5.0),
            "edit message": (5, 5.0),
            "delete message": (5, 1.0),
            "send typing": (5, 5.0),
            "edit original": (5, 5.0),
            "create followup": (5, 5.0),
            "edit followup": (5, 5.0),
            "edit old message": (3, 60.0),
        }
    )
    total_rate: tuple[int, float] = (50, 1.0)
    """Calls per seconds of the bot in all, those of interactions not counted."""
    faulty: set[str] = field(
        default_factory=lambda: {"create message", "edit message", "edit original", "create followup", "edit followup"}
    )
    """The methods that `faults` strikes."""
    error_statuses: tuple[int, ...] = (500, 502, 503)
    open_commands: set[str] = field(default_factory=set[str])
    """Commands that a guild's admins have opened to everybody, whatever the command's default says."""
    faults: Faults = field(default_factory=lambda: Faults(kinds=KINDS))
    traffic: Traffic = field(default_factory=Traffic)
    invalid: int = 0
    """Answers of 401, 403 and 429; ten thousand in ten minutes are a ban."""
    syncs: int = 0
    identifies: int = 0
    pings: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(message, user id, role id, "@everyone" or "@here") for everyone whom the bot's messages called."""
    previews: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(message, url) for every link preview that the bot's messages unfold."""

    users: dict[str, User] = field(default_factory=dict[str, User])
    guilds: dict[str, Guild] = field(default_factory=dict[str, Guild])
    channels: dict[str, Channel] = field(default_factory=dict[str, Channel])
    all_messages: dict[str, Message] = field(default_factory=dict[str, Message])
    interactions: dict[str, Interaction] = field(default_factory=dict[str, Interaction])
    commands: dict[str | None, list[Json]] = field(default_factory=dict[str | None, list[Json]])
    """The commands of a guild, and under None the global ones."""
    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    history: dict[str, list[View]] = field(default_factory=dict[str, list[View]])
    _last: int = 0

    def __post_init__(self) -> None:
        self.application = self.new_id()
        self.bot = self.application
        self.owner = self.new_id()
        self.users[self.bot] = User(self.bot, "kbot", bot=True)
        self.users[self.owner] = User(self.owner, "owner")

    def new_id(self, shard: int | None = None) -> str:
        """A new snowflake, later than all before; as a guild's id it belongs to the shard."""
        self._last = max(time.time_ns() // 1_000_000 - 1_420_070_400_000, self._last + 1)
        while shard is not None and self._last % self.shards != shard:
            self._last += 1
        return str(self._last << 22)

    def writing(self, place: Channel) -> str:
        """The permission to write in a place."""
        return "send_messages" if place.kind in (TEXT, DIRECT) else "send_messages_in_threads"

    def shard_of(self, guild: str | None) -> int:
        """Direct messages come on the first shard."""
        return (int(guild) >> 22) % self.shards if guild else 0

    def permissions(self, user: str, channel: Channel) -> int:
        """What a user may do in a channel, in Discord's own order: roles, the channel's @everyone, roles, member."""
        if channel.guild is None:
            return ALL_PERMISSIONS if user in channel.people else 0
        guild = self.guilds[channel.guild]
        if user not in guild.members:
            return 0
        allowed = self.guild_permissions(user, guild)
        if allowed == ALL_PERMISSIONS:
            return allowed
        overwrites = (self.channels[channel.parent] if channel.parent else channel).overwrites
        allow, deny = overwrites.get(guild.id, (0, 0))
        allowed = (allowed & ~deny) | allow
        roles = [overwrites[role] for role in guild.members[user] if role in overwrites]
        for _, deny in roles:
            allowed &= ~deny
        for allow, _ in roles:
            allowed |= allow
        allow, deny = overwrites.get(user, (0, 0))
        allowed = (allowed & ~deny) | allow
        outside = channel.kind == PRIVATE_THREAD and user not in channel.people
        return 0 if outside and not allowed & bits("manage_threads") else allowed

    def guild_permissions(self, user: str, guild: Guild) -> int:
        """What a user may do in the guild by roles alone."""
        allowed = guild.roles[guild.id].permissions
        for role in guild.members[user]:
            allowed |= guild.roles[role].permissions
        return ALL_PERMISSIONS if guild.owner == user or allowed & bits("administrator") else allowed

    def may(self, user: str, channel: Channel, *names: str) -> bool:
        """Whether a user may do all of this in a channel that they see."""
        wanted = bits("view_channel", *names)
        return self.permissions(user, channel) & wanted == wanted
