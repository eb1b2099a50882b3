"""`kbot chat`, `run` and `demo`: the bot with its adapters."""

import asyncio
import signal
import sys
import uuid
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from kbot import library
from kbot.bot import Bot
from kbot.chat import Place
from kbot.commands.asking import tell_if_empty
from kbot.commands.documents import receipt_line
from kbot.commands.printing import shown
from kbot.demo import demo_documents, demo_questions
from kbot.engine import Engine
from kbot.errors import DatabaseError
from kbot.ingestion.cutting import cutting
from kbot.ingestion.jobs import Shelf, Upload, ingest
from kbot.logs import get_logger
from kbot.registry import load_adapter
from kbot.settings import Settings
from kbot.workspaces import is_evaluation

log = get_logger(__name__)

DEMO = "demo"


async def chat(settings: Settings, place: Place, *, out: Console, err: Console) -> int:
    """Talk in this terminal."""
    adapter = load_adapter("terminal")(out, place=place)
    async with Engine.open(settings) as engine, Bot.open(engine) as bot:
        await engine.check(place.workspace)
        err.print(shown(engine.chat.why, "dim"))
        await tell_if_empty(engine, place.workspace, err)
        await adapter.run(bot)
    return 0


async def serve(settings: Settings, names: Sequence[str], *, err: Console) -> int:
    """Run adapters side by side until one ends or the process is asked to stop."""
    adapters = [load_adapter(name)() for name in names]
    async with Engine.open(settings) as engine, Bot.open(engine) as bot:
        await engine.check("default")
        err.print(shown(engine.chat.why, "dim"))
        looking = asyncio.create_task(_warn_of_cutting(engine), name="cutting")
        tasks = [asyncio.create_task(adapter.run(bot), name=adapter.name) for adapter in adapters]
        stop = asyncio.create_task(_asked_to_stop(), name="stop")
        done, running = await asyncio.wait({*tasks, stop}, return_when=asyncio.FIRST_COMPLETED)
        for task in (*running, looking):
            task.cancel()
        await asyncio.gather(*running, looking, return_exceptions=True)
        for task in done:
            task.result()
    return 0


async def _warn_of_cutting(engine: Engine) -> None:
    """Log which workspaces hold documents that the settings want cut otherwise. It reads all texts, while people are
    answered already; what fails then is told where it matters to somebody."""
    how = cutting(engine.settings)
    try:
        for workspace in await library.indexed_workspaces(engine.database):
            if is_evaluation(workspace):
                continue
            otherwise, total = await library.cut_otherwise(engine.database, workspace, cutting=how, chat=engine.chat)
            if otherwise:
                log.warning("cut_with_other_settings", told=library.told_of_cutting(workspace, otherwise, total))
    except DatabaseError as error:
        log.info("cutting_not_looked_at", error=type(error).__name__)


async def demo(settings: Settings, *, out: Console, err: Console) -> int:
    """Ingest the demo documents and ask the demo questions; on a terminal the chat goes on with the reader's own."""
    place = Place(DEMO, f"{DEMO}:{uuid.uuid4().hex}")
    adapter = load_adapter("terminal")(out, place=place)
    async with Engine.open(settings) as engine, Bot.open(engine) as bot:
        await engine.check(DEMO)
        err.print(shown(engine.chat.why, "dim"))
        items = [Upload(path.name, path) for path in demo_documents()]
        async for receipt in ingest(
            engine.database, engine.embedder, settings, items, Shelf(DEMO, added_by="demo"), chat=engine.chat
        ):
            out.print(receipt_line(receipt))
        out.print()
        failed = False
        for question in demo_questions():
            out.print(Text(f"> {question.text}", style="bold"))
            failed = await adapter.ask(bot, question.text) is None or failed
        if out.is_terminal and sys.stdin.isatty():
            await adapter.run(bot)
        else:
            out.print(Text(f"Ask your own: {sys.argv[0]} chat --workspace {DEMO}"))
    return int(failed)


async def _asked_to_stop() -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    await asked.wait()
