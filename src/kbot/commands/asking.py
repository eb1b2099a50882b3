"""`kbot ask` and `kbot search`."""

import asyncio
import json
import os
import threading
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from rich.console import Console
from rich.table import Table

from kbot import library
from kbot.bot import Bot
from kbot.chat import Passage, Place
from kbot.commands.printing import shown
from kbot.engine import Asked, Checking, Engine, Final, Retracted, Searching, Token
from kbot.errors import KbotError
from kbot.registry import load_adapter
from kbot.settings import Settings
from kbot.shapes import answer_shape, failed_shape, passage_shape

STDIN = "-"


async def ask(settings: Settings, question: str, place: Place, *, out: Console, err: Console) -> int:
    """Answer a question on the console, live. Returns the exit code: 1 where the answer failed."""
    adapter = load_adapter("terminal")(out, place=place)
    async with Engine.open(settings) as engine, Bot.open(engine) as bot:
        await engine.check(place.workspace)
        err.print(shown(engine.chat.why, "dim"))
        await tell_if_empty(engine, place.workspace, err)
        return int(await adapter.ask(bot, question) is None)


async def tell_if_empty(engine: Engine, workspace: str, err: Console) -> None:
    """Say how a workspace gets documents, if it has none."""
    if workspace not in await library.indexed_workspaces(engine.database):
        option = "" if workspace == "default" else f" --workspace {workspace}"
        words = f"Nothing has been ingested into the workspace {workspace!r} yet: kbot ingest PATH{option}"
        err.print(shown(words, "yellow"), soft_wrap=True)


async def ask_as_json(settings: Settings, question: str, place: Place, *, err: Console) -> int:
    """Print an object a question, in order; "-" stands for those of the standard input. Returns the exit code: 1 where
    a model or the database failed."""
    failed = False
    async with Engine.open(settings) as engine:
        await engine.check(place.workspace)
        err.print(shown(engine.chat.why, "dim"))
        async with aclosing(_questions(question)) as questions:
            async for each in questions:
                shape = await _answer(engine, each, place)
                failed = failed or "error" in shape
                print(json.dumps(shape, ensure_ascii=False), flush=True)
    return int(failed)


async def search(
    settings: Settings, question: str, place: Place, *, k: int, as_json: bool, out: Console, err: Console
) -> int:
    """Show the passages for a question; for each of the standard input, as JSON, if it is "-"."""
    async with Engine.open(settings) as engine, aclosing(_questions(question)) as questions:
        await engine.check(place.workspace)
        async for each in questions:
            passages = await engine.search(each, place, k=k)
            read = [passage_shape(passage) for passage in passages]
            if question == STDIN:
                print(json.dumps({"question": each, "read": read}, ensure_ascii=False), flush=True)
            elif as_json:
                print(json.dumps(read, ensure_ascii=False), flush=True)
            elif passages:
                out.print(_table(passages))
            else:
                await tell_if_empty(engine, place.workspace, err)
    return 0


async def _questions(question: str) -> AsyncGenerator[str]:
    """The question; for "-" the lines of the standard input that are not blank, each as soon as it is there."""
    if question != STDIN:
        yield question
        return
    async with aclosing(read_lines(0)) as lines:
        async for line in lines:
            if text := line.decode("utf-8", "replace").strip().strip("\ufeff"):
                yield text


async def read_lines(descriptor: int) -> AsyncGenerator[bytes]:
    """The lines of a file, pipe or terminal, read in a thread that does not hold up the end of the program."""
    loop = asyncio.get_running_loop()
    line = b""
    while True:
        arrived: asyncio.Future[bytes] = loop.create_future()
        threading.Thread(target=_read, args=(descriptor, loop, arrived), daemon=True, name="stdin").start()
        block = await arrived
        *lines, line = (line + block).split(b"\n")
        for each in lines:
            yield each
        if not block:
            break
    if line:
        yield line


def _read(descriptor: int, loop: asyncio.AbstractEventLoop, arrived: asyncio.Future[bytes]) -> None:
    # Not through sys.stdin: its lock, held while the program ends, is a fatal error.
    try:
        block, error = os.read(descriptor, 65536), None
    except OSError as failure:
        block, error = b"", failure

    def deliver() -> None:
        if arrived.done():
            return
        if error:
            arrived.set_exception(error)
        else:
            arrived.set_result(block)

    with suppress(RuntimeError):  # the loop may have ended meanwhile
        loop.call_soon_threadsafe(deliver)


async def _answer(engine: Engine, question: str, place: Place) -> dict[str, object]:
    text = ""
    try:
        asked = Asked(message_id=uuid.uuid4().hex)
        async with aclosing(engine.ask(question, place, asked=asked, with_history=bool(place.channel))) as events:
            async for event in events:
                match event:
                    case Searching() | Checking():
                        pass
                    case Token(piece):
                        text += piece
                    case Retracted():
                        text = ""
                    case Final(answer):
                        return answer_shape(answer)
    except KbotError as error:
        return failed_shape(question, text, error, engine.chat.name)
    raise AssertionError("an answer without its end")


def _table(passages: list[Passage]) -> Table:
    table = Table(box=None, pad_edge=False, show_lines=True)
    for name in ("score", "similarity", "sentence", "coverage"):
        table.add_column(name, justify="right")
    table.add_column("passage")
    for passage in passages:
        numbers = (passage.score, passage.similarity, passage.sentence, passage.coverage)
        where = " · ".join(
            part for part in (passage.source, f"p. {passage.page}" if passage.page else "", passage.heading) if part
        )
        table.add_row(*(f"{n:.2f}" for n in numbers), shown(f"{where}\n{passage.quote or passage.text[:200]}"))
    return table
