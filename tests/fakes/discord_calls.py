"""One REST call: who may call, how often, which call fails, and how an answer or an error is put on the wire."""

import asyncio
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from aiohttp import BodyPartReader, web

from fakes.discord_rates import Allowance, Buckets
from fakes.discord_rules import FILE_BYTES, Refused
from fakes.discord_state import File, Json, World

_OTHERS = (50, 1.0)
_FAULT_WAIT = {"limited": 1.0, "limited_ok": 1.0, "limited_fraction": 0.35}


@dataclass(frozen=True, slots=True)
class Call:
    """A call as its handler sees it: the ids in its path, its JSON body, the files that came with it."""

    ids: dict[str, str]
    query: dict[str, str]
    body: Any
    files: list[File] = field(default_factory=list[File])


Handler = Callable[[World, Call], Json | list[Json] | None]


@dataclass
class Api:
    """The routes of a world, with the buckets in which their calls are counted."""

    world: World
    buckets: Buckets = field(default_factory=Buckets)

    def route(self, verb: str, path: str, method: str, handler: Handler, *, open_: bool = False) -> web.RouteDef:
        """A route under /api/v10; an `open_` one asks for no bot token, because its path holds an interaction's."""

        async def answer(request: web.Request) -> web.StreamResponse:
            return await self._answer(request, method, handler, open_=open_)

        return web.route(verb, f"/api/v10{path}", answer)

    async def _answer(self, request: web.Request, method: str, handler: Handler, *, open_: bool) -> web.StreamResponse:
        world = self.world
        if not open_ and request.headers.get("Authorization") != f"Bot {world.token}":
            return self._error(method, Refused(401, 0, "401: Unauthorized"))
        fault = world.faults.next() if method in world.faulty else None
        match fault:
            case "drop":
                return self._cut(request, method, "drop")
            case "error":
                status = world.error_statuses[world.faults.made["error"] % len(world.error_statuses)]
                world.traffic.note(method, "error")
                return web.Response(status=status, text="<html>upstream error</html>", content_type="text/html")
            case "limited" | "limited_ok" | "limited_fraction":
                return self._limited(method, _FAULT_WAIT[fault])
            case _:
                pass
        major = next(
            (request.match_info[one] for one in ("channel", "token", "guild") if one in request.match_info), ""
        )
        if not open_ and not (total := self.buckets.take("all", *world.total_rate)).taken:
            return self._limited(method, total.reset_after, everywhere=True)
        left = self.buckets.take(f"{method}:{major}", *world.rates.get(method, _OTHERS))
        if not left.taken:
            return self._limited(method, left.reset_after, _headers(method, left))
        try:
            call = await _read(request)
            told = handler(world, call)
        except Refused as refused:
            return self._error(method, refused, _headers(method, left))
        if fault == "lost":
            return self._cut(request, method, "lost")
        world.traffic.note(method, "ok")
        if told is None:
            return web.Response(status=204, headers=_headers(method, left))
        return _json(200, told, _headers(method, left))

    def _cut(self, request: web.Request, method: str, outcome: str) -> web.Response:
        self.world.traffic.note(method, outcome)
        cast(asyncio.Transport, request.transport).abort()
        return web.Response()

    def _limited(
        self, method: str, wait: float, headers: dict[str, str] | None = None, *, everywhere: bool = False
    ) -> web.Response:
        self.world.traffic.note(method, "limited")
        self.world.invalid += 1
        told = {"message": "You are being rate limited.", "retry_after": round(wait, 3), "global": everywhere}
        scope = {"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"} if everywhere else {}
        more = {"Via": "1.1 google", "Retry-After": str(math.ceil(wait)), "X-RateLimit-Scope": "user"} | scope
        return _json(429, told, (headers or {}) | more)

    def _error(self, method: str, refused: Refused, headers: dict[str, str] | None = None) -> web.Response:
        self.world.traffic.note(method, str(refused.code))
        self.world.invalid += refused.status in {401, 403, 429}
        told: Json = {"message": refused.message, "code": refused.code}
        if refused.errors:
            told["errors"] = refused.errors
        if refused.retry_after is not None:
            told |= {"retry_after": refused.retry_after, "global": False}
            headers = (headers or {}) | {"Via": "1.1 google"}
        return _json(refused.status, told, headers)


def _json(status: int, told: object, headers: dict[str, str] | None) -> web.Response:
    # Exactly this type: discord.py takes a body with a charset beside it for text.
    return web.Response(
        status=status, body=json.dumps(told).encode(), content_type="application/json", headers=headers or {}
    )


def _headers(method: str, left: Allowance) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(left.limit),
        "X-RateLimit-Remaining": str(left.remaining),
        "X-RateLimit-Reset": f"{time.time() + left.reset_after:.3f}",
        "X-RateLimit-Reset-After": f"{left.reset_after:.3f}",
        "X-RateLimit-Bucket": f"{method.replace(' ', '-')}-bucket",
    }


async def _read(request: web.Request) -> Call:
    body: Any = {}
    files: list[File] = []
    if request.content_type == "multipart/form-data":
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):
                raise Refused(400, 50109, "The request body contains invalid parts.")
            if part.name == "payload_json":
                body = json.loads(await part.read())
            else:
                files.append((part.filename or "unnamed", bytes(await part.read())))
    elif request.can_read_body:
        if request.content_type != "application/json":
            raise Refused(400, 50035, f"Expected application/json, got {request.content_type}")
        body = await request.json()
    if any(len(content) > FILE_BYTES for _, content in files):
        raise Refused(413, 40005, "Request entity too large")
    return Call(dict(request.match_info), dict(request.query), body, files)
