"""What came of each message in the last seconds, for Slack's events keep no order."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_KEPT = 60.0


@dataclass(slots=True)
class _Known:
    since: float = field(default_factory=time.monotonic)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    deleted: bool = False


class Lately:
    """The messages of which this process heard lately: over several connections, a deletion may overtake the message,
    and a mention the `message` event that carries its files."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Known] = {}

    def heard(self, event: Mapping[str, Any]) -> None:
        """The `message` event of a message came."""
        self._of(event).told.set()

    def deleted(self, event: Mapping[str, Any]) -> None:
        """The message was deleted."""
        known = self._of(event)
        known.deleted = True
        known.told.set()

    def is_deleted(self, event: Mapping[str, Any]) -> bool:
        """Whether the message was deleted already."""
        return self._of(event).deleted

    async def hears(self, event: Mapping[str, Any], seconds: float) -> bool:
        """Whether the `message` event of a message, or its deletion, came or comes within so many seconds."""
        told = self._of(event).told
        try:
            async with asyncio.timeout(seconds):
                await told.wait()
        except TimeoutError:
            return False
        return True

    def _of(self, event: Mapping[str, Any]) -> _Known:
        old = time.monotonic() - _KEPT
        while self._known and (first := next(iter(self._known))) and self._known[first].since < old:
            del self._known[first]
        return self._known.setdefault((event["channel"], event["ts"]), _Known())
