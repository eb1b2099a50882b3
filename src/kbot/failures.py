"""What the libraries of model providers raise, told as kbot's own errors."""

import functools
import importlib
import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from kbot.errors import ModelError, ModelFailed, ModelMissing, ModelTimeout, ModelUnreachable, StreamCut

TITLES = {
    "ollama": "Ollama",
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "gguf": "The model",
    "extractive": "The extractive model",
}

KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GOOGLE_API_KEY",
    "cohere": "COHERE_API_KEY",
    "voyage": "VOYAGE_API_KEY",
    "jina": "JINA_API_KEY",
}

# ValueError is what a line that is not JSON, and langchain-core's empty stream, come as.
_RAISED: dict[str, tuple[str, ...]] = {
    "ollama": ("builtins:ValueError", "builtins:ConnectionError", "httpx:HTTPError", "ollama:ResponseError"),
    "openai": ("builtins:ValueError", "openai:OpenAIError", "httpx:HTTPError", "httpx2:HTTPError"),
    "anthropic": ("builtins:ValueError", "anthropic:AnthropicError", "httpx:HTTPError", "httpx2:HTTPError"),
    "google": (
        "builtins:ValueError",
        "builtins:ConnectionError",
        "google.genai.errors:APIError",
        "langchain_google_genai._common:GoogleGenerativeAIError",
        "aiohttp:ClientError",
        "httpx:HTTPError",
        "httpx2:HTTPError",
    ),
    "gguf": ("builtins:ValueError", "builtins:RuntimeError"),
    "cohere": ("builtins:ValueError", "httpx:HTTPError"),
    "voyage": ("builtins:ValueError", "httpx:HTTPError"),
    "jina": ("builtins:ValueError", "httpx:HTTPError"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Who is asked: the model's name ("ollama:llama3.2"), its server's address as it may be shown, and the
    setting that chose it."""

    name: str
    server: str = ""
    setting: Literal["KBOT_CHAT_MODEL", "KBOT_EMBEDDING_MODEL", "KBOT_RERANKER"] = "KBOT_CHAT_MODEL"

    @property
    def provider(self) -> str:
        return self.name.partition(":")[0]

    @property
    def model(self) -> str:
        return self.name.partition(":")[2] or self.name

    @property
    def title(self) -> str:
        return TITLES.get(self.provider, self.name)


@contextmanager
def explained(source: Source, timeout: float, *, begun: bool = False) -> Generator[None]:
    """Turns what the source's library raises into a `ModelError` with its next step. `begun`: part of an
    answer is there already."""
    try:
        yield
    except TimeoutError as error:
        raise silent(source, timeout) from error
    except _raised_by(source.provider) as error:
        raise _explain(source, error, timeout, begun) from error


def silent(source: Source, timeout: float) -> ModelTimeout:
    """The error for a model without a sign of life for `timeout` seconds."""
    return ModelTimeout(
        source.name,
        f"{source.title} gave no sign of life for {timeout:g} s.",
        "Ask again; if it happens often, set KBOT_MODEL_TIMEOUT higher or choose a smaller model with "
        f"{source.setting}.",
    )


def cut(source: Source, cause: str = "") -> StreamCut:
    """The error for an answer that stopped in the middle."""
    where = "look at the server's log (`ollama serve`)" if source.provider == "ollama" else "try another model"
    return StreamCut(
        source.name,
        f"{source.title} stopped in the middle of its answer{': ' + cause if cause else ''}.",
        f"Ask again; if it happens often, {where}.",
    )


@functools.cache
def _raised_by(provider: str) -> tuple[type[Exception], ...]:
    found: list[type[Exception]] = []
    for path in _RAISED.get(provider, ()):
        module, name = path.split(":")
        try:
            found.append(getattr(importlib.import_module(module), name))
        except (ImportError, AttributeError):
            continue  # another release of the library, which then does not raise it either
    return tuple(found)


def _explain(source: Source, error: Exception, timeout: float, begun: bool) -> ModelError:
    kind = type(error).__name__
    status = _status(error)
    if "Timeout" in kind and kind != "ConnectTimeout":
        return silent(source, timeout)
    lost = any(word in kind for word in ("Connect", "Protocol", "ReadError", "WriteError", "Payload"))
    if begun and lost:
        return cut(source, "the connection was lost")
    if begun:
        return cut(source, "what came was not readable" if isinstance(error, ValueError) else _said(error))
    if status is not None:
        return _refused(source, status, _said(error))
    if isinstance(error, ConnectionError) or "Connect" in kind:
        return _unreachable(source, f"{source.title} does not answer at {source.server or 'its address'}.")
    if lost:
        return _unreachable(source, f"{source.title} closed the connection before it answered.")
    if isinstance(error, json.JSONDecodeError):
        return ModelFailed(
            source.name,
            f"What answers at {source.server or 'its address'} does not speak {source.title}'s protocol.",
            "Check that the address (KBOT_OLLAMA_URL for Ollama) is that of the model's server.",
        )
    if source.provider == "ollama" and "No generation chunks" in str(error):
        return said_nothing(source)
    return _refused(source, 0, _said(error))


def said_nothing(source: Source, *, thought: bool = False) -> ModelFailed:
    """The error for a model that ended without a visible word; `thought`: it only thought."""
    if thought:
        return ModelFailed(
            source.name,
            f"{source.title} only thought and said nothing.",
            "Set KBOT_ANSWER_TOKENS higher, or choose a model that does not think with KBOT_CHAT_MODEL.",
        )
    return ModelFailed(
        source.name,
        f"{source.title} said nothing.",
        f"Ask again; if it happens often, choose another model with {source.setting}.",
    )


def too_many_tokens(source: Source) -> StreamCut:
    """The error for an answer that reached the limit of tokens."""
    return StreamCut(
        source.name,
        f"{source.title} reached the limit of tokens in the middle of its answer.",
        "Ask for less at once, or set KBOT_ANSWER_TOKENS (and KBOT_CONTEXT_TOKENS, for a local model) higher.",
    )


def _too_long(source: Source) -> ModelFailed:
    return ModelFailed(
        source.name,
        "The question with its passages is longer than what the model can read.",
        "Set KBOT_PASSAGES lower, or for a local model KBOT_CONTEXT_TOKENS higher.",
    )


def _unreachable(source: Source, cause: str) -> ModelUnreachable:
    if source.provider == "ollama":
        step = "Start it with `ollama serve`, or set KBOT_OLLAMA_URL to where it runs."
    else:
        step = f"Check the network, or choose another model with {source.setting}."
    return ModelUnreachable(source.name, cause, step)


def _refused(source: Source, status: int, said: str) -> ModelError:
    """The error for an answer that is itself an error; `status` is HTTP's, not positive outside of it."""
    key = KEYS.get(source.provider)
    if "context" in said and any(word in said for word in ("exceed", "maximum", "too long")):
        return _too_long(source)
    if key and (status in {401, 403} or "api key" in said.lower()):
        return ModelFailed(source.name, f"{source.title} does not accept the key in {key}.", f"Set {key} anew.")
    if status == 404 and source.provider == "ollama" and "model" in said:
        return ModelMissing(
            source.name,
            f"Ollama at {source.server} does not have the model {source.model}.",
            f"Run `ollama pull {source.model}`, or choose another with {source.setting}.",
        )
    if status == 404 and source.provider == "ollama":
        return ModelFailed(
            source.name,
            f"What answers at {source.server} is not Ollama (HTTP 404).",
            "Set KBOT_OLLAMA_URL to the address of Ollama, without a path.",
        )
    if status == 404:
        return ModelMissing(
            source.name,
            f"{source.title} has no model {source.model} for this key.",
            f"Choose another with {source.setting}.",
        )
    if status == 429:
        return ModelFailed(
            source.name,
            f"{source.title} takes no more requests for now (HTTP 429).",
            "Wait a minute and ask again, or raise the limit of the account.",
        )
    return _failed(source, f"HTTP {status}: {said}" if status > 0 else said)


def _failed(source: Source, said: str) -> ModelFailed:
    where = "look at the log of `ollama serve`" if source.provider == "ollama" else "choose another model"
    return ModelFailed(
        source.name,
        f"{source.title} answered with an error ({said}).",
        f"Ask again; if it happens often, {where}.",
    )


def _status(error: Exception) -> int | None:
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    return None


def _said(error: Exception) -> str:
    """The provider's own words, one line of at most 200 characters."""
    words = " ".join(str(getattr(error, "error", None) or getattr(error, "message", None) or error).split())
    return words if len(words) <= 200 else words[:199] + "…"
