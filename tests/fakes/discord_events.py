"""What happens to messages, and who hears of it: gateway events, what readers saw, whom a message called."""

import json
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from fakes import discord_payloads as payloads
from fakes.discord_reading import sources
from fakes.discord_state import (
    DIRECT,
    EPHEMERAL,
    LOADING,
    SUPPRESS_EMBEDS,
    Channel,
    Json,
    Message,
    Session,
    World,
)
from fakes.platform import View

GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT = 1 << 0, 1 << 9, 1 << 12, 1 << 15
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_LINK = re.compile(r"(?<!<)\bhttps?://[^\s<>)]+")
_USER, _ROLE, _ALL = re.compile(r"<@!?(\d+)>"), re.compile(r"<@&(\d+)>"), re.compile(r"@(?:everyone|here)\b")


def append(session: Session, event: str, data: Json) -> None:
    """Put one dispatch on a session's log; its connection sends it, now or when it resumes."""
    frame = {"op": 0, "t": event, "s": len(session.log) + 1, "d": data}
    session.log.append(json.dumps(frame))
    session.news.set()


def emit(world: World, event: str, data: Json, guild: str | None) -> None:
    """Dispatch to every session of the guild's shard that asked for such events, `deliver_times` times."""
    if event.startswith("INTERACTION"):
        needed = 0
    elif event.startswith("MESSAGE"):
        needed = GUILD_MESSAGES if guild else DIRECT_MESSAGES
    else:
        needed = GUILDS if guild else 0
    for session in world.sessions.values():
        if session.shard == world.shard_of(guild) and session.intents & needed == needed:
            told = _censored(world, data, session) if event in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} else data
            for _ in range(world.deliver_times):
                append(session, event, told)


def _censored(world: World, message: Json, session: Session) -> Json:
    """Without the message content intent a bot reads mentions, direct messages and its own words alone."""
    mentioned = any(person["id"] == world.bot for person in message["mentions"])
    own = message["author"]["id"] == world.bot
    if session.intents & MESSAGE_CONTENT or mentioned or own or "guild_id" not in message:
        return message
    hidden: Json = {"content": "", "embeds": [], "attachments": [], "components": []}
    original = message.get("referenced_message")
    if original and original["author"]["id"] != world.bot:
        hidden["referenced_message"] = original | hidden
    return message | hidden


def tell(world: World, event: str, message: Message) -> None:
    """An event of a message: ephemeral ones have none, and the bot hears only of channels that it sees."""
    place = world.channels[message.channel]
    if message.to or not world.may(world.bot, place):
        return
    data: Json = {"id": message.id, "channel_id": place.id}
    if event == "MESSAGE_DELETE":
        data |= {"guild_id": place.guild} if place.guild else {}
    else:
        data = payloads.message(world, message, event=True)
    emit(world, event, data, place.guild)


def post(world: World, message: Message, allowed: Json | None = None) -> None:
    """Put a new message in its channel; `allowed` are its allowed mentions, None for the default: all."""
    place = world.channels[message.channel]
    world.all_messages[message.id] = message
    place.messages.append(message.id)
    _call(world, message, place, allowed)
    _see(world, message)
    tell(world, "MESSAGE_CREATE", message)


def change(world: World, message: Message, allowed: Json | None = None, *, marked: bool = True) -> None:
    """Tell that a message shows something else now; `marked` as edited, unless it only stops to load."""
    if marked:
        message.edited = datetime.now(UTC).isoformat()
    _call(world, message, world.channels[message.channel], allowed)
    _see(world, message)
    tell(world, "MESSAGE_UPDATE", message)


def remove(world: World, message: Message, *, told: bool = True) -> None:
    """Take a message away; `told` in an event of its own."""
    place = world.channels[message.channel]
    place.messages.remove(message.id)
    del world.all_messages[message.id]
    world.history[message.id].append(View(time.monotonic(), None))
    if told:
        tell(world, "MESSAGE_DELETE", message)


def remove_channel(world: World, place: Channel) -> None:
    """The channel is gone, with its threads and messages."""
    for thread in [other for other in world.channels.values() if other.parent == place.id]:
        remove_channel(world, thread)
    told = payloads.channel(world, place)
    event = "THREAD_DELETE" if place.parent else "CHANNEL_DELETE"
    for message_id in place.messages:
        del world.all_messages[message_id]
        world.history[message_id].append(View(time.monotonic(), None))
    del world.channels[place.id]
    if place.kind != DIRECT:
        emit(world, event, told, place.guild)


def links(text: str) -> list[str]:
    """The urls of which Discord shows a preview: those outside of code and of angle brackets."""
    return list(dict.fromkeys(_LINK.findall(_CODE.sub("", text))))


def _see(world: World, message: Message) -> None:
    shown = payloads.text(message)
    world.history.setdefault(message.id, []).append(View(time.monotonic(), shown, sources(shown)))
    hidden = message.flags & (SUPPRESS_EMBEDS | LOADING)
    if message.author == world.bot and not hidden and _may_call(world, message, "embed_links"):
        known = {url for at, url in world.previews if at == message.id}
        world.previews += [(message.id, url) for url in links(message.content) if url not in known]


def _call(world: World, message: Message, place: Channel, allowed: Json | None) -> None:
    """Find out whom the text mentions and may mention. What an edit mentions is noted too, though it rings nobody."""
    parse: Sequence[str] = ("everyone", "users", "roles") if allowed is None else allowed.get("parse", ())
    some = allowed or {}
    plain = _CODE.sub("", payloads.text(message))
    people = [one for one in _USER.findall(plain) if "users" in parse or one in some.get("users", ())]
    roles = [one for one in _ROLE.findall(plain) if "roles" in parse or one in some.get("roles", ())]
    original = world.all_messages.get(message.reference or "")
    if original and (allowed is None or some.get("replied_user")):
        people.append(original.author)
    loud = "everyone" in parse and _may_call(world, message, "mention_everyone")
    all_of_them = _ALL.findall(plain) if loud else []
    message.users = [one for one in dict.fromkeys(people) if one in world.users]
    known_roles = world.guilds[place.guild].roles if place.guild else {}
    message.roles = [one for one in dict.fromkeys(roles) if one in known_roles]
    message.everyone = bool(all_of_them)
    if message.author == world.bot and not message.flags & EPHEMERAL:
        called = [(message.id, one) for one in (*message.users, *message.roles, *dict.fromkeys(all_of_them))]
        world.pings += [one for one in called if one not in world.pings]


def _may_call(world: World, message: Message, permission: str) -> bool:
    return world.may(message.author, world.channels[message.channel], permission)
