"""The pace of calls to a platform: one budget of edits for all replies of a scope, and calls repeated until taken."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from itertools import count

from kbot.errors import RateLimited
from kbot.logs import get_logger

BACKOFF_SECONDS = 10.0

log = get_logger(__name__)


class Pacer:
    """The budget for edits that all live replies of one scope (a Slack workspace, a Discord channel) share.

    `per_minute` edits in any 60 s (None: no such limit), `interval` seconds between two edits of a reply that is
    alone. Finals are always granted; of the budget one edit for each live reply is kept back for them.
    """

    def __init__(self, per_minute: int | None, interval: float) -> None:
        self._per_minute = per_minute
        self._interval = interval if per_minute is None else max(interval, 60 / per_minute)
        self._live = 0
        self._spent = deque[float]()
        self._barred_until = 0.0

    @contextmanager
    def live(self) -> Generator[None]:
        """While the block runs there is one more live reply."""
        self._live += 1
        try:
            yield
        finally:
            self._live -= 1

    @property
    def pause(self) -> float:
        """Seconds for a reply to rest after an interim edit came back."""
        return self._interval * max(self._live, 1)

    async def interim(self) -> float:
        """Ask for one interim edit: 0 grants and spends it, else the seconds after which to ask again."""
        now = self._now()
        wait = self._barred_until - now
        if self._per_minute is not None and len(self._spent) >= self._per_minute - self._live:
            wait = max(wait, self._spent[0] + 60 - now if self._spent else self.pause)
        if wait <= 0:
            self._spent.append(now)
        return max(wait, 0.0)

    async def final(self) -> float:
        """Spend one edit that must be delivered; returns the seconds that the platform asked to wait first."""
        now = self._now()
        self._spent.append(now)
        return max(self._barred_until - now, 0.0)

    def _now(self) -> float:
        now = asyncio.get_running_loop().time()
        while self._spent and self._spent[0] <= now - 60:
            self._spent.popleft()
        return now

    async def limited(self, retry_after: float) -> None:
        """The platform asked to wait `retry_after` seconds: nothing more is granted until then."""
        until = asyncio.get_running_loop().time() + max(retry_after, 0.01)
        self._barred_until = max(self._barred_until, until)


async def attempt(pacer: Pacer, call: Callable[[], Awaitable[None]]) -> bool:
    """Make a call of an adapter once; False if it failed in a way that may pass. Raises what it refuses for good."""
    try:
        await call()
    except RateLimited as limit:
        await pacer.limited(limit.retry_after)
    except ConnectionError as error:
        log.warning("call_postponed", error=repr(error))
    else:
        return True
    return False


async def insist(pacer: Pacer, call: Callable[[], Awaitable[None]], until: float) -> None:
    """Repeat a call until it is taken; TimeoutError once the next try would come after `until` (the loop's time)."""
    for tried in count():
        backoff = min(0.05 * 2**tried, BACKOFF_SECONDS) if tried else 0.0
        wait = max(await pacer.final(), backoff)
        if asyncio.get_running_loop().time() + wait > until:
            raise TimeoutError(f"The next try is {wait:g} s away.")
        await asyncio.sleep(wait)
        if await attempt(pacer, call):
            return
