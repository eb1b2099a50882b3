"""The receipt of a request to ingest, which grows in the chat as the files are read."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from kbot.chat import Adapter, IngestRequest
from kbot.claims import Claim, Orphan
from kbot.desk import code, counted
from kbot.engine import Engine
from kbot.errors import DatabaseError, DeliveryError, KbotError, MessageGone
from kbot.inbox import Inbox
from kbot.ingestion.jobs import Receipt, Shelf, ingest
from kbot.intake import Job, as_message, items, load, note, save
from kbot.logs import get_logger
from kbot.pacing import insist
from kbot.words import Words, words_in
from kbot.writing import Writer, log_failure, reply_place

log = get_logger(__name__)

_AT_ONCE = 2  # requests whose files are read side by side
_ASK_SECONDS = 30.0
_AGAIN_SECONDS = 5.0
_MARKS = {"added": "✅", "replaced": "♻️", "duplicate": "⏭️", "rejected": "❌"}


class Intake:
    """Ingests what admins send to the adapters of one process."""

    def __init__(self, engine: Engine, inbox: Inbox, writer: Writer) -> None:
        self._engine, self._inbox, self._writer = engine, inbox, writer
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def take(self, request: IngestRequest, adapter: Adapter) -> None:
        """Ingest what a person sent, if that is an admin; others are told that only admins do so."""
        message = as_message(request)
        words = words_in(request.person.language)
        claim = await self._inbox.claim(message)
        if claim is None:
            return
        async with self._holding(claim):
            refusal = await self._refusal(request, adapter, words)
            if refusal is None:
                job = await save(self._engine.database, request)
                await self._read(claim, adapter, job, words)

    async def resume(self, orphan: Orphan, adapter: Adapter) -> None:
        """Go on with what another process was ingesting, in the receipt that it had begun."""
        while True:
            try:
                job = await load(self._engine.database, adapter.name, orphan)
                break
            except DatabaseError as error:
                log.warning("job_not_resumed", platform=adapter.name, error=str(error))
                await asyncio.sleep(_AGAIN_SECONDS)
        if job is None:
            return
        claim = self._inbox.adopt(as_message(job.request), orphan.reply_ids)
        async with self._holding(claim):
            await self._read(claim, adapter, job, words_in(job.request.person.language))

    @asynccontextmanager
    async def _holding(self, claim: Claim) -> AsyncGenerator[None]:
        """Close the claim at the block's end, unless this process is stopped: then another goes on."""
        try:
            yield
        except asyncio.CancelledError:
            await self._inbox.disown(claim)
            raise
        except BaseException:
            await self._inbox.close(claim, "failed")
            raise
        await self._inbox.close(claim, "answered")

    async def _refusal(self, request: IngestRequest, adapter: Adapter, words: Words) -> str | None:
        """What was whispered instead of ingesting, if anything."""
        place, person = reply_place(as_message(request)), request.person.id
        pacer = self._writer.pacer(adapter, place)
        refusal = None if request.attachments or request.urls else words.no_files

        async def ask() -> None:
            nonlocal refusal
            if not await adapter.is_admin(request.place, person):
                refusal = words.only_admins

        async def tell() -> None:
            await adapter.whisper(place, person, refusal or "")

        async with asyncio.timeout(_ASK_SECONDS) as clock:
            await insist(pacer, ask, clock, edit=False)
            if refusal:
                try:
                    await insist(pacer, tell, clock, edit=False)
                except DeliveryError as error:
                    log.warning("person_not_told", platform=adapter.name, error=str(error))
        return refusal

    async def _read(self, claim: Claim, adapter: Adapter, job: Job, words: Words) -> None:
        live = self._writer.live(claim, adapter, told(job, words), words.unexpected, cursor="")
        try:
            async with live as reply, self._places:
                under_way = dict[str, tuple[int, int]]()

                def tell(source: str, done: int, total: int) -> None:
                    under_way[source] = (done, total)
                    reply.replace(told(job, words, under_way))

                try:
                    shelf = Shelf(job.request.place.workspace, job.scope, job.request.person.id)
                    engine = self._engine
                    left = items(job.request, adapter)[len(job.receipts) :]
                    reply.replace(told(job, words))
                    async for receipt in ingest(
                        engine.database,
                        engine.embedder,
                        engine.settings,
                        left,
                        shelf,
                        chat=engine.chat,
                        progress=tell,
                    ):
                        under_way.pop(receipt.source, None)
                        job = await note(engine.database, job, receipt)
                        reply.replace(told(job, words, under_way))
                except (KbotError, OSError) as error:
                    log_failure(claim.message, error)
                    reply.fail(words.of(error))
                except asyncio.CancelledError:
                    reply.fail(words.paused)
                    raise
                else:
                    reply.finish(told(job, words))
        except MessageGone as gone:
            log.info("receipt_gone", platform=adapter.name, reason=str(gone))
        except DeliveryError as refusal:
            log.warning("receipt_not_delivered", platform=adapter.name, error=str(refusal))


def told(job: Job, words: Words, under_way: Mapping[str, tuple[int, int]] | None = None) -> str:
    """The receipt of a request: a line for each of its files and addresses that is done or under way."""
    done = sum(receipt.status != "rejected" for receipt in job.receipts)
    if len(job.receipts) == job.total:
        head = words.ingested.format(done=done, total=job.total)
    else:
        head = words.ingesting.format(n=len(job.receipts) + 1, total=job.total)
    if done and len(job.receipts) == job.total:
        head = f"{head} {words.seen_here if job.scope else words.seen_by_all}"
    lines = [_line(receipt, words) for receipt in job.receipts]
    for source, (embedded, total) in (under_way or {}).items():
        lines.append(f"- ⏳ {code(source)} · {words.embedding.format(done=embedded, total=total)}")
    return "\n\n".join([head, "\n".join(lines)]).rstrip()


def _line(receipt: Receipt, words: Words) -> str:
    facts = [str(getattr(words, receipt.status))]
    if receipt.pages is not None:
        facts.append(counted(words.pages, receipt.pages))
    if receipt.pages_without_text:
        facts.append(words.without_text.format(n=receipt.pages_without_text))
    if receipt.chunks:
        facts.append(counted(words.chunks, receipt.chunks))
    line = f"- {_MARKS[receipt.status]} {code(receipt.source)} · {' · '.join(facts)}"
    return f"{line}. {' '.join(receipt.reason.split())}" if receipt.reason else line
