"""The REST endpoints of the application, of guilds, channels, messages and threads."""

from typing import cast

from aiohttp import web

from fakes import discord_commands as commands
from fakes import discord_events as events
from fakes import discord_payloads as payloads
from fakes.discord_calls import Api, Call
from fakes.discord_messages import create, edit, find, require
from fakes.discord_rates import Buckets
from fakes.discord_rules import Refused, invalid, longest, missing, unknown
from fakes.discord_state import (
    DIRECT,
    HAS_THREAD,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    THREAD_OPENED,
    THREAD_STARTER,
    Channel,
    Guild,
    Json,
    Message,
    World,
)


def routes(api: Api) -> list[web.RouteDef]:
    """All of them, under /api/v10."""
    old_edits = Buckets()

    def edit_message(world: World, call: Call) -> Json:
        place = _channel(world, call)
        require(world, place)
        message = find(world, place, call.ids["message"])
        edit(world, message, call.body, call.files, old_edits)
        return payloads.message(world, message)

    message = "/channels/{channel}/messages/{message}"
    return [
        api.route("GET", "/users/@me", "get me", _me),
        api.route("GET", "/users/{user}", "get user", _user),
        api.route("GET", "/oauth2/applications/@me", "get application", _application),
        api.route("GET", "/applications/@me", "get application", _application),
        api.route("GET", "/gateway/bot", "get gateway", _gateway),
        api.route("GET", "/applications/{application}/commands", "get commands", _commands),
        api.route("PUT", "/applications/{application}/commands", "sync commands", _sync),
        api.route("GET", "/applications/{application}/guilds/{guild}/commands", "get commands", _commands),
        api.route("PUT", "/applications/{application}/guilds/{guild}/commands", "sync commands", _sync),
        api.route("POST", "/users/@me/channels", "open direct", _open_direct),
        api.route("GET", "/guilds/{guild}", "get guild", _guild_payload),
        api.route("GET", "/guilds/{guild}/roles", "get roles", lambda w, c: payloads.roles(_guild(w, c))),
        api.route("GET", "/guilds/{guild}/members", "list members", _members),
        api.route("GET", "/guilds/{guild}/members/{user}", "get member", _member),
        api.route("GET", "/guilds/{guild}/channels", "get channels", _channels),
        api.route("GET", "/channels/{channel}", "get channel", _channel_payload),
        api.route("POST", "/channels/{channel}/typing", "send typing", _typing),
        api.route("GET", "/channels/{channel}/messages", "list messages", _messages),
        api.route("POST", "/channels/{channel}/messages", "create message", _create),
        api.route("GET", message, "get message", _message),
        api.route("PATCH", message, "edit message", edit_message),
        api.route("DELETE", message, "delete message", _delete),
        api.route("POST", f"{message}/threads", "create thread", _thread_of),
        api.route("POST", "/channels/{channel}/threads", "create thread", _thread),
        api.route("*", "/{path:.*}", "unknown call", _unknown),
    ]


def _unknown(_world: World, _call: Call) -> None:
    raise Refused(404, 0, "404: Not Found")


def _me(world: World, _call: Call) -> Json:
    told = {"verified": True, "mfa_enabled": False, "locale": "en-US", "flags": 0, "email": None}
    return payloads.user(world.users[world.bot]) | told


def _user(world: World, call: Call) -> Json:
    if call.ids["user"] not in world.users:
        raise unknown("User", 10013)
    return payloads.user(world.users[call.ids["user"]])


def _application(world: World, _call: Call) -> Json:
    return {
        "id": world.application,
        "name": "kbot",
        "description": "",
        "icon": None,
        "bot_public": False,
        "bot_require_code_grant": False,
        "owner": payloads.user(world.users[world.owner]),
        "verify_key": "",
        "flags": 0,
        "team": None,
    }


def _gateway(world: World, _call: Call) -> Json:
    limit = {"total": 1000, "remaining": 1000 - world.identifies, "reset_after": 86_400_000, "max_concurrency": 1}
    return {
        "url": f"{world.url.replace('http', 'ws', 1)}/gateway",
        "shards": world.shards,
        "session_start_limit": limit,
    }


def _commands(world: World, call: Call) -> list[Json]:
    told = world.commands.get(call.ids.get("guild"), [])
    if call.query.get("with_localizations", "").lower() in {"true", "1"}:
        return told
    return [{key: value for key, value in one.items() if not key.endswith("_localizations")} for one in told]


def _sync(world: World, call: Call) -> list[Json]:
    if call.ids["application"] != world.application:
        raise missing(access=True)
    body: object = call.body
    if not isinstance(body, list):
        raise invalid("commands", "Must be an array.")
    return commands.store(world, call.ids.get("guild"), cast(list[Json], body))


def _open_direct(world: World, call: Call) -> Json:
    user = str(call.body.get("recipient_id"))
    if user not in world.users:
        raise unknown("User", 10013)
    if not world.users[user].takes_direct:
        raise Refused(403, 50007, "Cannot send messages to this user")
    return payloads.channel(world, direct(world, user))


