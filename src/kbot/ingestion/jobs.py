"""Files and addresses become documents: the one function behind `kbot ingest` and every adapter's door."""

import asyncio
import os
import tempfile
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from kbot.database import Database
from kbot.errors import Rejected
from kbot.ingestion.chunk import join_pages
from kbot.ingestion.fetch import fetch
from kbot.ingestion.index import Document, index
from kbot.ingestion.load import Parser, parse_limits
from kbot.models import Embedder
from kbot.settings import Settings

# While one document is parsed, another is embedded and a third written.
_SIDE_BY_SIDE = 3

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Upload:
    """Something to ingest: a file at `path`, or what `url` answers with. `source` is the name that it keeps: in
    citations, in `forget`, and by which a later upload replaces it."""

    source: str
    path: Path | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one upload. `status` is added, replaced, duplicate or rejected; `reason` says in words what was
    refused, missing or doubtful. `pages` is None for a format without pages."""

    source: str
    status: str
    reason: str = ""
    pages: int | None = None
    pages_without_text: int = 0
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where documents go: the workspace, the one channel that may see them ("" for everybody in it), and who brought
    them."""

    workspace: str
    scope: str = ""
    added_by: str = ""


Progress = Callable[[str, int, int], None]
"""Called with a source, how many of its chunks are embedded, and how many it has."""


def uploads(names: Iterable[str]) -> Iterator[Upload]:
    """Files, folders (all files below them, by path; hidden ones left out) and http addresses, as uploads."""
    for name in names:
        if name.startswith(("http://", "https://")):
            yield Upload(name, url=name)
            continue
        path = Path(name)
        if not path.is_dir():
            yield Upload(path.name, path)
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for file in sorted(f for f in files if not f.startswith(".")):
                found = Path(folder, file)
                yield Upload(found.relative_to(path).as_posix(), found)


async def ingest(
    database: Database,
    embedder: Embedder,
    settings: Settings,
    items: Iterable[Upload],
    shelf: Shelf,
    *,
    allow_private_urls: bool = False,
    progress: Progress | None = None,
) -> AsyncGenerator[Receipt]:
    """A receipt for each upload, in their order. A rejected one never stops the others.

    Raises `ModelError`, `DatabaseError` and `EmbedderMismatch`, which would meet every further document too; the
    receipts before it stand, and the document in hand is as it was.
    """
    async with AsyncExitStack() as stack:
        parser = await stack.enter_async_context(Parser(parse_limits(settings)))
        waiting: deque[asyncio.Task[Receipt]] = deque()
        stack.push_async_callback(_abandon, waiting)
        for item in items:
            one = _ingest_one(database, embedder, settings, parser, item, shelf, allow_private_urls, progress)
            waiting.append(asyncio.create_task(one))
            if len(waiting) == _SIDE_BY_SIDE:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()


async def _ingest_one(
    database: Database,
    embedder: Embedder,
    settings: Settings,
    parser: Parser,
    item: Upload,
    shelf: Shelf,
    allow_private_urls: bool,
    progress: Progress | None,
) -> Receipt:
    try:
        async with _file_of(item, settings, allow_private_urls) as (path, name):
            loaded = await parser.load(path, name=name)
    except Rejected as rejection:
        log.info("ingest_rejected", source=item.source)
        return Receipt(item.source, "rejected", str(rejection))
    text, pages = join_pages(loaded.pages)
    document = Document(
        workspace=shelf.workspace,
        source=item.source,
        title=loaded.title,
        media_type=loaded.media_type,
        text=text,
        pages=pages,
        scope=shelf.scope,
        url=item.url,
        page_count=loaded.page_count,
        pages_without_text=loaded.pages_without_text,
        warnings=loaded.warnings,
        added_by=shelf.added_by,
    )

    def tell(done: int, total: int) -> None:
        if progress:
            progress(item.source, done, total)

    done = await index(database, embedder, document, chunk_characters=settings.chunk_characters, progress=tell)
    reasons = list(loaded.warnings)
    if done.status == "duplicate" and done.same_as != item.source:
        reasons.insert(0, f"The same text is already there as {done.same_as}.")
    elif done.status == "duplicate":
        reasons.insert(0, "Unchanged since it was last ingested.")
    log.info("ingested", source=item.source, status=done.status, chunks=done.chunks)
    return Receipt(
        item.source, done.status, " ".join(reasons), loaded.page_count, loaded.pages_without_text, done.chunks
    )


@asynccontextmanager
async def _file_of(item: Upload, settings: Settings, allow_private_urls: bool) -> AsyncGenerator[tuple[Path, str]]:
    if item.path is not None:
        yield item.path, item.path.name
        return
    assert item.url is not None
    with tempfile.TemporaryDirectory(prefix="kbot-") as folder:
        fetched = await fetch(
            item.url,
            max_bytes=int(settings.max_file_megabytes * 1_000_000),
            into=Path(folder),
            allow_private=allow_private_urls or settings.allow_private_urls,
        )
        yield fetched.path, fetched.name


async def _abandon(waiting: deque[asyncio.Task[Receipt]]) -> None:
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
