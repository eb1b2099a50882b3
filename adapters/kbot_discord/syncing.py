"""Telling Discord which commands there are, when that has changed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import aiohttp
import discord
from discord import app_commands
from discord.http import Route

from kbot.chat import get_logger
from kbot_discord.words import IN_PORTUGUESE

if TYPE_CHECKING:
    from kbot_discord.client import Client

log = get_logger(__name__)

# What Discord adds to a command, or has given up in favour of another field.
_OTHERS = {"id", "application_id", "version", "guild_id", "dm_permission"}


class Portuguese(app_commands.Translator):
    """The commands in Portuguese, for Brazil's Discord, the only Portuguese that it has."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """The text in a language; None keeps the English one."""
        return IN_PORTUGUESE.get(string.message) if locale is discord.Locale.brazil_portuguese else None


async def sync(client: "Client", tree: "app_commands.CommandTree[Client]") -> bool:
    """Bring Discord's list of the commands up to date; whether there was anything to do. A failure is logged, since
    everything but the commands works without it."""
    try:
        wanted = [await _payload(command, tree) for command in tree.get_commands(type=None)]
        there = await client.http.request(
            Route("GET", "/applications/{application_id}/commands", application_id=client.application_id),
            params={"with_localizations": "true"},
        )
        if _comparable(wanted) == _comparable(there):
            return False
        await tree.sync()
    except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
        log.warning("commands_not_synced", told=f"{type(error).__name__}: {error}. Restart kbot to try again.")
        return False
    log.info("commands_synced", commands=len(wanted))
    return True


async def _payload(command: Any, tree: "app_commands.CommandTree[Client]") -> dict[str, Any]:
    translator = tree.translator
    assert translator is not None
    return await command.get_translated_payload(tree, translator)


def _comparable(commands: object) -> dict[tuple[int, str], Any]:
    """The commands by type and name, each without what is empty or not ours."""
    return {
        (int(command.get("type", 1)), str(command["name"])): _bare(command)
        for command in cast(list[Mapping[str, Any]], commands)
    }


def _bare(value: Any) -> Any:
    if isinstance(value, Mapping):
        known = cast(Mapping[str, Any], value)
        bare = {name: _bare(one) for name, one in known.items() if name not in _OTHERS}
        return {name: one for name, one in bare.items() if one not in (None, False, "", [], {})} | _permissions(known)
    if isinstance(value, list):
        return [_bare(one) for one in cast(list[Any], value)]
    return value


def _permissions(command: Mapping[str, Any]) -> dict[str, str]:
    told = command.get("default_member_permissions")
    return {} if told is None else {"default_member_permissions": str(told)}
