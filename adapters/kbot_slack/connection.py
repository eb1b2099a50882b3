"""How events come from Slack: over a web socket that kbot opens (Socket Mode), or as signed HTTP requests to kbot."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Coroutine, Mapping
from typing import Any, cast

import aiohttp
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.request.internals import parse_body
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from kbot.chat import RateLimited, SettingsError, get_logger
from kbot_slack.calls import SlackError, ask, proxy_for

log = get_logger(__name__)

HEARTBEAT = 10.0
"""Seconds between two pings; a socket that leaves one unanswered for half as long is made anew."""

_STEADY_SECONDS = 5.0  # after which a connection that ends is no reason to wait before the next
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 30.0
_PARTING = 1.0
_FRESH_SECONDS = 300.0  # for which a signature is good, as Slack advises


async def over_socket(app: AsyncApp, client: AsyncWebClient, session: aiohttp.ClientSession) -> None:
    """Take events over Socket Mode until cancelled; `client` holds the app-level token. A connection that ends, falls
    silent or is refused is made anew; one that Slack wants replaced goes on until its successor stands.

    Raises SettingsError once Slack does not take the app-level token.
    """
    talks: set[asyncio.Task[None]] = set()
    clock = asyncio.get_running_loop().time
    tried = 0
    try:
        while True:
            replaced, began = asyncio.Event(), clock()
            talk = asyncio.create_task(_talk(app, client, session, replaced), name="slack socket")
            talks.add(talk)
            talk.add_done_callback(talks.discard)
            waiting = asyncio.create_task(replaced.wait())
            try:
                await asyncio.wait({talk, waiting}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
            if talk.done():
                talk.result()
            tried = 0 if clock() - began > _STEADY_SECONDS else tried + 1
            if tried:
                await asyncio.sleep(min(_FIRST_PAUSE * 2 ** (tried - 1), _LONGEST_PAUSE))
    finally:
        ending = list(talks)
        for talk in ending:
            talk.cancel()
        await asyncio.gather(*ending, return_exceptions=True)


async def over_http(app: AsyncApp, secret: str, host: str, port: int) -> None:
    """Take events that are signed with the secret at /slack/events until cancelled; GET /health says that kbot is
    there. Raises SettingsError if the port cannot be had."""

    async def take(request: web.Request) -> web.Response:
        body = await request.read()
        if not is_signed(body, request.headers, secret):
            log.warning("request_refused", status=401, told="Not signed with KBOT_SLACK_SIGNING_SECRET, or too old.")
            return web.Response(status=401, text="not signed")
        if not _is_object(body, request.content_type):
            log.warning("request_refused", status=400, told="What was sent is no JSON object.")
            return web.Response(status=400, text="not a JSON object")
        headers = cast(Any, dict(request.headers))
        asked = AsyncBoltRequest(body=body.decode(), query=request.query_string, headers=headers)
        return await to_aiohttp_response(await _dispatched(app, asked))

    async def health(request: web.Request) -> web.Response:
        return web.Response(text="ok")

    site = web.Application()
    site.add_routes([web.post("/slack/events", take), web.get("/health", health)])
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=_PARTING)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise SettingsError(
                f"kbot cannot listen on {host}:{port} ({error.strerror or error}): set KBOT_SLACK_HOST and "
                "KBOT_SLACK_PORT to an address of this machine that is free."
            ) from error
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def is_signed(body: bytes, headers: Mapping[str, str], secret: str) -> bool:
    """Whether Slack signed a request with the secret, and did so just now. The library's own check raises on headers
    that are no number or no ASCII, which anybody can send."""
    stamp, given = headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 16) or abs(time.time() - int(stamp)) > _FRESH_SECONDS:
        return False
    signed = hmac.new(secret.encode(), b"v0:%s:%s" % (stamp.encode(), body), hashlib.sha256)
    return hmac.compare_digest(f"v0={signed.hexdigest()}".encode(), given.encode(errors="replace"))


def _is_object(body: bytes, content_type: str) -> bool:
    try:
        told = cast(object, parse_body(body.decode(), content_type))
    except ValueError:  # no UTF-8, or no JSON
        return False
    return isinstance(told, dict)


async def _talk(
    app: AsyncApp,
    client: AsyncWebClient,
    session: aiohttp.ClientSession,
    replaced: asyncio.Event,
) -> None:
    """One connection from its begin to its end. `replaced` is set when Slack wants another in its place."""
    answering: set[asyncio.Task[None]] = set()
    try:
        answer, _ = await ask(client, "apps.connections.open", {})
        url = str(answer.get("url"))
        closing = cast(Any, aiohttp.ClientWSTimeout)(ws_close=_PARTING)
        async with session.ws_connect(url, heartbeat=HEARTBEAT, proxy=proxy_for(url), timeout=closing) as socket:
            try:
                async for message in socket:
                    if message.type != aiohttp.WSMsgType.TEXT:
                        continue
                    frame = _frame(message.data)
                    if frame.get("type") == "hello":
                        log.info("slack_connected")
                    elif frame.get("type") == "disconnect":
                        replaced.set()
                    elif "envelope_id" in frame:
                        _begin(_acknowledge(app, socket, frame), answering)
            finally:
                if answering and not socket.closed:
                    await asyncio.wait(answering, timeout=_PARTING)
        log.info("slack_disconnected", code=socket.close_code)
    except SlackError as refusal:
        raise SettingsError(
            f"Slack does not take the token of KBOT_SLACK_APP_TOKEN any more ({refusal.code}): make an app-level token "
            "with the scope connections:write under Basic Information in Slack's settings of the app, or switch on "
            "Socket Mode there, and restart kbot."
        ) from refusal
    except RateLimited as limit:
        await asyncio.sleep(limit.retry_after)
    except (ConnectionError, aiohttp.ClientError, TimeoutError, ValueError) as error:
        log.warning("slack_connection_failed", error=type(error).__name__)


async def _acknowledge(app: AsyncApp, socket: aiohttp.ClientWebSocketResponse, frame: dict[str, Any]) -> None:
    """Hand an envelope to Bolt, and send what it acknowledges with."""
    headers = {"x-slack-retry-num": str(frame["retry_attempt"])} if frame.get("retry_attempt") else {}
    payload = frame.get("payload")
    body: dict[str, Any] = cast(dict[str, Any], payload) if isinstance(payload, dict) else {}
    response = await _dispatched(app, AsyncBoltRequest(mode="socket_mode", body=body, headers=cast(Any, headers)))
    if response.status != 200:
        log.warning("event_not_acknowledged", status=response.status, sort=frame.get("type"))
        return
    told: dict[str, Any] = {"envelope_id": frame["envelope_id"]}
    if response.body:
        told["payload"] = json.loads(response.body) if response.body.startswith("{") else {"text": response.body}
    try:
        await socket.send_json(told)
    except ConnectionError:
        # Slack delivers it again over the next connection, and the bot knows it then.
        log.info("acknowledgement_lost", sort=frame.get("type"))


async def _dispatched(app: AsyncApp, request: AsyncBoltRequest) -> BoltResponse:
    """Bolt's answer; what says that it is an event and holds none is acknowledged, for Bolt would fail on it."""
    if isinstance(request.body.get("event", {}), dict):
        return await app.async_dispatch(request)
    log.warning("payload_incomplete", lacking="event", told="It was passed over.")
    return BoltResponse(status=200)


def _frame(data: str) -> dict[str, Any]:
    """What Slack sent over the socket, an object; an empty one for anything else."""
    try:
        frame = json.loads(data)
    except ValueError:
        frame = None
    if isinstance(frame, dict):
        return cast(dict[str, Any], frame)
    log.warning("frame_ignored", told="Slack sent something over the socket that is no JSON object.")
    return {}


def _begin(work: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]]) -> None:
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
