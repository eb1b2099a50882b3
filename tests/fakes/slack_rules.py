"""The rules by which Slack refuses a message or a modal, and how many calls it takes."""

import math
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, cast

from fakes.slack_blocks import Json

UPDATE_TEXT = 4_000
POST_TEXT = 40_000
MARKDOWN = 12_000
ALL_BLOCKS = 13_200


class Refused(Exception):  # noqa: N818  # it is Slack's answer, and no fault of the fake
    """Slack's answer is `ok: false` with this code."""

    def __init__(self, code: str, *reasons: str, **more: str) -> None:
        super().__init__(code)
        self.body: Json = {"ok": False, "error": code, **more}
        if reasons:
            self.body["errors"] = list(reasons)
            self.body["response_metadata"] = {"messages": [f"[ERROR] {reason}" for reason in reasons]}


@dataclass
class Rates:
    """Counts calls: so many in any 60 s, or a bucket that refills at that pace up to a burst."""

    _calls: dict[tuple[str, str], deque[float]] = field(default_factory=dict[tuple[str, str], deque[float]])
    _buckets: dict[tuple[str, str], tuple[float, float]] = field(
        default_factory=dict[tuple[str, str], tuple[float, float]]
    )

    def wait(self, method: str, scope: str, per_minute: int, burst: int | None = None) -> int:
        """Whole seconds after which the call may come again, 0 if it is taken now."""
        now, key = time.monotonic(), (method, scope)
        if burst is not None:
            tokens, at = self._buckets.get(key, (float(burst), now))
            tokens = min(burst, tokens + (now - at) * per_minute / 60)
            taken = tokens >= 1
            self._buckets[key] = (tokens - taken, now)
            return 0 if taken else max(1, math.ceil((1 - tokens) * 60 / per_minute))
        calls = self._calls.setdefault(key, deque())
        while calls and calls[0] <= now - 60:
            calls.popleft()
        if len(calls) >= per_minute:
            return max(1, math.ceil(60 - (now - calls[0]))) if calls else 60
        calls.append(now)
        return 0


def check_message(text: str, blocks: list[Json]) -> None:
    """Raises `Refused` for a message that Slack does not take."""
    if not text.strip() and not blocks:
        raise Refused("no_text")
    _check_blocks(blocks, 50, _IN_MESSAGES)
    size = sum(map(len, _all_texts(blocks)))
    if size > ALL_BLOCKS:
        raise Refused("msg_blocks_too_long", f"the blocks hold {size} characters, more than {ALL_BLOCKS}")


def check_view(view: Json) -> None:
    """Raises `Refused` for a modal that Slack does not take."""
    faults: list[str] = []
    if view.get("type") != "modal":
        faults.append("view type must be modal [json-pointer:/view/type]")
    _text(view.get("title"), 24, "/view/title", faults, plain=True)
    for name in ("submit", "close"):
        if name in view:
            _text(view[name], 24, f"/view/{name}", faults, plain=True)
    _length(view.get("private_metadata", ""), 3_000, "/view/private_metadata", faults)
    _length(view.get("callback_id", ""), 255, "/view/callback_id", faults)
    blocks: Any = view.get("blocks")
    if not isinstance(blocks, list):
        faults.append("missing required field: blocks [json-pointer:/view]")
    elif any(block.get("type") == "input" for block in cast(list[Json], blocks)) and "submit" not in view:
        faults.append("a submit button is required when there are input blocks [json-pointer:/view/submit]")
    if faults:
        raise Refused("invalid_arguments", *faults)
    _check_blocks(cast(list[Json], blocks), 100, _IN_VIEWS)
    if len(str(view)) > 250_000:
        raise Refused("view_too_large")


_BOTH = {"section", "header", "context", "actions", "divider", "image", "input", "rich_text", "video", "table"}
_IN_MESSAGES = _BOTH | {"markdown", "context_actions", "task_card", "plan", "file"}
_IN_VIEWS = _BOTH
_INPUTS = {"plain_text_input", "static_select", "radio_buttons", "checkboxes", "file_input", "users_select"}
_ACTIONS = {"button", "static_select", "radio_buttons", "checkboxes", "overflow", "users_select"}
_ELEMENTS = {
    "actions": (25, _ACTIONS),
    "context": (10, {"mrkdwn", "plain_text", "image"}),
    "context_actions": (5, {"feedback_buttons", "icon_button"}),
}


def _check_blocks(blocks: list[Json], most: int, known: set[str]) -> None:
    faults: list[str] = []
    if len(blocks) > most:
        faults.append(f"no more than {most} items allowed [json-pointer:/blocks]")
    ids = Counter(block["block_id"] for block in blocks if block.get("block_id"))
    faults += [f"`block_id` must be unique: {name} [json-pointer:/blocks]" for name, n in ids.items() if n > 1]
    for n, block in enumerate(blocks):
        at = f"/blocks/{n}"
        _length(block.get("block_id", ""), 255, f"{at}/block_id", faults)
        if block.get("type") not in known:
            faults.append(f"unsupported type: {block.get('type')} [json-pointer:{at}/type]")
        else:
            _check_block(block, at, known is _IN_VIEWS, faults)
    if sum(len(block["text"]) for block in blocks if block.get("type") == "markdown" and not faults) > MARKDOWN:
        faults.append(f"markdown blocks must be less than {MARKDOWN + 1} characters together [json-pointer:/blocks]")
    if faults:
        raise Refused("invalid_blocks", *faults)


