"""What processes that died left unfinished on a platform is marked, or gone on with."""

import asyncio
from collections.abc import Callable
from functools import partial

from kbot.chat import Adapter, Content, Place
from kbot.claims import Orphan
from kbot.errors import DatabaseError, DeliveryError
from kbot.inbox import Inbox
from kbot.logs import get_logger
from kbot.pacing import Pacer, insist
from kbot.words import SPOKEN

log = get_logger(__name__)

_EVERY_SECONDS = 10.0
_PRUNE_EVERY = 360  # rounds: an hour
_MARK_SECONDS = 30.0

Resume = Callable[[Orphan], None]
PacerOf = Callable[[Place], Pacer]


async def keep_mending(inbox: Inbox, adapter: Adapter, pacer_of: PacerOf, resume: Resume) -> None:
    """Mend every few seconds, until cancelled: a process may die while this one lives."""
    turn = 0
    while True:
        try:
            await mend(inbox, adapter, pacer_of, resume)
            if turn % _PRUNE_EVERY == 0:
                await inbox.prune()
        except DatabaseError as error:
            log.warning("not_mended", platform=adapter.name, error=str(error))
        turn += 1
        await asyncio.sleep(_EVERY_SECONDS)


async def mend(inbox: Inbox, adapter: Adapter, pacer_of: PacerOf, resume: Resume) -> int:
    """Mark each unfinished reply, or begin to go on with what was being ingested; returns how many there were. Raises
    `DatabaseError`."""
    orphans = await inbox.orphans(adapter.name)
    for orphan in orphans:
        if orphan.job:
            resume(orphan)
    await asyncio.gather(*(_mark(inbox, adapter, pacer_of(each.place), each) for each in orphans if not each.job))
    return len(orphans)


async def _mark(inbox: Inbox, adapter: Adapter, pacer: Pacer, orphan: Orphan) -> None:
    content = Content("\n".join(words.interrupted for words in SPOKEN), "failed")

    async def send() -> None:
        await adapter.send(orphan.place, content)

    try:
        async with asyncio.timeout(_MARK_SECONDS) as clock:
            if orphan.withdrawn:
                for reply_id in orphan.reply_ids:
                    delete = partial(adapter.delete, orphan.place, reply_id)
                    await insist(pacer, delete, clock, edit=False)
            elif orphan.reply_ids:
                edit = partial(adapter.edit, orphan.place, orphan.reply_ids[-1], content)
                await insist(pacer, edit, clock)
            else:
                await insist(pacer, send, clock, edit=False)
    except DeliveryError as refusal:
        log.warning("reply_not_mended", platform=adapter.name, error=type(refusal).__name__)
    except TimeoutError:
        log.warning("reply_mended_later", platform=adapter.name)
        await inbox.reopen(adapter.name, orphan)
