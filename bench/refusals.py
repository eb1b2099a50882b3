"""How many questions are refused: rightly of those that the passages do not answer, wrongly of the others."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

import numpy as np

from bench.databases import fresh_database
from bench.labelled import LabelledQuestion, read_set
from bench.quality import WORKSPACE, ingest_set
from bench.report import Cell, Result, Table
from bench.run import Bench
from kbot.chat import Answer, Place
from kbot.confidence import confidence, nearness
from kbot.engine import Engine, Final
from kbot.models import open_chat_model, open_reranker

_SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2)
_FOLDS = 5
_SEED = 20_240_229
_MODEL_REFUSES = -1.0
_NEAR = 2.0  # above any confidence


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with its answer, and the confidence below which it is refused: `_NEAR` if a passage is so near that it
    is read in any case, `_MODEL_REFUSES` if the model refuses it with the gate wide open."""

    question: LabelledQuestion
    answer: Answer
    confidence: float

    @property
    def unread(self) -> bool:
        return self.answer.reason == "nothing_near"


async def refusals(bench: Bench) -> Result:
    """Every question of the set through `Engine.ask` with the extractive model: as it is, and with any other cut."""
    labelled = read_set(bench.sets, bench.set_name)
    async with fresh_database(bench.cache, bench.settings, "bench_refusals") as (database, settings):
        await ingest_set(bench, labelled, database, settings)
        chat = await open_chat_model(settings, bench.embedder)
        reranker = await open_reranker(settings, bench.embedder)
        engine = Engine(settings, database, bench.embedder, chat, reranker)
        gateless = settings.model_copy(update={"cut": 0.0})
        wide_open = Engine(gateless, database, bench.embedder, chat, reranker)
        asked = [await _ask(engine, wide_open, question) for question in labelled.questions]
    unanswerable = [one for one in asked if not one.question.answerable]
    answerable = [one for one in asked if one.question.answerable]
    tables = (
        Table("unanswerable: refused, share", _COLUMNS, _rows(unanswerable)),
        Table("answerable: wrongly refused, share", _COLUMNS, _rows(answerable)),
        Table(
            "unanswerable: refused, by the share wrongly refused", _curve_columns(), _curve(unanswerable, answerable)
        ),
        Table("answerable: wrongly refused, at the same cuts", _curve_columns(), _curve(answerable, answerable)),
        Table("cuts chosen on four fifths, on the fifth that was held out", _curve_columns(), _held_out(asked)),
    )
    notes = (
        "Before the model: by the evidence of the search. By the model: the extractive one. Not grounded: in all.",
        "The curve moves the cut in confidence; the cut in nearness and the model's own refusals stay as they are.",
    )
    return Result("refusals", tables, (), notes)


async def final(engine: Engine, question: str, workspace: str) -> Answer:
    """The finished answer to a question that stands alone."""
    async with aclosing(engine.ask(question, Place(workspace, ""), with_history=False)) as events:
        async for event in events:
            if isinstance(event, Final):
                return event.answer
    raise RuntimeError("The engine ended without an answer.")


async def _ask(engine: Engine, wide_open: Engine, question: LabelledQuestion) -> _Asked:
    answer = await final(engine, question.text, WORKSPACE)
    opened = await final(wide_open, question.text, WORKSPACE) if answer.reason == "nothing_near" else answer
    if not opened.grounded:
        return _Asked(question, answer, _MODEL_REFUSES)
    passages = await engine.search(question.text, Place(WORKSPACE, ""))
    near = nearness(passages) >= (await engine.cut_in(WORKSPACE)).nearness
    return _Asked(question, answer, _NEAR if near else confidence(question.text, passages))


_COLUMNS = ("question", "n", "before the model", "by the model", "not grounded")


def _rows(asked: Sequence[_Asked]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (
            kind,
            len(group),
            _share([one.unread for one in group]),
            _share([one.answer.reason == "refused" for one in group]),
            _share([not one.answer.grounded for one in group]),
        )
        for kind, group in _groups(asked).items()
    )


def _curve_columns() -> tuple[str, ...]:
    return ("question", "n", *(f"at {share:.0%}" for share in _SHARES))


def _curve(asked: Sequence[_Asked], answerable: Sequence[_Asked]) -> tuple[tuple[Cell, ...], ...]:
    cuts = [_cut(answerable, share) for share in _SHARES]
    return tuple(
        (kind, len(group), *(None if cut is None else _refused(group, cut) for cut in cuts))
        for kind, group in _groups(asked).items()
    )


def _held_out(asked: Sequence[_Asked]) -> tuple[tuple[Cell, ...], ...]:
    places = np.random.default_rng(_SEED).permutation(len(asked)) % _FOLDS
    rows: list[tuple[Cell, ...]] = []
    for answerable, name in ((False, "unanswerable: refused"), (True, "answerable: wrongly refused")):
        cells: list[Cell] = []
        for share in _SHARES:
            refused: list[bool] = []
            for fold in range(_FOLDS):
                rest = [one for one, place in zip(asked, places, strict=True) if place != fold]
                cut = _cut([one for one in rest if one.question.answerable], share)
                held = [one for one, place in zip(asked, places, strict=True) if place == fold]
                refused += [
                    one.confidence < (0.0 if cut is None else cut)
                    for one in held
                    if one.question.answerable == answerable
                ]
            cells.append(_share(refused))
        rows.append((name, sum(one.question.answerable == answerable for one in asked), *cells))
    return tuple(rows)


def _cut(answerable: Sequence[_Asked], most: float) -> float | None:
    """The highest cut in confidence that refuses at most such a share; None where the model alone refuses more."""
    allowed = int(most * len(answerable) + 1e-9)
    confidences = sorted(one.confidence for one in answerable)
    cut = confidences[allowed] if allowed < len(confidences) else _NEAR
    return cut if cut > _MODEL_REFUSES else None


def _refused(group: Sequence[_Asked], cut: float) -> float:
    return _share([one.confidence < cut for one in group])


def _groups(asked: Sequence[_Asked]) -> dict[str, list[_Asked]]:
    kinds = dict.fromkeys(one.question.kind for one in asked)
    return {"all": list(asked), **{kind: [one for one in asked if one.question.kind == kind] for kind in kinds}}


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0
