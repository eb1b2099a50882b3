"""How many questions are refused: rightly of those that the passages do not answer, wrongly of the others."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from bench.databases import fresh_database
from bench.labelled import LabelledQuestion, read_set
from bench.quality import WORKSPACE, ingest_set
from bench.report import Cell, Result, Table
from bench.run import Bench
from kbot.chat import Answer, Place
from kbot.engine import Engine, Final
from kbot.models import open_chat_model


@dataclass(frozen=True, slots=True)
class _Asked:
    question: LabelledQuestion
    answer: Answer

    @property
    def unread(self) -> bool:
        return self.answer.reason == "nothing_near"


async def refusals(bench: Bench) -> Result:
    """Every question of the set through `Engine.ask` with the extractive model."""
    labelled = read_set(bench.sets, bench.set_name)
    async with fresh_database(bench.cache, bench.settings, "bench_refusals") as (database, settings):
        await ingest_set(bench, labelled, database, settings)
        engine = Engine(settings, database, bench.embedder, await open_chat_model(settings, bench.embedder))
        asked = [_Asked(question, await final(engine, question.text, WORKSPACE)) for question in labelled.questions]
    unanswerable = [one for one in asked if not one.question.answerable]
    answerable = [one for one in asked if one.question.answerable]
    tables = (
        Table("unanswerable: refused, share", _COLUMNS, _rows(unanswerable)),
        Table("answerable: wrongly refused, share", _COLUMNS, _rows(answerable)),
    )
    note = (
        "Before the model: by the evidence of the search alone. By the model: the extractive one, which only quotes. "
        "Not grounded: in all, without a valid citation too."
    )
    return Result("refusals", tables, (), (note,))


async def final(engine: Engine, question: str, workspace: str) -> Answer:
    """The finished answer to a question that stands alone."""
    async with aclosing(engine.ask(question, Place(workspace, ""), with_history=False)) as events:
        async for event in events:
            if isinstance(event, Final):
                return event.answer
    raise RuntimeError("The engine ended without an answer.")


_COLUMNS = ("question", "n", "before the model", "by the model", "not grounded")


def _rows(asked: Sequence[_Asked]) -> tuple[tuple[Cell, ...], ...]:
    kinds = dict.fromkeys(one.question.kind for one in asked)
    groups = {"all": list(asked), **{kind: [one for one in asked if one.question.kind == kind] for kind in kinds}}
    return tuple(
        (
            kind,
            len(group),
            _share([one.unread for one in group]),
            _share([one.answer.reason == "refused" for one in group]),
            _share([not one.answer.grounded for one in group]),
        )
        for kind, group in groups.items()
    )


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0
