"""What Discord's headers say of how many calls are left."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from kbot.chat import RateLimited

_USUAL = 5  # calls per window, until an answer says it
_LONGEST = 120.0
_SAME = 0.5  # seconds by which the ends of one window differ between two answers
_MOST = 1000


@dataclass(slots=True)
class Bucket:
    """The calls of one kind in one channel: how many are `left` until the window `ends` (`time.monotonic`), and how
    many are under way, of which Discord has not told yet."""

    limit: int = _USUAL
    left: int = _USUAL
    ends: float = 0.0
    under_way: int = 0

    def take(self) -> None:
        """Take one of the calls that are left. Raises RateLimited if there is none: asking anyway would count towards
        the number of refused calls after which Discord bans an address."""
        wait = self.ends - time.monotonic()
        if wait <= 0:
            self.left = self.limit
        if self.left <= self.under_way:
            raise RateLimited(max(wait, 0.05))
        self.under_way += 1

    def done(self) -> None:
        """A call came back, in whatever way."""
        self.under_way -= 1

    def learn(self, headers: Mapping[str, str]) -> None:
        """Take over what the headers of an answer say. Answers overtake each other: of one window the least counts."""
        try:
            limit, left = int(headers["X-RateLimit-Limit"]), int(headers["X-RateLimit-Remaining"])
            rest = float(headers["X-RateLimit-Reset-After"])
        except (KeyError, ValueError):
            return
        # Whatever it says, once in a while a call is tried: no other could correct it.
        ends = time.monotonic() + (min(max(rest, 0.0), _LONGEST) if math.isfinite(rest) else 1.0)
        self.left = min(left, self.left) if abs(ends - self.ends) < _SAME else left
        self.limit, self.ends = max(limit, 1), ends


@dataclass(slots=True)
class Buckets:
    """The buckets by kind of call and channel."""

    _known: dict[tuple[str, ...], Bucket] = field(default_factory=dict[tuple[str, ...], Bucket])

    def of(self, *key: str) -> Bucket:
        """The bucket in which such calls are counted."""
        if len(self._known) > _MOST:
            now = time.monotonic()
            self._known = {name: one for name, one in self._known.items() if one.under_way or one.ends > now}
        return self._known.setdefault(key, Bucket())
