"""One message in, one reply out: claimed once, answered in its conversation's order, its errors turned into words."""

import asyncio
import traceback
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Literal

from kbot import desk
from kbot.chat import (
    Adapter,
    Answer,
    Content,
    IncomingMessage,
    IngestRequest,
    Opinion,
    Passage,
    Person,
    Place,
    Report,
)
from kbot.claims import Claim, Key, Orphan, key_of
from kbot.engine import Engine, has_words
from kbot.errors import DatabaseError, Forbidden, KbotError
from kbot.history import last_read
from kbot.inbox import Inbox
from kbot.intake import request_in
from kbot.language import detect_language
from kbot.logs import get_logger
from kbot.mending import PacerOf, Resume, keep_mending, mend
from kbot.receipts import Intake
from kbot.words import words_in
from kbot.writing import Writer, log_failure, reply_place

log = get_logger(__name__)

GRACE_SECONDS = 4.0  # in which answers in hand may still end by themselves when kbot is stopped
_PARTING_SECONDS = 5.0  # and then those that did not are marked


class Bot:
    """Answers messages for adapters. Any number of processes can run one on the same database."""

    def __init__(self, engine: Engine, inbox: Inbox) -> None:
        self._engine = engine
        self._inbox = inbox
        self._writer = Writer(engine, inbox)
        self._intake = Intake(engine, inbox, self._writer)
        self._hands: dict[asyncio.Task[Any], Adapter] = {}
        self._told = deque[Key](maxlen=1000)

    @classmethod
    @asynccontextmanager
    async def open(cls, engine: Engine) -> "AsyncGenerator[Bot]":
        """A bot whose claims count as living while the block runs. Raises `DatabaseError`."""
        async with Inbox.open(engine.database) as inbox:
            yield cls(engine, inbox)

    @asynccontextmanager
    async def serving(self, adapter: Adapter) -> AsyncGenerator[None]:
        """The time in which an adapter is connected: what was left unfinished is mended, at its end answers in hand are
        given GRACE_SECONDS to end, and then marked."""
        mending = asyncio.create_task(keep_mending(*self._mending(adapter)), name=f"mending {adapter.name}")
        try:
            yield
        finally:
            mending.cancel()
            await asyncio.gather(mending, return_exceptions=True)
            await self._part(adapter)

    def receive(self, message: IncomingMessage, adapter: Adapter) -> None:
        """Begin to handle a message, and return at once."""
        request = request_in(message) if not message.from_bot else None
        self._begin(adapter, self._intake.take(request, adapter) if request else self.answer(message, adapter))

    def ingest(self, request: IngestRequest, adapter: Adapter) -> None:
        """Begin to ingest, and return at once."""
        self._begin(adapter, self._intake.take(request, adapter))

    async def answer(self, message: IncomingMessage, adapter: Adapter) -> Answer | None:
        """Answer a message in its place, live; None for a redelivery, a bot's message, one without words, and an answer
        that failed in words. Raises `DeliveryError` if the place does not take the reply."""
        if message.from_bot or not (message.addressed or message.attachments or has_words(message.text)):
            return None
        key = key_of(message)
        try:
            claim = None if key in self._told else await self._inbox.claim(message)
        except DatabaseError as error:
            log_failure(message, error)
            if key not in self._told:  # its twin or redelivery waited for the database too
                self._told.append(key)
                words = words_in(detect_language(message.text))
                await adapter.send(reply_place(message), Content(words.of(error), "failed"))
            return None
        if claim and key in self._told:
            await self._inbox.close(claim, "failed")
            return None
        return await self._writer.reply(claim, adapter) if claim else None

    async def revise(self, message: IncomingMessage, adapter: Adapter) -> bool:
        """A message was edited: its reply is written anew, once; False if kbot did not reply to it."""
        if message.from_bot:
            return True
        claim = await self._inbox.revise(message)
        if isinstance(claim, Claim):
            self._begin(adapter, self._writer.reply(claim, adapter))
        return bool(claim)

    async def withdraw(self, platform: str, place: Place, message_id: str, adapter: Adapter) -> None:
        """A message was deleted: the model stops, and the reply is taken back."""
        key = (place.workspace, platform, place.channel, message_id)
        try:
            reply_ids = await self._inbox.withdraw(platform, place, message_id)
        except DatabaseError:
            self._told.append(key)  # so that it is not answered when the database is back
            self._inbox.drop(key)
            raise
        if reply_ids is not None:
            self._begin(adapter, self._writer.take_back(adapter, place, message_id, reply_ids))

    async def takes_part(self, platform: str, place: Place) -> bool:
        """Whether kbot was spoken to in a thread before."""
        return place.thread is not None and await self._inbox.takes_part(platform, place)

    async def report(
        self,
        kind: Literal["sources", "gaps", "read"],
        place: Place,
        person: Person,
        adapter: Adapter,
        answer_id: str = "",
    ) -> Report:
        """The documents or the gaps, for an admin; or all that was read for an answer."""
        database = self._engine.database
        if kind == "read":
            return await desk.read(database, place, person, answer_id)
        await self._admit(place, person, adapter)
        return await (desk.sources if kind == "sources" else desk.gaps)(database, place, person)

    async def forget(self, source: str, place: Place, person: Person, adapter: Adapter) -> str:
        """Delete a document, for an admin; returns what there is to say."""
        try:
            await self._admit(place, person, adapter)
            return await desk.forget(self._engine.database, place, person, source)
        except Forbidden as error:
            return str(error)

    async def source_names(self, place: Place, person: Person, adapter: Adapter, part: str = "") -> Sequence[str]:
        """At most 25 names of documents that hold `part`, for an admin; none for others."""
        if not await adapter.is_admin(place, person.id):
            return []
        return await desk.source_names(self._engine.database, place, part)

    async def rate(self, answer_id: str, place: Place, person: Person, opinion: Opinion) -> str:
        """Note what a person says of an answer; returns what there is to say."""
        return await desk.rate(self._engine.database, place, person, answer_id, opinion)

    def workspace(self, platform: str, team: str) -> str:
        """The workspace of a team on a platform, as KBOT_TENANCY has it."""
        return f"{platform}:{team}" if self._engine.settings.tenancy == "per-team" else "default"

    async def read(self, place: Place) -> Sequence[Passage]:
        """Everything that was read for the last answer in the place, as far as the place may see it."""
        return await last_read(self._engine.database, place)

    async def repair(self, adapter: Adapter) -> int:
        """Mend once what dead processes left unfinished on this adapter's platform; returns how many there were."""
        return await mend(*self._mending(adapter))

    def _mending(self, adapter: Adapter) -> tuple[Inbox, Adapter, PacerOf, Resume]:
        def resume(orphan: Orphan) -> None:
            self._begin(adapter, self._intake.resume(orphan, adapter))

        return self._inbox, adapter, partial(self._writer.pacer, adapter), resume

    async def _admit(self, place: Place, person: Person, adapter: Adapter) -> None:
        if not await adapter.is_admin(place, person.id):
            raise Forbidden(words_in(person.language).only_admins)

    def _begin(self, adapter: Adapter, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._hands[task] = adapter
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        adapter = self._hands.pop(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, KbotError | OSError):
            log.warning("reply_failed", platform=adapter.name, error=type(error).__name__, told=str(error))
        elif error:
            # Where it happened, and not what it says: that may quote a message.
            where = "".join(traceback.format_tb(error.__traceback__)[-3:])
            log.error("reply_failed", platform=adapter.name, error=type(error).__name__, traceback=where)

    async def _part(self, adapter: Adapter) -> None:
        """Let the answers in hand end, and mark those that do not."""
        hands = {task for task, theirs in self._hands.items() if theirs.name == adapter.name}
        if hands:
            _, hands = await asyncio.wait(hands, timeout=GRACE_SECONDS)
        for task in hands:
            task.cancel()
        if hands:
            await asyncio.wait(hands, timeout=_PARTING_SECONDS)
