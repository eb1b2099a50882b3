"""What people send: where, who and what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation happens. A thread is a conversation of its own.

    `channel` carries its platform ("slack:C024BE91L"), so that one workspace can hold several platforms.
    What is ingested in a `private` place (a direct message, a private channel) is seen in that channel alone.
    """

    workspace: str
    channel: str
    thread: str | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Someone on a platform, by the platform's id, and the language in which to speak to them ("pt", "en", "pt-BR"; ""
    where it is not known)."""

    id: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message, not yet downloaded. `size` in bytes, as the platform says it; `link` is where
    people see the file, in contrast to `url`, which gives out its content."""

    name: str
    url: str
    size: int
    media_type: str | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """One message to the bot, stripped of mentions and markup.

    `message_id` is unique in the channel, and the key by which a redelivery is known; `event_id` is the delivery's own
    where the platform numbers those. `reply_thread` is the thread in which the reply is posted, where that is not the
    conversation's own: Slack opens one below a question. A message in a thread that kbot takes part in, but that does
    not name kbot, is not `addressed`.
    """

    platform: str
    place: Place
    message_id: str
    author: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    direct: bool = False
    from_bot: bool = False
    addressed: bool = True
    reply_thread: str | None = None
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """A request to ingest files and addresses.

    `request_id` is the key by which a redelivery is known, as a message's id is. `shared` says who shall see the
    documents: everybody in the workspace, this channel alone, or (None) as the place has it.
    """

    platform: str
    place: Place
    request_id: str
    person: Person
    attachments: tuple[Attachment, ...] = ()
    urls: tuple[str, ...] = ()
    shared: bool | None = None
    reply_thread: str | None = None
