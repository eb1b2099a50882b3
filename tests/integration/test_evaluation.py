"""A labelled set put to a real engine: runs, their figures, the cut that is chosen, and a team's own questions."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answering import DOCUMENTS, FERIAS, UNKNOWN, UNKNOWN_EN, Desk
from fakes.ollama import FakeOllama
from kbot import library
from kbot.chat import Answer, Citation, Passage, Place
from kbot.engine import Engine
from kbot.errors import ModelMissing, SettingsError
from kbot.evaluation import ledger
from kbot.evaluation.cleaning import clean
from kbot.evaluation.comparison import compare, differences, gated_measures, regressions
from kbot.evaluation.corpus import (
    Corpus,
    check_labels,
    chunking_of,
    of_passages,
    read_corpus,
    shelve,
    workspace_of,
)
from kbot.evaluation.judge import Judge, Ruling, words_judge
from kbot.evaluation.labelled import LabelledPassage, LabelledQuestion
from kbot.evaluation.run import Run, configuration, evaluate, figures, subsets
from kbot.evaluation.trial import JudgedClaim, Only, answer_figures, put, unit
from kbot.settings import Chunking

PASSAGES = (
    LabelledPassage("férias/1", "Política de férias", "Cada pessoa tem 22 dias úteis de férias por ano.", "pt"),
    LabelledPassage(
        "gym #2", "Opening hours of the gym", "The company gym is open from 6 am to 10 pm on weekdays.", "en"
    ),
    LabelledPassage("livros", "", "A biblioteca empresta livros por duas semanas.", "pt"),
)
QUESTIONS = (
    LabelledQuestion(
        "q1", "Quantos dias úteis de férias cada pessoa tem?", "pt->pt", True, ("férias/1",), True, ("22",)
    ),
    LabelledQuestion("q2", "When is the company gym open?", "en->en", True, ("gym #2",), False, ("6 am to 10 pm",)),
    LabelledQuestion("q3", "Por quanto tempo a biblioteca empresta livros?", "pt->pt", True, ("livros",)),
    LabelledQuestion("q4", UNKNOWN, "pt", False, ()),
    LabelledQuestion("q5", UNKNOWN_EN, "en", False, ()),
)
CORPUS = of_passages(PASSAGES)


def replace_settings(engine: Engine, **settings: object) -> Engine:
    return Engine(
        engine.settings.model_copy(update=settings), engine.database, engine.embedder, engine.chat, engine.reranker
    )


@pytest.fixture
async def engine(desk: Desk) -> Engine:
    return await desk.engine()


async def measured(
    engine: Engine,
    name: str,
    *,
    corpus: Corpus = CORPUS,
    questions: Sequence[LabelledQuestion] = QUESTIONS,
    only: Only = "everything",
) -> Run:
    workspace = await shelve(engine, corpus, lambda _: None)
    await check_labels(engine, workspace, questions)
    judge = words_judge(engine.embedder)
    configured = await configuration(engine, corpus, questions, judge, only)
    return await evaluate(
        engine,
        workspace,
        questions,
        judge,
        lambda done, total: None,
        name=name,
        labelled="own",
        configured=configured,
        only=only,
    )


async def test_a_run_finds_cites_refuses_and_is_kept_whole(engine: Engine) -> None:
    run = await measured(engine, "whole")
    found = {name: figure.value for name, figure in figures(run.outcomes).items()}
    for name in ("hit@1", "mrr@10", "ndcg@10", "refused", "refused_unread", "citation_right", "faithfulness"):
        assert found[name] == 1.0, name
    for name in ("wrongly_refused", "uncited", "claims_uncited", "failed"):
        assert found[name] == 0.0, name
    assert found["contains"] == 1.0
    assert 0 < found["f1"] < 1
    assert found["model_calls"] == pytest.approx(3 / 5)
    assert 0 < found["retrieve_ms_p50"] <= found["total_ms_p50"] <= found["total_ms_p95"]
    assert [(kind, len(group)) for kind, group in subsets(run.outcomes).items()] == [
        ("all", 5),
        ("pt->pt", 2),
        ("en->en", 1),
        ("pt", 1),
        ("en", 1),
    ]
    claim = run.outcomes[0].claims[0]
    assert claim.supported
    assert claim.cites == (1,)
    assert "22 dias" in claim.span
    await ledger.keep(engine.database, run)
    assert await ledger.find_run(engine.database, "whole") == run
    assert await ledger.find_run(engine.database, run.id[:10]) == run
    assert await ledger.newest_run(engine.database, "own") == run
    with pytest.raises(SettingsError, match="There is no run 'nobody'"):
        await ledger.find_run(engine.database, "nobody")


async def test_a_corpus_stands_apart_and_is_used_again(engine: Engine, tmp_path: Path) -> None:
    told: list[str] = []
    workspace = await shelve(engine, CORPUS, lambda receipt: told.append(receipt.status))
    again = await shelve(engine, CORPUS, lambda receipt: told.append(f"again {receipt.status}"))
    assert again == workspace
    assert not [each for each in told if each.startswith("again")]
    assert {each.source for each in await library.sources(engine.database, Place(workspace, ""))} == {
        passage.id for passage in PASSAGES
    }
    smaller = Engine(
        engine.settings.model_copy(update={"chunk_characters": 200}),
        engine.database,
        engine.embedder,
        engine.chat,
        engine.reranker,
    )
    assert await shelve(smaller, CORPUS, lambda _: None) != workspace, "cut otherwise, it is another index"
    ways: list[dict[str, object]] = [
        {},
        {"section_characters": 3200},
        {"chunking": Chunking("semantic")},
        {"chunking": Chunking("model")},
    ]
    kinds = [replace_settings(engine, **way) for way in ways]
    assert len({workspace_of(CORPUS, each) for each in kinds}) == len(ways)
    assert [chunking_of(each) for each in kinds] == ["recursive", "recursive", "semantic", "model (extractive)"]
    changed = of_passages([replace(PASSAGES[0], text="Outra coisa."), *PASSAGES[1:]])
    assert await shelve(engine, changed, lambda _: None) != workspace
    anew: list[str] = []
    assert await shelve(engine, CORPUS, lambda receipt: anew.append(receipt.status), fresh=True) == workspace
    assert anew == ["added"] * 3
    with pytest.raises(SettingsError, match="There is no"):
        read_corpus(tmp_path / "nowhere")


async def test_documents_stand_for_passages_by_page(engine: Engine, tmp_path: Path) -> None:
    for name, content in DOCUMENTS.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    corpus = read_corpus(tmp_path)
    badge = LabelledQuestion("b", "What does a lost badge cost?", "en->en", True, ("badge.pdf#2",))
    vacation = LabelledQuestion("f", FERIAS, "pt->pt", True, ("ferias.md",))
    run = await measured(engine, "pages", corpus=corpus, questions=(badge, vacation))
    found = {outcome.question: outcome.found for outcome in run.outcomes}
    assert found["b"]["hit@1"] == found["f"]["hit@1"] == 1.0
    assert found["b"]["citation_relevant"] == 1.0
    elsewhere = await measured(
        engine, "wrong page", corpus=corpus, questions=(replace(badge, relevant=("badge.pdf#1",)),)
    )
    assert elsewhere.outcomes[0].found["hit@1"] == 0.0
    with pytest.raises(SettingsError, match=r"'b' names 'bage\.pdf#2'"):
        await check_labels(engine, run.workspace, [replace(badge, relevant=("bage.pdf#2",))])


async def test_the_search_alone_asks_no_model(desk: Desk, model: FakeOllama) -> None:
    run = await measured(await desk.engine(model), "alone", only="retrieval")
    assert model.requests == []
    found = {name: figure.value for name, figure in figures(run.outcomes).items()}
    assert (found["hit@1"], found["refused_unread"], found["wrongly_refused_unread"]) == (1.0, 1.0, 0.0)
    assert not {"refused", "f1", "faithfulness", "total_ms_p50"} & found.keys()


async def test_a_failing_model_is_a_figure_and_a_missing_one_ends_the_run(desk: Desk, model: FakeOllama) -> None:
    engine = await desk.engine(model)
    workspace = await shelve(engine, CORPUS, lambda _: None)
    model.behaviour = "fails"
    outcome = await put(engine, workspace, QUESTIONS[0], words_judge(engine.embedder), "everything")
    assert (outcome.reason, outcome.found["failed"], outcome.found["wrongly_refused"]) == ("error", 1.0, 0.0)
    model.behaviour, model.models = "normal", {}
    with pytest.raises(ModelMissing):
        await put(engine, workspace, QUESTIONS[0], words_judge(engine.embedder), "everything")


async def test_a_worse_run_is_told_from_noise(engine: Engine) -> None:
    many = tuple(replace(QUESTIONS[n % 3], id=f"m{n}") for n in range(12))
    run = await measured(engine, "base", questions=many, only="retrieval")
    assert not [found for found in compare(run, run).changes["all"].values() if not found.noise]
    lost = [replace(each, found={**each.found, "hit@5": 0.0, "mrr@10": 0.0}) for each in run.outcomes[:8]]
    settings = engine.settings.model_copy(update={"fusion": "rrf", "rules": "Be brief."})
    other = Engine(settings, engine.database, engine.embedder, engine.chat, engine.reranker)
    configured = await configuration(other, CORPUS, many, words_judge(engine.embedder), "retrieval")
    worse = replace(run, id="other", configuration=configured, outcomes=(*lost, *run.outcomes[8:]))
    assert {measure.name for measure, _ in regressions(compare(run, worse), gated_measures())} == {"hit@5", "mrr@10"}
    assert regressions(compare(worse, run), gated_measures()) == []
    assert {each.name for each in differences(run, worse)} == {"fusion", "prompts"}
    part = compare(run, replace(worse, outcomes=worse.outcomes[2:]))
    assert (part.n, part.before_only, part.after_only) == (10, 2, 0)
    with pytest.raises(SettingsError, match="no question in common"):
        compare(run, await measured(engine, "else", only="retrieval"))


PAGE = Passage("c1", "d", "guide.pdf", "t", "Text of page three.", 0.5, 0.5, 0.5, 0.5, page=3, cited=True)


def test_what_a_passage_counts_as() -> None:
    assert unit(PAGE, ["guide.pdf#3"]) == "guide.pdf#3"
    assert unit(PAGE, ["guide.pdf#4"]) == "guide.pdf#3"
    assert unit(PAGE, ["guide.pdf"]) == "guide.pdf"
    assert unit(PAGE, ["other.pdf"]) == "guide.pdf"
    assert unit(replace(PAGE, page=None), ["other.pdf#1"]) == "guide.pdf"


@pytest.mark.parametrize(
    ("grounded", "refused", "reason", "expected"),
    [
        (True, False, "", {"wrongly_refused": 0.0, "uncited": 0.0, "citation_right": 1.0, "faithfulness": 0.5}),
        (False, True, "refused", {"wrongly_refused": 1.0, "wrongly_refused_unread": 0.0, "refusal_precision": 0.0}),
        (False, True, "nothing_near", {"wrongly_refused_unread": 1.0, "refusal_precision_unread": 0.0, "f1": 0.0}),
        (False, False, "uncited", {"wrongly_refused": 0.0, "uncited": 1.0, "faithfulness": 0.5}),
        (False, False, "error", {"failed": 1.0, "wrongly_refused": 0.0}),
    ],
)
def test_the_figures_of_an_answer(grounded: bool, refused: bool, reason: str, expected: dict[str, float]) -> None:
    question = LabelledQuestion("q", "?", "en", True, ("guide.pdf#3",), answers=("page three",))
    citations = (Citation(1, "guide.pdf", "t", "q", "c1", page=3),) if grounded else ()
    answer = Answer("?", "Page three [1].", grounded, refused, reason, citations, (PAGE,) if grounded else ())
    claims = [JudgedClaim("a b c", (1,), True, "s", "j"), JudgedClaim("d e f", (), False, "", "j")]
    found = answer_figures(question, answer, claims)
    assert {name: found[name] for name in expected} == expected
    assert ("citation_right" in found) is grounded
    assert ("faithfulness" in found) is (not refused and reason != "error")
    assert found["contains"] == float(not refused and reason != "error")


async def test_a_run_whose_documents_are_deleted_meanwhile_is_no_run(desk: Desk, engine: Engine) -> None:
    workspace = await shelve(engine, CORPUS, lambda _: None)
    words = words_judge(engine.embedder)

    async def deleting(claim: str, texts: Sequence[str]) -> Ruling:
        await clean(desk.database, runs=False)
        return await words.rule(claim, texts)

    judge = Judge(words.name, deleting)
    told: dict[str, Any] = {"name": "cut short", "labelled": "own", "only": "everything"}
    configured = await configuration(engine, CORPUS, QUESTIONS, judge, "everything")
    with pytest.raises(SettingsError, match="deleted while it went on"):
        await evaluate(engine, workspace, QUESTIONS, judge, lambda _done, _of: None, configured=configured, **told)
