"""Where kbot's own time goes in an answer, stage by stage, with the extractive model."""

import time
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bench.labelled import read_set
from bench.report import Result, Table, percentiles
from bench.retrieval import filled
from bench.run import Bench
from bench.tables import WORKSPACE
from kbot.chat import Answer, Place
from kbot.confidence import gate
from kbot.engine import Engine
from kbot.generation import write_answer
from kbot.grounding import classify, worth_reading
from kbot.history import remember
from kbot.language import detect_language
from kbot.models import open_chat_model, open_reranker
from kbot.prompts import answer_prompt, fitting, format_passages
from kbot.retrieval.search import search

_PASSAGES = 20_000
_WARM = 20
_STAGES = ("embed question", "search, client side", "gate and prompt", "model (extractive)", "classify", "store")


class _Stages:
    """Wall and CPU milliseconds of this process by stage; the database's own CPU is not in it."""

    def __init__(self) -> None:
        self.wall: dict[str, list[float]] = defaultdict(list)
        self.cpu: dict[str, list[float]] = defaultdict(list)

    @asynccontextmanager
    async def stage(self, name: str) -> AsyncGenerator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[name].append((time.perf_counter() - wall) * 1000)
        self.cpu[name].append((time.process_time() - cpu) * 1000)


async def stages(bench: Bench) -> Result:
    """The stages of `Engine.ask`, called one by one with what it gives them."""
    questions = [question.text for question in read_set(bench.sets, "dev").questions if question.answerable]
    async with AsyncExitStack() as stack:
        database = await filled(bench, stack, _PASSAGES)
        engine = Engine(
            bench.settings,
            database,
            bench.embedder,
            await open_chat_model(bench.settings, bench.embedder),
            await open_reranker(bench.settings, bench.embedder),
        )
        for question in questions[:_WARM]:
            await _answer(engine, question, _Stages())
        measured = _Stages()
        for question in questions[_WARM : bench.questions]:
            await _answer(engine, question, measured)
    rows = tuple((name, *percentiles(measured.cpu[name]), *percentiles(measured.wall[name])) for name in _STAGES)
    table = Table("one answer", ("stage", "CPU p50 ms", "CPU p95 ms", "wall p50 ms", "wall p95 ms"), rows)
    note = f"{_PASSAGES} passages. CPU: of kbot's process with all its threads; Postgres has its own."
    return Result("stages", (table,), (), (note,))


async def _answer(engine: Engine, question: str, stages: _Stages) -> None:
    settings, place = engine.settings, Place(WORKSPACE, "")
    language = detect_language(question)
    async with stages.stage("embed question"):
        vector = await engine.embedder.embeddings.aembed_query(question)
    async with stages.stage("search, client side"):
        found = await search(engine.database, engine.embedder, question, place, k=settings.passages, vector=vector)
    async with stages.stage("gate and prompt"):
        gate(question, found, await engine.cut_in(WORKSPACE))
        passages = fitting(worth_reading(found), settings.context_tokens * 3)
        values: dict[str, object] = {"history": [], "passages": format_passages(passages), "question": question}
        answer_prompt(engine.persona, language).invoke(values)
    async with stages.stage("model (extractive)"):
        pieces = write_answer(
            engine.chat,
            question,
            passages,
            (),
            persona=engine.persona,
            language=language,
            timeout=settings.model_timeout,
        )
        text = "".join([piece async for piece in pieces])
    async with stages.stage("classify"):
        refusal = engine.persona.refusal_in(language)
        verdict = classify(text, passages, refusal=refusal, refusals=engine.persona.refusals())
    read = tuple(passages) if verdict.grounded else ()
    answer = Answer(question, verdict.text, verdict.grounded, verdict.refused, verdict.reason, verdict.citations, read)
    async with stages.stage("store"):
        await remember(engine.database, place, answer, standalone=question, message_id=None, author="")
