"""The chat methods of the Web API."""

import time
from typing import cast

from fakes.slack_events import announce, announce_deletion, announce_edit, described
from fakes.slack_rules import MARKDOWN, POST_TEXT, UPDATE_TEXT, Refused, check_message
from fakes.slack_world import Channel, Json, Message, World


def channel_of(world: World, args: Json, name: str = "channel") -> Channel:
    """The channel of a call. Raises `Refused` if the bot cannot see it."""
    wanted = str(args.get(name, ""))
    if wanted in world.users and wanted != world.bot.id:
        return world.direct(wanted)
    channel = world.channels.get(wanted)
    if channel is None or (channel.kind != "channel" and world.bot.id not in channel.members):
        raise Refused("channel_not_found")
    return channel


def writable(world: World, args: Json, name: str = "channel") -> Channel:
    """The channel of a call that writes there."""
    channel = channel_of(world, args, name)
    if world.bot.id not in channel.members:
        raise Refused("not_in_channel")
    if channel.archived:
        raise Refused("is_archived")
    return channel


def true(args: Json, name: str, default: bool = False) -> bool:
    """A flag, which may come as JSON or in a form."""
    return str(args.get(name, default)).lower() in ("1", "true")


def thread_of(world: World, channel: Channel, args: Json) -> str | None:
    """The thread of a call, None if it names none."""
    ts = args.get("thread_ts")
    if ts is None:
        return None
    parent = world.posts.get(str(ts))
    if parent is None or parent.channel != channel.id or (parent.deleted and not world.replies(parent.ts)):
        raise Refused("thread_not_found")
    if parent.thread:
        raise Refused("cannot_reply_to_message")
    return parent.ts


def content_of(args: Json, longest: int) -> tuple[str, list[Json]]:
    """Text and blocks of a call, checked."""
    text, blocks = str(args.get("text") or ""), cast(list[Json], args.get("blocks") or [])
    if markdown := args.get("markdown_text"):
        if text or blocks:
            raise Refused("markdown_text_conflict")
        if len(str(markdown)) > MARKDOWN:
            raise Refused("msg_too_long")
        blocks = [{"type": "markdown", "text": str(markdown)}]
    if len(text) > longest:
        raise Refused("msg_too_long")
    check_message(text, blocks)
    for n, block in enumerate(blocks):
        block.setdefault("block_id", f"b{n}")
    return text, blocks


def post_message(world: World, args: Json) -> Json:
    channel = writable(world, args)
    args["text"] = str(args.get("text") or "")[:POST_TEXT]
    text, blocks = content_of(args, POST_TEXT)
    message = Message(world.new_ts(), channel.id, world.bot.id, text, blocks, thread_of(world, channel, args))
    message.unfurls = true(args, "unfurl_links", default=True) or true(args, "unfurl_media", default=True)
    message.metadata = cast(Json | None, args.get("metadata"))
    announce(world, world.post(message))
    return {"channel": channel.id, "ts": message.ts, "message": described(world, message)}


def history(world: World, args: Json) -> Json:
    """The top level of a channel, newest first."""
    found = [message for message in _read(world, args) if message.thread is None]
    return _page(world, args, found[::-1])


def replies(world: World, args: Json) -> Json:
    """A thread with the message it hangs on, oldest first."""
    top = world.posts.get(str(args.get("ts", "")))
    if top is None or top.channel != channel_of(world, args).id:
        raise Refused("thread_not_found")
    found = [message for message in _read(world, args) if message.thread == top.ts]
    return _page(world, args, [*([] if top.deleted else [top]), *found])


def _read(world: World, args: Json) -> list[Message]:
    channel = channel_of(world, args)
    if world.bot.id not in channel.members:
        raise Refused("not_in_channel")
    oldest, latest = str(args.get("oldest") or "0"), str(args.get("latest") or "9" * 20)
    return [
        message
        for message in world.posts.values()
        if message.channel == channel.id
        and not message.deleted
        and message.to is None
        and float(oldest) < float(message.ts) < float(latest)
    ]


def _page(world: World, args: Json, found: list[Message]) -> Json:
    start, limit = int(args.get("cursor") or 0), int(args.get("limit") or 100)
    told = [described(world, message) for message in found[start : start + limit]]
    if true(args, "include_all_metadata"):
        for each in told:
            if metadata := world.posts[each["ts"]].metadata:
                each["metadata"] = metadata
    more = start + limit < len(found)
    return {
        "messages": told,
        "has_more": more,
        "response_metadata": {"next_cursor": str(start + limit) if more else ""},
    }


def post_ephemeral(world: World, args: Json) -> Json:
    channel = writable(world, args)
    person = str(args.get("user", ""))
    if person not in channel.members:
        raise Refused("user_not_in_channel")
    text, blocks = content_of(args, POST_TEXT)
    thread = thread_of(world, channel, args)
    message = world.post(Message(world.new_ts(), channel.id, world.bot.id, text, blocks, thread, to=person))
    return {"message_ts": message.ts}


