"""The messages that are being answered, as rows that every process on the database sees.

A message belongs to the process that claims it. Processes know each other to be alive by an advisory lock on a number
of their own, so that a claim ends with its process, however that ends.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, LiteralString

from kbot.chat import IncomingMessage, Place
from kbot.database import Database
from kbot.errors import DatabaseError
from kbot.logs import get_logger

log = get_logger(__name__)

_PULSE_SECONDS = 5.0  # between two looks at whether the lock on the process's number still holds
_SETTLE_SECONDS = 2.0  # that an answer waits for its row to be closed, before this goes on behind its back
_LONGEST_BACKOFF = 30.0

# Without it a later message could be committed, and count those before it, while an earlier one has its number but no
# row that others see.
_ONE_BY_ONE: LiteralString = """
SELECT pg_advisory_xact_lock(
  hashtextextended(concat_ws('/', %(workspace)s::text, %(channel)s::text, %(thread)s::text), 0)
)
"""

_CLAIM: LiteralString = """
INSERT INTO inbox (workspace, platform, channel, message_id, thread, owner)
VALUES (%(workspace)s, %(platform)s, %(channel)s, %(message_id)s, %(thread)s, %(owner)s)
ON CONFLICT DO NOTHING RETURNING sequence
"""

_AHEAD: LiteralString = """
SELECT count(*) FROM inbox
WHERE workspace = %(workspace)s AND channel = %(channel)s AND thread IS NOT DISTINCT FROM %(thread)s
  AND state = 'claimed' AND sequence < %(sequence)s AND kbot_lives(owner)
"""

_REPLY: LiteralString = """
UPDATE inbox SET reply_id = %(reply_id)s
WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
"""

_CLOSE: LiteralString = """
UPDATE inbox SET state = %(state)s, finished_at = clock_timestamp()
WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
"""

# SKIP LOCKED: of several processes that start at once, each mends other replies.
_ORPHANS: LiteralString = """
UPDATE inbox SET state = 'failed', finished_at = clock_timestamp()
WHERE (workspace, platform, channel, message_id) IN (
  SELECT workspace, platform, channel, message_id FROM inbox
  WHERE platform = %(platform)s AND state = 'claimed' AND NOT kbot_lives(owner)
  FOR UPDATE SKIP LOCKED
)
RETURNING workspace, channel, thread, reply_id
"""


@dataclass(frozen=True, slots=True)
class Orphan:
    """A reply that its process left unfinished; `reply_id` is None if it had not begun."""

    place: Place
    reply_id: str | None


class Inbox:
    """The claims of one process. Each method raises `DatabaseError`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._owner = secrets.randbelow(2**31)
        self._claiming = asyncio.Lock()
        self._closed = asyncio.Condition()
        self._closing: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls, database: Database) -> "AsyncGenerator[Inbox]":
        """An inbox whose claims count as living while the block runs."""
        inbox = cls(database)
        begun = asyncio.Event()
        life = asyncio.create_task(inbox._live(begun), name="inbox's life")
        life.add_done_callback(lambda _: begun.set())
        try:
            await begun.wait()
            if life.done():
                life.result()
            yield inbox
            if inbox._closing:
                await asyncio.wait(inbox._closing, timeout=_SETTLE_SECONDS)
        finally:
            tasks = [life, *inbox._closing]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def claim(self, message: IncomingMessage) -> int | None:
        """The message's number in the order of arrival; None if it was claimed before, here or elsewhere."""
        values = {**_values(message), "owner": self._owner}
        async with self._claiming, self._database.pool.connection() as connection:
            await connection.execute(_ONE_BY_ONE, values)
            row = await (await connection.execute(_CLAIM, values)).fetchone()
        return row[0] if row else None

    async def ahead(self, message: IncomingMessage, sequence: int) -> int:
        """How many earlier messages of the conversation are still being answered."""
        async with self._database.pool.connection() as connection:
            row = await (await connection.execute(_AHEAD, {**_values(message), "sequence": sequence})).fetchone()
        return row[0] if row else 0

    async def wait_for_a_close(self, seconds: float) -> None:
        """Until a message is closed in this process, or the time is over: others' are seen by looking."""
        async with self._closed:
            try:
                await asyncio.wait_for(self._closed.wait(), seconds)
            except TimeoutError:
                return

    async def note_reply(self, message: IncomingMessage, reply_id: str | None) -> None:
        """Record in which message the reply grows, so that another process can mend it."""
        async with self._database.pool.connection() as connection:
            await connection.execute(_REPLY, {**_values(message), "reply_id": reply_id})

    async def close(self, message: IncomingMessage, state: str) -> None:
        """End a claim as "answered" or "failed".

        It is tried for as long as the database is away, if need be after this returned: an open row of a living
        process holds up its conversation.
        """
        closing = asyncio.create_task(self._close(message, state), name="close row")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.wait({closing}, timeout=_SETTLE_SECONDS)
        if closing.done():
            closing.result()

    async def orphans(self, platform: str) -> list[Orphan]:
        """Close the claims of dead processes on a platform, and return them."""
        async with self._database.pool.connection() as connection:
            rows = await (await connection.execute(_ORPHANS, {"platform": platform})).fetchall()
        return [Orphan(Place(workspace, channel, thread), reply_id) for workspace, channel, thread, reply_id in rows]

    async def _close(self, message: IncomingMessage, state: str) -> None:
        for tried in count():
            try:
                async with self._database.pool.connection() as connection:
                    await connection.execute(_CLOSE, {**_values(message), "state": state})
            except DatabaseError as error:
                log.warning("row_not_closed", error=str(error), platform=message.platform)
                await asyncio.sleep(min(0.5 * 2**tried, _LONGEST_BACKOFF))
            else:
                break
        async with self._closed:
            self._closed.notify_all()

    async def _live(self, begun: asyncio.Event) -> None:
        """Hold the lock by which others know that this process lives; take it anew when its connection is lost."""
        while True:
            try:
                async with self._database.pool.connection() as connection:
                    await connection.set_autocommit(True)
                    await connection.execute("SELECT pg_advisory_lock(kbot_life(), %s)", (self._owner,))
                    begun.set()
                    try:
                        while True:
                            await asyncio.sleep(_PULSE_SECONDS)
                            await connection.execute("SELECT")
                    finally:
                        await connection.execute("SELECT pg_advisory_unlock(kbot_life(), %s)", (self._owner,))
                        await connection.set_autocommit(False)
            except DatabaseError as error:
                if not begun.is_set():
                    raise
                log.warning("database_lost", error=str(error))
                await asyncio.sleep(1)


def _values(message: IncomingMessage) -> dict[str, Any]:
    return {
        "workspace": message.place.workspace,
        "platform": message.platform,
        "channel": message.place.channel,
        "thread": message.place.thread,
        "message_id": message.message_id,
    }
