"""`kbot ingest`, `sources`, `forget`, `gaps` and `reindex`."""

import json
import re
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column, Table
from rich.text import Text

from kbot import library
from kbot.chat import Place
from kbot.commands.printing import shown_line
from kbot.database import open_database
from kbot.errors import SettingsError
from kbot.ingestion.cutting import cutting
from kbot.ingestion.jobs import Receipt, Shelf, uploads
from kbot.ingestion.jobs import ingest as ingest_uploads
from kbot.models import ChatModel, Embedder, open_chat_model, open_embedder
from kbot.reranking.opening import recorded_name
from kbot.settings import Settings
from kbot.shapes import gap_shape, receipt_shape, source_shape
from kbot.workspaces import is_evaluation

_MARKS = {"added": "✓", "replaced": "↻", "duplicate": "=", "rejected": "✗"}
_STYLES = {"added": "green", "replaced": "green", "duplicate": "dim", "rejected": "red"}
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)


async def ingest(
    settings: Settings, what: Sequence[str], place: Place, *, as_json: bool, out: Console, err: Console
) -> int:
    """Ingest files, folders and addresses; exit code 1 if any was rejected."""
    foreign = [name for name in what if _OTHER_SCHEME.match(name)]
    items = uploads(name for name in what if name not in foreign)
    rejected = bool(foreign)

    def show(receipt: Receipt) -> None:
        if as_json:
            print(json.dumps(receipt_shape(receipt), ensure_ascii=False), flush=True)
        else:
            out.print(receipt_line(receipt))

    for name in foreign:
        show(Receipt(name, "rejected", "Only http and https addresses are read; download it and ingest the file."))
    async with open_database(settings) as database:
        embedder = await open_embedder(settings)
        chat = await _proposer(settings, embedder)
        shelf = Shelf(place.workspace, place.channel, "cli")
        # On one screen the bar and the receipts must know of each other, or they overwrite each other.
        with _progress(out if out.is_terminal and not as_json else err) as bar:
            files = bar.add_task("documents", total=len(items))
            current = bar.add_task("", total=None, visible=False)

            def tell(source: str, done: int, total: int) -> None:
                bar.update(current, description=source[-40:], completed=done, total=total, visible=True)

            async for receipt in ingest_uploads(
                database, embedder, settings, items, shelf, chat=chat, allow_private_urls=True, progress=tell
            ):
                bar.advance(files)
                rejected = rejected or receipt.status == "rejected"
                show(receipt)
    if not items and not foreign:
        err.print("There is nothing to ingest there.")
    return int(rejected)


async def sources(settings: Settings, place: Place, *, as_json: bool, out: Console) -> int:
    """List the documents of a workspace, those of single channels too."""
    async with open_database(settings) as database:
        found = await library.sources(database, place, everything=True)
    if as_json:
        for source in found:
            print(json.dumps(source_shape(source), ensure_ascii=False))
        return 0
    if not found:
        out.print("No document has been ingested yet: kbot ingest PATH")
        return 0
    table = Table(
        Column("document", overflow="fold"),
        Column("title", overflow="fold"),
        *(Column(name, no_wrap=True) for name in ("pages", "chunks", "language")),
        Column("seen by", overflow="fold"),
        Column("updated", no_wrap=True),
        box=None,
        pad_edge=False,
    )
    for source in found:
        pages = "" if source.pages is None else str(source.pages)
        cells = (source.source, source.title, pages, str(source.chunks), source.language, source.scope or "everybody")
        table.add_row(*(shown_line(cell) for cell in cells), f"{source.updated_at:%Y-%m-%d %H:%M}")
    out.print(table)
    return 0


async def forget(settings: Settings, place: Place, name: str, *, out: Console, err: Console) -> int:
    """Delete a document; exit code 1 if there is none of that name."""
    async with open_database(settings) as database:
        gone = await library.forget(database, place, name)
        if gone:
            out.print(shown_line(f"Forgotten: {name}"))
            return 0
        known = await library.sources(database, place, everything=True)
    near = [source.source for source in known if name.casefold() in source.source.casefold()][:5]
    hint = f" Did you mean {', '.join(near)}?" if near else " `kbot sources` lists the documents."
    only = [source.scope for source in known if source.source == name]
    if only:
        hint = f" It is there for one channel alone: add --channel {only[0]}."
    err.print(shown_line(f"There is no document {name!r} in workspace {place.workspace!r}.{hint}"), soft_wrap=True)
    return 1


async def gaps(settings: Settings, place: Place, *, limit: int, as_json: bool, out: Console) -> int:
    """List what the documents did not answer."""
    async with open_database(settings) as database:
        found = await library.gaps(database, place, limit=limit)
    if as_json:
        for gap in found:
            print(json.dumps(gap_shape(gap), ensure_ascii=False))
        return 0
    if not found:
        out.print("No question was left unanswered so far.")
        return 0
    counts = (Column(name, no_wrap=True) for name in ("asked", "people", "last"))
    table = Table(*counts, Column("question", overflow="fold"), box=None, pad_edge=False)
    for gap in found:
        table.add_row(str(gap.times), str(gap.people), f"{gap.last_asked:%Y-%m-%d}", shown_line(gap.question))
    out.print(table)
    return 0


async def reindex(settings: Settings, workspace: str, *, out: Console, err: Console) -> int:
    """Rebuild the index of one workspace, or of every team's. Raises SettingsError for an evaluation's: its name stands
    for chunks that would be others then."""
    if is_evaluation(workspace):
        raise SettingsError(
            f"The workspace {workspace!r} is an evaluation's, named by its content, embedder and how it is cut, and is "
            "not rebuilt. `kbot eval run` makes one for the settings of today; `kbot eval clean` deletes them all."
        )
    async with open_database(settings) as database:
        embedder = await open_embedder(settings)
        chat = await _proposer(settings, embedder)
        reranker = recorded_name(settings.reranker)
        for name in [workspace] if workspace else await library.indexed_workspaces(database):
            if is_evaluation(name):
                continue
            total = len(await library.sources(database, Place(name, ""), everything=True))
            with _progress(err) as bar:
                task = bar.add_task(name, total=total)
                how = cutting(settings)
                async for _ in library.reindex(database, embedder, name, cutting=how, chat=chat, reranker=reranker):
                    bar.advance(task)
            out.print(shown_line(f"{name}: {total} documents indexed with {embedder.name}, reranker {reranker}."))
    return 0


async def _proposer(settings: Settings, embedder: Embedder) -> ChatModel | None:
    """The chat model, where documents are cut as it proposes."""
    return await open_chat_model(settings, embedder) if settings.chunking.asks_model else None


def receipt_line(receipt: Receipt) -> Text:
    """One receipt as a line for people."""
    facts: list[str] = []
    if receipt.pages is not None:
        facts.append(f"{receipt.pages} {'page' if receipt.pages == 1 else 'pages'}")
    if receipt.chunks:
        facts.append(f"{receipt.chunks} {'chunk' if receipt.chunks == 1 else 'chunks'}")
    line = Text.assemble(
        (f"{_MARKS[receipt.status]} {receipt.status:9} ", _STYLES[receipt.status]),
        shown_line(receipt.source),
        (f"  {', '.join(facts)}" if facts else "", "dim"),
    )
    if receipt.reason:
        line.append("\n            ")
        line.append(shown_line(receipt.reason, "yellow" if receipt.status != "duplicate" else "dim"))
    return line


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
