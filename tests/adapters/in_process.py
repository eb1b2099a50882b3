"""An adapter in the tests' own process."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def served(serving: Coroutine[Any, Any, None], connecting: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """The adapter serves while the block runs, which begins once it is connected. Raises what the adapter ends with
    before that."""
    task = asyncio.create_task(serving)
    try:
        connected = asyncio.create_task(connecting)
        await asyncio.wait({task, connected}, return_when=asyncio.FIRST_COMPLETED)
        connected.cancel()
        if task.done():
            task.result()
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
