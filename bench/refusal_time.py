"""How long an honest no takes, beside an answer of a real language model on the same machine."""

import os
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np

from bench.labelled import read_set
from bench.refusals import final
from bench.report import Result, Table, Target, percentiles
from bench.retrieval import filled
from bench.run import Bench
from bench.tables import WORKSPACE
from kbot.chat import Place
from kbot.confidence import gate
from kbot.engine import Engine
from kbot.errors import ModelMissing
from kbot.models import open_chat_model, open_reranker

MODEL = Path.home() / ".cache" / "kbot-test-model" / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
_PASSAGES = 20_000
_ANSWERS = 2
_ANSWER_TOKENS = 512


async def refusal_time(bench: Bench) -> Result:
    """Whole walks through `Engine.ask`, storing included: refusals before the model, and answers of the model of
    KBOT_TEST_MODEL."""
    path = Path(os.environ.get("KBOT_TEST_MODEL", MODEL))
    settings = bench.settings.model_copy(update={"chat_model": f"gguf:{path}", "answer_tokens": _ANSWER_TOKENS})
    try:
        chat = await open_chat_model(settings, bench.embedder)
    except ModelMissing as missing:
        return Result("refusal_time", notes=(f"Skipped: {missing} KBOT_TEST_MODEL names the file for this part.",))
    labelled = read_set(bench.sets, "dev")
    async with AsyncExitStack() as stack:
        database = await filled(bench, stack, _PASSAGES)
        engine = Engine(settings, database, bench.embedder, chat, await open_reranker(settings, bench.embedder))
        refused = [
            (await final(engine, question.text, WORKSPACE)).timings["total_ms"]
            for question in labelled.questions
            if not question.answerable and not await _worth_a_model(engine, question.text)
        ]
        whole = [question.text for question in labelled.questions if question.e2e and question.answerable]
        answered = [(await final(engine, text, WORKSPACE)).timings["total_ms"] for text in whole[:_ANSWERS]]
    refusal, answer_time = percentiles(refused), float(np.median(answered))
    rows = (
        ("refused before the model", len(refused), *refusal),
        (f"answered by {chat.name}", len(answered), *percentiles(answered)),
    )
    targets = (
        Target("time of an answer / of a refusal", answer_time / refusal[0], least=60),
        Target(f"p95 of a refusal at {_PASSAGES} passages, ms", refusal[1], most=50),
    )
    return Result("refusal_time", (Table("from question to answer", ("what", "n", "p50 ms", "p95 ms"), rows),), targets)


async def _worth_a_model(engine: Engine, question: str) -> bool:
    found = await engine.search(question, Place(WORKSPACE, ""))
    return gate(question, found, await engine.cut_in(WORKSPACE))
