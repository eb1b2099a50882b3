"""Files that people attach in a chat, the server that gives them out, and requests to ingest them."""

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web
from screen import bots, message

from answering import Desk
from fakes.serving import serving
from kbot import library
from kbot.bot import Bot
from kbot.chat import Attachment, IncomingMessage, Place

RULES = "# Regras da casa\n\nO silêncio começa às 22 horas todos os dias da semana.\n".encode()
LOGIN = "<html><body><form>Sign in <input type=password></form></body></html>"


@dataclass
class Files:
    """What a platform gives out to those who hold its token; a name in `held` waits, and everybody else gets its login
    page."""

    url: str = ""
    content: dict[str, bytes] = field(default_factory=dict[str, bytes])
    held: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    token: str = "Bearer t0ken"
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def attachment(self, name: str, content: bytes = RULES, *, path: str = "", size: int = 0) -> Attachment:
        path = path or name
        self.content[path] = content
        return Attachment(name, f"{self.url}/{path}", size or len(content), link=f"https://chat.example/{path}")

    async def answer(self, request: web.Request) -> web.Response:
        name, token = request.match_info["name"], request.headers.get("Authorization", "")
        self.asked.append((name, token))
        if name in self.held:
            await self.held[name].wait()
        if token != self.token and not name.startswith("public"):
            return web.Response(text=LOGIN, content_type="text/html")
        return web.Response(body=self.content[name], content_type="application/octet-stream")


@asynccontextmanager
async def served_files() -> AsyncGenerator[Files]:
    """Serves files on a free port of loopback, and stops when left."""
    served = Files()
    app = web.Application()
    app.add_routes([web.get("/{name}", served.answer)])
    async with serving(app, handler_cancellation=True) as served.url:
        yield served


def fresh(*, private: bool = False) -> Place:
    """A place in a workspace without documents."""
    return Place(f"memory:{uuid.uuid4().hex}", f"memory:{uuid.uuid4().hex}", private=private)


def sent(
    *attachments: Attachment, text: str = "ingerir", author: str = "chefe", private: bool = False
) -> IncomingMessage:
    return replace(message(text, fresh(private=private), attachments=attachments), author=author)


@asynccontextmanager
async def one_bot(desk: Desk, **settings: Any) -> AsyncGenerator[Bot]:
    async with bots(await desk.engine(**settings)) as (bot,):
        yield bot


async def names(desk: Desk, place: Place, channel: str = "") -> dict[str, str]:
    """The documents that a channel sees in the place's workspace, with their scopes."""
    seen = await library.sources(desk.database, replace(place, channel=channel or place.channel))
    return {source.source: source.scope for source in seen}
