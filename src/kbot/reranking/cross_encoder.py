"""A cross-encoder in this process, exported to ONNX: it reads question and passage together, the most exact and the
slowest look."""

import asyncio
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from kbot.chat import Passage
from kbot.errors import ModelError, ModelFailed, ModelMissing, SettingsError
from kbot.reranking import Rerank, by_score, titled

_FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_LONGEST = 512
_BATCH = 16
# What onnxruntime raises has no class of its own in common.
_RAISED = ("EPFail", "Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoModel", "NoSuchFile",
    "NotImplemented", "RuntimeException")  # fmt: skip


class _Encoding(Protocol):
    @property
    def ids(self) -> list[int]: ...
    @property
    def attention_mask(self) -> list[int]: ...
    @property
    def type_ids(self) -> list[int]: ...


class _Tokenizer(Protocol):
    def enable_truncation(self, max_length: int, *, strategy: str) -> None: ...
    def enable_padding(self) -> None: ...
    def encode_batch(self, pairs: list[tuple[str, str]], /) -> list[_Encoding]: ...


class _Input(Protocol):
    @property
    def name(self) -> str: ...


class _Session(Protocol):
    def get_inputs(self) -> list[_Input]: ...
    def run(self, output_names: None, input_feed: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]: ...


def load_cross_encoder(folder: Path) -> Rerank:
    """The reranker of a folder with `tokenizer.json` and `model.onnx`, as `optimum-cli export onnx --task
    text-classification` makes it. A passage's score is the sigmoid of its logit; of two logits, the second's softmax.

    Raises `SettingsError` without the files, `ModelMissing` without the extra, `ModelFailed` where they cannot be read.
    """
    name = f"onnx:{folder.name}"
    model = next((folder / file for file in _FILES if (folder / file).is_file()), None)
    if model is None or not (folder / "tokenizer.json").is_file():
        raise SettingsError(
            f"KBOT_RERANKER cannot be used: the folder {folder} holds no model.onnx beside a tokenizer.json. "
            "Export the model with `optimum-cli export onnx --model MODEL --task text-classification FOLDER`, then set "
            "KBOT_RERANKER=onnx:FOLDER."
        )
    runtime, tokenizers = _libraries(name)
    raised = _raised(runtime)
    tokenizer = _tokenizer(name, tokenizers, folder / "tokenizer.json")
    try:
        options = runtime.SessionOptions()
        options.log_severity_level = 4
        session = cast(_Session, runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"]))
    except raised as error:
        raise _failed(name, error) from error

    def scores(question: str, texts: Sequence[str]) -> list[float]:
        try:
            return _scores(name, session, tokenizer, question, texts)
        except raised as error:
            raise _failed(name, error) from error

    async def rerank(question: str, passages: Sequence[Passage]) -> list[Passage]:
        texts = [titled(passage) for passage in passages]
        return by_score(passages, await asyncio.to_thread(scores, question, texts))

    return rerank


def _scores(name: str, session: _Session, tokenizer: _Tokenizer, question: str, texts: Sequence[str]) -> list[float]:
    """In batches of texts of about one length, so that little is padded."""
    found = np.zeros(len(texts))
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    wanted = [each.name for each in session.get_inputs()]
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        encoded = tokenizer.encode_batch([(question, texts[index]) for index in batch])
        parts: dict[str, Callable[[_Encoding], list[int]]] = {
            "input_ids": lambda each: each.ids,
            "attention_mask": lambda each: each.attention_mask,
            "token_type_ids": lambda each: each.type_ids,
        }
        feed = {
            part: np.array([of(each) for each in encoded], dtype=np.int64)
            for part, of in parts.items()
            if part in wanted
        }
        logits = _logits(name, session.run(None, feed), len(batch))
        margin = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        found[batch] = 1 / (1 + np.exp(-np.clip(margin, -500, 500)))
    return [float(score) for score in found]


def _logits(name: str, outputs: Sequence[NDArray[Any]], pairs: int) -> NDArray[np.float64]:
    """One row for each pair, of one or two finite numbers."""
    found = outputs[0] if outputs else np.zeros(0)
    if found.size % pairs == 0 and found.dtype.kind in "fiu":
        logits = np.asarray(found, dtype=np.float64).reshape(pairs, -1)
        if logits.shape[1] in {1, 2} and np.isfinite(logits).all():
            return logits
    raise ModelFailed(
        name,
        f"The reranker answered {pairs} passages with {found.size} values, or with some that are no numbers.",
        "Export a cross-encoder for relevance, which has one output, or choose another KBOT_RERANKER.",
    )


def _libraries(name: str) -> tuple[Any, Any]:
    try:
        return importlib.import_module("onnxruntime"), importlib.import_module("tokenizers")
    except ImportError as error:
        raise ModelMissing(
            name,
            f"Rerankers in ONNX need a package that is missing ({error}).",
            "Install it with `pip install 'kbot[rerank]'`.",
        ) from error


def _tokenizer(name: str, tokenizers: Any, file: Path) -> _Tokenizer:
    try:
        json.loads(file.read_bytes())
        tokenizer = cast(_Tokenizer, tokenizers.Tokenizer.from_file(str(file)))
        tokenizer.enable_truncation(_LONGEST, strategy="only_second")
        tokenizer.enable_padding()
    except Exception as error:  # the library raises nothing narrower, and it is raised on
        raise _failed(name, error) from error
    return tokenizer


def _raised(runtime: Any) -> tuple[type[Exception], ...]:
    state = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    return tuple(getattr(state, kind) for kind in _RAISED if hasattr(state, kind))


def _failed(name: str, error: Exception) -> ModelError:
    return ModelFailed(
        name,
        f"The reranker cannot be used ({' '.join(str(error).split())[:200]}).",
        "Export it anew with `optimum-cli export onnx --task text-classification`, or choose another KBOT_RERANKER.",
    )
