"""What a real model does with questions, with and without reflection and grammar: refusals, citations, cost."""

import math
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.databases import fresh_database
from bench.labelled import LabelledQuestion, read_set
from bench.quality import WORKSPACE, ingest_set
from bench.refusal_time import MODEL
from bench.refusals import final
from bench.replay import ReplayedChatModel
from bench.report import Cell, Result, Table
from bench.run import Bench
from kbot.chat import Answer, Decision
from kbot.engine import Engine
from kbot.errors import ModelMissing, StreamCut
from kbot.evaluation.trial import unit
from kbot.models import open_chat_model, open_reranker
from kbot.reflection.reflecting import LEAST_ODDS, answer_odds, least_odds

_SEED = 11
_RESAMPLES = 2000
WAYS: dict[str, dict[str, Any]] = {
    "check": {"reflection": "check"},
    "off": {"reflection": "off"},
    "full": {"reflection": "full"},
    "off, without a grammar": {"reflection": "off", "constrain": "never"},
    "off, without a gate": {"reflection": "off", "cut": 0.0},
}
_COLUMNS = (
    *("way", "n", "refused", "wrongly refused", "cut down", "quoted", "uncited", "failed", "citations relevant"),
    *("calls", "most calls", "median s"),
)
_LEAST_ODDS = (1.0, 2.0, 2.5, 3.0, 4.0, 5.0)


@dataclass(frozen=True, slots=True)
class _Asked:
    """`seconds` are the model's, as they were when it was called."""

    question: LabelledQuestion
    answer: Answer
    seconds: float

    def decided(self, step: str, *outcomes: str) -> Decision | None:
        return next((d for d in self.answer.decisions if d.step == step and d.outcome in outcomes), None)


async def reading(bench: Bench) -> Result:
    """`bench.sample` answerable and as many unanswerable questions, of all kinds, to the model of KBOT_TEST_MODEL."""
    path = Path(os.environ.get("KBOT_TEST_MODEL", MODEL))
    settings = bench.settings.model_copy(update={"chat_model": f"gguf:{path}", "answer_tokens": 400})
    try:
        chat = await open_chat_model(settings, bench.embedder)
    except ModelMissing as missing:
        return Result("reading", notes=(f"Skipped: {missing} KBOT_TEST_MODEL names the file for this part.",))
    labelled = read_set(bench.sets, bench.set_name)
    questions = sample(labelled.questions, bench.sample)
    answers: dict[str, list[_Asked]] = {}
    replayed = ReplayedChatModel(inner=chat.model, shown=chat.name, kept=bench.cache / "calls.sqlite")
    async with fresh_database(bench.cache, bench.settings, "bench_reading") as (database, made):
        await ingest_set(bench, labelled, database, made)
        reranker = await open_reranker(made, bench.embedder)
        for name, way in WAYS.items():
            if bench.ways and name not in bench.ways:
                continue
            held = "none" if way.get("constrain") == "never" else chat.grammar
            engine = Engine(
                settings.model_copy(update=way),
                database,
                bench.embedder,
                replace(chat, model=replayed, grammar=held),
                reranker,
            )
            answers[name] = [await _ask(engine, replayed, question) for question in questions]
    tables = (
        Table(f"answers of {chat.name}", _COLUMNS, tuple((name, *_figures(asked)) for name, asked in answers.items())),
    )
    if {"check", "off"} <= answers.keys():
        curve = _curve(answers["check"], answers["off"])
        tables += (Table("refused, by the least odds of an answer", _CURVE, curve),)
    notes = (
        f"{len(questions)} questions of {labelled.name}, half of them answerable; 95 % bootstrap intervals.",
        f"The calls are kept in {bench.cache}: made again where a prompt has changed.",
        "The curve: the gate, the model's yes, and the model's own refusals; without the check of claims.",
    )
    return Result("reading", tables, notes=notes)


def sample(questions: Sequence[LabelledQuestion], each: int) -> list[LabelledQuestion]:
    """So many answerable and so many unanswerable questions, each kind in its share, in a fixed random order."""
    draw = random.Random(_SEED)
    chosen: list[LabelledQuestion] = []
    for answerable in (True, False):
        group = [question for question in questions if question.answerable is answerable]
        draw.shuffle(group)
        ranked = sorted(group, key=lambda q: (_place(q, group) + 0.5) / sum(o.kind == q.kind for o in group))
        chosen += ranked[:each]
    draw.shuffle(chosen)
    return chosen


def _place(question: LabelledQuestion, group: Sequence[LabelledQuestion]) -> int:
    return [other.id for other in group if other.kind == question.kind].index(question.id)


async def _ask(engine: Engine, model: ReplayedChatModel, question: LabelledQuestion) -> _Asked:
    before = model.seconds
    try:
        answer = await final(engine, question.text, WORKSPACE)
    except StreamCut:  # a small model that goes on for ever has answered nothing
        answer = Answer(question.text, "", grounded=False, refused=False, reason="error")
    return _Asked(question, answer, model.seconds - before)


def _figures(asked: Sequence[_Asked]) -> tuple[Cell, ...]:
    answerable = [one for one in asked if one.question.answerable]
    grounded = [one for one in answerable if one.answer.grounded]
    relevant = [
        unit(passage, one.question.relevant).removesuffix(".md") in one.question.relevant
        for one in grounded
        for passage in one.answer.read
        if passage.cited
    ]
    return (
        len(asked),
        _share([one.answer.refused for one in asked if not one.question.answerable]),
        _share([one.answer.refused for one in answerable]),
        _share([one.decided("draft", "cut") is not None for one in answerable]),
        _share([one.decided("draft", "quoted") is not None for one in asked]),
        _share([one.answer.reason == "uncited" for one in answerable]),
        _share([one.answer.reason == "error" for one in asked]),
        _share(relevant),
        round(float(np.mean([one.answer.model_calls for one in asked])), 2),
        max(one.answer.model_calls for one in asked),
        round(float(np.median([one.seconds for one in asked])), 1),
    )


_CURVE = ("least odds", "unanswerable refused", "answerable wrongly refused")


def _curve(checked: Sequence[_Asked], unchecked: Sequence[_Asked]) -> tuple[tuple[Cell, ...], ...]:
    """What is refused if the odds of an answer had to come to as much, or, the first row, were not asked for."""
    return tuple(
        (
            f"{least} (kbot's)" if least == LEAST_ODDS else "not asked" if least is None else least,
            *(
                _share(
                    [
                        plain.answer.refused or (least is not None and _odds(one) < least)
                        for one, plain in zip(checked, unchecked, strict=True)
                        if one.question.answerable is answerable
                    ]
                )
                for answerable in (False, True)
            ),
        )
        for least in (None, *_LEAST_ODDS)
    )


def _odds(one: _Asked) -> float:
    """Of an answer in the passages, on the scale of LEAST_ODDS; infinite where nobody asked, since the search was
    sure."""
    decision = one.decided("passages", "answer", "no answer")
    if not decision:
        return math.inf
    return answer_odds(*map(float, decision.detail.split(", "))) + LEAST_ODDS - least_odds(one.question.text)


def _share(found: Sequence[bool]) -> str:
    if not found:
        return "-"
    values = np.array(found, dtype=np.float64)
    draws = np.random.default_rng(_SEED).integers(0, len(values), (_RESAMPLES, len(values)))
    low, high = np.quantile(values[draws].mean(axis=1), (0.025, 0.975))
    return f"{values.mean():.2f} [{low:.2f}, {high:.2f}]"
