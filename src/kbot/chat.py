"""The door between kbot and the places where people talk to it.

An adapter imports this module and nothing else of kbot. It turns what its platform sends into an `IncomingMessage`,
hands that to the `Bot` it was given, and offers the few calls of `Adapter` with which the bot answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from kbot.errors import DeliveryError, KbotError, MessageGone, RateLimited, Rejected

__all__ = [
    "Adapter",
    "Answer",
    "Attachment",
    "Bot",
    "Citation",
    "Content",
    "DeliveryError",
    "IncomingMessage",
    "KbotError",
    "Limits",
    "MessageGone",
    "Passage",
    "Place",
    "RateLimited",
    "Rejected",
]


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
class Attachment:
    """A file that came with a message, not yet downloaded. `size` in bytes, as the platform says it."""

    name: str
    url: str
    size: int
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """One message to the bot, stripped of mentions and markup.

    `message_id` is unique in the channel, and the key by which a redelivery is known.
    """

    platform: str
    place: Place
    message_id: str
    author: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    direct: bool = False
    from_bot: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk with its evidence.

    `similarity`, `sentence` and `coverage` lie in [0, 1]: cosine of the passage, cosine of its best sentence
    (`quote`), and the share of the question's rare words that it holds. `score` is their fusion and orders the
    passages. `before` and `after` are the neighbouring texts in the same document. `page` counts from 1 and is None
    where the format has no pages.
    """

    id: str
    document_id: str
    source: str
    title: str
    text: str
    similarity: float
    sentence: float
    coverage: float
    score: float
    quote: str = ""
    page: int | None = None
    heading: str = ""
    url: str | None = None
    language: str = ""
    before: str = ""
    after: str = ""
    cited: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """One numbered source of a grounded answer; `n` is the number that the answer's text uses."""

    n: int
    source: str
    title: str
    quote: str
    passage_id: str
    page: int | None = None
    heading: str = ""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The finished answer to a question.

    `citations` is empty unless `grounded`. `reason` says why an answer is not grounded: "nothing_near" (refused
    before the model), "refused" (the model said so), "uncited" (no valid citation); empty when grounded. `timings`
    are milliseconds.
    """

    question: str
    text: str
    grounded: bool
    refused: bool
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    read: tuple[Passage, ...] = ()
    model: str = ""
    model_calls: int = 0
    timings: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Limits:
    """What a platform takes: characters in a new message, characters in an edited one, messages for one answer, and the
    seconds to leave between two edits."""

    post: int
    edit: int
    messages: int = 3
    interval: float = 1.0


Stage = Literal["placeholder", "growing", "final", "failed"]


@dataclass(frozen=True, slots=True)
class Content:
    """What one message of a reply shows: its text, how far the reply is, and on the last message of a finished reply
    the answer, from which the adapter renders sources and buttons."""

    text: str
    stage: Stage
    answer: Answer | None = None


class Adapter(Protocol):
    """What the bot needs of a platform.

    `send` and `edit` raise `RateLimited`, `MessageGone`, or `DeliveryError` when the platform refuses for good; any
    other failure that may pass (a dropped connection, a 5xx) is raised as `ConnectionError` and tried again.
    """

    name: str
    limits: Limits

    async def send(self, place: Place, content: Content) -> str:
        """Post a new message in the place; returns its id."""
        ...

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        """Replace the content of a message."""
        ...

    async def send_file(self, place: Place, name: str, text: str) -> None:
        """Post the text as a file: the tail of an answer longer than `limits.messages`."""
        ...


class Bot(Protocol):
    """What the core offers to an adapter."""

    async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
        """Answer the message in its place, live. None when there is nothing to answer: a redelivery, a bot's
        message."""
        ...

    def workspace(self, platform: str, team: str) -> str:
        """The workspace of a Slack team or a Discord guild: "default", or its own ("slack:T024BE7LD") with
        KBOT_TENANCY=per-team."""
        ...

    async def read(self, place: Place) -> Sequence[Passage]:
        """Everything that was read for the last answer in the place, as far as the place may see it."""
        ...
