"""What the local chat platforms of the tests have in common: what a reader sees, and how calls fail."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

FAULTS = ("limited", "limited_fraction", "limited_ok", "error", "drop", "lost")
"""How a call can fail: 429 with a whole or a fractional Retry-After, HTTP 200 that says "ratelimited" (Slack), a 5xx, a
connection dropped before the call takes effect, and one dropped after it did (`lost`: the answer never arrives)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as a reader sees it: all its text, the sources listed below it, and its buttons by their labels.

    `replies` is false for what a person wrote. `edited` says whether the platform marks it so.
    """

    id: str
    author: str
    text: str
    replies: bool = False
    sources: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    edited: bool = False
    to: str | None = None
    """The one person who sees it, if it is ephemeral."""


@dataclass(frozen=True, slots=True)
class View:
    """What one message showed from a moment on (`time.monotonic`), None once it is deleted."""

    at: float
    text: str | None
    sources: tuple[str, ...] = ()


@dataclass
class Faults:
    """Makes a share of the calls fail, the same ones for the same seed; `kinds` are of `FAULTS`."""

    share: float = 0.0
    kinds: Sequence[str] = FAULTS
    seed: int = 0
    made: Counter[str] = field(default_factory=Counter[str])
    _random: random.Random | None = None

    def next(self) -> str | None:
        """The fault of the next call, None if it may pass."""
        if self._random is None:
            self._random = random.Random(self.seed)
        if self._random.random() >= self.share:
            return None
        kind = self._random.choice(self.kinds)
        self.made[kind] += 1
        return kind


@dataclass
class Traffic:
    """When which calls were made and how they were answered: (time.monotonic, method, outcome)."""

    calls: list[tuple[float, str, str]] = field(default_factory=list[tuple[float, str, str]])

    def note(self, method: str, outcome: str) -> None:
        self.calls.append((time.monotonic(), method, outcome))

    def times(self, method: str, outcome: str = "ok") -> list[float]:
        return [at for at, called, ended in self.calls if called == method and ended == outcome]

    def most_per_minute(self, method: str) -> int:
        """The most calls that were taken in any 60 s."""
        times = self.times(method)
        return max((sum(start <= at < start + 60 for at in times) for start in times), default=0)
