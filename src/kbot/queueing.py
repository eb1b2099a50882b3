"""How many answers are written side by side, and what those who wait are told."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from kbot.live_reply import LiveReply
from kbot.words import Words


class Queue:
    """Places in which answers are written side by side; who waits for one sees their number."""

    def __init__(self, places: int) -> None:
        self._places = asyncio.Semaphore(places)
        self._waiting: list[tuple[LiveReply, Words]] = []

    @asynccontextmanager
    async def place(self, reply: LiveReply, words: Words) -> AsyncGenerator[None]:
        """A place for the block."""
        waiting = (reply, words)
        self._waiting.append(waiting)
        try:
            if self._places.locked():
                self._tell()
            await self._places.acquire()
        finally:
            self._waiting.remove(waiting)
            self._tell()
        try:
            reply.show(words.searching)
            yield
        finally:
            self._places.release()

    def _tell(self) -> None:
        for number, (reply, words) in enumerate(self._waiting, 1):
            reply.show(words.queued.format(number=number))
