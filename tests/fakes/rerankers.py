"""The rerank APIs of Cohere, Voyage and Jina, as their references tell: one server, scripted by the test."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from fakes.serving import serving

KEY = "right-key"


@dataclass
class FakeRerankers:
    """`url` is the server's. The relevance of a document is the share of the question's words that it holds, and the
    answer lists the best first, as the APIs do. `status`, `body` and `delay` (seconds) replace that."""

    url: str = ""
    status: int = 200
    body: str | None = None
    delay: float = 0.0
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@asynccontextmanager
async def fake_rerankers() -> AsyncGenerator[FakeRerankers]:
    script = FakeRerankers()

    async def rerank(request: web.Request) -> web.Response:
        provider = request.match_info["provider"]
        refused = {"detail": "unauthorized"} if provider != "cohere" else {"message": "invalid api token"}
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response(refused, status=401)
        asked = await request.json()
        script.asked.append(asked)
        await asyncio.sleep(script.delay)
        if script.body is not None:
            return web.Response(text=script.body, status=script.status, content_type="application/json")
        if script.status != 200:
            return web.json_response({"message": "so it is", "detail": "so it is"}, status=script.status)
        words = set(asked["query"].lower().split())
        scores = [len(words & set(text.lower().split())) / len(words) for text in asked["documents"]]
        best = sorted(range(len(scores)), key=lambda index: -scores[index])
        listed = [{"index": index, "relevance_score": scores[index]} for index in best]
        return web.json_response({"data" if provider == "voyage" else "results": listed, "model": asked["model"]})

    app = web.Application()
    app.router.add_post("/{provider}/rerank", rerank)
    async with serving(app) as script.url:
        yield script
