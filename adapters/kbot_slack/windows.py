"""The windows at work: opened at once, for a trigger is good for three seconds, and filled when the bot answers."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from kbot.chat import (
    DeliveryError,
    Forbidden,
    IngestRequest,
    KbotError,
    Person,
    RateLimited,
    Report,
    get_logger,
    labels_in,
)
from kbot_slack import events, modals
from kbot_slack.desk import Body, Desk, channel_of, thread_of_click, user_of
from kbot_slack.modals import Shown
from kbot_slack.words import words_in

log = get_logger(__name__)

Ack = Callable[..., Awaitable[Any]]


async def open_ingest(desk: Desk, body: Body) -> None:
    """The window of `/ingest`."""
    channel = channel_of(body)
    person = await desk.slack.directory.person(user_of(body))
    place = await desk.place(channel)
    name = str(body.get("channel_name") or "")
    label = "" if name == "directmessage" or channel.startswith("D") else name
    metadata = modals.pack(Shown("ingest", channel))
    view = modals.ingest_view(channel, label, place.private, person.language, metadata=metadata)
    await desk.slack.calls("views.open", trigger_id=body["trigger_id"], view=view)


async def submit_ingest(desk: Desk, ack: Ack, body: Body) -> None:
    """The window of `/ingest` was sent. The receipt goes to its channel, or to the person where kbot cannot write."""
    view, user = body["view"], user_of(body)
    person = await desk.slack.directory.person(user)
    words = words_in(person.language)
    channel = modals.unpack(view["private_metadata"]).channel
    files, urls, shared, errors = modals.read_ingest(view, person.language)
    writable = await desk.slack.directory.is_member(channel)
    if not writable and not shared:
        errors[modals.SCOPE] = words.not_here
    if not await desk.slack.insist(lambda: desk.slack.directory.is_admin(user)):
        errors = {modals.URLS: labels_in(person.language).only_admins}
    if errors:
        await ack(response_action="errors", errors=errors)
        return
    await ack()
    if not writable:
        text = words.inbox.format(channel=channel)
        channel, _ = await desk.slack.insist(lambda: desk.slack.posting.post(user, None, {"text": text}))
    request = IngestRequest(
        "slack",
        await desk.place(channel),
        request_id=f"view:{view['id']}",
        person=person,
        attachments=events.attachments(await desk.described(files)),
        urls=tuple(urls),
        shared=shared,
    )
    desk.bot.ingest(request, desk.slack)


async def open_report(desk: Desk, body: Body, kind: Literal["sources", "gaps", "read"], answer_id: str = "") -> None:
    """A window with a report's first page."""
    person = await desk.slack.directory.person(user_of(body))
    shown = Shown(kind, channel_of(body), thread_of_click(body), answer_id)
    waiting = modals.waiting_view(labels_in(person.language).titles[kind], person.language)
    opened = await desk.slack.calls("views.open", trigger_id=body["trigger_id"], view=waiting)
    await _show(desk, str(opened["view"]["id"]), shown, 0, person)


async def turn_page(desk: Desk, ack: Ack, body: Body) -> None:
    """Another page of the report in a window."""
    await ack()
    view = body["view"]
    person = await desk.slack.directory.person(user_of(body))
    shown = modals.unpack(view["private_metadata"])
    await _show(desk, str(view["id"]), shown, int(body["actions"][0]["value"]), person)


async def _show(desk: Desk, view_id: str, shown: Shown, page: int, person: Person) -> None:
    if shown.kind == "ingest":
        raise ValueError("the window of /ingest has no pages")
    labels = labels_in(person.language)
    try:
        if shown.kind == "read" and not await _belongs(desk, shown.channel, person.id):
            raise Forbidden(labels.not_yours)
        place = await desk.place(shown.channel, shown.thread)
        found = await desk.bot.report(shown.kind, place, person, desk.slack, shown.answer_id)
    except Forbidden as error:
        found = Report(labels.titles[shown.kind], (str(error),))
    except (KbotError, ConnectionError) as error:
        log.warning("report_failed", kind=shown.kind, told=str(error))
        found = Report(labels.titles[shown.kind], (labels.failed,))
    view = modals.report_view(found, page, modals.pack(shown), person.language)
    await desk.slack.insist(lambda: desk.slack.calls("views.update", view_id=view_id, view=view))


async def _belongs(desk: Desk, channel: str, user: str) -> bool:
    """Whether a person is in a private channel. Where Slack refuses to say, they are: it shows the button to members
    alone, and this only asks again."""
    if channel.startswith("D") or not await desk.slack.directory.is_private(channel):
        return True
    try:
        return await desk.slack.insist(lambda: desk.slack.directory.holds(channel, user))
    except RateLimited:
        raise
    except DeliveryError as refusal:
        log.info("members_unknown", told=str(refusal))
        return True
