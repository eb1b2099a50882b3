"""What people do: they write, edit and delete, use commands, press buttons, fill in windows."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from fakes import discord_commands as commands
from fakes import discord_events as events
from fakes import discord_payloads as payloads
from fakes.discord_messages import attach
from fakes.discord_reading import label
from fakes.discord_state import (
    DIRECT,
    REPLY,
    Channel,
    File,
    Interaction,
    Json,
    Message,
    World,
)


@dataclass(frozen=True, slots=True)
class Modal:
    """A window as its person sees it: title, all its text, and its fields' custom ids by label."""

    interaction: Interaction
    title: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


def say(
    world: World, channel: str, user: str, text: str, *, mention: bool, reply_to: str | None, files: Sequence[File]
) -> str:
    """A person's message; returns its id. Raises `PermissionError` where the person may not write."""
    place = world.channels[channel]
    if not world.may(user, place, world.writing(place)):
        raise PermissionError(f"{world.users[user].name} may not write in {place.name!r}")
    named = mention and place.kind != DIRECT and reply_to is None
    message = Message(world.new_id(), channel, user, f"<@{world.bot}> {text}" if named else text)
    message.attachments = attach(world, channel, files)
    message.reference, message.kind = reply_to, REPLY if reply_to else 0
    if place.parent and user not in place.people:
        place.people.append(user)
    events.post(world, message, {"parse": ["users", "roles", "everyone"], "replied_user": mention})
    if links := events.links(text):
        # The preview comes as an update that nobody wrote: its `edited_timestamp` stays empty.
        message.embeds = [{"type": "link", "url": url} for url in links]
        events.tell(world, "MESSAGE_UPDATE", message)
    return message.id


def edit(world: World, channel: str, message_id: str, text: str) -> None:
    """The author writes the message anew; a mention of the bot at its begin stays."""
    message = written(world, channel, message_id)
    mention = f"<@{world.bot}> "
    kept = mention if message.content.startswith(mention) else ""
    message.content = kept + text
    replied = message.reference in world.all_messages and bool(message.users)
    events.change(world, message, {"parse": ["users", "roles", "everyone"], "replied_user": replied})


def delete(world: World, channel: str, message_id: str) -> None:
    events.remove(world, written(world, channel, message_id))


def purge(world: World, channel: str, message_ids: Sequence[str]) -> None:
    """Many messages are deleted at once, and told in one event."""
    place = world.channels[channel]
    for message_id in message_ids:
        events.remove(world, written(world, channel, message_id), told=False)
    told: Json = {"ids": list(message_ids), "channel_id": channel} | ({"guild_id": place.guild} if place.guild else {})
    events.emit(world, "MESSAGE_DELETE_BULK", told, place.guild)


def written(world: World, channel: str, message_id: str) -> Message:
    """A message that is in the channel. Raises `LookupError`."""
    message = world.all_messages.get(message_id)
    if message is None or message.channel != channel:
        raise LookupError(f"no message {message_id} in {world.channels[channel].name or 'the direct messages'!r}")
    return message


def slash(
    world: World, name: str, user: str, channel: str, values: Mapping[str, object], attachments: Mapping[str, File]
) -> Interaction:
    """A slash command as Discord's window lets a person enter it. Raises as `commands.offered` and `fill` do."""
    command = commands.offered(world, name, commands.CHAT, user, world.channels[channel])
    files = {option: attach(world, channel, [file], ephemeral=True)[0] for option, file in attachments.items()}
    told = {**values, **{option: one["id"] for option, one in files.items()}}
    data: Json = {"id": command["id"], "name": name, "type": commands.CHAT, "options": commands.fill(command, told)}
    if files:
        data["resolved"] = {"attachments": {one["id"]: one for one in files.values()}}
    return interact(world, 2, user, channel, _homed(data, command))


def context_menu(world: World, name: str, user: str, channel: str, message_id: str) -> Interaction:
    """A command of a message's menu."""
    command = commands.offered(world, name, commands.MESSAGE, user, world.channels[channel])
    told = payloads.message(world, written(world, channel, message_id))
    data: Json = {"id": command["id"], "name": name, "type": commands.MESSAGE, "target_id": message_id}
    return interact(world, 2, user, channel, _homed(data | {"resolved": {"messages": {message_id: told}}}, command))


def autocomplete(
    world: World, name: str, user: str, channel: str, option: str, typed: str, values: Mapping[str, object]
) -> Interaction:
    """What a person has typed so far into an option; the choices come with the answer."""
    command = commands.offered(world, name, commands.CHAT, user, world.channels[channel])
    if not any(one["name"] == option and one.get("autocomplete") for one in command["options"]):
        raise LookupError(f"option {option!r} of {name!r} does not autocomplete")
    filled = commands.fill(command, {**values, option: typed}, focused=option)
    data: Json = {"id": command["id"], "name": name, "type": commands.CHAT, "options": filled}
    return interact(world, 4, user, channel, _homed(data, command))


