"""Logging in and staying connected: each fault that only a person can mend gives one line that says how."""

import asyncio
from urllib.parse import urlsplit

import aiohttp
import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route

from kbot.chat import SettingsError, get_logger
from kbot_discord.client import Client
from kbot_discord.settings import PORTAL, TOKEN

log = get_logger(__name__)

_PATIENCE = 15.0  # seconds after which a person should know that there is no connection yet
_TOKEN_REFUSED = f"Discord does not take the token in KBOT_DISCORD_TOKEN: {TOKEN}. Set it and restart kbot."
_INTENTS = (
    "KBOT_DISCORD_MESSAGE_CONTENT is set, but the application may not read message contents: switch on Message Content "
    f"Intent at {PORTAL}, in the application, under Bot, or unset the setting."
)
_REFUSED = {
    4004: _TOKEN_REFUSED,
    4011: "Discord asks for more shards than it advised: restart kbot.",
    4013: "Discord does not know the intents that kbot asks for: KBOT_DISCORD_GATEWAY_URL names another version of it.",
    4014: _INTENTS,
}


async def log_in(client: Client, token: str) -> None:
    """Log in. Raises SettingsError."""
    host = urlsplit(Route.BASE).netloc
    try:
        await client.login(token)
    except discord.LoginFailure:
        raise SettingsError(_TOKEN_REFUSED) from None
    except (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError) as error:
        raise SettingsError(
            f"Discord cannot be reached at {host} now ({type(error).__name__}). Check the network and "
            "KBOT_DISCORD_API_URL, then start kbot again."
        ) from None


async def connect(client: Client) -> None:
    """Stay connected to the gateway until cancelled. Raises SettingsError once it does not take kbot any more."""
    watching = asyncio.create_task(_watch(client), name="discord gateway")
    try:
        await client.connect(reconnect=True)
    except discord.PrivilegedIntentsRequired:
        raise SettingsError(_INTENTS) from None
    except discord.ConnectionClosed as closed:
        told = _REFUSED.get(closed.code or 0, "See the log, and start kbot again.")
        raise SettingsError(f"Discord closed the connection for good ({closed.code}). {told}") from None
    except (discord.HTTPException, discord.GatewayNotFound) as error:
        raise SettingsError(
            f"Discord did not say where to connect to ({type(error).__name__}). If its status page shows no "
            f"trouble, check KBOT_DISCORD_TOKEN: {TOKEN}."
        ) from None
    finally:
        watching.cancel()


async def _watch(client: Client) -> None:
    """Tell the operator if the gateway is not reached: discord.py tries again without a word."""
    while not client.is_ready():
        await asyncio.sleep(_PATIENCE)
        if not client.is_ready():
            host = DiscordWebSocket.DEFAULT_GATEWAY.host
            log.warning(
                "discord_not_connected",
                told=f"No connection to {host} yet; trying on. Check KBOT_DISCORD_GATEWAY_URL, proxy and firewall.",
            )
