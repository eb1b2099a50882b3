"""What the listeners work with: the bot, the workspace it serves, and a way to tell a person something."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kbot.chat import Bot, Place
from kbot_slack.blocks import ephemeral

if TYPE_CHECKING:
    from kbot_slack.adapter import SlackAdapter

Body = Mapping[str, Any]
"""What Slack sent, whole."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace and the bot that serves it."""

    slack: "SlackAdapter"
    bot: Bot

    @property
    def workspace(self) -> str:
        """The workspace as the core names it."""
        return self.bot.workspace("slack", self.slack.identity.team_id)

    async def place(self, channel: str, thread: str | None = None) -> Place:
        """A channel, or a thread in it, as the core knows it."""
        private = await self.slack.directory.is_private(channel)
        return Place(self.workspace, f"slack:{channel}", thread, private)

    async def tell(self, body: Body, text: str) -> None:
        """Tell the person who gave a command or clicked, unseen by others. Raises as calls do."""
        message = {"response_type": "ephemeral", "replace_original": False, **ephemeral(text)}
        whole = {**message, **_thread(body)}
        await self.slack.insist(lambda: self.slack.calls.respond(body["response_url"], whole))


def user_of(body: Body) -> str:
    """The id of the person who gave a command or clicked."""
    return str(body["user_id"] if "user_id" in body else body["user"]["id"])


def channel_of(body: Body) -> str:
    """The id of the channel in which that was."""
    return str(body["channel_id"] if "channel_id" in body else body["channel"]["id"])


def thread_of_click(body: Body) -> str | None:
    """The thread of the message that was clicked. One that only one person sees is not described, but its place is."""
    message: Body = body.get("message") or {}
    container: Body = body.get("container") or {}
    return message.get("thread_ts") or container.get("thread_ts") or None


def _thread(body: Body) -> dict[str, str]:
    thread = thread_of_click(body)
    return {"thread_ts": thread} if thread else {}
