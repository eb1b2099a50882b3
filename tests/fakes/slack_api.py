"""The Web API: who may call what and how often, and how calls fail."""

import json
import time
import uuid
from collections.abc import Callable
from typing import cast

from aiohttp import web

from fakes import slack_chat, slack_files, slack_views
from fakes.slack_chat import channel_of, true
from fakes.slack_rules import Rates, Refused
from fakes.slack_world import OTHER_RATE, Json, World

SCOPES = {
    "chat.": "chat:write",
    "assistant.threads.setStatus": "chat:write",
    "users.info": "users:read",
    "conversations.history": "channels:history,groups:history,im:history,mpim:history",
    "conversations.replies": "channels:history,groups:history,im:history,mpim:history",
    "conversations.info": "channels:read,groups:read,im:read,mpim:read",
    "conversations.members": "channels:read,groups:read,im:read,mpim:read",
    "conversations.open": "im:write,mpim:write",
    "files.info": "files:read",
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
}
_JSON_ARGUMENTS = ("blocks", "view", "files", "chunks", "metadata", "attachments")


def auth_test(world: World, args: Json) -> Json:
    team = {"url": "https://local.slack.com/", "team": "Local", "team_id": world.team}
    return {**team, "user": world.bot.name, "user_id": world.bot.id, "bot_id": world.bot_id}


def connections_open(world: World, args: Json) -> Json:
    if not world.socket_mode:
        raise Refused("socket_mode_not_enabled")
    ticket = uuid.uuid4().hex
    world.tickets.add(ticket)
    return {"url": f"{world.url.replace('http', 'ws', 1)}/link/?ticket={ticket}&app_id={world.app}"}


def users_info(world: World, args: Json) -> Json:
    user = world.users.get(str(args.get("user", "")))
    if user is None:
        raise Refused("user_not_found")
    told: Json = {
        "id": user.id,
        "team_id": world.team,
        "name": user.name,
        "real_name": user.name,
        "deleted": False,
        "is_admin": user.admin or user.owner,
        "is_owner": user.owner,
        "is_primary_owner": False,
        "is_bot": user is world.bot,
        "is_restricted": False,
        "profile": {"display_name": user.name, "real_name": user.name},
    }
    return {"user": told | ({"locale": user.locale} if true(args, "include_locale") else {})}


def conversations_info(world: World, args: Json) -> Json:
    channel = channel_of(world, args)
    told: Json = {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind in ("channel", "group"),
        "is_group": False,
        "is_im": channel.kind == "im",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "channel",
        "is_archived": channel.archived,
        "is_member": world.bot.id in channel.members,
        "context_team_id": world.team,
    }
    return {"channel": told}


def conversations_members(world: World, args: Json) -> Json:
    members = sorted(channel_of(world, args).members)
    start, limit = int(args.get("cursor") or 0), int(args.get("limit") or 100)
    following = str(start + limit) if start + limit < len(members) else ""
    return {"members": members[start : start + limit], "response_metadata": {"next_cursor": following}}


def conversations_open(world: World, args: Json) -> Json:
    users = [user for user in str(args.get("users", "")).split(",") if user]
    if not users or any(user not in world.users for user in users):
        raise Refused("user_not_found")
    if len(users) > 1:
        name = "mpdm-" + "--".join(world.users[user].name for user in users)
        found = next((each for each in world.channels.values() if each.name == name), None)
        return {"channel": {"id": found.id if found else world.add_channel(name, users, kind="mpim")}}
    return {"channel": {"id": world.direct(users[0]).id}}


METHODS: dict[str, Callable[[World, Json], Json]] = {
    **slack_chat.METHODS,
    **slack_files.METHODS,
    **slack_views.METHODS,
    "auth.test": auth_test,
    "apps.connections.open": connections_open,
    "users.info": users_info,
    "conversations.info": conversations_info,
    "conversations.members": conversations_members,
    "conversations.open": conversations_open,
}


async def called(world: World, rates: Rates, request: web.Request) -> web.StreamResponse:
    """Answers one call of the Web API."""
    method = request.match_info["method"]
    args = await _arguments(request)
    headers = {"x-oauth-scopes": ",".join(sorted(world.scopes)), "x-slack-req-id": uuid.uuid4().hex}
    try:
        _authorized(world, request, method, args)
        if wait := _limited(world, rates, method, args):
            world.traffic.note(method, "ratelimited")
            return _too_many(str(wait), headers)
        if method == "apps.connections.open" and time.monotonic() < world.refused_until:
            world.traffic.note(method, "error")
            return web.Response(status=503, text="<html>Service Unavailable</html>", content_type="text/html")
        fault = world.faults.next() if method.startswith(world.faulty) else None
        if fault and fault != "lost":
            world.traffic.note(method, fault)
            return _failed(world, fault, request, headers)
        body = {"ok": True, **METHODS[method](world, args)}
    except Refused as refused:
        world.traffic.note(method, str(refused))
        return web.json_response(refused.body, headers=headers)
    world.traffic.note(method, fault or "ok")
    if fault:
        return _cut(request)
    return web.json_response(body, headers=headers)


async def _arguments(request: web.Request) -> Json:
    """The arguments of a call, which come in the address, as a form or as JSON."""
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        args |= cast(Json, await request.json())
    elif request.can_read_body:
        args |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    for name in _JSON_ARGUMENTS:
        if isinstance(args.get(name), str):
            try:
                args[name] = json.loads(args[name])
            except json.JSONDecodeError:
                args[name] = None
    return args


def _authorized(world: World, request: web.Request, method: str, args: Json) -> None:
    """Raises `Refused` for a call without the right token or scope."""
    if method not in METHODS:
        raise Refused("unknown_method", req_method=method)
    token = request.headers.get("Authorization", "").removeprefix("Bearer ") or str(args.get("token") or "")
    if not token:
        raise Refused("not_authed")
    if token not in (world.bot_token, world.app_token):
        raise Refused("invalid_auth")
    if world.revoked:
        raise Refused("token_revoked")
    if (method == "apps.connections.open") != (token == world.app_token):
        raise Refused("not_allowed_token_type")
    needed = next((scope for name, scope in SCOPES.items() if method.startswith(name)), "")
    if needed and not world.scopes & set(needed.split(",")):
        raise Refused("missing_scope", needed=needed, provided=",".join(sorted(world.scopes)))


def _limited(world: World, rates: Rates, method: str, args: Json) -> int:
    rate = world.rates.get(method, OTHER_RATE)
    if method == "chat.postMessage":
        return rates.wait(method, str(args.get("channel")), rate, world.burst)
    return rates.wait(method, world.team, rate)


def _failed(world: World, fault: str, request: web.Request, headers: dict[str, str]) -> web.Response:
    match fault:
        case "limited":
            return _too_many("1", headers)
        case "limited_fraction":
            return _too_many("0.7", headers)
        case "limited_ok":
            return web.json_response({"ok": False, "error": "ratelimited"}, headers=headers)
        case "error" if world.faults.made["error"] % 2:
            return web.Response(status=503, text="<html>Service Unavailable</html>", content_type="text/html")
        case "error":
            return web.json_response({"ok": False, "error": "internal_error"}, status=500)
        case _:
            return _cut(request)


def _too_many(wait: str, headers: dict[str, str]) -> web.Response:
    body = {"ok": False, "error": "ratelimited"}
    return web.json_response(body, status=429, headers=headers | {"Retry-After": wait})


def _cut(request: web.Request) -> web.Response:
    """Closes the connection instead of answering."""
    if request.transport:
        request.transport.abort()
    return web.Response()
