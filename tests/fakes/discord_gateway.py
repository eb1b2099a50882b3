"""The gateway: one websocket per session, which can be resumed, cut, or go silent."""

import asyncio
import contextlib
import json
import time
import uuid
from typing import Any, cast

from aiohttp import WSMessage, WSMsgType, web

from fakes import discord_events as events
from fakes import discord_payloads as payloads
from fakes.discord_state import Json, Session, World

IDENTIFY, RECONNECT, INVALID, HELLO, ACK = 2, 7, 9, 10, 11
_PRIVILEGED = 1 << 1 | 1 << 8 | 1 << 15


class Gateway:
    """The open connections of a world, each with its session once it has identified or resumed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.sockets: dict[web.WebSocketResponse, Session | None] = {}
        self._transports: dict[web.WebSocketResponse, asyncio.Transport] = {}
        self._silent: set[web.WebSocketResponse] = set()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, from HELLO to its end."""
        if time.monotonic() < self._world.refused_until:
            return web.Response(status=503, text="no gateway here")
        socket = web.WebSocketResponse(timeout=0.2)
        await socket.prepare(request)
        self.sockets[socket] = None
        self._transports[socket] = cast(asyncio.Transport, request.transport)
        try:
            await _send(socket, HELLO, {"heartbeat_interval": int(self._world.heartbeat * 1000)})
            await self._converse(socket)
        finally:
            session = self.sockets.pop(socket)
            del self._transports[socket]
            self._silent.discard(socket)
            # Who says good-bye in form ends the session; any other close leaves it to be resumed.
            if session and socket.close_code in {1000, 1001} and self._world.sessions.get(session.id) is session:
                del self._world.sessions[session.id]
        return socket

    async def _converse(self, socket: web.WebSocketResponse) -> None:
        writing: asyncio.Task[None] | None = None
        try:
            async for message in socket:
                frame = _frame(message)
                if frame is None:
                    await socket.close(code=4002, message=b"Error while decoding payload.")
                    return
                if socket in self._silent:
                    continue
                data: Any = frame.get("d")
                match frame["op"]:
                    case 1:  # heartbeat
                        await _send(socket, ACK, None)
                    case 2 | 6:  # identify, resume
                        if self.sockets[socket]:
                            await socket.close(code=4005, message=b"Already authenticated.")
                            return
                        begin = self._identify if frame["op"] == IDENTIFY else self._resume
                        if (start := await begin(socket, data)) is not None:
                            writing = asyncio.create_task(self._write(socket, start))
                    case 8:  # request guild members
                        self._members(socket, data)
                    case _:
                        pass
        finally:
            if writing:
                writing.cancel()
                with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                    await writing

    async def _write(self, socket: web.WebSocketResponse, sent: int) -> None:
        """Send the session's log from a place on, and what comes to it."""
        session = cast(Session, self.sockets[socket])
        while True:
            while sent < len(session.log) and socket not in self._silent:
                await socket.send_str(session.log[sent])
                sent += 1
            session.news.clear()
            await session.news.wait()

    async def _identify(self, socket: web.WebSocketResponse, data: Json) -> int | None:
        world = self._world
        if data["token"] != world.token:
            await socket.close(code=4004, message=b"Authentication failed.")
            return None
        intents = int(data["intents"])
        if intents & _PRIVILEGED & ~world.privileged:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
            return None
        shard, count = data.get("shard") or (0, 1)
        if not 0 <= shard < count or count != world.shards:
            await socket.close(code=4010, message=b"Invalid shard.")
            return None
        session = Session(uuid.uuid4().hex, shard, intents)
        mine = [one for one in world.guilds.values() if world.bot in one.members and world.shard_of(one.id) == shard]
        ready: Json = {
            "v": 10,
            "user": payloads.user(world.users[world.bot]) | {"verified": True, "flags": 0},
            "guilds": [{"id": guild.id, "unavailable": True} for guild in mine],
            "session_id": session.id,
            "resume_gateway_url": f"{world.url.replace('http', 'ws', 1)}/gateway",
            "shard": [shard, count],
            "application": {"id": world.application, "flags": 0},
        }
        events.append(session, "READY", ready)
        for guild in mine if intents & events.GUILDS else ():
            events.append(session, "GUILD_CREATE", payloads.guild(world, guild) | {"unavailable": False})
        world.identifies += 1
        world.sessions[session.id] = session
        self.sockets[socket] = session
        return 0

    async def _resume(self, socket: web.WebSocketResponse, data: Json) -> int | None:
        session = self._world.sessions.get(data["session_id"])
        if session is None or data["token"] != self._world.token or not 0 <= data["seq"] <= len(session.log):
            await _send(socket, INVALID, False)
            return None
        for other, held in self.sockets.items():
            if held is session:
                self._transports[other].abort()
        self.sockets[socket] = session
        events.append(session, "RESUMED", {})
        return int(data["seq"])

    def _members(self, socket: web.WebSocketResponse, data: Json) -> None:
        """GUILD_MEMBERS_CHUNK: the members that were asked for by id or by the begin of their name."""
        session, guild = self.sockets[socket], self._world.guilds.get(str(data["guild_id"]))
        if session is None or guild is None:
            return
        asked: list[object] | int = data.get("user_ids") or []
        ids = {str(one) for one in (asked if isinstance(asked, list) else [asked])}
        begin = str(data.get("query") or "").lower()
        found = [one for one in guild.members if one in ids or (not ids and self._name(one).startswith(begin))]
        told: Json = {"guild_id": guild.id, "members": [payloads.member(self._world, guild, one) for one in found]}
        told |= {"chunk_index": 0, "chunk_count": 1, "not_found": sorted(ids - set(found)), "nonce": data.get("nonce")}
        events.append(session, "GUILD_MEMBERS_CHUNK", told)

    def _name(self, user: str) -> str:
        return self._world.users[user].name.lower()

    def working(self) -> int:
        """How many connections have a session, and are not silent."""
        return sum(session is not None for socket, session in self.sockets.items() if socket not in self._silent)

    async def reconnect(self) -> None:
        """Ask every connection to come again (op 7)."""
        for socket in list(self.sockets):
            await _send(socket, RECONNECT, None)

    async def invalidate(self, *, resumable: bool) -> None:
        """Tell every connection that its session is invalid (op 9), and forget it unless it may be resumed."""
        for socket, session in list(self.sockets.items()):
            if session and not resumable:
                self._world.sessions.pop(session.id, None)
            await _send(socket, INVALID, resumable)

    def drop(self) -> None:
        """Cut every connection without a word; the sessions can be resumed."""
        for transport in self._transports.values():
            transport.abort()

    def silence(self) -> None:
        """From now on the open connections carry nothing, not even an acknowledgement; new ones do."""
        self._silent.update(self.sockets)


async def _send(socket: web.WebSocketResponse, op: int, data: Json | int | bool | None) -> None:
    await socket.send_json({"op": op, "d": data, "s": None, "t": None})


def _frame(message: WSMessage) -> Json | None:
    if message.type is not WSMsgType.TEXT:
        return None
    try:
        frame: object = json.loads(message.data)
    except ValueError:
        return None
    return cast(Json, frame) if isinstance(frame, dict) and "op" in frame else None
