"""`kbot migrate` and `kbot doctor`."""

import json
import shutil
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, dataclass

from langchain_core.messages import HumanMessage
from rich.console import Console
from rich.text import Text

from kbot import library
from kbot.database import Database, open_database, pending
from kbot.database import migrate as apply_migrations
from kbot.errors import EmbedderMismatch, KbotError, RerankerMismatch
from kbot.ingestion.cutting import cutting
from kbot.migration import read_migrations
from kbot.models import ChatModel, Embedder, open_chat_model, open_embedder
from kbot.ollama import missing
from kbot.registry import adapter_names
from kbot.reranking.opening import recorded_name
from kbot.retrieval.cuts import ALL_WORKSPACES, calibrated_cuts, cut_in_force
from kbot.retrieval.search import check_index
from kbot.settings import Settings
from kbot.streaming import complete
from kbot.workspaces import is_evaluation

_ROOM_MEGABYTES = 500


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: whether it works, what was found, and otherwise what to do."""

    name: str
    ok: bool
    found: str


async def migrate(settings: Settings, *, out: Console) -> int:
    """Apply what the database lacks, and name it."""
    async with open_database(settings, migrate=False) as database:
        names = await apply_migrations(database.conninfo)
    out.print("\n".join(f"applied {name}" for name in names) or "The database is up to date.")
    return 0


async def doctor(settings: Settings, *, quick: bool, as_json: bool, out: Console) -> int:
    """Print a line a check; exit code 1 if one failed."""
    failed = False
    async for check in _checks(settings, quick=quick):
        failed = failed or not check.ok
        if as_json:
            print(json.dumps(asdict(check), ensure_ascii=False), flush=True)
        else:
            out.print(
                Text.assemble(
                    ("✓ " if check.ok else "✗ ", "green" if check.ok else "red"), f"{check.name}: {check.found}"
                )
            )
    return int(failed)


async def _checks(settings: Settings, *, quick: bool) -> AsyncGenerator[Check]:
    try:
        async with open_database(settings, migrate=False) as database:
            where = f"embedded, {database.data}" if database.embedded else "KBOT_DATABASE_URL"
            yield Check("database", True, f"Postgres {database.version} ({where})")
            async for check in _database_checks(settings, database, quick=quick):
                yield check
    except KbotError as error:
        yield Check("database", False, str(error))
    if not quick:
        yield _disk(settings)
        yield Check("adapters", True, ", ".join(adapter_names()))


async def _database_checks(settings: Settings, database: Database, *, quick: bool) -> AsyncGenerator[Check]:
    async with database.pool.connection() as connection:
        row = await (
            await connection.execute(
                "SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'vector'"
            )
        ).fetchone()
    if row is None:
        yield Check("pgvector", False, "The server does not have it: install pgvector 0.7 or newer there.")
        return
    yield Check("pgvector", True, row[1] or f"{row[0]}, not yet created (`kbot migrate` does it)")
    lacking = await pending(database.conninfo)
    is_new = len(lacking) == len(read_migrations())
    if is_new:
        yield Check("migrations", True, "none yet, since the database is new: the first command makes its tables")
    else:
        told = f"{len(lacking)} to apply: run `kbot migrate`." if lacking else "up to date"
        yield Check("migrations", not lacking, told)
    try:
        embedder = await open_embedder(settings)
        await embedder.embeddings.aembed_query("kbot")
        yield Check("embedder", True, f"{embedder.name}, {embedder.dimensions} dimensions")
        teams: dict[str, int] = {}
        if not lacking:
            async with database.pool.connection() as connection:
                rows = await (await connection.execute("SELECT workspace, passages FROM indexes ORDER BY 1")).fetchall()
            teams = {workspace: passages for workspace, passages in rows if not is_evaluation(workspace)}
            for workspace, passages in teams.items():
                yield await _index_check(database, embedder, recorded_name(settings.reranker), workspace, passages)
            if evaluations := [passages for workspace, passages in rows if is_evaluation(workspace)]:
                yield _evaluations(evaluations)
        if (is_new or not lacking) and not any(teams.values()):
            yield Check("documents", True, "Nothing has been ingested yet: kbot ingest PATH")
    except KbotError as error:
        yield Check("embedder", False, str(error))
        return
    try:
        chat = await open_chat_model(settings, embedder)
        provider, _, model = chat.name.partition(":")
        lacking_model = await missing(settings, model) if provider == "ollama" else ""
        if not quick and chat.writes and not lacking_model:
            await complete(chat, [HumanMessage("Reply with the word: ready")], timeout=settings.model_timeout)
        yield Check("chat model", not lacking_model, chat.why)
    except KbotError as error:
        yield Check("chat model", False, str(error))
        return
    if not lacking:
        async for check in _cut_checks(settings, database, embedder, chat):
            yield check
        for workspace in () if quick else teams:
            if check := await _cutting_check(settings, database, chat, workspace):
                yield check


async def _cut_checks(
    settings: Settings, database: Database, embedder: Embedder, chat: ChatModel
) -> AsyncGenerator[Check]:
    """The cut of all workspaces, and those of single ones that have their own."""
    own = [each.workspace for each in await calibrated_cuts(database, embedder.name)]
    for workspace in dict.fromkeys([ALL_WORKSPACES, *sorted(own)]):
        quoting = not chat.writes
        found = await cut_in_force(database, embedder, workspace, quoting=quoting, said=settings.cut)
        yield Check("cut", True, f"workspace {workspace}: {found}" if workspace else str(found))


async def _cutting_check(settings: Settings, database: Database, chat: ChatModel, workspace: str) -> Check | None:
    otherwise, total = await library.cut_otherwise(database, workspace, cutting=cutting(settings), chat=chat)
    return Check("chunking", False, library.told_of_cutting(workspace, otherwise, total)) if otherwise else None


def _evaluations(passages: Sequence[int]) -> Check:
    count = f"{len(passages)} {'workspace' if len(passages) == 1 else 'workspaces'}"
    return Check("evaluations", True, f"{count} with {sum(passages)} passages; `kbot eval clean` deletes them")


async def _index_check(database: Database, embedder: Embedder, reranker: str, workspace: str, passages: int) -> Check:
    try:
        await check_index(database, embedder, workspace, reranker=reranker)
    except (EmbedderMismatch, RerankerMismatch) as error:
        return Check("index", False, str(error))
    return Check("index", True, f"workspace {workspace}: {passages} passages")


def _disk(settings: Settings) -> Check:
    folder = settings.home
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < _ROOM_MEGABYTES:
        return Check("disk", False, f"{free} MB free at {folder}: make room, or move KBOT_HOME.")
    return Check("disk", True, f"{free} MB free at {folder}")