def update(world: World, args: Json) -> Json:
    channel = writable_for_edits(world, args)
    message = own(world, channel, args, "cant_update_message")
    if message.streaming:
        raise Refused("streaming_state_conflict")
    if "text" not in args and "blocks" in args:
        args["text"] = message.text
    text, blocks = content_of(args, UPDATE_TEXT)
    before = described(world, message)
    message.text, message.blocks = text, blocks
    message.edited = None if blocks else world.new_ts()
    world.changed(message)
    announce_edit(world, message, before)
    return {"channel": channel.id, "ts": message.ts, "text": text, "message": described(world, message)}


def delete(world: World, args: Json) -> Json:
    channel = writable_for_edits(world, args)
    message = own(world, channel, args, "cant_delete_message")
    if message.streaming:
        raise Refused("cant_delete_message")
    remove(world, message)
    return {"channel": channel.id, "ts": message.ts}


def remove(world: World, message: Message) -> None:
    """Take a message away, whoever asked for it."""
    before = described(world, message)
    message.deleted = True
    world.changed(message)
    if message.to is None:
        announce_deletion(world, message, before)


def writable_for_edits(world: World, args: Json) -> Channel:
    """As `writable`; for what was posted before the channel was archived, Slack has another code."""
    try:
        return writable(world, args)
    except Refused as refused:
        raise Refused("is_inactive") if refused.body["error"] == "is_archived" else refused from refused


def own(world: World, channel: Channel, args: Json, otherwise: str) -> Message:
    """The bot's message that a call names."""
    message = world.posts.get(str(args.get("ts", "")))
    if message is None or message.channel != channel.id or message.deleted or message.to:
        raise Refused("message_not_found")
    if message.user != world.bot.id:
        raise Refused(otherwise)
    return message


def start_stream(world: World, args: Json) -> Json:
    channel = writable(world, args)
    if channel.kind == "im":
        if "thread_ts" not in args:
            raise Refused("invalid_arguments", "missing required field: thread_ts")
    elif not args.get("recipient_user_id") or not args.get("recipient_team_id"):
        raise Refused("missing_recipient_user_id" if not args.get("recipient_user_id") else "missing_recipient_team_id")
    message = Message(world.new_ts(), channel.id, world.bot.id, thread=thread_of(world, channel, args))
    _extend(message, args)
    message.streaming_until = time.monotonic() + world.scaled(world.stream_lives)
    announce(world, world.post(message))
    return {"channel": channel.id, "ts": message.ts}


def append_stream(world: World, args: Json) -> Json:
    message = _streaming(world, args)
    if not args.get("markdown_text") and not args.get("chunks"):
        raise Refused("no_text")
    _extend(message, args)
    world.changed(message)
    return {"channel": message.channel, "ts": message.ts}


def stop_stream(world: World, args: Json) -> Json:
    message = _streaming(world, args)
    before = described(world, message)
    blocks = cast(list[Json], args.get("blocks") or [])
    check_message("the streamed text", blocks)
    _extend(message, args)
    message.blocks += blocks
    message.streaming_until = 0.0
    world.changed(message)
    announce_edit(world, message, before)
    return {"channel": message.channel, "ts": message.ts, "message": described(world, message)}


def _streaming(world: World, args: Json) -> Message:
    message = own(world, writable(world, args), args, "message_not_owned_by_app")
    if not message.streaming:
        raise Refused("message_not_in_streaming_state")
    return message


def _extend(message: Message, args: Json) -> None:
    """Append the Markdown of a call to a streamed message."""
    chunks = cast(list[Json], args.get("chunks") or [])
    if args.get("markdown_text") and chunks:
        raise Refused("invalid_arguments", "markdown_text and chunks exclude each other")
    if unknown := {chunk.get("type") for chunk in chunks} - {"markdown_text", "task_update", "plan_update"}:
        raise Refused("invalid_chunks", f"unsupported chunk types: {sorted(map(str, unknown))}")
    added = str(args.get("markdown_text") or "") + "".join(
        str(chunk["text"]) for chunk in chunks if chunk["type"] == "markdown_text"
    )
    if len(added) > MARKDOWN:
        raise Refused("msg_too_long")
    message.text += added
    if message.text:
        message.blocks = [{"type": "markdown", "text": message.text, "block_id": "stream"}]


def set_status(world: World, args: Json) -> Json:
    channel = channel_of(world, args, "channel_id")
    thread = thread_of(world, channel, args)
    if thread is None or "status" not in args:
        raise Refused("invalid_arguments", "missing required field: thread_ts or status")
    world.statuses[channel.id, thread] = str(args["status"])
    return {}


METHODS = {
    "chat.postMessage": post_message,
    "chat.postEphemeral": post_ephemeral,
    "chat.update": update,
    "chat.delete": delete,
    "chat.startStream": start_stream,
    "chat.appendStream": append_stream,
    "chat.stopStream": stop_stream,
    "assistant.threads.setStatus": set_status,
    "conversations.history": history,
    "conversations.replies": replies,
}
