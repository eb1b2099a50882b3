"""What the listeners work with: the bot, the workspace it serves, and a way to tell a person something."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kbot.chat import Bot, KbotError, Place, get_logger
from kbot_slack import events
from kbot_slack.blocks import ephemeral
from kbot_slack.lately import Lately

if TYPE_CHECKING:
    from kbot_slack.adapter import SlackAdapter

log = get_logger(__name__)

Body = Mapping[str, Any]
"""What Slack sent, whole."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace, the bot that serves it, and what was heard there in the last seconds."""

    slack: "SlackAdapter"
    bot: Bot
    lately: Lately = field(default_factory=Lately)

    @property
    def workspace(self) -> str:
        """The workspace as the core names it."""
        return self.bot.workspace("slack", self.slack.identity.team_id)

    async def place(self, channel: str, thread: str | None = None) -> Place:
        """A channel, or a thread in it, as the core knows it."""
        private = await self.slack.directory.is_private(channel)
        return Place(self.workspace, f"slack:{channel}", thread, private)

    async def described(self, files: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The files, those among them with their addresses that Slack names by their id alone: files of a window, or of
        another workspace's people. One of which it does not say more stays as it is."""
        return [await self._described(file) if events.is_bare(file) else file for file in files]

    async def tell(self, body: Body, text: str) -> None:
        """Tell the person who gave a command or clicked, unseen by others. Raises as calls do."""
        message = {"response_type": "ephemeral", "replace_original": False, **ephemeral(text)}
        whole = {**message, **_thread(body)}
        await self.slack.insist(lambda: self.slack.calls.respond(body["response_url"], whole))

    async def _described(self, file: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            answer = await self.slack.insist(lambda: self.slack.calls("files.info", file=file["id"]))
        except (KbotError, ConnectionError) as error:
            log.warning("file_not_described", told=str(error))
            return file
        described: Mapping[str, Any] = answer["file"]
        return described


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