def click(world: World, message_id: str, wanted: str, user: str) -> Interaction:
    """Press the button of a label, an emoji or a custom id. Raises `LookupError` where the person sees none."""
    message = world.all_messages.get(message_id)
    if message is None or message.to not in (None, user):
        raise LookupError(f"{world.users[user].name} sees no message {message_id}")
    shown = [one for one in payloads.inside(message.components) if one["type"] == 2]
    for button in shown:
        if wanted in (label(button), button.get("custom_id")) and not button.get("disabled") and "custom_id" in button:
            data: Json = {"custom_id": button["custom_id"], "component_type": 2, "id": button.get("id", 0)}
            return interact(world, 3, user, message.channel, data, source=message_id)
    raise LookupError(f"no button {wanted!r}, only {[label(one) for one in shown]}")


def open_modal(world: World, user: str) -> Modal | None:
    """The window that a person has open: the last one that an answer opened and that was not sent off."""
    opened = [one for one in world.interactions.values() if one.user == user and one.modal]
    if not opened:
        return None
    shown: Json = opened[-1].modal or {}
    parts = payloads.inside(shown["components"])
    texts = [one.get("content") or one.get("label") or "" for one in parts]
    fields = {one["label"]: one["component"]["custom_id"] for one in parts if one["type"] == 18}
    fields |= {one["label"]: one["custom_id"] for one in parts if one["type"] == 4 and one.get("label")}
    return Modal(opened[-1], shown["title"], "\n".join(text for text in texts if text), fields)


def submit(world: World, modal: Modal, user: str, values: Mapping[str, object], files: Sequence[File]) -> Interaction:
    """Send a window off: values by label or custom id, files into its field for them.

    Raises `ValueError` for a field that is not there, and for one that is required and empty.
    """
    opened = modal.interaction
    if opened.user != user or opened.modal is None:
        raise LookupError(f"{world.users[user].name} has no such window open")
    given = {modal.fields.get(name, name): value for name, value in values.items()}
    kept = attach(world, opened.channel, files, ephemeral=True)
    ids = [one["id"] for one in kept]
    known = {one["custom_id"] for one in payloads.inside(opened.modal["components"]) if "custom_id" in one}
    if not set(given) <= known:
        raise ValueError(f"the window has no fields {sorted(set(given) - known)}, only {sorted(modal.fields)}")
    data: Json = {"custom_id": opened.modal["custom_id"]}
    data["components"] = [_filled(one, given, ids) for one in opened.modal["components"]]
    if kept:
        data["resolved"] = {"attachments": {one["id"]: one for one in kept}}
    opened.modal = None
    return interact(world, 5, user, opened.channel, data, source=opened.source)


def _filled(component: Json, given: Mapping[str, object], files: Sequence[str]) -> Json:
    told: Json = {"type": component["type"], "id": component.get("id", 0)}
    match component["type"]:
        case 1:
            return told | {"components": [_filled(one, given, files) for one in component["components"]]}
        case 18:
            return told | {"component": _filled(component["component"], given, files)}
        case 10:
            return told
        case _:
            pass
    name = component["custom_id"]
    value: object = given.get(name, component.get("value", component.get("default")))
    if component["type"] == 19:
        least, most = component.get("min_values") or 1, component.get("max_values") or 1
        if len(files) > most or (len(files) < least and (files or component.get("required", True))):
            raise ValueError(f"the window takes {least} to {most} files, not {len(files)}")
        return told | {"custom_id": name, "values": list(files)}
    if component.get("required", True) and value in (None, "") and component["type"] != 23:
        raise ValueError(f"the window's field {name!r} must be filled in")
    if component["type"] == 4:
        text = str(value or "")
        if not (component.get("min_length") or 0) <= len(text) <= (component.get("max_length") or 4000) and text:
            raise ValueError(f"the window's field {name!r} does not take {len(text)} characters")
        return told | {"custom_id": name, "value": text}
    if component["type"] in {21, 23}:
        return told | {"custom_id": name, "value": bool(value) if component["type"] == 23 else value}
    chosen = [value] if isinstance(value, str) else list(cast(Sequence[str], value or ()))
    return told | {"custom_id": name, "values": chosen}


def interact(world: World, kind: int, user: str, channel: str, data: Json, *, source: str | None = None) -> Interaction:
    """Dispatch an interaction to the bot."""
    made = Interaction(world.new_id(), secrets.token_urlsafe(48), kind, user, channel, data, source)
    world.interactions[made.id] = made
    place: Channel = world.channels[channel]
    events.emit(world, "INTERACTION_CREATE", payloads.interaction(world, made), place.guild)
    return made


def _homed(data: Json, command: Json) -> Json:
    return data | ({"guild_id": command["guild_id"]} if "guild_id" in command else {})
