"""A local server for the length of a test."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def serving(app: web.Application, *, handler_cancellation: bool = False) -> AsyncGenerator[str]:
    """Serves an application on a free port of loopback, under the address that is given, and stops when left."""
    runner = web.AppRunner(app, handler_cancellation=handler_cancellation, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
