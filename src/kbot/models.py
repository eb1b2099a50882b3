"""The models kbot works with, chosen by its settings: the one place that knows their providers."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from kbot import embedders, ollama
from kbot.clouds import cloud_chat, cloud_embeddings
from kbot.confidence import Cut
from kbot.constraints import Grammar
from kbot.errors import SettingsError
from kbot.failures import TITLES, Source
from kbot.ollama import ollama_models
from kbot.reranking import Reranker
from kbot.reranking.opening import open_named
from kbot.settings import Settings

__all__ = [
    "CUTS",
    "ChatModel",
    "Cut",
    "Embedder",
    "Reranker",
    "ollama_models",
    "open_chat_model",
    "open_embedder",
    "open_reranker",
    "quoting_model",
]

_PROVIDERS = {*TITLES, "embedded", "e5"}

CUTS: dict[str, Cut] = {
    embedders.EMBEDDED: Cut(confidence=0.25, nearness=0.42),
    embedders.E5: Cut(confidence=0.5, nearness=0.88),
}
"""Where a question is refused before a model that reads, by the name of its embedder: at most some 4 % of the labelled
questions that can be answered."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A chat model under its name ("ollama:llama3.2", "extractive").

    `why` is the sentence for the start: which model kbot took and why. `writes` is False for a model that can
    only quote, and so neither rewrite nor grade. `server` is its address without credentials, for errors. `grammar` is
    how it is held to the form of an answer.
    """

    name: str
    model: BaseChatModel
    why: str
    writes: bool
    server: str = ""
    grammar: Grammar = "none"


@dataclass(frozen=True, slots=True)
class Embedder:
    """An embedder under the name that the database records. Its vectors have `dimensions` numbers and length
    one; what a model wants before a query or a passage is put there by `embeddings`."""

    name: str
    dimensions: int
    embeddings: Embeddings
    cut: Cut | None


async def open_chat_model(settings: Settings, embedder: Embedder) -> ChatModel:
    """The chat model of `settings.chat_model`; unset, Ollama if it has one, else the extractive model.

    Raises `SettingsError` for a name that cannot be used, a missing key or file, `ModelMissing` for a missing extra.
    A model behind a server need not answer yet.
    """
    _keep_to_ourselves()
    if settings.chat_model is None or not settings.chat_model.strip():
        return await _whatever_is_there(settings, embedder)
    provider, model = _split(settings.chat_model)
    said = "as KBOT_CHAT_MODEL says"
    if provider == "extractive":
        return quoting_model(embedder, f"kbot answers by quoting the documents, {said}.")
    if not model or provider not in TITLES:
        raise SettingsError(
            f"KBOT_CHAT_MODEL={settings.chat_model} cannot be used: it is extractive, gguf:<file>, "
            "ollama:<model>, openai:<model>, anthropic:<model> or google:<model>."
        )
    if provider == "ollama":
        state = await ollama.missing(settings, model)
        return await _ollama(settings, model, f"kbot answers with ollama:{model}, {said}{state}.")
    if provider == "gguf":
        return await _gguf(settings, model)
    name = f"{provider}:{model}"
    chat = cloud_chat(provider, model, answer_tokens=settings.answer_tokens)
    return ChatModel(name, chat, f"kbot answers with {name}, {said}.", writes=True)


async def open_embedder(settings: Settings) -> Embedder:
    """The embedder of `settings.embedding_model`, loaded or asked once, so that its dimension is known.

    Raises `SettingsError` for a name that cannot be used or a missing key, `ModelError` if it does not work.
    """
    _keep_to_ourselves()
    provider, model = _split(settings.embedding_model)
    if provider == "embedded":
        local = await asyncio.to_thread(embedders.load_embedded)
        return Embedder(embedders.EMBEDDED, 512, local, CUTS.get(embedders.EMBEDDED))
    if provider == "e5":
        local = await asyncio.to_thread(embedders.load_e5)
        return Embedder(embedders.E5, 384, local, CUTS.get(embedders.E5))
    if not model or provider not in {"ollama", "openai"}:
        raise SettingsError(
            f"KBOT_EMBEDDING_MODEL={settings.embedding_model} cannot be used: it is one of embedded, e5, "
            "ollama:<model> and openai:<model>."
        )
    return await _served(settings, provider, model)


async def open_reranker(settings: Settings, embedder: Embedder) -> Reranker:
    """The reranker of `settings.reranker`. Raises `SettingsError` for a name that cannot be used or a missing key,
    `ModelError` if it does not work."""
    encoder = embedder.embeddings if embedder.name == embedders.EMBEDDED else None
    return await open_named(settings.reranker, encoder, timeout=settings.model_timeout)


def quoting_model(embedder: Embedder, why: str = "") -> ChatModel:
    """The model that quotes the passages' own sentences, and needs no file, server or key."""
    from kbot.extractive import ExtractiveChatModel

    return ChatModel("extractive", ExtractiveChatModel(embeddings=embedder.embeddings), why, writes=False)


