"""A local Slack that keeps state and enforces what Slack enforces. `World` says what can be set, `People` what people
do, and `FakeSlack` what a reader sees."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar, cast

from aiohttp import web

from fakes import slack_api, slack_files
from fakes.platform import Seen, View
from fakes.serving import serving
from fakes.slack_blocks import buttons_of
from fakes.slack_chat import content_of, remove, true
from fakes.slack_delivery import Delivered
from fakes.slack_events import announce, announce_edit, described
from fakes.slack_people import People
from fakes.slack_rules import POST_TEXT, Rates, Refused
from fakes.slack_views import Modal
from fakes.slack_world import Hook, Json, Message, World

__all__ = ["Delivered", "FakeSlack", "Modal", "fake_slack"]

T = TypeVar("T")


class FakeSlack(People):
    """What a reader sees, and how the line to the app fails."""

    def messages(self, channel: str, thread: str | None = None, user: str | None = None) -> list[Seen]:
        """The messages of a channel's top level or of a thread, in order; the ephemeral ones of `user` among them."""
        return [
            self._seen(message)
            for message in self.posts.values()
            if message.channel == channel
            and message.thread == thread
            and not message.deleted
            and message.to in (None, user)
        ]

    def replies_of_bot(self, channel: str, thread: str | None = None, user: str | None = None) -> list[Seen]:
        """As `messages`, the bot's alone."""
        return [seen for seen in self.messages(channel, thread, user) if seen.replies]

    def find(self, text: str) -> Seen | None:
        """The newest message anywhere that holds the text."""
        found = (self._seen(message) for message in reversed(self.posts.values()) if not message.deleted)
        return next((seen for seen in found if text in seen.text), None)

    def seen(self, ts: str) -> Seen | None:
        """One message as it stands, None if it is deleted."""
        return None if self.posts[ts].deleted else self._seen(self.posts[ts])

    def views(self, ts: str) -> list[View]:
        """All that one message ever showed."""
        return self.posts[ts].views

    @property
    def delivered(self) -> list[Delivered]:
        """Each attempt to deliver something to the app, once it is acknowledged or given up."""
        return self.delivery.delivered

    async def until(self, predicate: Callable[[], T], timeout: float = 10.0) -> T:
        """Wait until the predicate is true, and return what it returned. Raises `TimeoutError` with what is seen."""
        end = time.monotonic() + timeout
        while not (result := predicate()):
            if time.monotonic() > end:
                last = [f"{seen.author}: {seen.text}" for seen in map(self._seen, self.posts.values())][-10:]
                raise TimeoutError("not within {} s; the last messages are:\n{}".format(timeout, "\n".join(last)))
            await asyncio.sleep(0.02)
        return result

    async def connected(self, count: int = 1, timeout: float = 20.0) -> None:
        """Wait until the app has so many connections that work."""
        await self.until(
            lambda: sum(not (each.leaving or each.silent) for each in self.delivery.sockets) >= count, timeout
        )

    async def post_events_to(self, url: str, signing_secret: str) -> None:
        """From now on events come as signed requests. Raises `ConnectionError` if the app fails Slack's first check."""
        self.delivery.http = (url, signing_secret)
        body = json.dumps({"type": "url_verification", "token": "verification", "challenge": "3eZbrw1aBm2rZgRN"})
        status, text = await self.delivery.signed(body, {"Content-Type": "application/json"})
        if status != 200 or "3eZbrw1aBm2rZgRN" not in text:
            raise ConnectionError(f"{url} did not return the challenge: status {status}, {text[:200]!r}")

    def drop_connections(self) -> None:
        """Cut all connections without a word."""
        self.delivery.drop()

    async def refresh_connections(self) -> None:
        """Ask the app to make its connections anew."""
        await self.delivery.refresh()

    def silence_connections(self) -> None:
        """The present connections stay open, and nothing comes through them any more."""
        self.delivery.silence()

    def refuse_connections(self, seconds: float) -> None:
        """No new connections for a while."""
        self.refused_until = time.monotonic() + seconds

    def _seen(self, message: Message) -> Seen:
        return Seen(
            id=message.ts,
            author=message.user,
            text=message.views[-1].text or "",
            replies=message.user == self.bot.id,
            sources=message.views[-1].sources,
            buttons=tuple(button.label for button in buttons_of(message.blocks)),
            edited=message.edited is not None,
            to=message.to,
        )


@asynccontextmanager
async def fake_slack(slack: FakeSlack | None = None) -> AsyncGenerator[FakeSlack]:
    """Serves a Slack on a free port of loopback, its Web API below `slack.api_url`, and stops when left."""
    slack, rates = slack or FakeSlack(), Rates()
    app = web.Application(client_max_size=64 * 2**20)
    app.add_routes(
        [
            web.route("*", "/api/{method}", partial(slack_api.called, slack, rates)),
            web.get("/link/", slack.delivery.connected),
            web.post("/hooks/{hook}", partial(_respond, slack)),
            web.get("/files-pri/{file}/{name}", partial(slack_files.download, slack)),
            web.get("/elsewhere/{file}", partial(slack_files.elsewhere, slack)),
            web.post("/upload/v1/{file}", partial(slack_files.upload, slack)),
        ]
    )
    async with serving(app) as slack.url:
        try:
            yield slack
        finally:
            await slack.delivery.close()


async def _respond(world: World, request: web.Request) -> web.StreamResponse:
    """What comes to a response_url: five times at most, and for half an hour."""
    hook, args = world.hooks.get(request.match_info["hook"]), cast(Json, await request.json())
    if hook is None or time.monotonic() > hook.until or hook.uses >= 5:
        code = "used_url" if hook and hook.uses >= 5 else "expired_url"
        world.traffic.note("response_url", code)
        return web.json_response({"ok": False, "error": code}, status=404)
    hook.uses += 1
    try:
        _use(world, hook, args)
    except Refused as refused:
        world.traffic.note("response_url", str(refused))
        return web.json_response(refused.body, status=400)
    world.traffic.note("response_url", "ok")
    return web.Response(text="ok")


def _use(world: World, hook: Hook, args: Json) -> None:
    message = hook.message
    if message and true(args, "delete_original"):
        return remove(world, message)
    text, blocks = content_of(args, POST_TEXT)
    if message and true(args, "replace_original"):
        before = described(world, message)
        message.text, message.blocks = text, blocks
        world.changed(message)
        return None if message.to else announce_edit(world, message, before)
    to = None if args.get("response_type") == "in_channel" else hook.user
    thread = str(args["thread_ts"]) if args.get("thread_ts") else None
    posted = Message(world.new_ts(), hook.channel, world.bot.id, text, blocks, thread, to=to)
    posted.unfurls = true(args, "unfurl_links", default=True) or true(args, "unfurl_media", default=True)
    world.post(posted)
    return None if to else announce(world, posted)
