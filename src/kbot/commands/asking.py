"""`kbot ask` and `kbot search`."""

import json
import uuid
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kbot.bot import Bot
from kbot.chat import Passage, Place
from kbot.engine import Asked, Engine, Final, Retracted, Searching, Token
from kbot.errors import KbotError
from kbot.registry import load_adapter
from kbot.settings import Settings
from kbot.shapes import answer_shape, failed_shape, passage_shape


async def ask(settings: Settings, question: str, place: Place, *, out: Console, err: Console) -> int:
    """Answer a question on the console, live. Returns the exit code: 1 where the answer failed."""
    adapter = load_adapter("terminal")(out, place=place)
    async with Engine.open(settings) as engine, Bot.open(engine) as bot:
        await engine.check(place.workspace)
        err.print(Text(engine.chat.why, style="dim"))
        return int(await adapter.ask(bot, question) is None)


async def ask_as_json(settings: Settings, questions: Iterable[str], place: Place, *, err: Console) -> int:
    """Print an object a question, in order. Returns the exit code: 1 where a model or the database failed."""
    failed = False
    async with Engine.open(settings) as engine:
        await engine.check(place.workspace)
        err.print(Text(engine.chat.why, style="dim"))
        for question in questions:
            shape = await _answer(engine, question, place)
            failed = failed or "error" in shape
            print(json.dumps(shape, ensure_ascii=False), flush=True)
    return int(failed)


async def search(
    settings: Settings,
    questions: Iterable[str],
    place: Place,
    *,
    k: int,
    as_json: bool,
    many: bool,
    out: Console,
) -> int:
    """Show the passages for each question."""
    async with Engine.open(settings) as engine:
        await engine.check(place.workspace)
        for question in questions:
            passages = await engine.search(question, place, k=k)
            read = [passage_shape(passage) for passage in passages]
            if many:
                print(json.dumps({"question": question, "read": read}, ensure_ascii=False), flush=True)
            elif as_json:
                print(json.dumps(read, ensure_ascii=False), flush=True)
            else:
                out.print(_table(passages) if passages else Text("No document has been ingested yet: kbot ingest PATH"))
    return 0


async def _answer(engine: Engine, question: str, place: Place) -> dict[str, object]:
    text = ""
    try:
        asked = Asked(message_id=uuid.uuid4().hex)
        events = engine.ask(question, place, asked=asked, with_history=bool(place.channel))
        async for event in events:
            match event:
                case Searching():
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
        table.add_row(*(f"{n:.2f}" for n in numbers), Text(f"{where}\n{passage.quote or passage.text[:200]}"))
    return table
