"""What Slack's markup and blocks show to a person."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

Json = dict[str, Any]

_MARKUP = re.compile(r"<([^<>\n]+)>")
_BOLD = re.compile(r"\*[^*]+\*")
_LINK = re.compile(r"https?://[^\s<>|)\]]+")


@dataclass(frozen=True, slots=True)
class Button:
    """Something to click: `value` is what the app gets, `element` and `block` where it stands."""

    label: str
    value: str
    element: Json
    block: Json


def shown(text: str, blocks: Sequence[Json], names: Mapping[str, str]) -> str:
    """The text of a message as a person reads it: from the blocks if there are any, without the sources below."""
    if not blocks:
        return _read(text, names)
    return everything(_above(blocks), names)


def everything(blocks: Iterable[Json], names: Mapping[str, str]) -> str:
    """The texts of all blocks, one below the other."""
    parts = [part for block in blocks for part in _lines(block, names)]
    return "\n".join(part for part in parts if part)


def sources_of(blocks: Sequence[Json], names: Mapping[str, str]) -> tuple[str, ...]:
    """The lines of the context blocks that follow the answer; a line in bold is their heading."""
    below = [block for block in blocks[_start(blocks) :] if block["type"] == "context"]
    lines = [line for block in below for part in _lines(block, names) for line in part.splitlines()]
    return tuple(line for line in lines if line and not _BOLD.fullmatch(line))


def _above(blocks: Sequence[Json]) -> list[Json]:
    start = _start(blocks)
    return [block for n, block in enumerate(blocks) if block["type"] != "context" or n < start]


def _start(blocks: Sequence[Json]) -> int:
    """Where the answer begins: a context block before it belongs to it."""
    kinds = ("markdown", "section", "rich_text", "header")
    return next((n for n, block in enumerate(blocks) if block["type"] in kinds), len(blocks))


def buttons_of(blocks: Iterable[Json]) -> list[Button]:
    """All buttons in the order of the blocks; a pair of feedback buttons counts as two."""
    found: list[Button] = []
    for block in blocks:
        elements = [*cast(list[Json], block.get("elements", [])), cast(Json, block.get("accessory", {}))]
        for element in elements:
            if element.get("type") == "button":
                found.append(Button(element["text"]["text"], str(element.get("value", "")), element, block))
            elif element.get("type") == "feedback_buttons":
                sides = [element["positive_button"], element["negative_button"]]
                found += [Button(side["text"]["text"], side["value"], element, block) for side in sides]
    return found


def pings_in(text: str, blocks: Sequence[Json]) -> Iterator[tuple[str, str]]:
    """What Slack's parser makes of a bot's message: ("ping", "<!here>") for each call to people or a channel, and
    ("link", address)."""
    for part in (text, *texts_in(blocks)):
        for markup in _MARKUP.findall(part):
            if markup.startswith(("!", "@")) and not markup.startswith("!date"):
                yield "ping", f"<{markup}>"
        for address in _LINK.findall(part):
            yield "link", address


def texts_in(node: object) -> Iterator[str]:
    """Every text that blocks hold, plain texts left out: Slack does not parse those."""
    if isinstance(node, list):
        for each in cast(list[object], node):
            yield from texts_in(each)
    elif isinstance(node, dict):
        fields = cast(Json, node)
        if fields.get("type") in ("mrkdwn", "markdown") and isinstance(fields.get("text"), str):
            yield fields["text"]
        elif fields.get("type") == "link":
            yield f"<{fields['url']}>"
        elif fields.get("type") == "user":
            yield f"<@{fields['user_id']}>"
        elif fields.get("type") == "broadcast":
            yield f"<!{fields['range']}>"
        for each in fields.values():
            if isinstance(each, (dict, list)):
                yield from texts_in(cast(object, each))


def _lines(block: Json, names: Mapping[str, str]) -> list[str]:
    """The texts of one block, buttons left out."""
    match block["type"]:
        case "markdown":
            return [_read(block["text"], names)]
        case "header":
            return [html.unescape(block["text"]["text"])]
        case "section":
            texts = [block["text"]] if "text" in block else []
            return [_object(text, names) for text in [*texts, *block.get("fields", [])]]
        case "context":
            return [_object(element, names) for element in block["elements"] if "text" in element]
        case "rich_text":
            return [_rich(element, names) for element in block["elements"]]
        case "input":
            return [block["label"]["text"]]
        case _:
            return []


def _object(text: Json, names: Mapping[str, str]) -> str:
    return _read(text["text"], names) if text["type"] == "mrkdwn" else html.unescape(text["text"])


def _rich(element: Json, names: Mapping[str, str]) -> str:
    match element["type"]:
        case "text":
            return element["text"]
        case "link":
            return element.get("text") or element["url"]
        case "user":
            return "@" + names.get(element["user_id"], element["user_id"])
        case "broadcast":
            return "@" + element["range"]
        case "emoji":
            return f":{element['name']}:"
        case "rich_text_list":
            return "\n".join("• " + _rich(each, names) for each in element["elements"])
        case _:
            return "".join(_rich(each, names) for each in element.get("elements", []))


def _read(text: str, names: Mapping[str, str]) -> str:
    return html.unescape(_MARKUP.sub(lambda match: _name(match[1], names), text))


def _name(markup: str, names: Mapping[str, str]) -> str:
    target, _, label = markup.partition("|")
    match target[0]:
        case "@":
            return "@" + (label or names.get(target[1:], target[1:]))
        case "!":
            return "@" + (label or target[1:])
        case "#":
            return "#" + (label or names.get(target[1:], target[1:]))
        case _:
            return label or target if "://" in target or ":" in target else f"<{markup}>"
