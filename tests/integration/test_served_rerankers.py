"""Cohere, Voyage and Jina over HTTP, against a server that speaks as they do; and what becomes of a question when they
fail."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from captured import captured_logs
from fakes.rerankers import KEY, FakeRerankers, fake_rerankers
from kbot.chat import Passage
from kbot.errors import ModelError, ModelFailed, ModelMissing, ModelTimeout, ModelUnreachable, SettingsError
from kbot.failures import KEYS
from kbot.models import Embedder, Reranker, open_reranker
from kbot.reranking.served import PROVIDERS, served_reranker
from kbot.retrieval.rerank import rerank
from kbot.settings import Settings

FOUND = [
    Passage(str(n), str(n), "a.md", "Rules", text, 0.5, 0.5, 0.5, 0.5 - n / 10)
    for n, text in enumerate(["lunch at noon", "days of leave", "leave the key"])
]


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[FakeRerankers]:
    for provider in PROVIDERS:
        monkeypatch.setenv(KEYS[provider], KEY)
    async with fake_rerankers() as script:
        yield script


def opened(script: FakeRerankers, provider: str, *, timeout: float = 5.0) -> Reranker:
    here = replace(PROVIDERS[provider], address=f"{script.url}/{provider}/rerank")
    name = f"{provider}:some-model"
    return Reranker(name, served_reranker(name, here, timeout=timeout))


@pytest.mark.parametrize("provider", list(PROVIDERS))
async def test_each_provider_orders_the_passages(server: FakeRerankers, provider: str) -> None:
    done = await rerank(opened(server, provider), "days of leave", FOUND, k=2)
    assert done.failed is None
    assert [(p.id, round(p.score, 2)) for p in done.passages] == [("1", 1.0), ("2", 0.33)]
    documents = ["Rules\nlunch at noon", "Rules\ndays of leave", "Rules\nleave the key"]
    assert server.asked == [{"model": "some-model", "query": "days of leave", "documents": documents}]
    assert await opened(server, provider).rerank("days", []) == []


@pytest.mark.parametrize("provider", list(PROVIDERS))
@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (401, None, ModelFailed, "does not accept the key in {key}. Set {key} anew."),
        (404, None, ModelMissing, "has no model some-model for this key. Choose another with KBOT_RERANKER."),
        (429, None, ModelFailed, "takes no more requests for now (HTTP 429)"),
        (500, None, ModelFailed, "HTTP 500: so it is"),
        (502, "<html>", ModelFailed, "HTTP 502: Bad Gateway"),
        (200, "<html>", ModelFailed, "does not give every passage one relevance"),
        (200, "[]", ModelFailed, "does not give every passage one relevance"),
        (200, '{"results": [{"index": 7, "relevance_score": 1}]}', ModelFailed, "does not give every passage"),
        (200, '{"data": [{"index": -1, "relevance_score": 1}]}', ModelFailed, "does not give every passage"),
        (200, '{"results": [{"index": 0, "relevance_score": 1}]}', ModelFailed, "does not give every passage"),
    ],
)
async def test_a_failure_costs_the_order_and_is_told(
    server: FakeRerankers, provider: str, status: int, body: str | None, kind: type[ModelError], said: str
) -> None:
    server.status, server.body = status, body
    done = await rerank(opened(server, provider), "days of leave", FOUND, k=2)
    assert done.passages == FOUND[:2]
    assert type(done.failed) is kind
    assert said.format(key=KEYS[provider]) in str(done.failed)
    assert KEY not in str(done.failed)


RIGHT = [(0, "0.1"), (1, "0.9"), (2, "0.5")]


def listed(*relevances: tuple[object, object]) -> str:
    each = ", ".join(f'{{"index": {index}, "relevance_score": {score}}}' for index, score in relevances)
    return f'{{"results": [{each}], "data": [{each}]}}'


@pytest.mark.parametrize("provider", list(PROVIDERS))
async def test_relevances_out_of_range_are_taken_to_its_ends(server: FakeRerankers, provider: str) -> None:
    server.body = listed((2, "-0.5"), (0, "7"), (1, "0.5"))
    done = await rerank(opened(server, provider), "days of leave", FOUND, k=3)
    assert done.failed is None
    assert [(p.id, p.score) for p in done.passages] == [("0", 1.0), ("1", 0.5), ("2", 0.0)]


@pytest.mark.parametrize("provider", list(PROVIDERS))
@pytest.mark.parametrize(
    "body",
    [
        *(listed(*RIGHT[:2], (2, score)) for score in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 400)),
        *(listed(*RIGHT[:2], (2, score)) for score in ('"0.5"', '"NaN"', "null", "true", "[0.5]")),
        *(listed(*RIGHT[:2], (index, 0.5)) for index in ('"2"', "null", "true", "2.5", "-1", "3")),
        listed(*RIGHT, (1, "0.2")),
        listed(*RIGHT[:2], (1, "0.2")),
        listed(*RIGHT[:2]),
        listed(),
        '{"results": null, "data": {}}',
        "[" * 100_000,
        "",
    ],
    ids=lambda body: body[-40:],
)
async def test_relevances_that_are_none_cost_the_order_alone(server: FakeRerankers, provider: str, body: str) -> None:
    server.body = body
    with captured_logs() as logs:
        done = await rerank(opened(server, provider), "days of leave", FOUND, k=2)
    assert logs.events == ["reranker_failed"]
    assert done.passages == FOUND[:2]
    assert isinstance(done.failed, ModelFailed)
    assert "does not give every passage one relevance" in str(done.failed)


async def test_a_provider_that_is_silent_or_gone(server: FakeRerankers) -> None:
    server.delay = 5.0
    done = await rerank(opened(server, "jina", timeout=0.2), "days of leave", FOUND, k=3)
    assert isinstance(done.failed, ModelTimeout)
    assert "did not answer within 0.2 s" in str(done.failed)
    assert done.passages == FOUND
    server.url = "http://127.0.0.1:9"
    assert isinstance((await rerank(opened(server, "jina"), "days", FOUND, k=3)).failed, ModelUnreachable)


async def test_a_wrong_key_is_told(server: FakeRerankers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHERE_API_KEY", "wrong")
    done = await rerank(opened(server, "cohere"), "days of leave", FOUND, k=3)
    assert "COHERE_API_KEY" in str(done.failed)


async def test_rerankers_are_opened_by_their_setting(
    server: FakeRerankers, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = await open_reranker(Settings(reranker="none"), embedder)
    assert (none.name, await none.rerank("days", FOUND)) == ("none", FOUND)
    embedded = await open_reranker(Settings(reranker=" Embedded"), embedder)
    assert embedded.name == "embedded"
    near = [replace(passage, score=0.4) for passage in FOUND]
    assert (await embedded.rerank("Quantos dias de licença?", near))[0].id == "1"
    other = Embedder("test:other", 512, embedder.embeddings, None)
    own = await open_reranker(Settings(reranker="embedded"), other)
    of_both = [await each.rerank("days of leave", near) for each in (own, embedded)]
    mine, theirs = ([(p.id, round(p.score, 4)) for p in found] for found in of_both)
    assert mine == theirs
    assert (await open_reranker(Settings(reranker="cohere:rerank-v3.5"), embedder)).name == "cohere:rerank-v3.5"
    monkeypatch.delenv("COHERE_API_KEY")
    with pytest.raises(SettingsError, match=r"Cohere needs a key: set COHERE_API_KEY"):
        await open_reranker(Settings(reranker="cohere:rerank-v3.5"), embedder)
    for wrong in ("cohere", "cohere:", "embedded:x", "bm25", "", "onnx:", "ollama:x"):
        with pytest.raises(SettingsError, match=r"it is embedded, none, onnx:<folder>"):
            await open_reranker(Settings(reranker=wrong), embedder)
