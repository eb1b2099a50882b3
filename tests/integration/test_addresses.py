"""Addresses become documents, unless there is a login, nothing, or a private network at them."""

from collections.abc import AsyncGenerator

import pytest
from aiohttp import web
from knowledge import EVERYBODY, EVERYONE, LEAVE, receipts

from fakes.documents import line, pdf
from kbot.database import Database
from kbot.ingestion.jobs import ingest, uploads
from kbot.models import Embedder
from kbot.retrieval.search import search
from kbot.settings import Settings

LOGIN = """<!doctype html><title>Sign in</title><body><h1>Sign in to Example</h1>
<form><input name=u><input type="password" name=p><button>Go</button></form></body>"""


@pytest.fixture
async def site() -> AsyncGenerator[str]:
    """The address of a server of documents, some behind a login."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(
            text=f"<title>Leave</title><main><h1>Leave</h1><p>{LEAVE}</p></main>", content_type="text/html"
        )

    async def report(_: web.Request) -> web.Response:
        body = pdf(line(50, 700, b"The report of the quarter says that sales went up."))
        return web.Response(body=body, content_type="application/pdf")

    async def login(_: web.Request) -> web.Response:
        return web.Response(text=LOGIN, content_type="text/html")

    async def script(_: web.Request) -> web.Response:
        return web.Response(text="<title>Example</title><p>Choose an account to go on.</p>", content_type="text/html")

    async def wiki(_: web.Request) -> web.Response:
        rules = "".join(
            f"<p>Rule {n} of the wiki says that the duty roster has {n} people in it.</p>" for n in range(40)
        )
        text = f"<title>Wiki</title><form><input type=password></form><main><h1>Wiki</h1>{rules}</main>"
        return web.Response(text=text, content_type="text/html")

    async def moved(_: web.Request) -> web.Response:
        raise web.HTTPFound("/sso/signin?next=/secret.pdf")

    app = web.Application()
    app.router.add_get("/leave", page)
    app.router.add_get("/report.pdf", report)
    app.router.add_get("/plan.pdf", login)
    app.router.add_get("/wiki", wiki)
    app.router.add_get("/secret.pdf", moved)
    app.router.add_get("/sso/signin", script)
    runner = web.AppRunner(app)
    await runner.setup()
    listening = web.TCPSite(runner, "127.0.0.1", 0)
    await listening.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_addresses(database: Database, embedder: Embedder, settings: Settings, site: str) -> None:
    paths = ("leave", "report.pdf", "plan.pdf", "secret.pdf", "missing", "wiki")
    found = await receipts(database, embedder, settings, uploads([f"{site}/{path}" for path in paths]))
    assert [receipt.status for receipt in found] == ["added", "added", "rejected", "rejected", "rejected", "added"]
    assert "asks for a login" in found[2].reason
    assert "asks for a login" in found[3].reason
    assert "nothing at this address" in found[4].reason
    first, *_ = await search(database, embedder, "What does the report of the quarter say of sales?", EVERYBODY)
    assert (first.source, first.url, first.page) == (f"{site}/report.pdf",) * 2 + (1,)
    again = await receipts(database, embedder, settings, uploads([f"{site}/leave"]))
    assert again[0].status == "duplicate"


async def test_a_private_address_is_fetched_only_where_allowed(
    database: Database, embedder: Embedder, settings: Settings, site: str
) -> None:
    items = uploads([f"{site}/leave"])
    (refused,) = [receipt async for receipt in ingest(database, embedder, settings, items, EVERYONE)]
    assert refused.status == "rejected"
    assert "KBOT_ALLOW_PRIVATE_URLS" in refused.reason
    allowed = settings.model_copy(update={"allow_private_urls": True})
    (taken,) = [receipt async for receipt in ingest(database, embedder, allowed, items, EVERYONE)]
    assert taken.status == "added"
