"""The slash commands, and the shortcut in the menu of a message."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from kbot.chat import IncomingMessage, IngestRequest, MessageGone, Place, labels_in
from kbot_slack import events, windows
from kbot_slack.blocks import ephemeral
from kbot_slack.desk import Body, Desk, channel_of, user_of
from kbot_slack.ephemeral import EphemeralReply
from kbot_slack.markup import escape, read, typed
from kbot_slack.words import words_in

Ack = Callable[..., Awaitable[Any]]


async def ask(desk: Desk, ack: Ack, body: Body) -> None:
    """`/ask`: the answer is for the person alone, or for all where they say so."""
    public, question = events.asked(read(body.get("text") or "", desk.slack.identity.user_id))
    user, channel = user_of(body), channel_of(body)
    if not question:
        words = words_in((await desk.slack.directory.person(user)).language)
        await ack(response_type="ephemeral", **ephemeral(words.usage_ask))
    elif public:
        await ack()
        await _ask_for_all(desk, body, question)
    else:
        await ack(response_type="ephemeral", **ephemeral(f"🔎 {question}"))
        # A conversation of one's own in the channel, which sees what the channel does.
        place = Place(desk.workspace, f"slack:{channel}", f"ask:{user}", private=True)
        message = IncomingMessage("slack", place, message_id=str(body["trigger_id"]), author=user, text=question)
        await desk.bot.answer(message, EphemeralReply(desk.slack, body["response_url"]))


async def ingest(desk: Desk, ack: Ack, body: Body) -> None:
    """`/ingest`: the window, for admins."""
    await ack()
    if await _admin(desk, body):
        await windows.open_ingest(desk, body)


async def report(desk: Desk, ack: Ack, body: Body) -> None:
    """`/sources` and `/gaps`, for admins."""
    await ack()
    kind: Literal["sources", "gaps"] = "sources" if body["command"] == "/sources" else "gaps"
    if await _admin(desk, body):
        await windows.open_report(desk, body, kind)


async def forget(desk: Desk, ack: Ack, body: Body) -> None:
    """`/forget NAME`, for admins."""
    await ack()
    name = read(body.get("text") or "", desk.slack.identity.user_id)
    person = await desk.slack.directory.person(user_of(body))
    if not name:
        await desk.tell(body, words_in(person.language).usage_forget)
        return
    place = await desk.place(channel_of(body))
    # Slack makes a link of "handbook.md", for .md is a country's: what was written is then its label.
    if (written := typed(body.get("text") or "")) != name:
        names = await desk.bot.source_names(place, person, desk.slack, written)
        name = name if name in names and written not in names else written
    await desk.tell(body, await desk.bot.forget(name, place, person, desk.slack))


async def ingest_files(desk: Desk, ack: Ack, body: Body) -> None:
    """The shortcut "Ingest these files" of a message, for admins."""
    await ack()
    if not await _admin(desk, body):
        return
    person = await desk.slack.directory.person(user_of(body))
    message, channel = body["message"], channel_of(body)
    attachments = events.attachments(await desk.described(message.get("files") or ()))
    if not attachments:
        await desk.tell(body, labels_in(person.language).no_files)
    elif not await desk.slack.directory.is_member(channel):
        await desk.tell(body, words_in(person.language).invite)
    else:
        place = await desk.place(channel, events.thread_of(message))
        request = IngestRequest(
            "slack",
            place,
            request_id=f"shortcut:{body.get('action_ts') or body['trigger_id']}",
            person=person,
            attachments=attachments,
            reply_thread=None if place.thread else str(message["ts"]),
        )
        desk.bot.ingest(request, desk.slack)


async def _ask_for_all(desk: Desk, body: Body, question: str) -> None:
    user, channel = user_of(body), channel_of(body)
    try:
        shown = f"🔎 <@{user}>: {escape(question)}"
        _, ts = await desk.slack.insist(lambda: desk.slack.posting.post(channel, None, {"text": shown}))
    except MessageGone:
        words = words_in((await desk.slack.directory.person(user)).language)
        await desk.tell(body, words.invite)
        return
    place = await desk.place(channel)
    message = IncomingMessage("slack", place, message_id=ts, author=user, text=question, reply_thread=ts)
    desk.bot.receive(message, desk.slack)


async def _admin(desk: Desk, body: Body) -> bool:
    """Whether the person is an admin; who is not is told so."""
    user = user_of(body)
    if await desk.slack.insist(lambda: desk.slack.directory.is_admin(user)):
        return True
    person = await desk.slack.directory.person(user)
    await desk.tell(body, labels_in(person.language).only_admins)
    return False
