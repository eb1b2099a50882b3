"""The two sides of the door: what the bot needs of a platform, and what it offers to one."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from kbot.chat.answers import Answer, Passage, Report
from kbot.chat.messages import Attachment, IncomingMessage, IngestRequest, Person, Place


@dataclass(frozen=True, slots=True)
class Limits:
    """What a platform takes: characters in a new message, characters in an edited one, messages for one answer, and the
    seconds to leave between two edits.

    `count` measures a text as the platform does. Where edits have a common budget of `per_minute`, all processes that
    name the same `budget` share it (a Slack workspace's id); without a name each channel has its own.
    """

    post: int
    edit: int
    messages: int = 3
    interval: float = 1.0
    count: Callable[[str], int] = len
    per_minute: int | None = None
    budget: str | None = None


Stage = Literal["placeholder", "growing", "final", "failed"]


@dataclass(frozen=True, slots=True)
class Content:
    """What one message of a reply shows: its text in Markdown, how far the reply is, and on the last message of a
    finished reply the answer, from which the adapter renders sources and buttons.

    Of a growing text, `settled` is the part that more writing will not change, for a platform that can only append. Of
    a new message, `key` is the same for each try to post it, whatever it shows by then: a try whose answer was lost may
    have posted it. It ends with the message's number in the reply, ".0" for the first.
    """

    text: str
    stage: Stage
    answer: Answer | None = None
    settled: str = ""
    key: str = ""


class Adapter(Protocol):
    """What the bot needs of a platform.

    All but `download` raise `RateLimited`, `MessageGone` (the message, its place or the access to it is no more), or
    `DeliveryError` when the platform refuses for good; any other failure that may pass (a dropped connection, a 5xx)
    is raised as `ConnectionError` and tried again.
    """

    name: str

    @property
    def limits(self) -> Limits:
        """What the platform takes."""
        ...

    async def send(self, place: Place, content: Content) -> str:
        """Post a new message in the place; returns its id."""
        ...

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        """Replace the content of a message."""
        ...

    async def delete(self, place: Place, message_id: str) -> None:
        """Take a message back; one that is gone already raises `MessageGone`."""
        ...

    async def send_file(self, place: Place, name: str, text: str) -> None:
        """Post the text as a file: the tail of an answer longer than `limits.messages`."""
        ...

    async def whisper(self, place: Place, person: str, text: str) -> None:
        """Tell one person something in a place, unseen by the others where the platform can do that."""
        ...

    async def is_admin(self, place: Place, person: str) -> bool:
        """Whether a person may manage the documents that the place can see."""
        ...

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        """The headers with which the platform gives out an attachment. Raises `Rejected` for a file that lies
        elsewhere: the platform's token goes to its own hosts alone."""
        ...


Opinion = Literal["helpful", "unhelpful", "reported"]
"""What a person says of an answer; a refusal that is `reported` is a gap that admins see, wherever it was asked."""


class Bot(Protocol):
    """What the core offers to an adapter. What can go wrong is told in words in the place itself, or in the text that
    is returned; `KbotError` is raised where neither can be."""

    def serving(self, adapter: Adapter) -> AbstractAsyncContextManager[None]:
        """The time in which an adapter is connected. At its begin, and every few seconds, what dead processes left
        unfinished on the platform is mended; at its end answers in hand are given seconds to end, then marked."""
        ...

    def receive(self, message: IncomingMessage, adapter: Adapter) -> None:
        """Begin to handle a message, and return at once: a question is answered in its place, live; files with the
        word "ingest" are ingested."""
        ...

    async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
        """Answer the message in its place, live. None when there is nothing to answer: a redelivery, a bot's
        message."""
        ...

    async def revise(self, message: IncomingMessage, adapter: Adapter) -> bool:
        """A message was edited: its reply is written anew, once. False if kbot did not reply to it."""
        ...

    async def withdraw(self, platform: str, place: Place, message_id: str, adapter: Adapter) -> None:
        """A message was deleted: the model stops, and the reply is taken back."""
        ...

    async def takes_part(self, platform: str, place: Place) -> bool:
        """Whether kbot was spoken to in a thread before."""
        ...

    def ingest(self, request: IngestRequest, adapter: Adapter) -> None:
        """Begin to ingest, and return at once: a receipt in the place grows as the files are read."""
        ...

    async def report(
        self,
        kind: Literal["sources", "gaps", "read"],
        place: Place,
        person: Person,
        adapter: Adapter,
        answer_id: str = "",
    ) -> Report:
        """The documents or the gaps, for an admin; or all that was read for an answer, as far as the place may see
        it."""
        ...

    async def forget(self, source: str, place: Place, person: Person, adapter: Adapter) -> str:
        """Delete a document, for an admin; returns what there is to say."""
        ...

    async def source_names(self, place: Place, person: Person, adapter: Adapter, part: str = "") -> Sequence[str]:
        """At most 25 names of documents that hold `part`, for an admin; none for others."""
        ...

    async def rate(self, answer_id: str, place: Place, person: Person, opinion: Opinion) -> str:
        """Note what a person says of an answer; returns what there is to say."""
        ...

    def workspace(self, platform: str, team: str) -> str:
        """The workspace of a Slack team or a Discord guild: "default", or its own ("slack:T024BE7LD") with
        KBOT_TENANCY=per-team."""
        ...

    async def read(self, place: Place) -> Sequence[Passage]:
        """Everything that was read for the last answer in the place, as far as the place may see it."""
        ...
