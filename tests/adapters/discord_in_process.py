"""The Discord adapter in the tests' own process, in front of a local Discord."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from discord.gateway import DiscordWebSocket
from discord.http import Route
from in_process import served
from pydantic import SecretStr

from fakes.discord import FakeDiscord
from kbot.chat import Bot
from kbot_discord.adapter import DiscordAdapter
from kbot_discord.settings import DiscordSettings


def settings(world: FakeDiscord, **more: Any) -> DiscordSettings:
    """Settings for the local Discord, of which the environment says nothing."""
    given: dict[str, Any] = {
        "_env_file": None,
        "token": SecretStr(world.token),
        "api_url": world.api_url,
        "gateway_url": world.gateway_url,
        "admins": frozenset[str](),
        "message_content": False,
    }
    return DiscordSettings(**(given | more))


@asynccontextmanager
async def addresses() -> AsyncGenerator[None]:
    """discord.py's own addresses are put back in the end."""
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway


@asynccontextmanager
async def running(world: FakeDiscord, bot: Bot, **more: Any) -> AsyncGenerator[DiscordAdapter]:
    """The adapter serves the world while the block runs."""
    adapter = DiscordAdapter(settings(world, **more))
    async with addresses(), served(adapter.run(bot), world.connected()):
        yield adapter
