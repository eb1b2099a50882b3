"""Modals: how the app opens them, and how a person fills them in."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from fakes.slack_blocks import buttons_of, everything
from fakes.slack_rules import Refused, check_view
from fakes.slack_world import Json, OpenView, World


@dataclass(frozen=True, slots=True)
class Modal:
    """What a person sees in an open modal; `errors` are the texts below its fields, by block."""

    id: str
    title: str
    text: str
    buttons: tuple[str, ...]
    submit: str
    errors: Mapping[str, str]
    blocks: int


def seen(world: World, opened: OpenView) -> Modal:
    view = opened.view
    return Modal(
        opened.id,
        view["title"]["text"],
        everything(view["blocks"], world.names),
        tuple(button.label for button in buttons_of(view["blocks"])),
        view.get("submit", {}).get("text", ""),
        opened.errors,
        len(view["blocks"]),
    )


def described(world: World, opened: OpenView) -> Json:
    """The view as the app gets it."""
    return {
        "private_metadata": "",
        "callback_id": "",
        "state": {"values": {}},
        "previous_view_id": None,
        "external_id": "",
        **opened.view,
        "id": opened.id,
        "root_view_id": world.modals[opened.user][0].id if world.modals.get(opened.user) else opened.id,
        "team_id": world.team,
        "app_id": world.app,
        "bot_id": world.bot_id,
        "hash": opened.hash,
    }


def open_view(world: World, args: Json) -> Json:
    view = _checked(args)
    return _show(world, view, _spend(world, args), keep=0)


def push_view(world: World, args: Json) -> Json:
    view = _checked(args)
    user = _spend(world, args)
    if not 1 <= len(world.modals.get(user, [])) < 3:
        raise Refused("push_limit_reached" if world.modals.get(user) else "not_found")
    return _show(world, view, user, keep=3)


def update_view(world: World, args: Json) -> Json:
    view = _checked(args)
    for stack in world.modals.values():
        for opened in stack:
            if args.get("view_id") == opened.id or (
                args.get("external_id") and args["external_id"] == opened.view.get("external_id")
            ):
                if args.get("hash") not in (None, opened.hash):
                    raise Refused("hash_conflict")
                replace(world, opened, view)
                return {"view": described(world, opened)}
    raise Refused("not_found")


def replace(world: World, opened: OpenView, view: Json) -> None:
    opened.view, opened.errors, opened.hash = _named(view), {}, world.new_id("h")


def _checked(args: Json) -> Json:
    view = args.get("view")
    if not isinstance(view, dict):
        raise Refused("invalid_arguments", "missing required field: view")
    check_view(cast(Json, view))
    return cast(Json, view)


def _spend(world: World, args: Json) -> str:
    """The person for whom a trigger opens a view, which it does once and soon."""
    trigger = str(args.get("trigger_id", ""))
    if trigger in world.spent_triggers:
        raise Refused("exchanged_trigger_id")
    if trigger not in world.triggers:
        raise Refused("invalid_trigger_id")
    user, until = world.triggers[trigger]
    if time.monotonic() > until:
        raise Refused("expired_trigger_id")
    world.spent_triggers.add(trigger)
    return user


def _show(world: World, view: Json, user: str, keep: int) -> Json:
    opened = OpenView(world.new_id("V"), user, _named(view), world.new_id("h"))
    world.modals[user] = [*world.modals.get(user, [])[:keep], opened]
    return {"view": described(world, opened)}


def _named(view: Json) -> Json:
    """The view with a name for each block and input that came without one."""
    for n, block in enumerate(view["blocks"]):
        block.setdefault("block_id", f"b{n}")
        if block["type"] == "input":
            block["element"].setdefault("action_id", f"a{n}")
    return view


def fill(opened: OpenView, values: Mapping[str, object], files: Sequence[Json]) -> Json:
    """`state.values` after a person wrote these values, named by action_id, block_id or label, and chose the files.

    Raises `ValueError` for what the modal would not let a person do.
    """
    left, state = dict(values), dict[str, Json]()
    for block in opened.view["blocks"]:
        if block["type"] != "input":
            continue
        element = block["element"]
        given = [
            left.pop(name) for name in (element["action_id"], block["block_id"], block["label"]["text"]) if name in left
        ]
        filled = _filled(element, given[0] if given else None, files)
        if not block.get("optional") and not any(filled.get(key) for key in filled if key != "type"):
            raise ValueError(f"{block['label']['text']!r} is required: give a value for {element['action_id']!r}")
        state[block["block_id"]] = {element["action_id"]: filled}
    if left:
        raise ValueError(f"the modal has no fields {sorted(left)}, but {sorted(state)}")
    return state


def _filled(element: Json, value: object, files: Sequence[Json]) -> Json:
    kind = element["type"]
    match kind:
        case "file_input":
            allowed = element.get("filetypes")
            if len(files) > element.get("max_files", 10):
                raise ValueError(f"only {element.get('max_files', 10)} files can be chosen")
            if wrong := [file["name"] for file in files if allowed and file["filetype"] not in allowed]:
                raise ValueError(f"the modal does not take {wrong}: {allowed}")
            return {"type": kind, "files": list(files)}
        case "checkboxes":
            options = cast(Sequence[object], [option["value"] for option in element.get("initial_options", [])])
            chosen = options if value is None else cast(Sequence[object], value)
            return {"type": kind, "selected_options": [_option(element, each) for each in chosen]}
        case "static_select" | "radio_buttons":
            default = element.get("initial_option")
            return {"type": kind, "selected_option": default if value is None else _option(element, value)}
        case "users_select":
            return {"type": kind, "selected_user": value or element.get("initial_user")}
        case _:
            return {"type": kind, "value": value or element.get("initial_value")}


def _option(element: Json, wanted: object) -> Json:
    """The option of this value or label."""
    for option in element["options"]:
        if wanted in (option["value"], option["text"]["text"]):
            return {"text": option["text"], "value": option["value"]}
    raise ValueError(f"no option {wanted!r} in {[option['value'] for option in element['options']]}")


METHODS = {"views.open": open_view, "views.push": push_view, "views.update": update_view}
