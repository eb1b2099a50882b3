"""The events that Slack makes of what happens to messages, and the messages as it describes them."""

import time
import uuid

from fakes.slack_world import Json, Message, World

_TYPES = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}


def described(world: World, message: Message) -> Json:
    """The message as it stands in events and in answers of the Web API."""
    told: Json = {
        "type": "message",
        "user": message.user,
        "ts": message.ts,
        "text": message.text,
        "team": world.team,
    }
    if message.user == world.bot.id:
        told |= {"bot_id": world.bot_id, "app_id": world.app, "blocks": message.blocks}
    else:
        told |= {"client_msg_id": message.client_msg_id}
    if message.thread:
        told |= {"thread_ts": message.thread, "parent_user_id": world.posts[message.thread].user}
    elif replies := world.replies(message.ts):
        told |= {"thread_ts": message.ts, "reply_count": len(replies), "latest_reply": replies[-1].ts}
    if message.files:
        told |= {"files": list(message.files), "upload": False}
    if message.edited:
        told |= {"edited": {"user": message.user, "ts": message.edited}}
    return told


def announce(world: World, message: Message, *, mention_event: bool = True) -> None:
    """Tell the app of a new message: as a message, and once more as a mention where it names the bot."""
    channel = world.channels[message.channel]
    told = described(world, message) | {"channel": channel.id, "event_ts": message.ts}
    if message.files:
        told["subtype"] = "file_share"
    _send(world, channel.id, told | {"channel_type": channel.kind})
    if mention_event:
        _mention(world, message, told)


def announce_edit(world: World, message: Message, before: Json) -> None:
    """Tell the app that a message shows something else; an edit that names the bot is a mention again."""
    now = described(world, message)
    _change(world, message.channel, {"subtype": "message_changed", "message": now, "previous_message": before})
    if message.edited:
        _mention(world, message, now | {"channel": message.channel, "event_ts": message.edited})


def announce_deletion(world: World, message: Message, before: Json) -> None:
    """Tell the app that a message is gone. One with replies leaves a tombstone, which Slack calls a change."""
    if world.tombstones and world.replies(message.ts):
        stone = {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "hidden": True, "ts": message.ts}
        stone |= {"text": "This message was deleted.", "thread_ts": message.ts}
        _change(world, message.channel, {"subtype": "message_changed", "message": stone, "previous_message": before})
        return
    told = {"subtype": "message_deleted", "deleted_ts": message.ts, "previous_message": before}
    _change(world, message.channel, told)


def _change(world: World, channel: str, told: Json) -> None:
    ts = world.new_ts()
    kind = world.channels[channel].kind
    base = {"type": "message", "hidden": True, "channel": channel, "channel_type": kind, "ts": ts, "event_ts": ts}
    _send(world, channel, base | told)


def _mention(world: World, message: Message, told: Json) -> None:
    if message.user == world.bot.id or f"<@{world.bot.id}>" not in message.text:
        return
    if world.channels[message.channel].kind == "im":
        return
    fields = {key: value for key, value in told.items() if key not in ("subtype", "channel_type")}
    _send(world, message.channel, fields | {"type": "app_mention"})


def _send(world: World, channel: str, event: Json) -> None:
    there = world.channels[channel]
    name = "app_mention" if event["type"] == "app_mention" else f"message.{_TYPES[there.kind]}"
    if name not in world.events or world.bot.id not in there.members or world.revoked:
        return
    world.deliver(
        {
            "token": "verification",
            "team_id": world.team,
            "context_team_id": world.team,
            "api_app_id": world.app,
            "event": event,
            "type": "event_callback",
            "event_id": "Ev" + uuid.uuid4().hex[:10].upper(),
            "event_time": int(time.time()),
            "authorizations": [{"enterprise_id": None, "team_id": world.team, "user_id": world.bot.id, "is_bot": True}],
            "is_ext_shared_channel": False,
        }
    )
