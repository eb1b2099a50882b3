"""The pace of calls to a platform: edits at an interval and within a budget, and calls repeated until taken."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from itertools import count
from typing import Literal

from kbot.budget import Budget
from kbot.errors import RateLimited
from kbot.logs import get_logger

BACKOFF_SECONDS = 10.0
_LONGEST_BAR = 120.0  # asked to wait longer, kbot sees once in a while whether it still has to
_LONGEST_PATIENCE = 600.0  # for one call, beside its own time

Kind = Literal["status", "growing", "final"]

log = get_logger(__name__)


class Pacer:
    """The pace that all live replies of one scope (a Slack workspace, a Discord channel) share.

    `interval` seconds lie between two edits of a reply that grows alone, and more the more grow side by side. A
    `budget` holds for all processes; finals go before everything else in it, and are never dropped.
    """

    def __init__(self, interval: float, budget: Budget | None = None) -> None:
        self._interval = max(interval, 60 / budget.per_minute) if budget else interval
        self._budget = budget
        self._growing = 0
        self._barred_until = 0.0

    @contextmanager
    def growing(self) -> Generator[None]:
        """While the block runs there is one more reply that grows."""
        self._growing += 1
        try:
            yield
        finally:
            self._growing -= 1

    @property
    def pause(self) -> float:
        """Seconds for a reply to rest after an edit came back."""
        return self._interval * max(self._growing, 1)

    async def grant(self, kind: Kind) -> float:
        """Ask for one edit: 0 grants it, else the seconds after which to ask again."""
        wait = self._barred_until - asyncio.get_running_loop().time()
        if wait > 0:
            return wait
        return await self._budget.spend(kind) if self._budget else 0.0

    async def limited(self, retry_after: float) -> None:
        """The platform asked to wait `retry_after` seconds: nothing more is granted until then."""
        if retry_after > _LONGEST_BAR:
            log.warning("long_wait_asked", seconds=retry_after, told="The platform takes no edits; kbot tries on.")
        retry_after = min(retry_after, _LONGEST_BAR)
        until = asyncio.get_running_loop().time() + max(retry_after, 0.01)
        self._barred_until = max(self._barred_until, until)
        if self._budget:
            await self._budget.bar(retry_after)


async def attempt(pacer: Pacer | None, call: Callable[[], Awaitable[None]]) -> float | None:
    """Make a call of an adapter once: None if it was taken, else the seconds to leave before the next try. Without a
    pacer a limit is the call's own affair. Raises what the platform refuses for good."""
    try:
        await call()
    except RateLimited as limit:
        if pacer:
            await pacer.limited(limit.retry_after)
        return limit.retry_after
    except ConnectionError as error:
        log.warning("call_postponed", error=repr(error))
        return 0.0
    return None


async def insist(
    pacer: Pacer,
    call: Callable[[], Awaitable[None]],
    clock: asyncio.Timeout,
    *,
    edit: bool = True,
    patient: bool = True,
) -> None:
    """Repeat a call until it is taken, or `clock` ends it.

    `patient`, the waits for the budget and those that the platform asks for do not count as time, since they end by
    themselves, up to ten minutes; else the budget is not asked, and a wait that goes beyond the clock is a TimeoutError
    at once. A call that is no `edit` is outside the budget.
    """
    patience = _LONGEST_PATIENCE if patient else 0.0
    for tried in count():
        while edit and patient and (wait := await pacer.grant("final")):
            patience = await _wait(wait, clock, patience)
        asked = await attempt(pacer if edit else None, call)
        if asked is None:
            return
        if asked and not (edit and patient):
            patience = await _wait(asked, clock, patience)
        await asyncio.sleep(min(0.05 * 2**tried, BACKOFF_SECONDS))


async def _wait(seconds: float, clock: asyncio.Timeout, patience: float) -> float:
    """Wait, out of the patience that there is, and then out of the clock's time; returns what is left of the first."""
    until = clock.when()
    if until is not None:
        clock.reschedule(until + min(seconds, patience))
        if asyncio.get_running_loop().time() + seconds > until + min(seconds, patience):
            raise TimeoutError(f"The next try is {seconds:g} s away.")
    await asyncio.sleep(seconds)
    return max(patience - seconds, 0.0)
