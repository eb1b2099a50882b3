"""Files that people send to a chat become documents: what asks for it, and the row that survives this process."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import LiteralString

from kbot.characters import storable
from kbot.chat import Adapter, Attachment, IncomingMessage, IngestRequest, Person, plain
from kbot.claims import Orphan
from kbot.database import Database
from kbot.errors import Rejected
from kbot.ingestion.jobs import Receipt, Upload
from kbot.language import detect_language

_INGEST = re.compile(
    r"\s*(?:please|por\s+favor)?[\s,]*(?:/?ingest|ingerir|ingira|ingere|ingesta|indexar|indexe)\b[\s:,]*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESS = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)
_SHARED = re.compile(r"\b(?:for|to)\s+every(?:one|body)\b|\b(?:para|pra)\s+todos\b", re.IGNORECASE)
_HERE = re.compile(
    r"\b(?:only|just)\s+(?:for\s+)?(?:here|this\s+channel)\b|\b(?:s[óo]|somente|apenas)\s+aqui\b", re.IGNORECASE
)

_SAVE: LiteralString = """
INSERT INTO jobs (workspace, platform, channel, message_id, private, person, language, scope, items)
VALUES (%(workspace)s, %(platform)s, %(channel)s, %(message_id)s, %(private)s, %(person)s, %(language)s, %(scope)s,
  %(items)s)
ON CONFLICT DO NOTHING
"""

_LOAD: LiteralString = """
SELECT private, person, language, scope, items, receipts FROM jobs
WHERE workspace = %s AND platform = %s AND channel = %s AND message_id = %s
"""

_NOTE: LiteralString = """
UPDATE jobs SET receipts = receipts || %(receipt)s::jsonb
WHERE workspace = %(workspace)s AND platform = %(platform)s AND channel = %(channel)s AND message_id = %(message_id)s
"""


@dataclass(frozen=True, slots=True)
class Job:
    """A request to ingest, with the scope that was decided for it and the receipts so far, in the order of its items:
    first the attachments, then the addresses."""

    request: IngestRequest
    scope: str
    receipts: tuple[Receipt, ...] = ()

    @property
    def total(self) -> int:
        """How many items there are."""
        return len(self.request.attachments) + len(self.request.urls)


def request_in(message: IncomingMessage) -> IngestRequest | None:
    """The request to ingest that a message is: it begins with "ingest" and brings files or addresses, or says nothing
    else."""
    match = _INGEST.match(message.text)
    if not match:
        return None
    rest = match["rest"]
    bare = _HERE.sub("", _SHARED.sub("", rest))
    urls = tuple(dict.fromkeys(map(_bare, _ADDRESS.findall(rest))))
    if not message.attachments and not urls and any(character.isalnum() for character in bare):
        return None
    shared = True if _SHARED.search(rest) else False if _HERE.search(rest) else None
    return IngestRequest(
        message.platform,
        message.place,
        message.message_id,
        Person(message.author, detect_language(message.text) or ("en" if "ingest" in message.text.lower() else "pt")),
        message.attachments,
        urls,
        shared,
        message.reply_thread,
    )


def as_message(request: IngestRequest) -> IncomingMessage:
    """The request as a message that can be claimed: in a conversation of its own, for which no question waits."""
    place = replace(request.place, thread=f"ingest:{request.request_id}")
    thread = request.reply_thread or request.place.thread or ""
    return IncomingMessage(
        request.platform, place, request.request_id, request.person.id, "", reply_thread=thread, direct=True
    )


async def save(database: Database, request: IngestRequest) -> Job:
    """A new job, stored so that it survives this process."""
    request = replace(
        request,
        attachments=tuple(
            replace(each, name=plain(storable(each.name)) or "file", url=plain(storable(each.url)))
            for each in request.attachments
        ),
        urls=tuple(plain(storable(url)) for url in request.urls),
    )
    shared = not request.place.private if request.shared is None else request.shared
    job = Job(request, "" if shared else request.place.channel)
    items = {"attachments": [asdict(each) for each in request.attachments], "urls": list(request.urls)}
    values = {
        **_key(request),
        "private": request.place.private,
        "person": request.person.id,
        "language": request.person.language,
        "scope": job.scope,
        "items": json.dumps(items),
    }
    async with database.pool.connection() as connection:
        await connection.execute(_SAVE, values)
    return job


async def load(database: Database, platform: str, orphan: Orphan) -> Job | None:
    """The job of a process that died."""
    place = orphan.place
    async with database.pool.connection() as connection:
        cursor = await connection.execute(_LOAD, (place.workspace, platform, place.channel, orphan.message_id))
        row = await cursor.fetchone()
    if row is None:
        return None
    private, person, language, scope, items, receipts = row
    request = IngestRequest(
        platform,
        replace(place, private=private),
        orphan.message_id,
        Person(person, language),
        tuple(Attachment(**each) for each in items["attachments"]),
        tuple(items["urls"]),
        reply_thread=place.thread,
    )
    return Job(request, scope, tuple(Receipt(**each) for each in receipts))


async def note(database: Database, job: Job, receipt: Receipt) -> Job:
    """The job with one more receipt, which is stored."""
    async with database.pool.connection() as connection:
        await connection.execute(_NOTE, {**_key(job.request), "receipt": json.dumps([asdict(receipt)])})
    return replace(job, receipts=(*job.receipts, receipt))


def items(request: IngestRequest, adapter: Adapter) -> Sequence[Upload]:
    """What there is to ingest, under names that differ."""
    found: list[Upload] = []
    for attachment in request.attachments:
        upload = Upload(
            _distinct(attachment.name, [item.source for item in found]),
            url=attachment.url,
            size=attachment.size,
            media_type=attachment.media_type,
            link=attachment.link,
        )
        try:
            found.append(replace(upload, headers=adapter.download(attachment)))
        except Rejected as rejection:
            found.append(replace(upload, refusal=str(rejection)))
    return [*found, *(Upload(url, url=url) for url in request.urls)]


def _bare(address: str) -> str:
    """An address without the punctuation of the sentence around it; a parenthesis that it opens itself is its own."""
    while (bare := address.rstrip(".,;:!?\"'")).endswith(")") and bare.count(")") > bare.count("("):
        address = bare[:-1]
    return bare


def _distinct(name: str, taken: Sequence[str]) -> str:
    """The name, numbered where another file of the same request has it."""
    stem, dot, suffix = name.rpartition(".")
    n, found = 2, name
    while found in taken:
        found = f"{stem} ({n}){dot}{suffix}" if stem else f"{name} ({n})"
        n += 1
    return found


def _key(request: IngestRequest) -> dict[str, str]:
    return {
        "workspace": request.place.workspace,
        "platform": request.platform,
        "channel": request.place.channel,
        "message_id": request.request_id,
    }
