"""One message in, one reply out: claimed once, answered in its conversation's order, its errors turned into words."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import LiteralString

import structlog

from kbot.chat import Adapter, Answer, Content, IncomingMessage, Passage, Place
from kbot.engine import Asked, Engine, Final, Retracted, Searching, Token
from kbot.errors import KbotError, MessageGone
from kbot.history import last_read
from kbot.language import detect_language
from kbot.live_reply import LiveReply, Pacer
from kbot.words import Words, words_in

log = structlog.get_logger(__name__)

# The first key of the advisory locks by which processes know each other to be alive; the second is the process's own
# number.
_ALIVE = 0x6B626F74

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

_MARK: LiteralString = """
UPDATE inbox SET state = %(state)s, reply_id = coalesce(%(reply_id)s, reply_id),
  finished_at = CASE WHEN %(state)s = 'claimed' THEN NULL ELSE clock_timestamp() END
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


class Bot:
    """Answers messages for adapters. Any number of processes can run one on the same database."""

    def __init__(self, engine: Engine, owner: int) -> None:
        self._engine = engine
        self._owner = owner
        self._places = asyncio.Semaphore(engine.settings.concurrency)
        self._finished = asyncio.Condition()
        self._pacers: dict[tuple[str, str], Pacer] = {}

    @classmethod
    @asynccontextmanager
    async def open(cls, engine: Engine) -> "AsyncGenerator[Bot]":
        """A bot whose claims count as living while the block runs, and its connection to the database holds."""
        owner = secrets.randbelow(2**31)
        async with engine.database.pool.connection() as connection:
            await connection.set_autocommit(True)
            await connection.execute("SELECT pg_advisory_lock(kbot_life(), %s)", (owner,))
            try:
                yield cls(engine, owner)
            finally:
                await connection.execute("SELECT pg_advisory_unlock(kbot_life(), %s)", (owner,))
                await connection.set_autocommit(False)

    async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
        """Answer a message in its place, live; None for a redelivery, a bot's message, and an answer that failed in
        words."""
        if message.from_bot or not message.text.strip():
            return None
        sequence = await self._claim(message)
        if sequence is None:
            return None
        words = words_in(detect_language(message.text))
        state = "failed"
        try:
            answer = await self._reply(message, adapter, words, sequence)
            state = "answered" if answer else "failed"
            return answer
        finally:
            await self._mark(message, state)
            async with self._finished:
                self._finished.notify_all()

    async def read(self, place: Place) -> Sequence[Passage]:
        """Everything that was read for the last answer in the place, as far as the place may see it."""
        return await last_read(self._engine.database, place)

    async def repair(self, adapter: Adapter) -> int:
        """Mark the replies that a dead process left unfinished on this adapter's platform; returns how many there
        were."""
        async with self._engine.database.pool.connection() as connection:
            orphans = await (await connection.execute(_ORPHANS, {"platform": adapter.name})).fetchall()
        for workspace, channel, thread, reply_id in orphans:
            if reply_id is None:
                continue
            text = words_in("").interrupted
            try:
                await adapter.edit(Place(workspace, channel, thread), reply_id, Content(text, "failed"))
            except (KbotError, ConnectionError) as error:
                log.warning("reply_not_mended", platform=adapter.name, error=type(error).__name__)
        return len(orphans)

    async def _reply(self, message: IncomingMessage, adapter: Adapter, words: Words, sequence: int) -> Answer | None:
        live = LiveReply(
            adapter,
            message.place,
            placeholder=words.searching,
            interrupted=words.interrupted,
            pacer=self._pacer(adapter, message.place),
        )
        try:
            async with live as reply:
                await self._mark(message, "claimed", reply.message_id)
                await self._turn(message, sequence, reply, words)
                try:
                    async with self._places:
                        return await self._write(message, reply, words)
                except (KbotError, OSError) as error:
                    log.warning("answer_failed", error=type(error).__name__, platform=message.platform)
                    reply.fail(words.of(error))
                    return None
        except MessageGone:
            log.info("reply_gone", platform=message.platform)
            return None

    async def _write(self, message: IncomingMessage, reply: LiveReply, words: Words) -> Answer | None:
        asked = Asked(message.message_id, message.author)
        async with aclosing(self._engine.ask(message.text, message.place, asked=asked)) as events:
            async for event in events:
                match event:
                    case Searching():
                        reply.show(words.searching)
                    case Token(text):
                        reply.write(text)
                    case Retracted():
                        reply.replace("")
                    case Final(answer):
                        text = answer.text if answer.reason != "uncited" else f"{answer.text}\n\n{words.uncited}"
                        reply.finish(text, answer)
                        return answer
        return None

    async def _turn(self, message: IncomingMessage, sequence: int, reply: LiveReply, words: Words) -> None:
        """Wait until the earlier messages of the conversation are answered, and tell how many there are."""
        place = message.place
        values = {
            "workspace": place.workspace,
            "channel": place.channel,
            "thread": place.thread,
            "sequence": sequence,
        }
        shown = 0
        while ahead := await self._count(_AHEAD, values):
            if ahead != shown:
                reply.show(words.waiting.format(ahead=ahead))
                shown = ahead
            async with self._finished:
                try:
                    await asyncio.wait_for(self._finished.wait(), 0.5)
                except TimeoutError:
                    continue  # another process may have answered it
        if self._places.locked():
            reply.show(words.busy)

    async def _claim(self, message: IncomingMessage) -> int | None:
        values = {
            "workspace": message.place.workspace,
            "platform": message.platform,
            "channel": message.place.channel,
            "message_id": message.message_id,
            "thread": message.place.thread,
            "owner": self._owner,
        }
        return await self._count(_CLAIM, values)

    async def _mark(self, message: IncomingMessage, state: str, reply_id: str | None = None) -> None:
        values = {
            "state": state,
            "reply_id": reply_id,
            "workspace": message.place.workspace,
            "platform": message.platform,
            "channel": message.place.channel,
            "message_id": message.message_id,
        }
        async with self._engine.database.pool.connection() as connection:
            await connection.execute(_MARK, values)

    async def _count(self, statement: LiteralString, values: Mapping[str, object]) -> int | None:
        async with self._engine.database.pool.connection() as connection:
            row = await (await connection.execute(statement, values)).fetchone()
        return row[0] if row else None

    def _pacer(self, adapter: Adapter, place: Place) -> Pacer:
        return self._pacers.setdefault((adapter.name, place.workspace), Pacer(None, adapter.limits.interval))
