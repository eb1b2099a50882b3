"""A reranker from its setting."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from langchain_core.embeddings import Embeddings

from kbot.chat import Passage
from kbot.embedders import load_embedded
from kbot.errors import SettingsError
from kbot.reranking import Reranker
from kbot.reranking.cross_encoder import load_cross_encoder
from kbot.reranking.served import PROVIDERS, served_reranker
from kbot.reranking.words import by_words


def recorded_name(setting: str) -> str:
    """The name that the database records for a value of KBOT_RERANKER: the folder of a model without its path, which
    differs between machines. Raises `SettingsError` for a value that names no reranker."""
    kind, _, model = setting.strip().partition(":")
    kind, model = kind.strip().lower(), model.strip()
    if kind in {"embedded", "none"} and not model:
        return kind
    if kind == "onnx" and Path(model).name:
        return f"onnx:{Path(model).name}"
    if kind in PROVIDERS and model:
        return f"{kind}:{model}"
    raise SettingsError(
        f"KBOT_RERANKER={setting} cannot be used: it is embedded, none, onnx:<folder>, cohere:<model>, voyage:<model> "
        "or jina:<model>."
    )


async def open_named(setting: str, encoder: Embeddings | None, *, timeout: float) -> Reranker:  # noqa: ASYNC109  # of each call, in seconds
    """The reranker of a value of KBOT_RERANKER. `encoder` is kbot's own embedder where that is loaded already.

    Raises `SettingsError` for a value that cannot be used or a missing key, `ModelError` where it does not work.
    """
    name = recorded_name(setting)
    kind, _, _ = name.partition(":")
    if kind == "none":
        return Reranker(name, _as_they_are)
    if kind == "embedded":
        return Reranker(name, by_words(encoder or await asyncio.to_thread(load_embedded)))
    if kind == "onnx":
        folder = await asyncio.to_thread(Path(setting.strip().partition(":")[2].strip()).expanduser)
        return Reranker(name, await asyncio.to_thread(load_cross_encoder, folder))
    return Reranker(name, served_reranker(name, PROVIDERS[kind], timeout=timeout))


async def _as_they_are(question: str, passages: Sequence[Passage]) -> list[Passage]:
    return list(passages)
