"""A local server that speaks Ollama's protocol from a script, and misbehaves as asked."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal, cast

from aiohttp import web

from fakes.serving import serving

Behaviour = Literal[
    "normal",
    "silent",  # takes the request and never answers
    "slow",  # waits `delay` seconds before each line
    "hangs",  # stops after the words, and keeps the connection
    "not_found",  # 404 in plain text, as any web server
    "fails",  # 500
    "busy",  # 503
    "drops",  # closes the connection instead of answering
    "cut",  # closes the connection after the words
    "undone",  # ends the body cleanly after the words, without `done`
    "error_line",
    "bad_line",
    "load",  # was loaded, wrote nothing
    "fewer",  # one vector too few
]

DIMENSIONS = 8


@dataclass
class FakeOllama:
    """The script, which a test may change at any time, and what was asked."""

    url: str = ""
    version: str = "0.12.0"
    models: dict[str, list[str]] = field(default_factory=lambda: {"llama3.2:latest": ["completion"]})
    entries: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    behaviour: Behaviour = "normal"
    words: list[str] = field(default_factory=lambda: ["Olá", ", ", "mundo", "."])
    answers: list[list[str]] = field(default_factory=list[list[str]])  # the words of the next ones, one each
    odds: Sequence[object] = ()  # the `logprobs` beside each word, where they are wanted
    thoughts: list[str] = field(default_factory=list[str])
    done_reason: str = "stop"
    delay: float = 0.0
    dimensions: int = DIMENSIONS
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    left: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def fake_ollama(script: FakeOllama | None = None) -> AsyncGenerator[FakeOllama]:
    """Serves the script on a free port of loopback, and stops when left."""
    script = script or FakeOllama()
    app = web.Application()
    app[_SCRIPT] = script
    app.add_routes(
        [
            web.get("/api/version", _version),
            web.get("/api/tags", _tags),
            web.post("/api/show", _show),
            web.post("/api/chat", _chat),
            web.post("/api/embed", _embed),
        ]
    )
    async with serving(app, handler_cancellation=True) as script.url:
        yield script


_SCRIPT = web.AppKey("script", FakeOllama)


async def _version(request: web.Request) -> web.Response:
    return web.json_response({"version": request.app[_SCRIPT].version})


async def _tags(request: web.Request) -> web.StreamResponse:
    script = request.app[_SCRIPT]
    if refusal := await _misbehaves(request):
        return refusal
    models = [{"name": name, "model": name, **script.entries.get(name, {})} for name in script.models]
    return web.json_response({"models": models})


async def _show(request: web.Request) -> web.Response:
    script = request.app[_SCRIPT]
    name = _known(script, await request.json())
    if name is None:
        return _missing(await request.json())
    return web.json_response({"details": {"family": "llama"}, "capabilities": script.models[name]})


async def _chat(request: web.Request) -> web.StreamResponse:
    script = request.app[_SCRIPT]
    body = await request.json()
    script.requests.append(body)
    if refusal := await _misbehaves(request):
        return refusal
    if _known(script, body) is None:
        return _missing(body)
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
    await response.prepare(request)
    try:
        return await _write(script, body, request, response)
    except (asyncio.CancelledError, ConnectionError):
        script.left.set()
        raise


async def _write(
    script: FakeOllama, body: dict[str, Any], request: web.Request, response: web.StreamResponse
) -> web.StreamResponse:
    async def line(message: dict[str, str], **more: object) -> None:
        if script.behaviour == "slow":
            await asyncio.sleep(script.delay)
        told = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False}
        await response.write(json.dumps(told | more).encode() + b"\n")

    if script.behaviour == "load":
        await line({"role": "assistant", "content": ""}, done=True, done_reason="load")
        return response
    for thought in script.thoughts:
        await line({"role": "assistant", "content": "", "thinking": thought})
    words = script.answers.pop(0) if script.answers else script.words
    for word, odds in zip_longest(words, script.odds if body.get("logprobs") else []):
        await line({"role": "assistant", "content": word or ""}, **({} if odds is None else {"logprobs": odds}))
    match script.behaviour:
        case "cut":
            cast(asyncio.Transport, request.transport).abort()
        case "undone":
            pass
        case "hangs":
            await asyncio.sleep(3600)
        case "error_line":
            await response.write(b'{"error": "llama runner process has terminated"}\n')
        case "bad_line":
            await response.write(b"<html>Bad Gateway</html>\n")
        case _:
            await line({"role": "assistant", "content": ""}, done=True, done_reason=script.done_reason)
    return response


async def _embed(request: web.Request) -> web.StreamResponse:
    script = request.app[_SCRIPT]
    body = await request.json()
    script.requests.append(body)
    if refusal := await _misbehaves(request):
        return refusal
    if _known(script, body) is None:
        return _missing(body)
    texts = cast(list[str], [body["input"]] if isinstance(body["input"], str) else body["input"])
    vectors = [vector(text, script.dimensions) for text in texts]
    return web.json_response(
        {"model": body["model"], "embeddings": vectors[1:] if script.behaviour == "fewer" else vectors}
    )


def vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """The vector that the server gives a text, not of length one."""
    digest = hashlib.sha512(text.encode()).digest()
    return [float(byte) - 100.5 for byte in digest[:dimensions]]


async def _misbehaves(request: web.Request) -> web.StreamResponse | None:
    match request.app[_SCRIPT].behaviour:
        case "silent":
            await asyncio.sleep(3600)
        case "not_found":
            return web.Response(status=404, text="404 page not found")
        case "fails":
            return web.json_response({"error": "unable to load model"}, status=500)
        case "busy":
            return web.json_response({"error": "server busy, please try again"}, status=503)
        case "drops":
            cast(asyncio.Transport, request.transport).abort()
            return web.Response()
        case _:
            pass
    return None


def _known(script: FakeOllama, body: dict[str, Any]) -> str | None:
    asked = str(body["model"])
    return next((name for name in script.models if name in {asked, f"{asked}:latest"}), None)


def _missing(body: dict[str, Any]) -> web.Response:
    return web.json_response({"error": f"model '{body['model']}' not found"}, status=404)
