"""A chat in memory that enforces its limits, the bots that answer in it, and what its reader sees."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import LiteralString

import psycopg
from psycopg.sql import SQL

from answering import FERIAS, Desk, somewhere
from kbot.bot import Bot
from kbot.chat import Answer, Attachment, Content, IncomingMessage, Limits, Place
from kbot.database import open_database
from kbot.engine import Engine
from kbot.errors import DeliveryError, MessageGone, Rejected
from kbot.history import last_turns
from kbot.words import SPOKEN

ENGLISH, PORTUGUESE = SPOKEN
LIMITS = Limits(post=2000, edit=2000, messages=3, interval=0.02)


class Screen:
    """A place's messages, and every state in which its reader saw them."""

    name = "memory"
    limits = LIMITS

    def __init__(self) -> None:
        self.messages: dict[str, Content] = {}
        self.views: list[str] = []
        self.deleted: set[str] = set()
        self.whispers: list[tuple[str, str]] = []
        self.refuses = False

    async def send(self, place: Place, content: Content) -> str:
        if self.refuses:
            raise DeliveryError("The channel is archived.")
        message_id = f"{place.channel}/{len(self.messages)}"
        self._show(message_id, content)
        return message_id

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        if message_id in self.deleted or message_id not in self.messages:
            raise MessageGone("unknown message")
        self._show(message_id, content)

    async def delete(self, place: Place, message_id: str) -> None:
        if self.messages.pop(message_id, None) is None:
            raise MessageGone("unknown message")

    async def send_file(self, place: Place, name: str, text: str) -> None:
        raise AssertionError("no answer here is that long")

    async def whisper(self, place: Place, person: str, text: str) -> None:
        self.whispers.append((person, text))

    async def is_admin(self, place: Place, person: str) -> bool:
        return person == "chefe"

    def download(self, attachment: Attachment) -> Mapping[str, str]:
        if not attachment.url:
            raise Rejected("It lies elsewhere.")
        return {"Authorization": "Bearer t0ken"}

    def _show(self, message_id: str, content: Content) -> None:
        assert content.text.strip()
        assert len(content.text) <= LIMITS.edit
        self.messages[message_id] = content
        self.views.append(content.text)

    @property
    def text(self) -> str:
        return "\n---\n".join(content.text for content in self.messages.values())

    @property
    def answers(self) -> list[Answer]:
        return [content.answer for content in self.messages.values() if content.answer]

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds():
                await asyncio.sleep(0.01)


def message(
    text: str = FERIAS,
    place: Place | None = None,
    *,
    message_id: str = "",
    attachments: tuple[Attachment, ...] = (),
    from_bot: bool = False,
) -> IncomingMessage:
    name = message_id or uuid.uuid4().hex
    return IncomingMessage(
        "memory", place or somewhere(), name, "ana", text, attachments=attachments, from_bot=from_bot
    )


@asynccontextmanager
async def bots(*engines: Engine) -> AsyncGenerator[list[Bot]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Bot.open(engine)) for engine in engines]


@asynccontextmanager
async def two_bots(desk: Desk, engine: Engine) -> AsyncGenerator[tuple[Bot, Bot]]:
    """Two bots that share the database and nothing else, as those of two processes."""
    async with (
        open_database(desk.settings, migrate=False) as other,
        bots(engine, Engine(engine.settings, other, engine.embedder, engine.chat, engine.reranker)) as (one, two),
    ):
        yield one, two


async def begin(bot: Bot, asked: IncomingMessage, screen: Screen, shown: str) -> "asyncio.Task[object]":
    """An answer that is being written, of which so much is seen."""
    answering = asyncio.create_task(bot.answer(asked, screen))
    await screen.until(lambda: shown in screen.text)
    return answering


async def questions(desk: Desk, place: Place) -> list[str]:
    """The questions of a place's history."""
    return [turn.question for turn in await last_turns(desk.database, place, 9)]


async def state_of(desk: Desk, asked: IncomingMessage) -> tuple[str, bool] | None:
    """The state of a message's row, and whether it is finished."""
    async with await psycopg.AsyncConnection.connect(desk.database.conninfo) as connection:
        row = await (
            await connection.execute(
                "SELECT state, finished_at IS NOT NULL FROM inbox WHERE channel = %s AND message_id = %s",
                (asked.place.channel, asked.message_id),
            )
        ).fetchone()
    return (row[0], row[1]) if row else None


async def until_state(desk: Desk, asked: IncomingMessage, state: str) -> None:
    """Until a message's row is in a state and finished."""
    async with asyncio.timeout(10):
        while await state_of(desk, asked) != (state, True):
            await asyncio.sleep(0.02)


async def change_row(desk: Desk, asked: IncomingMessage, change: LiteralString, *values: object) -> None:
    """Change a message's row behind the backs of all processes, which are not notified."""
    async with desk.database.pool.connection() as connection:
        done = await connection.execute(
            SQL("UPDATE inbox SET {} WHERE channel = %s AND message_id = %s").format(SQL(change)),
            (*values, asked.place.channel, asked.message_id),
        )
        assert done.rowcount == 1


class Held(Screen):
    """A screen on which the first final text waits until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.let_go = asyncio.Event(), asyncio.Event()

    async def edit(self, place: Place, message_id: str, content: Content) -> None:
        if content.stage == "final" and not self.reached.is_set():
            self.reached.set()
            await self.let_go.wait()
        if self.refuses:
            raise DeliveryError("The channel is archived.")
        await super().edit(place, message_id, content)
