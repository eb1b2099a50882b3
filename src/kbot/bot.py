"""One message in, one reply out: claimed once, answered in its conversation's order, its errors turned into words."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager

from kbot.chat import Adapter, Answer, Content, IncomingMessage, Passage, Place
from kbot.engine import Asked, Engine, Final, Retracted, Searching, Token, has_words
from kbot.errors import DatabaseError, KbotError, MessageGone, ModelError
from kbot.history import last_read
from kbot.inbox import Inbox
from kbot.language import detect_language
from kbot.live_reply import LiveReply, Pacer
from kbot.logs import get_logger
from kbot.words import SPOKEN, Words, words_in

log = get_logger(__name__)

_LOOK_SECONDS = 0.5  # between two looks at whether another process has answered what is ahead


class Bot:
    """Answers messages for adapters. Any number of processes can run one on the same database."""

    def __init__(self, engine: Engine, inbox: Inbox) -> None:
        self._engine = engine
        self._inbox = inbox
        self._places = asyncio.Semaphore(engine.settings.concurrency)
        self._queue: list[tuple[LiveReply, Words]] = []
        self._pacers: dict[tuple[str, str], Pacer] = {}

    @classmethod
    @asynccontextmanager
    async def open(cls, engine: Engine) -> "AsyncGenerator[Bot]":
        """A bot whose claims count as living while the block runs. Raises `DatabaseError`."""
        async with Inbox.open(engine.database) as inbox:
            yield cls(engine, inbox)

    async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
        """Answer a message in its place, live; None for a redelivery, a bot's message, one without words, and an answer
        that failed in words. Raises `DeliveryError` if the place does not take the reply."""
        if message.from_bot or (message.attachments and not has_words(message.text)):
            return None
        words = words_in(detect_language(message.text))
        try:
            sequence = await self._inbox.claim(message)
        except DatabaseError as error:
            _log_failure(message, error)
            await adapter.send(message.place, Content(words.of(error), "failed"))
            return None
        if sequence is None:
            return None
        answer = None
        try:
            answer = await self._reply(message, adapter, words, sequence)
        finally:
            await self._inbox.close(message, "answered" if answer else "failed")
        return answer

    def workspace(self, platform: str, team: str) -> str:
        """The workspace of a team on a platform, as KBOT_TENANCY has it."""
        return f"{platform}:{team}" if self._engine.settings.tenancy == "per-team" else "default"

    async def read(self, place: Place) -> Sequence[Passage]:
        """Everything that was read for the last answer in the place, as far as the place may see it."""
        return await last_read(self._engine.database, place)

    async def repair(self, adapter: Adapter) -> int:
        """Mark the replies that a dead process left unfinished on this adapter's platform; returns how many there
        were."""
        orphans = await self._inbox.orphans(adapter.name)
        text = "\n".join(words.interrupted for words in SPOKEN)
        for orphan in orphans:
            if orphan.reply_id is None:
                continue
            try:
                await adapter.edit(orphan.place, orphan.reply_id, Content(text, "failed"))
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
                if not has_words(message.text):
                    reply.finish("\n".join(each.empty for each in SPOKEN))
                    return None
                try:
                    await self._inbox.note_reply(message, reply.message_id)
                    await self._turn(message, sequence, reply, words)
                    async with self._place(reply, words):
                        return await self._write(message, reply, words)
                except (KbotError, OSError) as error:
                    _log_failure(message, error)
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
        shown = 0
        while ahead := await self._inbox.ahead(message, sequence):
            if ahead != shown:
                reply.show(words.waiting.format(ahead=ahead))
                shown = ahead
            await self._inbox.wait_for_a_close(_LOOK_SECONDS)

    @asynccontextmanager
    async def _place(self, reply: LiveReply, words: Words) -> AsyncGenerator[None]:
        """One of the places in which answers are written side by side; who waits for one sees their number."""
        waiting = (reply, words)
        self._queue.append(waiting)
        try:
            if self._places.locked():
                self._tell_queue()
            await self._places.acquire()
        finally:
            self._queue.remove(waiting)
            self._tell_queue()
        try:
            reply.show(words.searching)
            yield
        finally:
            self._places.release()

    def _tell_queue(self) -> None:
        for number, (reply, words) in enumerate(self._queue, 1):
            reply.show(words.queued.format(number=number))

    def _pacer(self, adapter: Adapter, place: Place) -> Pacer:
        return self._pacers.setdefault((adapter.name, place.workspace), Pacer(None, adapter.limits.interval))


def _log_failure(message: IncomingMessage, error: Exception) -> None:
    # Of a model's error only kbot's own words: what a provider says may quote the message.
    told = f"{error.model}: {error.next_step}" if isinstance(error, ModelError) else str(error)
    log.warning("answer_failed", error=type(error).__name__, told=told, platform=message.platform)
