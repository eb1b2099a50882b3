"""kbot's connection to Discord: which listener takes what it sends."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

import discord

from kbot.chat import Bot, KbotError, get_logger
from kbot_discord import spoken
from kbot_discord.buttons import AnswerButton, PageButton
from kbot_discord.commands import tree_of
from kbot_discord.desk import Desk
from kbot_discord.missed import Missed
from kbot_discord.syncing import Portuguese, sync

if TYPE_CHECKING:
    from kbot_discord.adapter import DiscordAdapter

log = get_logger(__name__)

SILENCE = 60.0
"""Seconds without a word from Discord after which a connection counts as dead, and another is made."""

_PARTING = 1.0


class Client(discord.AutoShardedClient):
    """The application in all its servers. It hears what Discord sends once `serve` has said who takes it."""

    def __init__(self, *, message_content: bool = False) -> None:
        # kbot has no use for voice, so nobody needs to be told that its libraries are not there.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=message_content)
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            heartbeat_timeout=SILENCE,
            member_cache_flags=discord.MemberCacheFlags.none(),
        )
        self._connection.parsers = {name: _guarded(name, parse) for name, parse in self._connection.parsers.items()}
        self.desk: Desk | None = None
        self.tree = tree_of(self)
        self._missed = Missed()
        self._reading: set[asyncio.Task[None]] = set()
        self._working: set[asyncio.Task[Any]] = set()

    @property
    def me(self) -> discord.ClientUser:
        """kbot's own user. Only for a client that is logged in."""
        assert self.user is not None
        return self.user

    def serve(self, adapter: "DiscordAdapter", bot: Bot) -> None:
        """Hand what is heard from now on to the bot."""
        self.desk = Desk(adapter, bot)

    async def settle(self) -> None:
        """Hear nothing more, and wait a moment for what is at work to be handed to the bot."""
        self.desk = None
        for reading in self._reading:
            reading.cancel()
        if self._working:
            await asyncio.wait(self._working, timeout=_PARTING)

    async def setup_hook(self) -> None:
        """What is to be known before the first event."""
        self.add_dynamic_items(AnswerButton, PageButton)
        await self.tree.set_translator(Portuguese())
        await sync(self, self.tree)

    async def on_message(self, said: discord.Message) -> None:
        """A new message."""
        self._missed.hear(said)
        await self._hear("message", partial(spoken.written, said=said, client=self, me=self.me))

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """A message that was changed."""
        await self._hear("edit", partial(spoken.edited, event=event, client=self, me=self.me))

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """A message that was deleted."""
        gone = partial(spoken.deleted, channel_id=event.channel_id, guild_id=event.guild_id, client=self)
        await self._hear("deletion", partial(gone, message_ids=[event.message_id]))

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Many messages that a moderator deleted."""
        gone = partial(spoken.deleted, channel_id=event.channel_id, guild_id=event.guild_id, client=self)
        await self._hear("deletion", partial(gone, message_ids=sorted(event.message_ids)))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """kbot was invited."""
        log.info("server_joined", server=str(guild.id), servers=len(self.guilds))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """kbot was put out, or the server is no more."""
        log.info("server_left", server=str(guild.id), servers=len(self.guilds))

    async def on_ready(self) -> None:
        """New sessions, with all that their servers are."""
        if self.desk is None:  # discord.py goes on for a while after its end
            return
        log.info("discord_ready", servers=len(self.guilds), shards=self.shard_count)
        # discord.py leaves a shard's own event out where another shard's session begins meanwhile.
        for shard_id in self.shards:
            self._take_up(shard_id)

    async def on_shard_connect(self, shard_id: int) -> None:
        """A new session of a shard."""
        self._missed.begin(shard_id)

    async def on_shard_ready(self, shard_id: int) -> None:
        """A new session knows its servers: what was said since the one before it is taken up."""
        self._take_up(shard_id)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """A session that goes on."""
        log.info("discord_resumed", shard=shard_id)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        """A connection that ended; discord.py makes another."""
        log.info("discord_disconnected", shard=shard_id)

    def _take_up(self, shard_id: int) -> None:
        if self.desk is None:
            return
        reading = asyncio.create_task(self._read_missed(shard_id), name="discord missed")
        self._reading.add(reading)
        reading.add_done_callback(self._reading.discard)

    async def _read_missed(self, shard_id: int) -> None:
        async with aclosing(self._missed.read(self, shard_id)) as missed:
            async for said in missed:
                await self.on_message(said)

    async def _hear(self, name: str, work: Callable[[Desk], Awaitable[None]]) -> None:
        task = asyncio.current_task()
        if self.desk is None or task is None:
            return
        self._working.add(task)
        try:
            await work(self.desk)
        except (KbotError, ConnectionError) as error:
            log.warning("listener_failed", listener=name, error=type(error).__name__, told=str(error))
        finally:
            self._working.discard(task)


def _guarded(name: str, parse: Callable[[Any], object]) -> Callable[[Any], None]:
    """A reader of events that passes over one which is not as discord.py expects it, instead of ending the connection,
    and with it the program."""

    def read(told: Any) -> None:
        try:
            parse(told)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            log.warning("event_not_understood", event_name=name, error=type(error).__name__)

    return read
