"""The messages that are being answered, as rows that every process on the database sees.

Claims, order, and what happens to a question while it is answered (it is edited, or deleted) go through them; the
process that holds a claim is told of changes by NOTIFY, and looks for itself every few seconds.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from itertools import count
from typing import Any

from kbot.chat import IncomingMessage, Place
from kbot.claims import Change, Claim, Key, Orphan, key_of
from kbot.database import Database
from kbot.errors import DatabaseError
from kbot.inbox_rows import (
    AHEAD,
    CLAIM,
    CLOSE,
    DISOWN,
    LOOK,
    MEND,
    NOTE,
    ONE_BY_ONE,
    PRUNE,
    REOPEN,
    REVISE,
    TAKES_PART,
    WITHDRAW,
    WRITING,
)
from kbot.logs import get_logger

log = get_logger(__name__)

_PULSE_SECONDS = 5.0  # between two looks at whether the lock on the process's number still holds
_UNSURE_SECONDS = 30.0  # in which processes that lost the database find it again
_SETTLE_SECONDS = 2.0  # that an answer waits for its row to be closed, before this goes on behind its back
_LONGEST_BACKOFF = 30.0


class Inbox:
    """The claims of one process. Each method raises `DatabaseError`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._owner = secrets.randbelow(2**31)
        self._sure_from = 0.0
        self._claiming = asyncio.Lock()
        self._claims: dict[Key, Claim] = {}
        self._closed = asyncio.Condition()
        self._closing: set[asyncio.Task[Change | None]] = set()

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

    async def claim(self, message: IncomingMessage) -> Claim | None:
        """The right to answer a message; None if it was claimed before, here or elsewhere."""
        values = {**_values(key_of(message)), "thread": message.place.thread, "owner": self._owner}
        values |= {"event_id": message.event_id, "reply_thread": message.reply_thread}
        async with self._claiming, self._database.pool.connection() as connection:
            await connection.execute(ONE_BY_ONE, values)
            row = await (await connection.execute(CLAIM, values)).fetchone()
        return self._hold(Claim(message, row[0], [])) if row else None

    async def revise(self, message: IncomingMessage) -> Claim | bool:
        """An answered question was edited: the right to answer it anew. True if there is nothing to do here: the
        process that is answering it was told, or it was revised once before. False if it was never claimed."""
        values = {**_values(key_of(message)), "owner": self._owner, "text": message.text}
        async with self._database.pool.connection() as connection:
            row = await (await connection.execute(REVISE, values)).fetchone()
        if row is None:
            return False
        sequence, reply_ids, ours, _ = row
        return self._hold(Claim(message, sequence, reply_ids, revised=True)) if ours else True

    async def withdraw(self, platform: str, place: Place, message_id: str) -> list[str] | None:
        """A question was deleted: the messages of its reply, to be deleted too; None if there is nothing to do here: it
        was never claimed, or the process that is answering it was told."""
        values = _values((place.workspace, platform, place.channel, message_id))
        async with self._database.pool.connection() as connection:
            row = await (await connection.execute(WITHDRAW, values)).fetchone()
        return None if row is None or row[1] else row[0]

    def drop(self, key: Key) -> None:
        """A question was deleted, which the database cannot be told now: if this process answers it, it stops."""
        if claim := self._claims.get(key):
            claim.tell(Change(True))

    async def takes_part(self, platform: str, place: Place) -> bool:
        """Whether a message was claimed, or a turn stored, in a thread or at its opening."""
        values = {**_values((place.workspace, platform, place.channel, "")), "thread": place.thread}
        async with self._database.pool.reading() as connection:
            row = await (await connection.execute(TAKES_PART, values)).fetchone()
        return bool(row and row[0])

    async def ahead(self, claim: Claim) -> int:
        """How many earlier messages of the conversation are still being answered."""
        values = {**_values(claim.key), "thread": claim.message.place.thread, "sequence": claim.sequence}
        async with self._database.pool.reading() as connection:
            row = await (await connection.execute(AHEAD, values)).fetchone()
        return row[0] if row else 0

    async def wait_for_a_close(self, seconds: float) -> None:
        """Until a message is closed in this process, or the time is over: others' are seen by looking."""
        async with self._closed:
            try:
                await asyncio.wait_for(self._closed.wait(), seconds)
            except TimeoutError:
                return

    async def note_replies(self, claim: Claim, reply_ids: list[str]) -> None:
        """Record in which messages the reply grows, so that another process can mend it."""
        claim.reply_ids = reply_ids
        async with self._database.pool.reading() as connection:
            await connection.execute(NOTE, {**_values(claim.key), "reply_ids": reply_ids, "owner": self._owner})

    async def note_writing(self, claim: Claim) -> None:
        """Record that the reply is being written: its last edit is kept back in the platform's budget."""
        async with self._database.pool.reading() as connection:
            await connection.execute(WRITING, {**_values(claim.key), "owner": self._owner})

    async def close(self, claim: Claim, state: str, *, again: bool = False) -> Change | None:
        """End a claim as "answered", "failed" or "undelivered"; returns what happened to the question at the last
        moment. If it was edited then, and can be answered `again`, the claim goes on instead.

        It is tried for as long as the database is away, if need be after this returned: an open row of a living
        process holds up its conversation.
        """
        closing = asyncio.create_task(self._close(claim, state, again), name="close row")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.wait({closing}, timeout=_SETTLE_SECONDS)
        return closing.result() if closing.done() else None

    async def orphans(self, platform: str) -> list[Orphan]:
        """Take over what dead processes left on a platform, and replies whose end was not delivered.

        None for a while after this process lost its lock: the others lost theirs too, and are not dead for that.
        """
        if asyncio.get_running_loop().time() < self._sure_from:
            return []
        async with self._database.pool.connection() as connection:
            rows = await (await connection.execute(MEND, {"platform": platform, "owner": self._owner})).fetchall()
        return [
            Orphan(Place(workspace, channel, thread), message_id, reply_ids, job, withdrawn)
            for workspace, channel, thread, message_id, reply_ids, job, withdrawn in rows
        ]

    async def reopen(self, platform: str, orphan: Orphan) -> None:
        """An orphan could not be mended now: it is one again in a while."""
        key = (orphan.place.workspace, platform, orphan.place.channel, orphan.message_id)
        async with self._database.pool.reading() as connection:
            await connection.execute(REOPEN, _values(key))

    def adopt(self, message: IncomingMessage, reply_ids: list[str]) -> Claim:
        """The claim on an orphan's job."""
        return self._hold(Claim(message, 0, reply_ids))

    async def disown(self, claim: Claim) -> None:
        """Let go of a job without closing it, since this process ends: another one takes it up."""
        self._claims.pop(claim.key, None)
        async with self._database.pool.reading() as connection:
            await connection.execute(DISOWN, {**_values(claim.key), "owner": self._owner})

    async def prune(self) -> None:
        """Drop rows so old that no redelivery, edit or repair of theirs is to come."""
        async with self._database.pool.reading() as connection:
            await connection.execute(PRUNE)

    def _hold(self, claim: Claim) -> Claim:
        self._claims[claim.key] = claim
        return claim

    async def _close(self, claim: Claim, state: str, again: bool) -> Change | None:
        row, again = None, again and not claim.revised
        for tried in count():
            try:
                async with self._database.pool.reading() as connection:
                    values = {**_values(claim.key), "state": state, "owner": self._owner, "again": again}
                    row = await (await connection.execute(CLOSE, values)).fetchone()
            except DatabaseError as error:
                log.warning("row_not_closed", error=str(error), platform=claim.message.platform)
                again = False  # who closes it does not wait for that long
                await asyncio.sleep(min(0.5 * 2**tried, _LONGEST_BACKOFF))
            else:
                break
        if row and row[0] is not None:
            claim.tell(Change(False, row[0]))
            return claim.changed.result()
        self._claims.pop(claim.key, None)
        async with self._closed:
            self._closed.notify_all()
        return Change(True) if row and row[1] else None

    async def _live(self, begun: asyncio.Event) -> None:
        """Hold the lock by which others know that this process lives, and listen; anew when the connection is lost."""
        while True:
            try:
                async with self._database.pool.connection() as connection:
                    await connection.set_autocommit(True)
                    await connection.execute("SELECT pg_advisory_lock(kbot_life(), %s)", (self._owner,))
                    await connection.execute("LISTEN kbot_inbox")
                    begun.set()
                    try:
                        while True:
                            await self._look(connection)
                            async with aclosing(connection.notifies(timeout=_PULSE_SECONDS)) as notes:
                                async for note in notes:
                                    if tuple(json.loads(note.payload)) in self._claims:
                                        break
                    finally:
                        await connection.execute("UNLISTEN kbot_inbox")
                        await connection.execute("SELECT pg_advisory_unlock(kbot_life(), %s)", (self._owner,))
                        await connection.set_autocommit(False)
            except DatabaseError as error:
                if not begun.is_set():
                    raise
                log.warning("database_lost", error=str(error))
                await asyncio.sleep(1)
            finally:
                self._sure_from = asyncio.get_running_loop().time() + _UNSURE_SECONDS

    async def _look(self, connection: Any) -> None:
        """What happened to the questions that this process answers; it also keeps the connection awake."""
        for *key, withdrawn, text in await (await connection.execute(LOOK, {"owner": self._owner})).fetchall():
            claim = self._claims.get((key[0], key[1], key[2], key[3]))
            if claim and (withdrawn or not claim.revised):
                claim.tell(Change(withdrawn, text))


def _values(key: Key) -> dict[str, Any]:
    return dict(zip(("workspace", "platform", "channel", "message_id"), key, strict=True))
