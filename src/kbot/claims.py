"""The right to answer a message, and what becomes of it."""

import asyncio
from dataclasses import dataclass, replace

from kbot.chat import IncomingMessage, Place

Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a question while it was answered: it was deleted, or edited to `text`."""

    withdrawn: bool
    text: str | None = None


class Claim:
    """The right of this process to answer one message. `sequence` is its number in the order of arrival; `reply_ids`
    the messages of its reply so far; `revised` tells that the question was edited, `ended` that the reader sees the
    reply's end."""

    def __init__(self, message: IncomingMessage, sequence: int, reply_ids: list[str], *, revised: bool = False) -> None:
        self.message = message
        self.sequence = sequence
        self.reply_ids = reply_ids
        self.revised = revised
        self.ended = False
        self.changed: asyncio.Future[Change] = asyncio.get_running_loop().create_future()

    @property
    def key(self) -> Key:
        """The primary key of its row."""
        return key_of(self.message)

    def tell(self, change: Change) -> None:
        """Set what happened; the first word counts until it is taken up by `accept`."""
        if not self.changed.done():
            self.changed.set_result(change)

    def accept(self) -> Change:
        """Take up what happened: from here on the claim is on the edited question."""
        change = self.changed.result()
        if not change.withdrawn:
            self.message = replace(self.message, text=change.text or "")
            self.revised = True
            self.changed = asyncio.get_running_loop().create_future()
        return change


@dataclass(frozen=True, slots=True)
class Orphan:
    """A reply that was left unfinished: its process died, or the platform did not take its end. `reply_ids` is empty if
    it had not begun; `job` tells that it was to ingest, and is now this process's to go on with."""

    place: Place
    message_id: str
    reply_ids: list[str]
    job: bool
    withdrawn: bool = False


def key_of(message: IncomingMessage) -> Key:
    """The primary key of a message's row."""
    return message.place.workspace, message.platform, message.place.channel, message.message_id
