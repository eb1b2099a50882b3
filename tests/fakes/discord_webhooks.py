"""Interactions: their first answer within seconds, and the messages behind their token afterwards."""

import time

from aiohttp import web

from fakes import discord_events as events
from fakes import discord_payloads as payloads
from fakes.discord_calls import Api, Call
from fakes.discord_messages import edit, respond
from fakes.discord_rules import Refused, check_modal, invalid, longest, unknown
from fakes.discord_state import EPHEMERAL, LOADING, Interaction, Json, Message, World

MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
COMMAND, COMPONENT, AUTOCOMPLETE, SUBMITTED = 2, 3, 4, 5
LIFE = 15 * 60.0
_ANSWERS = {
    COMMAND: {MESSAGE, DEFERRED, MODAL},
    COMPONENT: {MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, MODAL},
    AUTOCOMPLETE: {CHOICES},
    SUBMITTED: {MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE},
}


def routes(api: Api) -> list[web.RouteDef]:
    """All of them, under /api/v10; a token in the path opens them."""
    hook = "/webhooks/{application}/{token}"
    original = f"{hook}/messages/@original"
    followup = f"{hook}/messages/{{message}}"
    return [
        api.route("POST", "/interactions/{interaction}/{token}/callback", "answer interaction", _callback, open_=True),
        api.route("GET", original, "get original", _get, open_=True),
        api.route("PATCH", original, "edit original", _edit, open_=True),
        api.route("DELETE", original, "delete original", _delete, open_=True),
        api.route("POST", hook, "create followup", _create, open_=True),
        api.route("GET", followup, "get followup", _get, open_=True),
        api.route("PATCH", followup, "edit followup", _edit, open_=True),
        api.route("DELETE", followup, "delete followup", _delete, open_=True),
    ]


def _callback(world: World, call: Call) -> Json | None:
    interaction = world.interactions.get(call.ids["interaction"])
    if interaction is None or interaction.token != call.ids["token"]:
        raise unknown("Interaction", 10062)
    if interaction.answer is not None:
        raise Refused(400, 40060, "Interaction has already been acknowledged.")
    if time.monotonic() - interaction.born > world.answer_within:
        raise unknown("Interaction", 10062)
    kind = int(call.body["type"])
    data: Json = call.body.get("data") or {}
    if kind not in _ANSWERS[interaction.kind]:
        raise invalid("type", f"Interaction of type {interaction.kind} cannot be answered with {kind}.")
    message = _first(world, interaction, kind, data, call)
    interaction.answer = kind
    interaction.response = message.id if message else interaction.source
    if call.query.get("with_response", "").lower() not in {"1", "true"}:
        return None
    told: Json = {"interaction": {"id": interaction.id, "type": interaction.kind}, "resource": {"type": kind}}
    if message:
        told["interaction"] |= {
            "response_message_id": message.id,
            "response_message_loading": bool(message.flags & LOADING),
            "response_message_ephemeral": bool(message.flags & EPHEMERAL),
        }
        told["resource"]["message"] = payloads.message(world, message)
    return told


def _first(world: World, interaction: Interaction, kind: int, data: Json, call: Call) -> Message | None:
    match kind:
        case 4 | 5:
            return respond(world, interaction, data, call.files, loading=kind == DEFERRED)
        case 6 | 7:
            source = world.all_messages.get(interaction.source or "")
            if source is None:
                raise unknown("Message", 10008)
            if kind == UPDATE:
                edit(world, source, data, call.files)
            return source
        case 8:
            interaction.choices = _checked(data.get("choices") or [])
        case _:
            check_modal(data)
            interaction.modal = data
    return None


def _checked(choices: list[Json]) -> list[Json]:
    if len(choices) > 25:
        raise invalid("data.choices", "Must be 25 or fewer in length.")
    for choice in choices:
        longest("data.choices.name", choice.get("name"), 100, 1)
        if isinstance(choice["value"], str):
            longest("data.choices.value", choice["value"], 100)
    return choices


def _behind(world: World, call: Call) -> Interaction:
    """The interaction of a token that is answered and lives."""
    found = [one for one in world.interactions.values() if one.token == call.ids["token"]]
    if not found or call.ids["application"] != world.application or found[0].answer is None:
        raise unknown("Webhook", 10015)
    if time.monotonic() - found[0].born > LIFE * world.time_scale:
        raise Refused(401, 50027, "Invalid Webhook Token") if world.expired == 50027 else unknown("Webhook", 10015)
    return found[0]


def _one(world: World, call: Call) -> Message:
    interaction = _behind(world, call)
    message = world.all_messages.get(call.ids.get("message", interaction.response or ""))
    if message is None or (message.interaction is not interaction and message.id != interaction.source):
        raise unknown("Message", 10008)
    return message


def _get(world: World, call: Call) -> Json:
    return payloads.message(world, _one(world, call))


def _edit(world: World, call: Call) -> Json:
    message = _one(world, call)
    edit(world, message, call.body, call.files)
    return payloads.message(world, message)


def _delete(world: World, call: Call) -> None:
    events.remove(world, _one(world, call))


def _create(world: World, call: Call) -> Json:
    interaction = _behind(world, call)
    original = world.all_messages.get(interaction.response or "")
    # The first followup of a deferred answer takes the place of "is thinking".
    if original and original.flags & LOADING:
        edit(world, original, call.body, call.files)
        return payloads.message(world, original)
    return payloads.message(world, respond(world, interaction, call.body, call.files, loading=False))
