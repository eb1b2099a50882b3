"""How well the right passages are found, by each kind of evidence alone and by their fusions, through the real SQL."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.databases import fresh_database
from bench.labelled import LabelledQuestion, LabelledSet, read_set, write_files
from bench.report import Cell, Result, Table, Target
from bench.run import Bench
from kbot.chat import Place
from kbot.database import Database
from kbot.evaluation.measures import DEPTH, ranking
from kbot.ingestion.jobs import Shelf, ingest, uploads
from kbot.models import Reranker, open_reranker
from kbot.retrieval.search import BUDGET, search
from kbot.settings import Settings

WORKSPACE = "quality"
_MEASURES = {"hit@5": "hit@5", "mrr@10": "MRR@10", "ndcg@10": "nDCG@10"}
_ALONE = ("dense", "sentence", "lexical")
_KINDS = (*_ALONE, "rrf", "sum")
_EXHAUSTIVE = "sum, exhaustive"
_RERANKED = "reranked"
_ALL = "all"

Found = dict[str, list[str]]
"""For the id of each question the ids of the passages found, best first."""


async def quality(bench: Bench) -> Result:
    """hit@5, MRR@10 and nDCG@10 by fusion and subset, and what the limit on candidates costs."""
    labelled = read_set(bench.sets, bench.set_name)
    answerable = [question for question in labelled.questions if question.answerable and question.relevant]
    async with fresh_database(bench.cache, bench.settings, "bench_quality") as (database, settings):
        await ingest_set(bench, labelled, database, settings)
        found = {kind: await _find(bench, database, answerable, kind) for kind in _KINDS}
        found[_RERANKED] = await _find(
            bench, database, answerable, "sum", reranker=await open_reranker(settings, bench.embedder)
        )
        everything = len(labelled.passages) * 10
        found[_EXHAUSTIVE] = await _find(bench, database, answerable, "sum", everything)
    return _result(labelled, answerable, found)


async def ingest_set(bench: Bench, labelled: LabelledSet, database: Database, settings: Settings) -> None:
    """Every passage as a Markdown file, through kbot's own ingest. Raises RuntimeError if one is not taken."""
    with tempfile.TemporaryDirectory() as name:
        write_files(labelled, Path(name))
        items = uploads([name])
        async for receipt in ingest(database, bench.embedder, settings, items, Shelf(WORKSPACE)):
            if receipt.status == "rejected":
                raise RuntimeError(f"{receipt.source} was not ingested: {receipt.reason}")


async def _find(
    bench: Bench,
    database: Database,
    questions: Sequence[LabelledQuestion],
    fusion: str,
    everything: int | None = None,
    reranker: Reranker | None = None,
) -> Found:
    found: Found = {}
    candidates, budget = (everything, everything) if everything else (40, BUDGET)
    for question in questions:
        passages = await search(
            database,
            bench.embedder,
            question.text,
            Place(WORKSPACE, ""),
            k=4 * DEPTH,
            fusion=fusion,
            candidates=candidates,
            budget=budget,
        )
        if reranker:
            passages = await reranker.rerank(question.text, passages)
        # A passage that was cut into several counts once, where its best piece stands.
        ids = dict.fromkeys(passage.source.removesuffix(".md") for passage in passages)
        found[question.id] = list(ids)[:DEPTH]
    return found


def _result(labelled: LabelledSet, questions: Sequence[LabelledQuestion], found: dict[str, Found]) -> Result:
    kinds = [_ALL, *dict.fromkeys(question.kind for question in questions)]
    subsets = {kind: [q for q in questions if kind in (_ALL, q.kind)] for kind in kinds}
    scores = {
        (kind, fusion): _measure(subset, ids) for kind, subset in subsets.items() for fusion, ids in found.items()
    }
    tables: list[Table] = []
    for index, shown in reversed(list(enumerate(_MEASURES.values()))):
        rows: list[tuple[Cell, ...]] = [
            (kind, len(subset), *(scores[kind, fusion][index] for fusion in found)) for kind, subset in subsets.items()
        ]
        tables.append(Table(f"{shown} on {labelled.name}", ("question -> passage", "n", *found), tuple(rows)))
    best = {kind: max(scores[kind, fusion][-1] for fusion in _ALONE) for kind in kinds}
    behind = {kind: best[kind] - scores[kind, "sum"][-1] for kind in kinds}
    worst = max(behind, key=lambda kind: behind[kind])
    lost = scores[_ALL, _EXHAUSTIVE][-1] - scores[_ALL, "sum"][-1]
    below = {kind: scores[kind, "sum"][-1] - scores[kind, _RERANKED][-1] for kind in kinds}
    fallen = max(below, key=lambda kind: below[kind])
    targets = [
        Target(f"nDCG@10 of the best single part above the fusion, at worst ({worst})", behind[worst], most=0.03),
        Target(f"nDCG@10 of the fusion above the reranked, at worst ({fallen})", below[fallen], most=0.01),
        Target("nDCG@10 lost by the limit on candidates", lost, most=0.01),
    ]
    if labelled.name == "dev":
        targets.insert(0, Target("nDCG@10 of the fusion over all", scores[_ALL, "sum"][-1], least=0.93))
        targets.insert(1, Target("nDCG@10 of pt->en human", scores["pt->en human", "sum"][-1], least=0.8))
        targets.insert(2, Target("nDCG@10 reranked over all", scores[_ALL, _RERANKED][-1], least=0.95))
        targets.insert(3, Target("nDCG@10 reranked of pt->en human", scores["pt->en human", _RERANKED][-1], least=0.86))
    note = f"{len(labelled.passages)} passages, {len(questions)} answerable questions; 40 candidates of each kind."
    return Result("quality", tuple(tables), tuple(targets), (note,))


def _measure(questions: Sequence[LabelledQuestion], found: Found) -> tuple[float, ...]:
    figures = [
        ranking([passage in question.relevant for passage in found[question.id]], len(question.relevant), k=DEPTH)
        for question in questions
    ]
    return tuple(float(np.mean([figure[name] for figure in figures])) for name in _MEASURES)
