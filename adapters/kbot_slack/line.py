"""The pace of new messages in a channel: Slack takes about one a second, and a few at once after a rest."""

import asyncio

from kbot.chat import RateLimited

INTERVAL, BURST = 1.0, 20
_PATIENCE = 60.0  # for which a post is kept waiting here; who has to wait longer is told so


class Line:
    """The posts that wait for one channel, in the order in which they came."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._next = self._clock() - BURST * INTERVAL
        self._door = asyncio.Lock()
        self._waiting = 0

    @property
    def idle(self) -> bool:
        """Whether nothing waits, or would have to."""
        return not self._waiting and self._next <= self._clock() - BURST * INTERVAL

    async def turn(self) -> None:
        """Wait until the next post may be made. Raises RateLimited if that is more than a minute away."""
        _check(self._next + self._waiting * INTERVAL - self._clock())
        self._waiting += 1
        try:
            async with self._door:
                while (wait := self._next - self._clock()) > 0:  # a refusal may have made it longer meanwhile
                    _check(wait)
                    await asyncio.sleep(wait)
                self._next = max(self._next, self._clock() - (BURST - 1) * INTERVAL) + INTERVAL
        finally:
            self._waiting -= 1

    async def again(self, limit: RateLimited) -> None:
        """Slack asked a post to wait: all that are in line wait, and the one that was refused goes before them. Raises
        RateLimited as `turn` does."""
        turn = max(self._next, self._clock() + limit.retry_after)
        self._next = turn + INTERVAL
        _check(turn - self._clock())
        await asyncio.sleep(turn - self._clock())


def _check(wait: float) -> None:
    if wait > _PATIENCE:
        raise RateLimited(wait)
