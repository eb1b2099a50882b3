"""What Discord takes and what it refuses."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from fakes import discord_payloads as payloads
from fakes.discord_state import COMPONENTS_V2, Json

CONTENT, DESCRIPTION, EMBEDS, EMBEDDED, FILES, FILE_BYTES = 2000, 4096, 10, 6000, 10, 10 * 1024 * 1024
ROWS, BUTTONS, LABEL, CUSTOM_ID, COMPONENTS, COMPONENT_TEXT = 5, 5, 80, 100, 40, 4000
_TOP_V1, _TOP_V2 = {1}, {1, 9, 10, 12, 13, 14, 17}
_LINK_STYLE = 5


@dataclass
class Refused(Exception):  # noqa: N818  # it is Discord's answer, and no fault of the fake
    """An answer that is an error: HTTP status, Discord's code, its words, and where in the body it lies."""

    status: int
    code: int
    message: str
    errors: Json = field(default_factory=dict[str, Any])
    retry_after: float | None = None


def unknown(what: str, code: int) -> Refused:
    return Refused(404, code, f"Unknown {what}")


def missing(*, access: bool = False) -> Refused:
    return Refused(403, 50001, "Missing Access") if access else Refused(403, 50013, "Missing Permissions")


def invalid(where: str, why: str) -> Refused:
    """The body is malformed at a dotted place."""
    errors: Json = {"_errors": [{"code": "BASE_TYPE_INVALID", "message": why}]}
    for name in reversed(where.split(".")):
        errors = {name: errors}
    return Refused(400, 50035, "Invalid Form Body", errors)


def longest(where: str, text: object, most: int, least: int = 0) -> str:
    """The text, if it has its right length."""
    if not isinstance(text, str):
        raise invalid(where, "Must be a string.")
    if not least <= len(text) <= most:
        between = f"Must be between {least} and {most} in length."
        raise invalid(where, between if least else f"Must be {most} or fewer in length.")
    return text


def check_embeds(embeds: list[Json]) -> None:
    if len(embeds) > EMBEDS:
        raise invalid("embeds", f"Must be {EMBEDS} or fewer in length.")
    total = 0
    for n, embed in enumerate(embeds):
        fields: list[Json] = embed.get("fields", [])
        if len(fields) > 25:
            raise invalid(f"embeds.{n}.fields", "Must be 25 or fewer in length.")
        parts = [("title", embed.get("title", ""), 256), ("description", embed.get("description", ""), DESCRIPTION)]
        parts += [("footer", embed.get("footer", {}).get("text", ""), 2048)]
        parts += [("author", embed.get("author", {}).get("name", ""), 256)]
        for one in fields:
            parts += [("fields", one.get("name", ""), 256), ("fields", one.get("value", ""), 1024)]
        total += sum(len(longest(f"embeds.{n}.{name}", text, most)) for name, text, most in parts)
    if total > EMBEDDED:
        raise invalid("embeds", f"Embed size exceeds maximum size of {EMBEDDED}")


def check_components(components: list[Json], *, v2: bool) -> None:
    """Rows and buttons of a message. Raises `Refused`."""
    all_of_them = payloads.inside(components)
    for n, one in enumerate(components):
        if one.get("type") not in (_TOP_V2 if v2 else _TOP_V1):
            raise invalid(f"components.{n}", "Component type cannot be used here.")
    if not v2 and len(components) > ROWS:
        raise invalid("components", f"Must be between 1 and {ROWS} in length.")
    if len(all_of_them) > COMPONENTS:
        raise invalid("components", f"Must have {COMPONENTS} or fewer components in total.")
    if sum(len(one["content"]) for one in all_of_them if one["type"] == 10) > COMPONENT_TEXT:
        raise invalid("components", f"Displayable text must be {COMPONENT_TEXT} or fewer in length.")
    ids = [one["custom_id"] for one in all_of_them if "custom_id" in one]
    if len(set(ids)) < len(ids):
        raise invalid("components", "Component custom id cannot be duplicated")
    for one in all_of_them:
        match one["type"]:
            case 1:
                _check_row(one)
            case 2:
                _check_button(one)
            case kind if kind in {3, 4, 5, 6, 7, 8}:
                longest("custom_id", one.get("custom_id"), CUSTOM_ID, 1)
            case _:
                pass


