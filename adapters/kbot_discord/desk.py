"""What the listeners work with: the bot, the adapter it answers through, and what an interaction says of its place."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import discord
from discord import app_commands

from kbot.chat import Bot, Forbidden, KbotError, Person, Place, Report, get_logger, labels_in
from kbot_discord import events
from kbot_discord.directory import lacking
from kbot_discord.turn import Hook

if TYPE_CHECKING:
    from kbot_discord.adapter import DiscordAdapter
    from kbot_discord.client import Client

log = get_logger(__name__)

Act: TypeAlias = "discord.Interaction[Client]"


@dataclass(frozen=True, slots=True)
class Desk:
    """Discord and the bot that serves it."""

    adapter: "DiscordAdapter"
    bot: Bot

    def workspace(self, guild: discord.Guild | None) -> str:
        """The workspace of a server, and of direct messages, as the core names it."""
        return self.bot.workspace("discord", str(guild.id) if guild else "@me")

    def place(self, act: Act) -> Place:
        """Where a command was given or a button pressed."""
        self.adapter.directory.learn(act.channel_id, act.guild)
        return events.place(act.channel, act.guild, self.workspace(act.guild))


def person(act: Act) -> Person:
    """Who gave a command or pressed a button, in the language that they have chosen."""
    return Person(str(act.user.id), act.locale.value)


def hook(act: Act, *, ephemeral: bool) -> Hook:
    """The way to answer a command that was deferred."""
    return Hook(act.token, act.locale.value, ephemeral=ephemeral, tied=ephemeral or bool(lacking_for(act)))


def lacking_for(act: Act) -> list[str]:
    """The names of the permissions that kbot would need to write where a command was given, and does not have."""
    if act.guild is None:
        return []
    return lacking(act.app_permissions, thread=isinstance(act.channel, discord.Thread))


def sees(act: Act) -> bool:
    """Whether the person can read the channel in which they act."""
    return act.guild is None or act.permissions.view_channel


def page_of(report: Report, number: int, language: str) -> tuple[str, int]:
    """The text of a page of a report, counted from 0 and moved into what there is, and the page's number."""
    text, number = report.page(number)
    count = f"{number + 1}/{len(report.pages)}"
    counted = f" · {labels_in(language).page.format(page=count)}" if len(report.pages) > 1 else ""
    return f"**{report.title}**{counted}\n\n{text or '—'}"[:2000], number


def shown(view: discord.ui.View | None) -> dict[str, Any]:
    """A view as an argument of discord.py's calls, for which None is not the same as none."""
    return {} if view is None else {"view": view}


async def tell_failure(act: Act, cause: BaseException) -> None:
    """Tell why nothing came of a command or a button."""
    labels = labels_in(act.locale.value)
    if isinstance(cause, Forbidden):
        told = str(cause)
    elif isinstance(cause, app_commands.CheckFailure):
        told = labels.only_admins
    else:
        told = labels.failed
        expected = isinstance(cause, KbotError | ConnectionError | discord.HTTPException)
        log.error("interaction_failed", error=type(cause).__name__, exc_info=None if expected else cause)
    try:
        if act.response.is_done():
            await act.followup.send(told, ephemeral=True)
        else:
            await act.response.send_message(told, ephemeral=True)
    except (discord.HTTPException, OSError) as error:
        log.warning("person_not_told", told=type(error).__name__)
