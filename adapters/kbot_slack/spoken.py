"""What people write, edit and delete where kbot is."""

import asyncio
from dataclasses import replace
from typing import Any

from kbot.chat import IncomingMessage
from kbot_slack import events
from kbot_slack.desk import Body, Desk

_TWIN_SECONDS = 0.2


async def written(desk: Desk, body: Body) -> None:
    """A `message` event: something new, or a change to what was written before."""
    event: dict[str, Any] = body["event"]
    desk.slack.directory.learn(event["channel"], event.get("channel_type"))
    if changed := events.edited(event):
        await _revise(desk, changed, body)
    elif gone := events.deleted(event):
        place = events.place(gone, workspace=desk.workspace, private=True)
        await desk.bot.withdraw("slack", place, gone["ts"], desk.slack)
    elif (message := await _read(desk, event, body)) and await _is_for_kbot(desk, event, message):
        desk.bot.receive(message, desk.slack)


async def mentioned(desk: Desk, body: Body) -> None:
    """An `app_mention` event. The same message comes as a `message` event too, and it is that one which is sure to
    carry its files: whichever of both reaches the bot first is answered."""
    event: dict[str, Any] = body["event"]
    if not event.get("files"):
        await asyncio.sleep(_TWIN_SECONDS)
    if message := await _read(desk, event, body):
        desk.bot.receive(message, desk.slack)


async def uninstalled(desk: Desk, body: Body) -> None:
    """The app was removed or a token revoked: whether it is kbot's own, Slack says."""
    await desk.slack.calls("auth.test")


async def _revise(desk: Desk, event: dict[str, Any], body: Body) -> None:
    message = await _read(desk, event, body)
    if message is None or await desk.bot.revise(message, desk.slack):
        return
    if message.addressed:
        desk.bot.receive(message, desk.slack)


async def _read(desk: Desk, event: dict[str, Any], body: Body) -> IncomingMessage | None:
    message = events.message(
        event,
        desk.slack.identity,
        workspace=desk.workspace,
        private=await desk.slack.directory.is_private(event["channel"]),
        event_id=body.get("event_id"),
    )
    if message and message.direct and desk.slack.settings.native_stream and not message.place.thread:
        return replace(message, reply_thread=message.message_id)  # Slack streams into threads alone
    return message


async def _is_for_kbot(desk: Desk, event: dict[str, Any], message: IncomingMessage) -> bool:
    """Whether kbot is spoken to: by name, directly, or in a thread where it was before and nobody else is meant."""
    if message.addressed:
        return True
    if message.from_bot or not message.place.thread or events.names_others(event, desk.slack.identity):
        return False
    return await desk.bot.takes_part("slack", message.place)