def _split(name: str) -> tuple[str, str]:
    """Provider and model. What has no known provider before its first colon is Ollama's: a local name such
    as mistral:7b never reaches a cloud."""
    head, _, rest = name.strip().partition(":")
    if head.lower() in _PROVIDERS:
        provider, model = head.lower(), rest
    else:
        provider, model = "ollama", name.strip()
    return provider, model.removesuffix(":latest") if provider == "ollama" else model


async def _whatever_is_there(settings: Settings, embedder: Embedder) -> ChatModel:
    model = await ollama.first_chat_model(settings)
    at = f"KBOT_CHAT_MODEL is not set and Ollama at {ollama.shown(settings)}"
    if model:
        return await _ollama(settings, model, f"kbot answers with ollama:{model}, since {at} has it.")
    reason = f"{at} does not answer" if model is None else f"{at} has no chat model (`ollama pull llama3.2` brings one)"
    return quoting_model(embedder, f"kbot answers by quoting the documents, since {reason}.")


async def _ollama(settings: Settings, model: str, why: str) -> ChatModel:
    from langchain_ollama import ChatOllama

    chat = ChatOllama(
        model=model,
        base_url=ollama.address(settings),
        temperature=0,
        num_ctx=settings.context_tokens,  # its own default drops the system prompt of a long question unsaid
        num_predict=settings.answer_tokens,
        reasoning=False,
        client_kwargs=_patient(),
    )
    held = settings.constrain != "never" and await ollama.takes_a_schema(settings, model)
    grammar = "json" if held else "none"
    return ChatModel(f"ollama:{model}", chat, why, writes=True, server=ollama.shown(settings), grammar=grammar)


async def _gguf(settings: Settings, file: str) -> ChatModel:
    from kbot.gguf import load_gguf

    path = await asyncio.to_thread(Path(file).expanduser)
    name = f"gguf:{path.name}"
    limits = {"context_tokens": settings.context_tokens, "answer_tokens": settings.answer_tokens}
    chat = await asyncio.to_thread(load_gguf, path, name=name, **limits)
    why = f"kbot answers with {name} in its own process, as KBOT_CHAT_MODEL says."
    return ChatModel(name, chat, why, writes=True, grammar="none" if settings.constrain == "never" else "gbnf")


async def _served(settings: Settings, provider: str, model: str) -> Embedder:
    if provider == "ollama":
        from langchain_ollama import OllamaEmbeddings

        inner = OllamaEmbeddings(model=model, base_url=ollama.address(settings), client_kwargs=_patient())
        server = ollama.shown(settings)
    else:
        inner, server = cloud_embeddings(provider, model), ""
    source = Source(f"{provider}:{model}", server, "KBOT_EMBEDDING_MODEL")
    query, passage = embedders.prefixes(model)
    served = embedders.ServedEmbeddings(source, inner, query=query, passage=passage, timeout=settings.model_timeout)
    vector = await served.aembed_query("kbot")
    return Embedder(source.name, len(vector), served, CUTS.get(source.name))


def _patient() -> dict[str, Any]:
    """How long to wait is decided around each call, by KBOT_MODEL_TIMEOUT; connecting has its own limit.
    No connection is kept between calls: none has to be closed, and none is stale after a restart."""
    return {"timeout": httpx.Timeout(None, connect=10.0), "limits": httpx.Limits(max_keepalive_connections=0)}


def _keep_to_ourselves() -> None:
    """LangChain reports all it is asked to a tracing service if one is set up; only the operator may want it."""
    if "LANGCHAIN_TRACING_V2" not in os.environ:
        os.environ.setdefault("LANGSMITH_TRACING", "false")
