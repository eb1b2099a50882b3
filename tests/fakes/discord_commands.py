"""Application commands: what Discord takes as one, to whom it is offered, and how its options are filled in."""

import re
from collections.abc import Mapping, Sequence

import discord

from fakes.discord_rules import Refused, invalid, longest
from fakes.discord_state import Channel, Json, World

CHAT, USER, MESSAGE = 1, 2, 3
STRING, INTEGER, BOOLEAN, ATTACHMENT, NUMBER = 3, 4, 5, 11, 10
_NAME = re.compile(r"[-_'\w\u0900-\u097f\u0e00-\u0e7f]{1,32}")
_LOCALES = {str(locale) for locale in discord.Locale}
_TYPES: dict[int, tuple[type, ...]] = {
    STRING: (str,),
    INTEGER: (int,),
    BOOLEAN: (bool,),
    NUMBER: (int, float),
    ATTACHMENT: (str,),
}


def check_commands(commands: Sequence[Json]) -> None:
    """Whether Discord takes all of them. Raises `Refused`, whose errors say which it does not take."""
    for kind, most in ((CHAT, 100), (USER, 5), (MESSAGE, 5)):
        if sum(command.get("type", CHAT) == kind for command in commands) > most:
            raise Refused(400, 30032, f"Maximum number of application commands reached ({most}).")
    names = [(command.get("type", CHAT), command["name"]) for command in commands]
    for n, command in enumerate(commands):
        if names.index(names[n]) < n:
            raise invalid(f"{n}.name", "Application command names must be unique")
        if command.get("type", CHAT) == CHAT:
            _check_chat(str(n), command)
        else:
            told: dict[str, str] = command.get("name_localizations") or {}
            for name in (command["name"], *told.values()):
                longest(f"{n}.name", name, 32, 1)
            if command.get("description") or command.get("options"):
                raise invalid(f"{n}.description", "Context menu commands have neither description nor options")


def _check_chat(where: str, command: Json) -> None:
    for part, least, most in (("name", 1, 32), ("description", 1, 100)):
        told: dict[str, str] = command.get(f"{part}_localizations") or {}
        if not set(told) <= _LOCALES:
            raise invalid(f"{where}.{part}_localizations", f"Unknown locale in {sorted(told)}")
        for text in (command.get(part), *told.values()):
            longest(f"{where}.{part}", text, most, least)
            if part == "name" and (not _NAME.fullmatch(str(text)) or str(text) != str(text).lower()):
                raise invalid(f"{where}.name", "Command name is invalid")
    options: list[Json] = command.get("options") or []
    if len(options) > 25:
        raise invalid(f"{where}.options", "Must be 25 or fewer in length.")
    needs = [bool(option.get("required")) for option in options]
    if needs != sorted(needs, reverse=True):
        raise invalid(f"{where}.options", "Required options must be placed before non-required options")
    if len({option["name"] for option in options}) < len(options):
        raise invalid(f"{where}.options", "Option names must be unique")
    for n, option in enumerate(options):
        _check_chat(f"{where}.options.{n}", option)
        choices: list[Json] = option.get("choices") or []
        if len(choices) > 25 or (choices and option.get("autocomplete")):
            raise invalid(f"{where}.options.{n}.choices", "Must be 25 or fewer, and none with autocomplete.")
        for choice in choices:
            longest(f"{where}.options.{n}.choices", choice["name"], 100, 1)


def store(world: World, guild: str | None, commands: Sequence[Json]) -> list[Json]:
    """Overwrite all commands of a guild, or the global ones. One that was there before keeps its id."""
    check_commands(commands)
    ids = {(old["type"], old["name"]): old["id"] for old in world.commands.get(guild, ())}
    world.commands[guild] = []
    for command in commands:
        kind = command.get("type", CHAT)
        told: Json = {"description": "", "default_member_permissions": None, "nsfw": False} | command
        told |= {"type": kind, "id": ids.get((kind, command["name"])) or world.new_id()}
        told |= {"application_id": world.application, "version": world.new_id()}
        world.commands[guild].append(told | ({"guild_id": guild} if guild else {}))
    world.syncs += 1
    return world.commands[guild]


def offered(world: World, name: str, kind: int, user: str, place: Channel) -> Json:
    """The command that a person finds by its name, in the channel.

    Raises `LookupError` when there is none, and `PermissionError` when it is there, but not for this person or place.
    """
    known = [*world.commands.get(place.guild, ()), *(world.commands.get(None, ()) if place.guild else ())]
    command = next((one for one in known if (one["type"], one["name"]) == (kind, name)), None)
    if command is None:
        raise LookupError(f"no command {name!r} of type {kind} here; synced are {[one['name'] for one in known]}")
    contexts: list[int] | None = command.get("contexts")
    here = 0 if place.guild else 1
    if (contexts is not None and here not in contexts) or (not place.guild and command.get("dm_permission") is False):
        raise PermissionError(f"{name!r} is not offered in {'guilds' if place.guild else 'direct messages'}")
    needed = command["default_member_permissions"]
    if place.guild and needed is not None and name not in world.open_commands:
        held = world.permissions(user, place)
        if held & int(needed) != int(needed) or (int(needed) == 0 and not held & discord.Permissions(8).value):
            raise PermissionError(f"{name!r} is not offered to {world.users[user].name}: its default permissions")
    if place.guild and not world.may(user, place, "use_application_commands"):
        raise PermissionError(f"{world.users[user].name} may not use commands in {place.name!r}")
    return command


def fill(command: Json, values: Mapping[str, object], *, focused: str | None = None) -> list[Json]:
    """The options of an interaction, checked as Discord's own window does. Raises `ValueError` for a value that a
    person could not have entered."""
    known: dict[str, Json] = {option["name"]: option for option in command.get("options") or ()}
    if unknown := set(values) - set(known):
        raise ValueError(f"{command['name']!r} has no options {sorted(unknown)}, only {sorted(known)}")
    if focused is None:
        for name, option in known.items():
            if option.get("required") and name not in values:
                raise ValueError(f"{command['name']!r} needs the option {name!r}")
    return [_filled(known[name], value, focused == name) for name, value in values.items()]


def _filled(option: Json, value: object, focused: bool) -> Json:
    name, kind = option["name"], option["type"]
    if kind not in _TYPES:
        raise ValueError(
            f"option {name!r} has type {kind}, which this local Discord does not fill in: add it to `fill`"
        )
    expected = _TYPES[kind]
    if not isinstance(value, expected) or (isinstance(value, bool) and kind != BOOLEAN):
        raise ValueError(f"option {name!r} takes {expected}, not {value!r}")
    if isinstance(value, str) and kind == STRING and not focused:
        least, most = option.get("min_length", 0), option.get("max_length", 6000)
        if not least <= len(value) <= most:
            raise ValueError(f"option {name!r} takes {least} to {most} characters, not {len(value)}")
    choices = [choice["value"] for choice in option.get("choices") or ()]
    if choices and value not in choices:
        raise ValueError(f"option {name!r} takes one of {choices}, not {value!r}")
    return {"name": name, "type": kind, "value": value} | ({"focused": True} if focused else {})
