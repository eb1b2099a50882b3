"""What a bot's body makes of a message: composed, checked and published."""

import hashlib
import mimetypes
import time
from collections.abc import Sequence
from urllib.parse import quote

from fakes import discord_events as events
from fakes.discord_rates import Buckets
from fakes.discord_rules import Refused, check_mentions, check_shown, invalid, longest, missing, unknown
from fakes.discord_state import (
    COMPONENTS_V2,
    DIRECT,
    EPHEMERAL,
    LOADING,
    REPLY,
    SUPPRESS_EMBEDS,
    Channel,
    File,
    Interaction,
    Json,
    Message,
    World,
)

_SILENT = 1 << 12
_HOUR = 3600.0
_NO_FILES: Sequence[File] = ()


def attach(world: World, channel: str, files: Sequence[File], *, ephemeral: bool = False) -> list[Json]:
    """Keep some files where `/attachments` gives them out, and describe them as Discord does."""
    told: list[Json] = []
    for name, content in files:
        number = world.new_id()
        world.contents[number] = content
        path = f"/attachments/{channel}/{number}/{quote(name)}"
        url = f"{world.url}{path}?ex=7fffffff&is=0&hm={signature(path)}"
        kind = mimetypes.guess_type(name)[0]
        one: Json = {"id": number, "filename": name, "size": len(content), "url": url, "proxy_url": url}
        told.append(one | ({"content_type": kind} if kind else {}) | ({"ephemeral": True} if ephemeral else {}))
    return told


def signature(path: str) -> str:
    """What the query of an attachment's url must hold to open it."""
    return hashlib.sha256(path.encode()).hexdigest()


def require(world: World, place: Channel, *names: str) -> None:
    """The bot may do this here. Raises `Refused`: no access where it does not see the channel."""
    if not world.may(world.bot, place):
        raise missing(access=True)
    if not world.may(world.bot, place, *names):
        raise missing()


def create(world: World, place: Channel, body: Json, files: Sequence[File]) -> Message:
    """A bot's message in a channel; the one that is there already, if the nonce of a recent one is to be enforced."""
    require(world, place, world.writing(place))
    if any(not world.users[person].takes_direct for person in place.people if place.kind == DIRECT):
        raise Refused(403, 50007, "Cannot send messages to this user")
    if files:
        require(world, place, "attach_files")
    nonce = body.get("nonce")
    if nonce is not None:
        longest("nonce", str(nonce), 25)
        twins = [world.all_messages[one] for one in place.messages if world.all_messages[one].nonce == str(nonce)]
        if body.get("enforce_nonce") and twins and time.monotonic() - twins[-1].born < 300:
            return twins[-1]
    reference: Json = body.get("message_reference") or {}
    original = str(reference["message_id"]) if reference else None
    if original and original not in place.messages:
        if reference.get("fail_if_not_exists", True):
            raise invalid("message_reference", "Unknown message")
        original = None
    if original:
        require(world, place, "read_message_history")
    message = Message(world.new_id(), place.id, world.bot, "", nonce=None if nonce is None else str(nonce))
    message.reference, message.kind = original, REPLY if original else 0
    allowed = compose(world, message, body, files, flags=SUPPRESS_EMBEDS | COMPONENTS_V2 | _SILENT)
    events.post(world, message, allowed)
    return message


def respond(world: World, interaction: Interaction, body: Json, files: Sequence[File], *, loading: bool) -> Message:
    """A message that answers an interaction: no permission is asked for, and an ephemeral one only its person sees."""
    message = Message(world.new_id(), interaction.channel, world.bot, "", interaction=interaction)
    message.kind = 20 if interaction.kind == 2 and interaction.data["type"] == 1 else 0
    if int(body.get("flags") or 0) & EPHEMERAL:
        message.to = interaction.user
    allowed = None
    if loading:
        message.flags = LOADING | (EPHEMERAL if message.to else 0)
    else:
        flags = SUPPRESS_EMBEDS | COMPONENTS_V2 | _SILENT | EPHEMERAL
        allowed = compose(world, message, body, files, flags=flags)
    events.post(world, message, allowed)
    return message


def edit(
    world: World, message: Message, body: Json, files: Sequence[File] = _NO_FILES, old_edits: Buckets | None = None
) -> None:
    """Change one of the bot's messages. Beyond an hour of age (scaled) edits are few: `old_edits` counts them."""
    if message.author != world.bot:
        raise Refused(403, 50005, "Cannot edit a message authored by another user")
    if old_edits is not None and time.monotonic() - message.born > _HOUR * world.time_scale:
        left = old_edits.take(f"old:{message.channel}", *world.rates["edit old message"])
        if not left.taken:
            told = "Maximum number of edits to messages older than 1 hour reached. Try again later"
            raise Refused(429, 30046, told, retry_after=round(left.reset_after, 3))
    loaded = bool(message.flags & LOADING)
    allowed = compose(world, message, body, files, flags=SUPPRESS_EMBEDS | COMPONENTS_V2)
    events.change(world, message, allowed, marked=not loaded)


def compose(world: World, message: Message, body: Json, files: Sequence[File], *, flags: int) -> Json | None:
    """Bring a body into a message, if what then stands there is one that Discord shows; returns the allowed mentions.

    Only the named flags may be set. Raises `Refused`, and then the message is as it was.
    """
    allowed = check_mentions(body.get("allowed_mentions"))
    wanted = int(body["flags"] or 0) & flags if body.get("flags") is not None else message.flags & flags
    lasting = message.flags & (EPHEMERAL | COMPONENTS_V2)
    # Discord trims what it shows: white space alone is an empty message.
    content = message.content if "content" not in body else str(body["content"] or "").strip()
    embeds: list[Json] = message.embeds if "embeds" not in body else body["embeds"] or []
    components: list[Json] = message.components if "components" not in body else body["components"] or []
    kept = message.attachments
    if body.get("attachments") is not None:
        ids = {str(one["id"]) for one in body["attachments"]}
        kept = [one for one in message.attachments if one["id"] in ids]
    shown_flags = wanted | lasting | (message.flags & ~(flags | LOADING))
    check_shown(content, embeds, components, [*kept, *files], shown_flags)
    message.content, message.embeds, message.components, message.flags = content, embeds, components, shown_flags
    message.attachments = [*kept, *attach(world, message.channel, files, ephemeral=bool(message.to))]
    return allowed


def find(world: World, place: Channel, message_id: str) -> Message:
    """A message of a channel as the REST endpoints of channels know it: without the ephemeral ones."""
    message = world.all_messages.get(message_id)
    if message is None or message.channel != place.id or message.to:
        raise unknown("Message", 10008)
    return message
