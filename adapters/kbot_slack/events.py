"""What Slack sends, as the core knows it."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kbot.chat import Attachment, IncomingMessage, Place
from kbot_slack.markup import mentions, read

# A message without subtype, one with files, and a reply in a thread that is shown in the channel too. The other
# subtypes are notices (joins, topics, pins) or messages of old integrations.
_SPOKEN = {None, "file_share", "thread_broadcast"}
_TO_MANY = re.compile(r"<!(?:subteam\^|here|channel|everyone)")
_DASHES = "--|—|–"  # a phone's keyboard makes one dash of two
_PUBLIC = re.compile(
    rf"^\s*(?:(?:{_DASHES})?in[_-]channel|(?:{_DASHES})\s*(?:public|p[úu]blic[oa])|(?:public|p[úu]blic[oa])(?=:))(?!\w):?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who kbot is in a workspace, as `auth.test` says it."""

    team_id: str
    user_id: str
    bot_id: str = ""


def message(
    event: Mapping[str, Any], identity: Identity, *, workspace: str, private: bool, event_id: str | None = None
) -> IncomingMessage | None:
    """An `app_mention` or `message` event as the core takes it; None where nobody says anything: notices, kbot's own
    messages, and the second `app_mention` that Slack sends when a message with a mention is edited (see `edited`).

    Another bot's message is passed on as such, for the core decides about bots. `private` is what the caller knows of
    the channel, since `app_mention` does not say its type; a direct message and a group of people are always private.
    """
    if event.get("type") not in {"app_mention", "message"} or event.get("subtype") not in _SPOKEN:
        return None
    if event.get("type") == "app_mention" and "edited" in event:
        return None
    author, bot_id = event.get("user") or "", event.get("bot_id") or ""
    if author == identity.user_id or (bot_id and bot_id == identity.bot_id):
        return None
    text, direct, thread = event.get("text") or "", is_direct(event), thread_of(event)
    return IncomingMessage(
        platform="slack",
        place=place(event, workspace=workspace, private=private),
        message_id=event["ts"],
        author=author or bot_id,
        text=read(text, identity.user_id),
        attachments=attachments(event.get("files") or ()),
        direct=direct,
        from_bot=bool(bot_id),
        addressed=direct or event.get("type") == "app_mention" or identity.user_id in mentions(text),
        reply_thread=None if direct or thread else event["ts"],
        event_id=event_id,
    )


def place(event: Mapping[str, Any], *, workspace: str, private: bool) -> Place:
    """Where a message event, or the message that `edited` or `deleted` found, stands."""
    closed = is_direct(event) or event.get("channel_type") in {"group", "mpim"}
    return Place(workspace, f"slack:{event['channel']}", thread_of(event), private or closed)


def is_direct(event: Mapping[str, Any]) -> bool:
    """Whether it is a direct message between one person and kbot, also where the event does not say its type."""
    return event.get("channel_type", "im" if event["channel"].startswith("D") else None) == "im"


def thread_of(event: Mapping[str, Any]) -> str | None:
    """The thread that a message replies in; None for the message that a thread hangs on."""
    thread: str | None = event.get("thread_ts")
    return thread if thread and thread != event["ts"] else None


def edited(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The new version of a message that a person edited, as a message event for `message`; None for any other event,
    for the edits of bots (kbot's own among them), and where the text is the same, as when Slack adds a preview."""
    new: Mapping[str, Any] = event.get("message") or {}
    if event.get("subtype") != "message_changed" or new.get("subtype") not in _SPOKEN or new.get("bot_id"):
        return None
    if not new.get("ts"):
        return None
    old: Mapping[str, Any] | None = event.get("previous_message")
    same = "edited" not in new if old is None else old.get("text") == new.get("text")
    return None if same else _in_channel(new, event)


def deleted(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The message that was deleted, with at least `channel` and `ts`; None for any other event. A message on which a
    thread hangs does not vanish: Slack changes it into a tombstone."""
    old: Mapping[str, Any] = event.get("previous_message") or {}
    new: Mapping[str, Any] = event.get("message") or {}
    if event.get("subtype") == "message_deleted" and event.get("deleted_ts"):
        return _in_channel({**old, "ts": event["deleted_ts"]}, event)
    if event.get("subtype") == "message_changed" and new.get("subtype") == "tombstone" and new.get("ts"):
        return _in_channel({**old, "ts": new["ts"]}, event)
    return None


def deleted_ts(event: Mapping[str, Any]) -> str | None:
    """The id of the message that was deleted, None for any other event."""
    gone = deleted(event)
    return None if gone is None else gone["ts"]


def names_others(event: Mapping[str, Any], identity: Identity) -> bool:
    """Whether a message speaks to other people, a group or everybody, not to kbot: in a thread it then keeps still."""
    text = event.get("text") or ""
    named = mentions(text)
    return identity.user_id not in named and bool(named or _TO_MANY.search(text))


def is_bare(file: Mapping[str, Any]) -> bool:
    """Whether Slack names a file by its id alone: it may say more of it when asked."""
    if not file:
        return False
    known = _address(file) or file.get("mode") in {"tombstone", "hidden_by_limit"}
    return bool(file.get("id")) and (file.get("file_access") == "check_file_info" or not known)


def attachments(files: Sequence[Mapping[str, Any]]) -> tuple[Attachment, ...]:
    """The files of a message, a shortcut's message or a modal, but those that their owner deleted. A file that Slack
    holds back has no address (""), so that the one who downloads can say so instead of passing over it in silence."""
    return tuple(
        Attachment(
            name=file.get("name") or file.get("title") or file.get("id") or "file",
            url=_address(file),
            size=file.get("size") or 0,
            media_type=file.get("mimetype") or None,
            link=file.get("permalink") or None,
        )
        for file in files
        if file and file.get("mode") != "tombstone"
    )


def asked(text: str) -> tuple[bool, str]:
    """The text of `/ask`: whether all shall see the answer, and the question. "in_channel", "--public" and "público:"
    in front say so; a bare "public" does not, for "public holidays in May?" is a question, and an answer that all
    see cannot be taken back."""
    text = unicodedata.normalize("NFC", text).strip()
    chosen = _PUBLIC.match(text)
    return (True, text[chosen.end() :].strip()) if chosen else (False, text)


def _address(file: Mapping[str, Any]) -> str:
    return file.get("url_private_download") or file.get("url_private") or file.get("external_url") or ""


def _in_channel(message: Mapping[str, Any], event: Mapping[str, Any]) -> dict[str, Any]:
    where = {key: event[key] for key in ("channel", "channel_type") if key in event}
    return {**message, "type": "message", **where}
