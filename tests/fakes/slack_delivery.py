"""How Slack brings events and interactions to the app: over Socket Mode, or as signed HTTP requests."""

import asyncio
import hashlib
import hmac
import json
import time
import urllib.parse
import uuid
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from aiohttp import ClientError, ClientSession, ClientTimeout, WSMsgType, web

from fakes.slack_world import Json, World

Sort = Literal["events_api", "slash_commands", "interactive"]


@dataclass(frozen=True, slots=True)
class Delivered:
    """One attempt to deliver: `id` is the event's or "", `seconds` after which it was acknowledged, None if never."""

    sort: Sort
    id: str
    attempt: int
    seconds: float | None


@dataclass(eq=False)
class Socket:
    """A connection of the app; a silent one looks alive to Slack, but nothing passes."""

    ws: web.WebSocketResponse
    request: web.Request
    silent: bool = False
    leaving: bool = False


@dataclass(eq=False, repr=False)
class Delivery:
    """The connections of the app, and what waits to be acknowledged."""

    world: World
    sockets: list[Socket] = field(default_factory=list[Socket])
    delivered: list[Delivered] = field(default_factory=list[Delivered])
    http: tuple[str, str] | None = None
    _session: ClientSession | None = None
    _waiting: dict[str, "asyncio.Future[Json]"] = field(default_factory=dict[str, "asyncio.Future[Json]"])
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set["asyncio.Task[None]"])
    _failed: list[BaseException] = field(default_factory=list[BaseException])
    _turn: int = 0

    def event(self, payload: Json) -> None:
        """Begin to deliver an event, with retries until it is acknowledged."""
        for _ in range(self.world.deliver_times):
            self.begin(self._deliver(payload))

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs in the background, until it is done or the fake is left."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._failed.append(error)

    async def call(self, sort: Sort, payload: Json, attempt: int = 0, reason: str | None = None) -> Json | None:
        """Deliver once; what the app's acknowledgement holds, {} if nothing, None if none came in time."""
        begun = time.monotonic()
        told = await (self._post if self.http else self._send)(sort, payload, attempt, reason)
        seconds = None if told is None else time.monotonic() - begun
        self.delivered.append(Delivered(sort, str(payload.get("event_id", "")), attempt, seconds))
        return told

    async def close(self) -> None:
        """End all of it. Raises what failed in the background."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for socket in list(self.sockets):
            await socket.ws.close()
        if self._session:
            await self._session.close()
        if self._failed:
            raise self._failed[0]

    async def _deliver(self, payload: Json) -> None:
        reason = "http_timeout" if self.http else "timeout"
        for attempt, pause in enumerate((0.0, *self.world.retry_after)):
            await asyncio.sleep(self.world.scaled(pause))
            if await self.call("events_api", payload, attempt, reason if attempt else None) is not None:
                return

    async def _send(self, sort: Sort, payload: Json, attempt: int, reason: str | None) -> Json | None:
        sockets = [socket for socket in self.sockets if not socket.leaving]
        if not sockets:
            return None
        self._turn += 1
        socket = sockets[self._turn % len(sockets)]
        name = str(uuid.uuid4())
        envelope = {
            "envelope_id": name,
            "type": sort,
            "payload": payload,
            "accepts_response_payload": sort != "events_api",
        }
        if sort == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": reason or ""}
        answer = self._waiting[name] = asyncio.get_running_loop().create_future()
        try:
            if not socket.silent:
                await socket.ws.send_json(envelope)
            return await asyncio.wait_for(answer, self.world.scaled(self.world.ack_within))
        except (TimeoutError, ConnectionError):
            return None
        finally:
            del self._waiting[name]

    async def _post(self, sort: Sort, payload: Json, attempt: int, reason: str | None) -> Json | None:
        match sort:
            case "events_api":
                body, kind = json.dumps(payload), "application/json"
            case "slash_commands":
                body, kind = urllib.parse.urlencode(payload), "application/x-www-form-urlencoded"
            case "interactive":
                body, kind = (
                    urllib.parse.urlencode({"payload": json.dumps(payload)}),
                    "application/x-www-form-urlencoded",
                )
        headers = {"Content-Type": kind}
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason or ""}
        try:
            status, text = await self.signed(body, headers)
        except (ClientError, TimeoutError):
            return None
        if status != 200:
            return None
        return cast(Json, json.loads(text)) if text.startswith("{") else {"text": text} if text else {}

    async def signed(self, body: str, headers: dict[str, str]) -> tuple[int, str]:
        """POST as Slack signs it; status and body of the answer."""
        assert self.http, "say first where the app listens: `await slack.post_events_to(url, secret)`"
        url, secret = self.http
        stamp = str(int(time.time()))
        digest = hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
        self._session = self._session or ClientSession()
        timeout = ClientTimeout(total=self.world.scaled(self.world.ack_within))
        signature = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}
        async with self._session.post(url, data=body, headers=headers | signature, timeout=timeout) as response:
            return response.status, await response.text()

    async def connected(self, request: web.Request) -> web.StreamResponse:
        """The web socket: says hello, brings envelopes, takes acknowledgements, answers pings."""
        ticket = request.query.get("ticket", "")
        if time.monotonic() < self.world.refused_until:
            return web.Response(status=503, text="<html>Service Unavailable</html>")
        if ticket not in self.world.tickets:
            return web.Response(status=404, text="unknown ticket")
        self.world.tickets.discard(ticket)
        ws = web.WebSocketResponse(autoping=False, timeout=1.0)
        await ws.prepare(request)
        socket = Socket(ws, request)
        self.sockets.append(socket)
        hello = {"type": "hello", "num_connections": len(self.sockets), "connection_info": {"app_id": self.world.app}}
        try:
            await ws.send_json(hello | {"debug_info": {"approximate_connection_time": 3600}})
            self.begin(_pings(socket))
            async for message in ws:
                if socket.silent:
                    continue
                if message.type == WSMsgType.PING:
                    await ws.pong(message.data)
                elif message.type == WSMsgType.TEXT:
                    self._acknowledged(cast(Json, json.loads(message.data)))
        except ConnectionError:
            pass  # the app is gone, as it may be at any time
        finally:
            self.sockets.remove(socket)
        return ws

    def _acknowledged(self, frame: Json) -> None:
        answer = self._waiting.get(str(frame.get("envelope_id")))
        if answer and not answer.done():
            answer.set_result(cast(Json, frame.get("payload") or {}))

    def drop(self) -> None:
        """Cut all connections without a word."""
        for socket in self.sockets:
            socket.leaving = True
            if socket.request.transport:
                socket.request.transport.abort()

    async def refresh(self) -> None:
        """Ask all connections to be made anew; Slack closes the old ones in the end."""
        for socket in list(self.sockets):
            socket.leaving = True
            await socket.ws.send_json({"type": "disconnect", "reason": "refresh_requested", "debug_info": {}})
            self.begin(self._close_later(socket))

    async def _close_later(self, socket: Socket) -> None:
        await asyncio.sleep(self.world.scaled(10))
        await socket.ws.close()

    def silence(self) -> None:
        """From now on nothing comes through the present connections, and nobody says so."""
        for socket in self.sockets:
            socket.silent = True


async def _pings(socket: Socket) -> None:
    while not socket.ws.closed:
        if not socket.silent:
            try:
                await socket.ws.ping(b"Ping from the local Slack")
            except ConnectionError:
                return
        await asyncio.sleep(5)
