"""A cross-encoder in ONNX: a real one, run by onnxruntime, small enough to be written by the test."""

import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fakes.onnx_model import write_cross_encoder
from kbot.chat import Passage
from kbot.errors import ModelFailed, ModelMissing, SettingsError
from kbot.models import Embedder, open_reranker
from kbot.retrieval.rerank import rerank
from kbot.settings import Settings

HAS_EXTRA = bool(find_spec("onnxruntime") and find_spec("tokenizers"))
needs_extra = pytest.mark.skipif(not HAS_EXTRA, reason="the extra `rerank` is not installed")


def passages(*texts: str) -> list[Passage]:
    return [Passage(str(n), str(n), "a.md", "", text, 0.5, 0.5, 0.5, 0.5) for n, text in enumerate(texts)]


def sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


@needs_extra
async def test_a_score_is_the_sigmoid_of_the_logit(tmp_path: Path, embedder: Embedder) -> None:
    write_cross_encoder(tmp_path / "tiny", {"férias": 2.0, "leave": 1.5, "lunch": -1.0}, bias=-3.0)
    reranker = await open_reranker(Settings(reranker=f"onnx:{tmp_path / 'tiny'}"), embedder)
    assert reranker.name == "onnx:tiny"
    # More than a batch, of many lengths: padding must not count.
    texts = ["lunch", "Leave férias", "leave", *(f"words {'and ' * n}leave" for n in range(20))]
    found = await reranker.rerank("férias ?", passages(*texts))
    scores = {p.text: p.score for p in found}
    assert scores["Leave férias"] == pytest.approx(sigmoid(2 + 1.5 + 2 - 3), abs=1e-6)
    assert scores["lunch"] == pytest.approx(sigmoid(2 - 1 - 3), abs=1e-6)
    assert scores[texts[-1]] == scores["leave"] == pytest.approx(sigmoid(2 + 1.5 - 3), abs=1e-6)
    assert (found[0].text, found[-1].text) == ("Leave férias", "lunch")
    assert await reranker.rerank("férias ?", []) == []


@needs_extra
async def test_long_passages_are_cut_and_of_two_logits_the_second_counts(tmp_path: Path, embedder: Embedder) -> None:
    write_cross_encoder(tmp_path, {"leave": 0.5}, outputs=2)
    reranker = await open_reranker(Settings(reranker=f"onnx:{tmp_path}"), embedder)
    found = await reranker.rerank("when ?", passages("rest " * 600 + "leave", "rest leave"))
    assert [(p.id, pytest.approx(p.score, abs=1e-6)) for p in found] == [("1", sigmoid(0.5)), ("0", 0.5)]


@pytest.mark.parametrize("files", [(), ("model.onnx",), ("tokenizer.json",)])
async def test_a_folder_without_a_model_is_a_wrong_setting(
    tmp_path: Path, embedder: Embedder, files: tuple[str, ...]
) -> None:
    for name in files:
        (tmp_path / name).write_text("x")
    with pytest.raises(SettingsError, match=r"holds no model.onnx beside a tokenizer.json. Export the model"):
        await open_reranker(Settings(reranker=f"onnx:{tmp_path}"), embedder)


@needs_extra
async def test_what_cannot_be_used_is_told(tmp_path: Path, embedder: Embedder) -> None:
    async def opened(folder: Path) -> None:
        await open_reranker(Settings(reranker=f"onnx:{folder}"), embedder)

    for broken, content in (("model.onnx", "no model"), ("tokenizer.json", "{}"), ("tokenizer.json", "no JSON")):
        write_cross_encoder(tmp_path / "broken", {"leave": 1.0})
        (tmp_path / "broken" / broken).write_text(content)
        with pytest.raises(ModelFailed, match=r"cannot be used .* choose another KBOT_RERANKER"):
            await opened(tmp_path / "broken")


@needs_extra
@pytest.mark.parametrize(
    "faulty",
    [{"outputs": 3}, {"bias": math.nan}, {"bias": math.inf}, {"bias": -math.inf}, {"summed": 0}],
    ids=str,
)
async def test_what_gives_no_relevance_costs_the_order_alone(
    tmp_path: Path, embedder: Embedder, faulty: dict[str, Any]
) -> None:
    write_cross_encoder(tmp_path / "faulty", {"b": 1.0}, **faulty)
    reranker = await open_reranker(Settings(reranker=f"onnx:{tmp_path / 'faulty'}"), embedder)
    done = await rerank(reranker, "which", passages("a", "b"), k=1)
    assert isinstance(done.failed, ModelFailed)
    assert "The reranker answered 2 passages with" in str(done.failed)
    assert [p.text for p in done.passages] == ["a"]


@pytest.mark.skipif(HAS_EXTRA, reason="the extra `rerank` is installed")
async def test_without_the_extra_it_is_named(tmp_path: Path, embedder: Embedder) -> None:
    write_cross_encoder(tmp_path, {"leave": 1.0})
    with pytest.raises(ModelMissing, match=r"pip install 'kbot\[rerank\]'"):
        await open_reranker(Settings(reranker=f"onnx:{tmp_path}"), embedder)