def _check_row(row: Json) -> None:
    within: list[Json] = row.get("components", [])
    menus = sum(one["type"] != 2 for one in within)
    if not 1 <= len(within) <= BUTTONS or (menus and len(within) > 1):
        raise invalid("components", f"A row has between 1 and {BUTTONS} buttons, or one select.")


def _check_button(button: Json) -> None:
    longest("label", button.get("label") or "", LABEL)
    if not (button.get("label") or button.get("emoji")):
        raise invalid("label", "A button has a label or an emoji.")
    if button.get("style") == _LINK_STYLE:
        if "custom_id" in button or not str(button.get("url", "")).startswith(("https://", "http://", "discord://")):
            raise invalid("url", "A link button has an url and no custom id.")
    elif button.get("style") in {1, 2, 3, 4}:
        longest("custom_id", button.get("custom_id"), CUSTOM_ID, 1)
    else:
        raise invalid("style", "Value must be one of (1, 2, 3, 4, 5).")


def check_mentions(allowed: object) -> Json | None:
    """The allowed mentions of a body, None if it has none: then everything is parsed."""
    if allowed is None:
        return None
    if not isinstance(allowed, dict):
        raise invalid("allowed_mentions", "Must be an object.")
    rules = cast(Json, allowed)
    parse: list[str] = rules.get("parse", [])
    if not set(parse) <= {"roles", "users", "everyone"}:
        raise invalid("allowed_mentions.parse", "Value must be one of ('roles', 'users', 'everyone').")
    for name in ("users", "roles"):
        if name in parse and rules.get(name):
            raise invalid("allowed_mentions", f"parse:[{name!r}] and {name}: [ids...] are mutually exclusive.")
    return rules | {name: [str(one) for one in rules.get(name, ())] for name in ("users", "roles")}


def check_shown(content: str, embeds: list[Json], components: list[Json], files: Sequence[object], flags: int) -> None:
    """Whether a whole message is one that Discord shows. Raises `Refused`."""
    longest("content", content, CONTENT)
    check_embeds(embeds)
    v2 = bool(flags & COMPONENTS_V2)
    check_components(components, v2=v2)
    if v2 and (content or embeds):
        raise invalid("flags", "The 'content' and 'embeds' fields cannot be used with components V2.")
    if len(files) > FILES:
        raise invalid("attachments", f"Must be {FILES} or fewer in length.")
    if not (content or embeds or files or (v2 and components)):
        raise Refused(400, 50006, "Cannot send an empty message")


def check_modal(modal: Json) -> None:
    longest("custom_id", modal.get("custom_id"), CUSTOM_ID, 1)
    longest("title", modal.get("title"), 45, 1)
    components: list[Json] = modal.get("components", [])
    if not 1 <= len(components) <= 5:
        raise invalid("components", "Must be between 1 and 5 in length.")
    for one in payloads.inside(components):
        match one["type"]:
            case 18:
                longest("components.label", one.get("label"), 45, 1)
                longest("components.description", one.get("description") or "", 100)
            case 19:
                if not 1 <= (one.get("max_values") or 1) <= 10:
                    raise invalid("components.max_values", "int value should be between 1 and 10.")
                longest("components.custom_id", one.get("custom_id"), CUSTOM_ID, 1)
            case 4:
                longest("components.custom_id", one.get("custom_id"), CUSTOM_ID, 1)
                longest("components.placeholder", one.get("placeholder") or "", 100)
            case 1 | 3 | 5 | 6 | 7 | 8 | 10 | 21 | 22 | 23:
                pass
            case _:
                raise invalid("components", "Component type cannot be used in a modal.")
