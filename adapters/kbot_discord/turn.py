"""What kbot is answering just now: the message to refer to, or the command whose first response the reply takes.

The bot knows places, not what Discord wants to be told besides. What a listener notes here before it hands a message
over is seen by all work that begins then, and by nothing else.
"""

import asyncio
import secrets
import time
from contextvars import ContextVar
from dataclasses import dataclass, field

LIFE = 14 * 60.0
"""Seconds in which the token of a command can be used; Discord's own 15 minutes are not waited for."""


@dataclass(slots=True)
class Hook:
    """A command that was deferred: with its `token` its person is answered, without any permission in the channel.

    An `ephemeral` answer is seen by that person alone and known to no other call. One that is `tied` is changed by the
    token alone, because kbot may not write in the channel or because it is ephemeral; others become messages as all
    others are once they are posted. `filled` says whether the first response has been given, `ended` whether its answer
    is complete.
    """

    token: str
    language: str = ""
    ephemeral: bool = False
    tied: bool = False
    filled: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    born: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class Turn:
    """One reply in the making: `reference` is the message that it answers. `mark` makes the nonces of its messages:
    Discord gives out the message that it has instead of posting a second one with the same nonce.
    `doubtful` is set while the answer to the last post is lost."""

    reference: str | None = None
    hook: Hook | None = None
    mark: str = field(default_factory=lambda: secrets.token_hex(9))
    posted: int = 0
    doubtful: bool = False

    @property
    def nonce(self) -> str:
        """The nonce of the next message; at most 25 characters."""
        return f"{self.mark}-{self.posted}"


_TURN: ContextVar[Turn] = ContextVar("turn")


def begin(turn: Turn) -> None:
    """From now on, work of this task, and what it starts, belongs to the turn."""
    _TURN.set(turn)


def current() -> Turn:
    """The turn of the work at hand; a new one where nobody said."""
    turn = _TURN.get(None)
    if turn is None:
        turn = Turn()
        _TURN.set(turn)
    return turn
