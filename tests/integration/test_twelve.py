"""Twelve of twelve: eight questions that the demo's documents answer and four that they do not, by the extractive model
and by a real one."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from kbot.database import Database
from kbot.demo import demo_documents, twelve_questions
from kbot.engine import Engine
from kbot.evaluation.corpus import check_labels, read_corpus, shelve
from kbot.evaluation.judge import Judge, words_judge
from kbot.evaluation.labelled import LabelledQuestion, read_questions
from kbot.evaluation.trial import Outcome, put
from kbot.models import Embedder, open_chat_model, open_reranker
from kbot.settings import Settings

QUESTIONS = read_questions(twelve_questions()).questions
# What fits the patience of a test: a small model reads some 100 tokens a second on two cores.
SMALL = {"context_tokens": 3072, "answer_tokens": 160, "passages": 2, "model_timeout": 300.0}


def test_eight_can_be_answered_and_four_cannot_in_both_languages() -> None:
    assert [each.answerable for each in QUESTIONS].count(True) == 8
    assert [each.answerable for each in QUESTIONS].count(False) == 4
    assert {each.kind for each in QUESTIONS if each.answerable} == {"en->en", "en->pt", "pt->pt"}
    named = {label.partition("#")[0] for each in QUESTIONS for label in each.relevant}
    assert named == {path.name for path in demo_documents()}, "each document has a question"


async def test_extractive_has_twelve_of_twelve(database: Database, embedder: Embedder, settings: Settings) -> None:
    chosen = settings.model_copy(update={"chat_model": "extractive"})
    engine = Engine(
        chosen, database, embedder, await open_chat_model(chosen, embedder), await open_reranker(chosen, embedder)
    )
    right = [outcome async for outcome in _asked(engine, QUESTIONS)]
    assert len(right) == 12


async def test_a_small_model_has_twelve_of_twelve(
    database: Database, embedder: Embedder, gguf_file: Path, settings: Settings
) -> None:
    chosen = settings.model_copy(update={"chat_model": f"gguf:{gguf_file}", **SMALL})
    engine = Engine(
        chosen, database, embedder, await open_chat_model(chosen, embedder), await open_reranker(chosen, embedder)
    )
    right = [outcome async for outcome in _asked(engine, QUESTIONS)]
    assert len(right) == 12


async def _asked(engine: Engine, questions: Sequence[LabelledQuestion]) -> AsyncGenerator[Outcome]:
    """Each outcome as it comes; the first that is wrong ends the test."""
    workspace = await shelve(engine, read_corpus(demo_documents()[0].parent), lambda _: None)
    await check_labels(engine, workspace, questions)
    judge: Judge = words_judge(engine.embedder)
    for question in questions:
        outcome = await put(engine, workspace, question, judge, "everything")
        _check(question, outcome)
        yield outcome


def _check(question: LabelledQuestion, outcome: Outcome) -> None:
    found = outcome.found
    told = f"{question.text} -> {outcome.answer!r} ({outcome.reason or 'grounded'})"
    if not question.answerable:
        assert found["refused"] == 1.0, told
        return
    assert (found["wrongly_refused"], found.get("uncited")) == (0.0, 0.0), told
    assert found["contains"] == 1.0, told
    assert found["citation_right"] == 1.0, told
    assert found["claims_uncited"] == 0.0, told