def _check_block(block: Json, at: str, in_view: bool, faults: list[str]) -> None:
    match block["type"]:
        case "markdown":
            if not isinstance(block.get("text"), str) or not block["text"]:
                faults.append(f"missing required field: text [json-pointer:{at}]")
                block["text"] = ""
            _length(block["text"], MARKDOWN, f"{at}/text", faults)
        case "header":
            _text(block.get("text"), 150, f"{at}/text", faults, plain=True)
        case "section":
            if "text" in block:
                _text(block["text"], 3_000, f"{at}/text", faults)
            elif not block.get("fields"):
                faults.append(f"missing required field: text or fields [json-pointer:{at}]")
            for n, text in enumerate(block.get("fields", [])):
                _text(text, 2_000, f"{at}/fields/{n}", faults)
            if "accessory" in block:
                _element(block["accessory"], f"{at}/accessory", _ACTIONS | {"image"}, faults)
        case "input":
            _text(block.get("label"), 2_000, f"{at}/label", faults, plain=True)
            _element(
                block.get("element"), f"{at}/element", _INPUTS - ({"file_input"} if not in_view else set()), faults
            )
        case "rich_text":
            if not isinstance(block.get("elements"), list):
                faults.append(f"missing required field: elements [json-pointer:{at}]")
        case "context" | "actions" | "context_actions":
            most, allowed = _ELEMENTS[block["type"]]
            elements = cast(list[Json], block.get("elements") or [])
            if not 1 <= len(elements) <= most:
                faults.append(f"must have 1 to {most} items [json-pointer:{at}/elements]")
            for n, element in enumerate(elements):
                _element(element, f"{at}/elements/{n}", allowed, faults)
            ids = [element.get("action_id") for element in elements if element.get("action_id")]
            if len(ids) != len(set(ids)):
                faults.append(f"`action_id` must be unique in a block [json-pointer:{at}/elements]")
        case _:
            pass


def _element(element: Any, at: str, allowed: set[str], faults: list[str]) -> None:
    if not isinstance(element, dict) or cast(Json, element).get("type") not in allowed:
        faults.append(f"unsupported or missing element, must be of {sorted(allowed)} [json-pointer:{at}]")
        return
    fields = cast(Json, element)
    _length(fields.get("action_id", ""), 255, f"{at}/action_id", faults)
    match fields["type"]:
        case "mrkdwn" | "plain_text":
            _text(fields, 3_000, at, faults)
        case "button":
            _text(fields.get("text"), 75, f"{at}/text", faults, plain=True)
            _length(fields.get("value", ""), 2_000, f"{at}/value", faults)
            _length(fields.get("url", ""), 3_000, f"{at}/url", faults)
            if fields.get("style", "primary") not in ("primary", "danger"):
                faults.append(f"style must be primary or danger [json-pointer:{at}/style]")
        case "feedback_buttons":
            for side in ("positive_button", "negative_button"):
                button = cast(Json, fields.get(side) or {})
                _text(button.get("text"), 75, f"{at}/{side}/text", faults, plain=True)
                if not button.get("value"):
                    faults.append(f"missing required field: value [json-pointer:{at}/{side}]")
                _length(button.get("value", ""), 2_000, f"{at}/{side}/value", faults)
        case "static_select" | "radio_buttons" | "checkboxes" | "overflow":
            options = cast(list[Json], fields.get("options") or [])
            if not 1 <= len(options) <= (100 if fields["type"] == "static_select" else 10):
                faults.append(f"too few or too many options [json-pointer:{at}/options]")
            for n, option in enumerate(options):
                _text(option.get("text"), 75, f"{at}/options/{n}/text", faults)
                _length(option.get("value", ""), 150, f"{at}/options/{n}/value", faults)
            initial = [
                *fields.get("initial_options", []),
                *([fields["initial_option"]] if "initial_option" in fields else []),
            ]
            if any(option not in options for option in initial):
                faults.append(f"the initial option must be one of the options [json-pointer:{at}]")
        case "file_input":
            if not 1 <= fields.get("max_files", 10) <= 10:
                faults.append(f"max_files must be 1 to 10 [json-pointer:{at}/max_files]")
        case _:
            pass


def _text(text: Any, most: int, at: str, faults: list[str], *, plain: bool = False) -> None:
    fields = cast(Json, text) if isinstance(text, dict) else {}
    kinds = ("plain_text",) if plain else ("plain_text", "mrkdwn")
    if fields.get("type") not in kinds or not isinstance(fields.get("text"), str):
        faults.append(f"must be a text object of type {' or '.join(kinds)} [json-pointer:{at}]")
    elif not fields["text"]:
        faults.append(f"must be more than 0 characters [json-pointer:{at}/text]")
    else:
        _length(fields["text"], most, f"{at}/text", faults)


def _length(text: Any, most: int, at: str, faults: list[str]) -> None:
    if not isinstance(text, str):
        faults.append(f"must be a string [json-pointer:{at}]")
    elif len(text) > most:
        faults.append(f"must be less than {most + 1} characters [json-pointer:{at}]")


def _all_texts(node: Any) -> list[str]:
    if isinstance(node, list):
        return [text for each in cast(list[Any], node) for text in _all_texts(each)]
    if isinstance(node, dict):
        fields = cast(Json, node)
        own = [fields["text"]] if isinstance(fields.get("text"), str) else []
        return own + [text for each in fields.values() for text in _all_texts(each)]
    return []
