"""The reply to one claimed message: in its conversation's order, live, its errors turned into words."""

import asyncio
from contextlib import aclosing, suppress
from dataclasses import replace

from kbot.budget import Budget
from kbot.chat import Adapter, Answer, IncomingMessage, Place
from kbot.claims import Claim
from kbot.engine import Asked, Checking, Engine, Final, Retracted, Searching, Token, has_words
from kbot.errors import DatabaseError, KbotError, MessageGone, ModelError
from kbot.history import forget_turn
from kbot.inbox import Inbox
from kbot.language import detect_language
from kbot.live_reply import LiveReply
from kbot.logs import get_logger
from kbot.pacing import Pacer
from kbot.queueing import Queue
from kbot.small_talk import small_talk
from kbot.splitting import closing
from kbot.words import SPOKEN, Words, words_in

log = get_logger(__name__)

_LOOK_SECONDS = 0.5  # between two looks at whether another process has answered what is ahead


class Writer:
    """Writes the replies of one process. They share its pace and its places."""

    def __init__(self, engine: Engine, inbox: Inbox) -> None:
        self._engine = engine
        self._inbox = inbox
        self._queue = Queue(engine.settings.concurrency)
        self._pacers: dict[tuple[str, str, str], Pacer] = {}

    async def reply(self, claim: Claim, adapter: Adapter) -> Answer | None:
        """Answer what is claimed, again if it is edited at the last moment, and close the claim; None if there was
        nothing to answer, or only words about a failure. Raises `DeliveryError` if the place does not take the
        reply."""
        while True:
            answer, whole = None, False
            try:
                answer = await self._live_reply(claim, adapter)
                whole = True
            finally:
                undelivered = claim.reply_ids and not claim.ended
                state = "undelivered" if undelivered else "answered" if answer else "failed"
                change = await self._inbox.close(claim, state, again=whole)
            if change is None:
                return answer
            if change.withdrawn:
                await self.take_back(adapter, claim.message.place, claim.message.message_id, claim.reply_ids)
                return None
            claim.accept()

    async def take_back(self, adapter: Adapter, place: Place, message_id: str, reply_ids: list[str]) -> None:
        """Delete a reply, and the turn that it belongs to."""
        await forget_turn(self._engine.database, place, message_id)
        if not reply_ids:
            return
        with suppress(MessageGone):
            async with LiveReply(adapter, place, pacer=self.pacer(adapter, place), messages=reply_ids) as reply:
                reply.withdraw()

    def live(
        self, claim: Claim, adapter: Adapter, placeholder: str, interrupted: str, *, cursor: str = " ▌"
    ) -> LiveReply:
        """The reply to a claimed message, whose messages are noted in its row as they are posted."""

        async def note(reply_ids: list[str]) -> None:
            try:
                await self._inbox.note_replies(claim, reply_ids)
            except DatabaseError as error:
                log_failure(claim.message, error)

        place = reply_place(claim.message)
        return LiveReply(
            adapter,
            place,
            placeholder=placeholder,
            interrupted=interrupted,
            cursor=cursor,
            pacer=self.pacer(adapter, place),
            messages=claim.reply_ids,
            posted=note,
        )

    def pacer(self, adapter: Adapter, place: Place) -> Pacer:
        """The pace of the scope in which a place's edits are counted."""
        limits = adapter.limits
        scope = limits.budget or place.channel
        pacer = self._pacers.get((adapter.name, place.workspace, scope))
        if pacer is None:
            budget = None
            if limits.per_minute is not None:
                budget = Budget(self._engine.database, place.workspace, adapter.name, scope, limits.per_minute)
            pacer = self._pacers[adapter.name, place.workspace, scope] = Pacer(limits.interval, budget)
        return pacer

    async def _live_reply(self, claim: Claim, adapter: Adapter) -> Answer | None:
        words = _words(claim)
        live = self.live(claim, adapter, words.searching, words.interrupted)
        claim.ended = False
        try:
            async with live as reply:
                answer = await self._follow(claim, reply)
        except MessageGone as gone:
            live.ended = True
            log.info("reply_gone", platform=adapter.name, reason=str(gone))
            return None
        finally:
            claim.ended = live.ended
            claim.reply_ids = live.message_ids
        return answer

    async def _follow(self, claim: Claim, reply: LiveReply) -> Answer | None:
        """Write the reply; from the start if the question is edited meanwhile, and not at all if it is deleted."""
        while True:
            work = asyncio.create_task(self._write(claim, reply))
            try:
                await asyncio.wait({work, claim.changed}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not work.done():
                    work.cancel()
                    await asyncio.wait({work})
            if not claim.changed.done():
                return work.result()
            with suppress(asyncio.CancelledError):
                work.result()
            if claim.accept().withdrawn:
                reply.withdraw()
                try:
                    await forget_turn(self._engine.database, claim.message.place, claim.message.message_id)
                except DatabaseError as error:
                    log_failure(claim.message, error)
                return None
            reply.replace("")
            reply.show(_words(claim).searching)

    async def _write(self, claim: Claim, reply: LiveReply) -> Answer | None:
        message, words = claim.message, _words(claim)
        try:
            if claim.revised:  # what was answered before is no part of the conversation any more
                await forget_turn(self._engine.database, message.place, message.message_id)
            if not has_words(message.text) and (message.attachments or not small_talk(message.text)):
                spoken = (words,) if detect_language(message.text) else SPOKEN
                reply.finish("\n".join(each.unread_files if message.attachments else each.empty for each in spoken))
                return None
            await self._turn(claim, reply, words)
            async with self._queue.place(reply, words):
                await self._inbox.note_writing(claim)
                return await self._ask(claim, reply, words)
        except (KbotError, OSError) as error:
            log_failure(message, error)
            reply.fail(words.of(error))
            return None

    async def _turn(self, claim: Claim, reply: LiveReply, words: Words) -> None:
        """Wait until the earlier messages of the conversation are answered, and tell how many there are."""
        shown = 0
        while ahead := await self._inbox.ahead(claim):
            if ahead != shown:
                reply.show(words.waiting.format(ahead=ahead))
                shown = ahead
            await self._inbox.wait_for_a_close(_LOOK_SECONDS)

    async def _ask(self, claim: Claim, reply: LiveReply, words: Words) -> Answer | None:
        message = claim.message
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
                    case Checking():
                        reply.show(words.checking)
                    case Final(answer):
                        notes = (
                            words.uncited if answer.reason == "uncited" else "",
                            words.unread_files if message.attachments else "",
                            words.revised if claim.revised else "",
                        )
                        text = closing(answer.text) if any(notes) else answer.text
                        reply.finish("\n\n".join([text, *filter(None, notes)]), answer)
                        return answer
        return None


def reply_place(message: IncomingMessage) -> Place:
    """Where the reply to a message is posted."""
    thread = message.place.thread if message.reply_thread is None else message.reply_thread or None
    return replace(message.place, thread=thread)


def log_failure(message: IncomingMessage, error: Exception) -> None:
    """Log why a message has no answer, and nothing of what it says."""
    # Of a model's error only kbot's own words: what a provider says may quote the message.
    told = f"{error.model}: {error.next_step}" if isinstance(error, ModelError) else str(error)
    log.warning("answer_failed", error=type(error).__name__, told=told, platform=message.platform)


def _words(claim: Claim) -> Words:
    return words_in(detect_language(claim.message.text))
