"""What an Ollama server has: its address and its models."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import httpx

from kbot.errors import SettingsError
from kbot.settings import Settings

_SECONDS = 3.0
_SMALL = 4.5  # billions of parameters: models that are sold as 4 B have up to 4.4
_BILLIONS = {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}


def address(settings: Settings) -> str:
    """The server's address, with a scheme and without a slash at the end. Raises `SettingsError`."""
    url = settings.ollama_url.strip().rstrip("/")
    url = url if "://" in url else f"http://{url}"
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise SettingsError(
            f"KBOT_OLLAMA_URL is no address ({error}). Write it like http://127.0.0.1:11434."
        ) from error
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise SettingsError("KBOT_OLLAMA_URL is no web address. Write it like http://127.0.0.1:11434.")
    return url


def shown(settings: Settings) -> str:
    """The address without the credentials that it may carry."""
    parts = urlsplit(address(settings))
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


async def ollama_models(settings: Settings) -> list[str] | None:
    """The names of the models that Ollama has, newest first; None if it does not answer."""
    async with _client(settings) as client:
        entries = await _entries(client)
    return None if entries is None else [_name(entry) for entry in entries]


async def first_chat_model(settings: Settings) -> str | None:
    """The newest model that can chat and runs on the server itself; empty if it has none, None if no Ollama
    answers. What the server would pass on to a cloud is never chosen unasked."""
    async with _client(settings) as client:
        entries = await _entries(client)
        if entries is None:
            return None
        for entry in entries:
            if not _in_a_cloud(entry) and await _chats(client, entry):
                return _name(entry)
    return ""


async def missing(settings: Settings, model: str) -> str:
    """A clause for the start if the model cannot answer yet; empty if it can."""
    names = await ollama_models(settings)
    if names is None:
        return f"; Ollama does not answer at {shown(settings)} yet: start it with `ollama serve`"
    if model not in names:
        return f"; Ollama at {shown(settings)} does not have it yet: run `ollama pull {model}`"
    return ""


async def takes_a_schema(settings: Settings, model: str) -> bool:
    """Whether a model is to be held to a JSON schema: one that the server runs itself, new enough to take schemas, and,
    unless the settings say always, so small that it forgets the form of an answer. What the server does not tell, or
    one that does not answer yet, counts as no."""
    async with _client(settings) as client:
        entry = next((each for each in await _entries(client) or [] if _name(each) == model), None)
        if entry is None or _in_a_cloud(entry):
            return False
        small = settings.constrain == "always" or 0 < _billions(entry) <= _SMALL
        return small and await _takes_schemas(client)


@asynccontextmanager
async def _client(settings: Settings) -> AsyncGenerator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address(settings), timeout=_SECONDS) as client:
        yield client


async def _entries(client: httpx.AsyncClient) -> list[dict[str, Any]] | None:
    try:
        response = await client.get("/api/tags")
        response.raise_for_status()
        return cast(list[dict[str, Any]], response.json()["models"] or [])
    except (httpx.HTTPError, json.JSONDecodeError, KeyError, TypeError):
        return None  # nothing there, or something that is not Ollama


def _name(entry: dict[str, Any]) -> str:
    return str(entry.get("name") or entry.get("model")).removesuffix(":latest")


def _in_a_cloud(entry: dict[str, Any]) -> bool:
    return bool(entry.get("remote_host") or entry.get("remote_model")) or _name(entry).endswith("cloud")


def _billions(entry: dict[str, Any]) -> float:
    """The number of a model's parameters, told as "494.03M" or "3.2B"; 0 if it is not."""
    details = cast(dict[str, Any], entry.get("details") or {})
    told = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMBT])", str(details.get("parameter_size", "")).strip().upper())
    return float(told[1]) * _BILLIONS[told[2]] if told else 0.0


async def _takes_schemas(client: httpx.AsyncClient) -> bool:
    """Whether the server is of version 0.5 or later, or built by hand, which calls itself 0.0.0: an older one refuses
    the whole request."""
    try:
        response = await client.get("/api/version")
        response.raise_for_status()
        version = str(response.json()["version"])
    except (httpx.HTTPError, json.JSONDecodeError, KeyError, TypeError):
        return False
    return not re.match(r"0\.[1-4]\.", version)


async def _chats(client: httpx.AsyncClient, entry: dict[str, Any]) -> bool:
    """Whether a model writes. Old servers tell no capabilities, but their embedders are of a BERT family."""
    try:
        response = await client.post("/api/show", json={"model": entry.get("model") or entry.get("name")})
        response.raise_for_status()
        told = cast(dict[str, Any], response.json())
    except (httpx.HTTPError, json.JSONDecodeError):
        return False
    if "capabilities" in told:
        return "completion" in told["capabilities"]
    details = cast(dict[str, Any], told.get("details") or {})
    return "bert" not in str(details.get("family", "")).lower()
