"""What an Ollama server has: its address and its models."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import httpx

from kbot.errors import SettingsError
from kbot.settings import Settings

_SECONDS = 3.0


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
