"""The answer to `/ask` that one person alone sees."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kbot.chat import Attachment, Content, Limits, MessageGone, Place
from kbot_slack.blocks import ephemeral, message

if TYPE_CHECKING:
    from kbot_slack.adapter import SlackAdapter

_CUT = (
    "✂️ The whole answer is too long to show here: ask me in a direct message. · "
    "A resposta inteira é longa demais para aparecer aqui: pergunte por mensagem direta."
)


class EphemeralReply:
    """Shows the finished answer through a command's response_url, which takes five messages in half an hour and changes
    none: what grows is kept back until it is final."""

    name = "slack"

    def __init__(self, slack: "SlackAdapter", response_url: str) -> None:
        # One of the five is left for a whisper. No edit is a call, so none is counted.
        self.limits: Limits = replace(slack.limits, messages=4, interval=3.0, per_minute=None, budget=None)
        self._slack = slack
        self._url = response_url
        self._waiting: dict[str, Content] = {}

    async def send(self, place: Place, content: Content) -> str:
        """Keep a message back, or show it if it is final."""
        message_id = f"ask:{uuid.uuid4().hex}"
        self._waiting[message_id] = content
        await self._show(message_id, content)
        return message_id

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        """As `send`. Raises MessageGone for a message that was shown already."""
        if message_id not in self._waiting:
            raise MessageGone("What one person alone saw in Slack cannot be changed.")
        self._waiting[message_id] = content
        await self._show(message_id, content)

    async def delete(self, place: Place, message_id: str) -> None:
        """Drop a message that was kept back. Raises MessageGone for one that was shown."""
        if self._waiting.pop(message_id, None) is None:
            raise MessageGone("What one person alone saw in Slack cannot be taken back.")

    async def send_file(self, place: Place, name: str, text: str) -> None:
        """Show as much of the text as one more message holds, and say so if that is not all."""
        await self._respond(ephemeral(text, _CUT))

    async def whisper(self, place: Place, person: str, text: str) -> None:
        """As `Adapter.whisper`."""
        await self._respond(ephemeral(text))

    async def is_admin(self, place: Place, person: str) -> bool:
        """As `Adapter.is_admin`."""
        return await self._slack.is_admin(place, person)

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        """As `Adapter.download`."""
        return self._slack.download(attachment)

    async def _show(self, message_id: str, content: Content) -> None:
        """Show a final message, and before it those that stand above it: their texts were complete as they grew."""
        if content.stage not in ("final", "failed"):
            return
        for earlier in list(self._waiting):
            await self._respond(message(self._waiting[earlier], uuid.uuid4().hex))
            del self._waiting[earlier]
            if earlier == message_id:
                return

    async def _respond(self, shown: Mapping[str, object]) -> None:
        await self._slack.calls.respond(self._url, {"response_type": "ephemeral", **shown})
