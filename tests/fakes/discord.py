"""A local Discord: REST and gateway of a world with guilds, channels and people, which enforces what Discord does.

A bot logs in with `token`, at `api_url` and `gateway_url`. A test furnishes the world (`Places`), does what people do,
breaks what can break, and looks at what a reader sees.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from aiohttp import web

from fakes import discord_payloads as payloads
from fakes import discord_people as people
from fakes import discord_reading as reading
from fakes import discord_rest, discord_webhooks
from fakes.discord_calls import Api
from fakes.discord_gateway import Gateway
from fakes.discord_messages import signature
from fakes.discord_people import Modal
from fakes.discord_places import Places
from fakes.discord_state import THREAD_OPENED, THREAD_STARTER, File, Interaction, Json, Message
from fakes.platform import Seen, View
from fakes.serving import serving

T = TypeVar("T")
_SYSTEM = {THREAD_OPENED, THREAD_STARTER}

__all__ = ["FakeDiscord", "File", "Interaction", "Modal", "fake_discord"]


@dataclass
class FakeDiscord(Places):
    """The world with its doors: what a test does with it, and what it sees of it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.gateway = Gateway(self)

    @property
    def api_url(self) -> str:
        return f"{self.url}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/gateway"

    async def say(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        mention: bool = True,
        reply_to: str | None = None,
        files: Sequence[File] = (),
        thread: str | None = None,
    ) -> str:
        """A person writes, in the channel or one of its threads; returns the message's id.

        `mention` puts the bot's name before the text; in a reply it rings the author of the message replied to instead,
        and in direct messages it does nothing. Raises `PermissionError` where the person may not write.
        """
        place = thread or channel
        return people.say(self, place, user, text, mention=mention, reply_to=reply_to, files=files)

    async def edit(self, channel: str, message: str, text: str) -> None:
        """The author writes a message anew; the mention of the bot stays."""
        people.edit(self, channel, message, text)

    async def delete(self, channel: str, message: str) -> None:
        """A message is deleted, a person's or the bot's."""
        people.delete(self, channel, message)

    async def purge(self, channel: str, messages: Sequence[str]) -> None:
        """A moderator deletes many messages at once."""
        people.purge(self, channel, messages)

    async def slash(
        self,
        name: str,
        user: str,
        channel: str,
        options: Mapping[str, object] | None = None,
        attachments: Mapping[str, File] | None = None,
    ) -> Interaction:
        """A person uses a slash command, with values and files by option.

        Raises `LookupError` where there is no such command, `PermissionError` where it is not offered to them, and
        `ValueError` for options that Discord's window does not let through.
        """
        return people.slash(self, name, user, channel, options or {}, attachments or {})

    async def context_menu(self, name: str, user: str, channel: str, message: str) -> Interaction:
        """A person uses a command of a message's menu. Raises as `slash` does."""
        return people.context_menu(self, name, user, channel, message)

    async def autocomplete(
        self,
        name: str,
        user: str,
        channel: str,
        option: str,
        typed: str,
        *,
        options: Mapping[str, object] | None = None,
        timeout: float = 3.0,
    ) -> list[Json]:
        """What is proposed ({"name", "value"}) while a person types into an option. Raises `TimeoutError` without an
        answer."""
        made = people.autocomplete(self, name, user, channel, option, typed, options or {})
        await self.until(lambda: made.answer is not None, timeout)
        return made.choices

    async def click(self, message: str | Seen, button: str, user: str) -> Interaction:
        """A person presses the button of a label, an emoji or a custom id. Raises `LookupError` if there is none."""
        return people.click(self, _id(message), button, user)

    def modal(self, user: str) -> Modal | None:
        """The window that a person has open."""
        return people.open_modal(self, user)

    async def submit(
        self, modal: Modal, user: str, values: Mapping[str, object] | None = None, files: Sequence[File] = ()
    ) -> Interaction:
        """A person sends a window off, with values by label or custom id. Raises `ValueError` for what the window does
        not let through."""
        return people.submit(self, modal, user, values or {}, files)

    def drop_connections(self) -> None:
        """Cut all gateway connections without a word; their sessions can be resumed."""
        self.gateway.drop()

    async def refresh_connections(self) -> None:
        """Ask all gateway connections to come again (op 7)."""
        await self.gateway.reconnect()

    async def invalidate_sessions(self, *, resumable: bool = False) -> None:
        """Tell all gateway connections that their sessions are invalid (op 9)."""
        await self.gateway.invalidate(resumable=resumable)

    def silence_connections(self) -> None:
        """The present gateway connections stay open and carry nothing any more, not even an acknowledgement."""
        self.gateway.silence()

    def refuse_connections(self, seconds: float) -> None:
        """No new gateway connections for a while."""
        self.refused_until = time.monotonic() + seconds

    @property
    def connections(self) -> int:
        """How many gateway connections have a session and carry its events."""
        return self.gateway.working()

    def messages(self, channel: str, thread: str | None = None, user: str | None = None) -> list[Seen]:
        """The messages of a channel or of one of its threads, oldest first, the ephemeral ones of `user` among them.

        Texts are in Markdown as written; a message that only "is thinking" has none.
        """
        place = self.channels[thread or channel]
        shown = [self.all_messages[one] for one in place.messages]
        return [self._seen(one) for one in shown if one.to in (None, user) and one.kind not in _SYSTEM]

    def replies_of_bot(self, channel: str, thread: str | None = None, user: str | None = None) -> list[Seen]:
        """As `messages`, the bot's alone."""
        return [seen for seen in self.messages(channel, thread, user) if seen.replies]

    def find(self, text: str) -> Seen | None:
        """The newest message anywhere that holds the text."""
        found = (self._seen(message) for message in reversed(self.all_messages.values()))
        return next((seen for seen in found if text in seen.text), None)

    def seen(self, message: str) -> Seen | None:
        """One message as it stands, None if it is deleted."""
        return self._seen(self.all_messages[message]) if message in self.all_messages else None

    def views(self, message: str | Seen) -> list[View]:
        """What a message showed over time, its deletion as a last view without text."""
        return self.history.get(_id(message), [])

    def files(self, message: str | Seen) -> dict[str, str]:
        """The texts of a message's files, by name."""
        told = self.all_messages[_id(message)].attachments
        return {one["filename"]: self.contents[one["id"]].decode() for one in told}

    def unanswered(self) -> list[Interaction]:
        """Interactions whose person reads "the application did not respond"."""
        late = time.monotonic() - self.answer_within
        return [one for one in self.interactions.values() if one.answer is None and one.born < late]

    async def until(self, predicate: Callable[[], T], timeout: float = 10.0) -> T:
        """Wait until the predicate is true, and return what it returned. Raises `TimeoutError` with what is seen."""
        end = time.monotonic() + timeout
        while not (result := predicate()):
            if time.monotonic() > end:
                last = [f"{self.users[one.author].name}: {payloads.text(one)}" for one in self.all_messages.values()]
                raise TimeoutError(f"not within {timeout} s; the last messages are:\n" + "\n".join(last[-10:]))
            await asyncio.sleep(0.02)
        return result

    async def connected(self, count: int = 1, timeout: float = 20.0) -> None:
        """Wait until the bot has so many connections that work."""
        await self.until(lambda: self.connections >= count, timeout)

    def _seen(self, message: Message) -> Seen:
        text = payloads.text(message)
        return Seen(
            message.id,
            message.author,
            text,
            replies=message.author == self.bot,
            sources=reading.sources(text),
            buttons=reading.buttons(payloads.inside(message.components)),
            edited=message.edited is not None,
            to=message.to,
        )


@asynccontextmanager
async def fake_discord(*, shards: int = 1, token: str | None = None) -> AsyncGenerator[FakeDiscord]:
    """Serves a new world on a free port of loopback, and stops when left."""
    world = FakeDiscord(shards=shards)
    world.token = token or world.token
    api = Api(world)
    app = web.Application(client_max_size=128 * 1024 * 1024)
    app[_WORLD] = world
    app.add_routes([*discord_webhooks.routes(api), *discord_rest.routes(api)])
    app.add_routes([web.get("/gateway", world.gateway.serve), web.get("/gateway/", world.gateway.serve)])
    app.add_routes([web.get("/attachments/{channel}/{number}/{name}", _attachment)])
    async with serving(app) as world.url:
        try:
            yield world
        finally:
            world.drop_connections()


_WORLD = web.AppKey("world", FakeDiscord)


async def _attachment(request: web.Request) -> web.Response:
    content = request.app[_WORLD].contents.get(request.match_info["number"])
    if content is None or request.query.get("hm") != signature(request.raw_path.split("?")[0]):
        return web.Response(status=404, text="This content is no longer available.")
    return web.Response(body=content, content_type="application/octet-stream")


def _id(message: str | Seen) -> str:
    return message if isinstance(message, str) else message.id
