"""The real discord.py client at a local Discord, and what it heard."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from fakes.discord import FakeDiscord


class Bot(discord.AutoShardedClient):
    """A client that notes what comes to it; its commands are in `tree`."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("intents", discord.Intents.default())
        super().__init__(guild_ready_timeout=0.1, **options)
        self.tree = app_commands.CommandTree(self)
        self.heard: list[discord.Message] = []
        self.edits: list[discord.RawMessageUpdateEvent] = []
        self.deleted: list[int] = []
        self.events: list[str] = []

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without discord.py's five seconds before each identify."""

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append(message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        self.edits.append(event)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        self.deleted.append(event.message_id)

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        self.deleted += event.message_ids

    async def on_socket_event_type(self, event: str) -> None:
        self.events.append(event)

    def texts(self) -> list[str]:
        """What people wrote, as the bot heard it."""
        return [message.content for message in self.heard if message.author != self.user]

    def text_channel(self, channel: str) -> discord.TextChannel:
        found = self.get_channel(int(channel))
        assert isinstance(found, discord.TextChannel)
        return found


@asynccontextmanager
async def connected(world: FakeDiscord, bot: Bot, *, token: str | None = None) -> AsyncGenerator[Bot]:
    """The bot, logged in and ready; the addresses of discord.py are put back when left."""
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = world.api_url, yarl.URL(world.gateway_url)
    running: list[asyncio.Task[None]] = []
    try:
        await bot.login(token or world.token)
        running = [asyncio.create_task(bot.connect())]
        ready = asyncio.create_task(bot.wait_until_ready())
        done, _ = await asyncio.wait([*running, ready], timeout=10, return_when=asyncio.FIRST_COMPLETED)
        if ready not in done:
            ready.cancel()
            await running.pop()
        yield bot
    finally:
        await bot.close()
        await asyncio.gather(*running)
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway
