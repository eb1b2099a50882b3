"""Files and addresses become documents: the one function behind `kbot ingest` and every adapter's door."""

import asyncio
import os
import re
import tempfile
import unicodedata
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from kbot.characters import storable
from kbot.database import Database
from kbot.errors import Rejected
from kbot.ingestion.chunk import join_pages
from kbot.ingestion.cutting import cutting
from kbot.ingestion.document import Document
from kbot.ingestion.fetch import fetch, too_large
from kbot.ingestion.index import index
from kbot.ingestion.load import Fetched, Loaded, Parser, parse_limits
from kbot.ingestion.pages import HTML
from kbot.logs import get_logger
from kbot.models import ChatModel, Embedder
from kbot.reranking.opening import recorded_name
from kbot.settings import Settings
from kbot.workspaces import is_evaluation

# While one document is parsed, another is embedded and a third written.
_SIDE_BY_SIDE = 3

_UNREAD = ("image/", "audio/", "video/", "font/")

# A page that asks who one is stands where the document should; more text than this, and the form is an aside.
_PASSWORD_FIELD = re.compile(rb"<input\b[^>]*\btype\s*=\s*[\"']?password", re.IGNORECASE)
_LOGIN_ADDRESS = re.compile(r"\b(?:log|sign)[-_]?(?:in|on)\b|\b(?:sso|oauth2?|saml2?)\b", re.IGNORECASE)
_LOGIN_CHARACTERS = 1500

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Upload:
    """Something to ingest: a file at `path`, or what `url` answers with. `source` is the name that it keeps: in
    citations, in `forget`, and by which a later upload replaces it.

    With `headers` it is a chat's attachment of `size` bytes and `media_type`, which the platform gives out to those
    alone; `link` is where people find it. One with a `refusal` is rejected for that reason.
    """

    source: str
    path: Path | None = None
    url: str | None = None
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    size: int = 0
    media_type: str | None = None
    link: str | None = None
    refusal: str = ""


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


def uploads(names: Iterable[str]) -> list[Upload]:
    """Files, folders (all files below them, by path; hidden ones left out) and http addresses, as uploads.

    A file is named by its path below the folder that was given, or by its own name; where two files would share a
    name, both take on as many of the folders above them as tell them apart.
    """
    found: dict[Path | str, int] = {}
    for name in names:
        if name.lower().startswith(("http://", "https://")):
            found.setdefault(name, 0)
            continue
        top = Path(os.path.abspath(name))  # noqa: PTH100  # resolve() would follow links, and with them the name
        for file in _files(top) if top.is_dir() else [top]:
            found.setdefault(file, max(len(file.parts) - len(top.parts), 1))
    paths = [each for each in found if isinstance(each, Path)]
    while clash := _clashing([(path, found[path]) for path in paths]):
        found.update((path, found[path] + 1) for path in clash)
    return [
        Upload(_tail(each, depth), each) if isinstance(each, Path) else Upload(storable(each), url=each)
        for each, depth in found.items()
    ]


def _files(top: Path) -> Iterator[Path]:
    unreadable: list[Path] = []
    for folder, folders, files in os.walk(top, onerror=lambda error: unreadable.append(Path(error.filename))):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        yield from (Path(folder, file) for file in sorted(files) if not file.startswith("."))
    yield from unreadable  # they are refused, by name, with the reason


def _tail(path: Path, depth: int) -> str:
    """The last parts of a path as a name that everything can store: composed accents, no bytes that are no text."""
    name = os.fsencode(PurePath(*path.parts[-depth:]).as_posix()).decode("utf-8", "replace")
    return unicodedata.normalize("NFC", name)


def _clashing(paths: Sequence[tuple[Path, int]]) -> list[Path]:
    names = Counter(_tail(path, depth) for path, depth in paths)
    return [path for path, depth in paths if names[_tail(path, depth)] > 1 and depth < len(path.parts)]


async def ingest(
    database: Database,
    embedder: Embedder,
    settings: Settings,
    items: Iterable[Upload],
    shelf: Shelf,
    *,
    chat: ChatModel | None = None,
    allow_private_urls: bool = False,
    progress: Progress | None = None,
) -> AsyncGenerator[Receipt]:
    """A receipt for each upload, in their order. A rejected one never stops the others. `chat` proposes where to cut
    those for which `KBOT_CHUNKING` wants it; without one they are cut by length, and their receipts say so.

    Raises `ModelError`, `DatabaseError`, `SettingsError` and `EmbedderMismatch`, which would meet every further
    document too; the receipts before it stand, and the document in hand is as it was.
    """
    async with AsyncExitStack() as stack:
        parser = await stack.enter_async_context(Parser(parse_limits(settings)))
        waiting: deque[asyncio.Task[Receipt]] = deque()
        stack.push_async_callback(_abandon, waiting)
        for item in items:
            one = _ingest_one(database, embedder, settings, parser, item, shelf, chat, allow_private_urls, progress)
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
    chat: ChatModel | None,
    allow_private_urls: bool,
    progress: Progress | None,
) -> Receipt:
    try:
        loaded = await _load(item, settings, parser, allow_private_urls)
    except Rejected as rejection:
        log.info("ingest_rejected", source=_loggable(item))
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
        url=item.url if item.headers is None else item.link,
        page_count=loaded.page_count,
        pages_without_text=loaded.pages_without_text,
        warnings=loaded.warnings,
        added_by=shelf.added_by,
    )

    def tell(done: int, total: int) -> None:
        if progress:
            progress(item.source, done, total)

    reranker = None if is_evaluation(shelf.workspace) else recorded_name(settings.reranker)
    how = cutting(settings)
    done = await index(database, embedder, document, cutting=how, chat=chat, reranker=reranker, progress=tell)
    reasons = [*loaded.warnings, *done.warnings]
    if done.status == "duplicate" and done.same_as != item.source:
        reasons.insert(0, f"The same text is already there as {done.same_as}.")
    elif done.status == "duplicate":
        reasons.insert(0, "Unchanged since it was last ingested.")
    log.info("ingested", source=_loggable(item), status=done.status, chunks=done.chunks)
    return Receipt(
        item.source, done.status, " ".join(reasons), loaded.page_count, loaded.pages_without_text, done.chunks
    )


async def _load(item: Upload, settings: Settings, parser: Parser, allow_private_urls: bool) -> Loaded:
    if item.refusal:
        raise Rejected(item.refusal)
    if item.path is not None:
        return await parser.load(item.path, name=_tail(item.path, 1))
    assert item.url is not None
    max_bytes = int(settings.max_file_megabytes * 1_000_000)
    if item.size > max_bytes:
        raise Rejected(too_large(item.size, max_bytes))
    if (item.media_type or "").startswith(_UNREAD):
        raise Rejected(
            f"The file is of a kind without text to read ({item.media_type}); save what it says as a document."
        )
    with tempfile.TemporaryDirectory(prefix="kbot-") as folder:
        fetched = await fetch(
            item.url,
            max_bytes=max_bytes,
            into=Path(folder),
            allow_private=allow_private_urls or settings.allow_private_urls or item.headers is not None,
            headers=item.headers,
        )
        if item.headers is not None and fetched.media_type == HTML and not _is_html(item):
            raise Rejected(
                "The platform gave out a login page instead of the file: kbot's token may not read files here. Let the "
                "operator check its rights, then send the file again."
            )
        loaded = await parser.load(fetched.path, name=fetched.name if item.headers is None else item.source)
        if loaded.media_type == HTML and await asyncio.to_thread(_asks_for_login, item.url, fetched, loaded):
            raise Rejected(
                "The address leads to a page that asks for a login, not to the document; download the file yourself "
                "and attach it."
            )
        return loaded


def _is_html(item: Upload) -> bool:
    return item.media_type == HTML or item.source.lower().endswith((".html", ".htm", ".xhtml"))


def _loggable(item: Upload) -> str:
    """The name without what follows the path of an address, where keys are passed."""
    return re.split(r"[?#]", item.source)[0] if item.url else item.source


def _asks_for_login(url: str, fetched: Fetched, loaded: Loaded) -> bool:
    led_there = bool(_LOGIN_ADDRESS.search(fetched.url)) and not _LOGIN_ADDRESS.search(url)
    short = sum(len(page.text) for page in loaded.pages) < _LOGIN_CHARACTERS
    return led_there or (short and bool(_PASSWORD_FIELD.search(fetched.path.read_bytes())))


async def _abandon(waiting: deque[asyncio.Task[Receipt]]) -> None:
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