def direct(world: World, user: str) -> Channel:
    """The direct messages between a person and the bot, begun if there are none."""
    for place in world.channels.values():
        if place.kind == DIRECT and user in place.people:
            return place
    place = Channel(world.new_id(), DIRECT, None, "", people=[user, world.bot])
    world.channels[place.id] = place
    return place


def _guild(world: World, call: Call) -> Guild:
    guild = world.guilds.get(call.ids["guild"])
    if guild is None or world.bot not in guild.members:
        raise unknown("Guild", 10004)
    return guild


def _guild_payload(world: World, call: Call) -> Json:
    left_out = {"channels", "threads", "members", "voice_states", "presences"}
    return {key: value for key, value in payloads.guild(world, _guild(world, call)).items() if key not in left_out}


def _members(world: World, call: Call) -> list[Json]:
    guild = _guild(world, call)
    if not world.privileged & 1 << 1:
        raise missing(access=True)
    most, after = int(call.query.get("limit", 1)), int(call.query.get("after", 0))
    ids = sorted((one for one in guild.members if int(one) > after), key=int)
    return [payloads.member(world, guild, one) for one in ids[:most]]


def _member(world: World, call: Call) -> Json:
    guild = _guild(world, call)
    if call.ids["user"] not in guild.members:
        raise unknown("Member", 10007)
    return payloads.member(world, guild, call.ids["user"])


def _channels(world: World, call: Call) -> list[Json]:
    guild = _guild(world, call)
    return [payloads.channel(world, one) for one in world.channels.values() if one.guild == guild.id and not one.parent]


def _channel(world: World, call: Call) -> Channel:
    place = world.channels.get(call.ids["channel"])
    if place is None:
        raise unknown("Channel", 10003)
    return place


def _channel_payload(world: World, call: Call) -> Json:
    place = _channel(world, call)
    require(world, place)
    return payloads.channel(world, place)


def _typing(world: World, call: Call) -> None:
    place = _channel(world, call)
    require(world, place, world.writing(place))


def _messages(world: World, call: Call) -> list[Json]:
    place = _channel(world, call)
    require(world, place, "read_message_history")
    most = int(call.query.get("limit", 50))
    if not 1 <= most <= 100:
        raise invalid("limit", "int value should be between 1 and 100.")
    before, after = int(call.query.get("before", 1 << 63)), int(call.query.get("after", 0))
    ids = [one for one in place.messages if after < int(one) < before and not world.all_messages[one].to]
    chosen = ids[:most] if "after" in call.query else ids[-most:]
    return [payloads.message(world, world.all_messages[one]) for one in reversed(chosen)]


def _create(world: World, call: Call) -> Json:
    return payloads.message(world, create(world, _channel(world, call), call.body, call.files))


def _message(world: World, call: Call) -> Json:
    place = _channel(world, call)
    require(world, place, "read_message_history")
    return payloads.message(world, find(world, place, call.ids["message"]))


def _delete(world: World, call: Call) -> None:
    place = _channel(world, call)
    require(world, place)
    message = find(world, place, call.ids["message"])
    if message.author != world.bot:
        require(world, place, "manage_messages")
    events.remove(world, message)


def _thread_of(world: World, call: Call) -> Json:
    place = _channel(world, call)
    require(world, place, "create_public_threads")
    message = find(world, place, call.ids["message"])
    if message.id in world.channels:
        raise Refused(400, 160004, "A thread has already been created for this message")
    told = open_thread(world, place, call.body, world.bot, thread_id=message.id)
    message.flags |= HAS_THREAD
    events.tell(world, "MESSAGE_UPDATE", message)
    return told


def _thread(world: World, call: Call) -> Json:
    place = _channel(world, call)
    private = call.body.get("type", PRIVATE_THREAD) == PRIVATE_THREAD
    require(world, place, "create_private_threads" if private else "create_public_threads")
    return open_thread(world, place, call.body, world.bot, kind=PRIVATE_THREAD if private else PUBLIC_THREAD)


def open_thread(
    world: World, place: Channel, body: Json, owner: str, *, kind: int = PUBLIC_THREAD, thread_id: str | None = None
) -> Json:
    """Begin a thread in a channel. Raises `Refused` for a name that is not one, and in a place that has no threads."""
    if place.guild is None or place.parent:
        raise Refused(400, 50024, "Cannot execute action on this channel type")
    name = longest("name", body.get("name"), 100, 1)
    thread = Channel(thread_id or world.new_id(), kind, place.guild, name, parent=place.id, owner=owner)
    thread.people.append(owner)
    world.channels[thread.id] = thread
    told = payloads.channel(world, thread)
    if world.may(world.bot, thread):
        events.emit(world, "THREAD_CREATE", told | {"newly_created": True}, place.guild)
    if thread_id:
        starter = Message(world.new_id(), thread.id, owner, "", kind=THREAD_STARTER, reference=thread_id)
        events.post(world, starter, {"parse": []})
    elif kind == PUBLIC_THREAD:
        events.post(world, Message(world.new_id(), place.id, owner, name, kind=THREAD_OPENED), {"parse": []})
    return told
