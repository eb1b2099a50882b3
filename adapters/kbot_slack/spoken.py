"""What people write, edit and delete where kbot is."""

import re
from dataclasses import replace
from typing import Any

from kbot.chat import IncomingMessage
from kbot_slack import events
from kbot_slack.desk import Body, Desk

_TWIN_SECONDS, _FILES_SECONDS = 0.2, 2.0
# What begins a request to ingest, and to whose mention files belong: the core's words, and then some.
_INGEST = re.compile(r"\b(?:ing[ei]|index)", re.IGNORECASE)


async def written(desk: Desk, body: Body) -> None:
    """A `message` event: something new, or a change to what was written before."""
    event: dict[str, Any] = body["event"]
    desk.slack.directory.learn(event["channel"], event.get("channel_type"))
    if changed := events.edited(event):
        await _revise(desk, changed, body)
    elif gone := events.deleted(event):
        desk.lately.deleted(gone)
        place = events.place(gone, workspace=desk.workspace, private=True)
        await desk.bot.withdraw("slack", place, gone["ts"], desk.slack)
    else:
        desk.lately.heard(event)
        if (message := await _read(desk, event, body)) and await _is_for_kbot(desk, event, message):
            await _receive(desk, event, message)


async def mentioned(desk: Desk, body: Body) -> None:
    """An `app_mention` event. The same message comes as a `message` event too, and it is that one which is sure to
    carry its files: where it comes to this process, it is the one that is answered, and whichever reaches the bot first
    where it comes to another. A request that needs files waits for it longer than a question does."""
    event: dict[str, Any] = body["event"]
    message = await _read(desk, event, body)
    if message is None:
        return
    needs_files = not message.text or _INGEST.search(message.text)
    if not message.attachments and await desk.lately.hears(event, _FILES_SECONDS if needs_files else _TWIN_SECONDS):
        return
    await _receive(desk, event, message)


async def uninstalled(desk: Desk, body: Body) -> None:
    """The app was removed or a token revoked: whether it is kbot's own, Slack says."""
    await desk.slack.calls("auth.test")


async def _revise(desk: Desk, event: dict[str, Any], body: Body) -> None:
    message = await _read(desk, event, body)
    if message is None or desk.lately.is_deleted(event) or await desk.bot.revise(message, desk.slack):
        return
    if message.addressed:
        await _receive(desk, event, message)


async def _receive(desk: Desk, event: dict[str, Any], message: IncomingMessage) -> None:
    """Hand a message to the bot, unless it was deleted already."""
    if _INGEST.search(message.text) and any(map(events.is_bare, event.get("files") or ())):
        message = replace(message, attachments=events.attachments(await desk.described(event["files"])))
    if not desk.lately.is_deleted(event):
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
