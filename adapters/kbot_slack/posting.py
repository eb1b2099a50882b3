"""New messages in Slack, each once: also when the answer to a post was lost, and nobody knows whether it was taken."""

import asyncio
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from kbot.chat import KbotError, MessageGone, RateLimited, get_logger
from kbot_slack.calls import Calls, SlackError, next_cursor
from kbot_slack.line import Line

log = get_logger(__name__)

_EVENT = "kbot_post"
_SKEW = 120.0  # seconds by which Slack's clock and this one may differ
_KEPT = 600.0  # seconds after which nobody asks any more what became of a post
_PARTING = 1.0
_REFUSALS = 5  # that a post outwaits in its place in line; the next is the caller's
_LINES = 500  # channels of which the pace is kept at most, if they rest

Key = tuple[str, str | None, str]


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A post that may have been taken."""

    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    since: float = field(default_factory=time.time)


class Posting:
    """Posts messages. Slack has no key that keeps a repeated post from showing twice, so each carries a mark in its
    metadata, and a repetition first looks whether a message with the mark is there. The posts of a channel go one
    after the other, as Slack takes them."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._doubts: dict[Key, list[_Doubt]] = {}
        self._orphans: set[asyncio.Task[None]] = set()
        self._lines: dict[str, Line] = {}

    async def post(
        self, channel: str, thread: str | None, message: Mapping[str, Any], key: str = ""
    ) -> tuple[str, str]:
        """Post a message; returns the channel's id, which for a person's id is that of the direct messages, and the
        message's. Raises as calls do; after ConnectionError and RateLimited it may be posted again: as the same `key`,
        or without one the same text."""
        attempt = (channel, thread, key or str(message["text"]))
        known = self._doubt(attempt)
        doubt = known or _Doubt()
        line = self._line(channel)
        try:
            if known and (found := await self._find(channel, thread, known)):
                if found.get("text") != message["text"]:
                    await self._calls("chat.update", channel=channel, ts=found["ts"], **message)
                return channel, str(found["ts"])
            await line.turn()
            for _ in range(_REFUSALS):
                try:
                    return await self._post(channel, thread, message, doubt.mark)
                except RateLimited as limit:
                    await line.again(limit)
            return await self._post(channel, thread, message, doubt.mark)
        except ConnectionError:
            self._doubts.setdefault(attempt, []).append(doubt)
            raise
        except RateLimited:
            if known:
                self._doubts.setdefault(attempt, []).append(known)
            raise

    async def close(self) -> None:
        """Wait a moment for what is being taken back."""
        if self._orphans:
            await asyncio.wait(self._orphans, timeout=_PARTING)
        for task in self._orphans:
            task.cancel()

    def _line(self, channel: str) -> Line:
        if channel not in self._lines:
            if len(self._lines) >= _LINES:
                self._lines = {name: line for name, line in self._lines.items() if not line.idle}
            self._lines[channel] = Line()
        return self._lines[channel]

    def _doubt(self, key: Key) -> _Doubt | None:
        """The next of the posts in doubt with this content; what is as old as nobody waits for is dropped."""
        young = time.time() - _KEPT
        for each, doubts in list(self._doubts.items()):
            self._doubts[each] = [doubt for doubt in doubts if doubt.since > young]
            if not self._doubts[each]:
                del self._doubts[each]
        waiting = self._doubts.get(key)
        return waiting.pop(0) if waiting else None

    async def _post(self, channel: str, thread: str | None, message: Mapping[str, Any], mark: str) -> tuple[str, str]:
        call = self._calls(
            "chat.postMessage",
            channel=channel,
            thread_ts=thread,
            unfurl_links=False,
            unfurl_media=False,
            metadata={"event_type": _EVENT, "event_payload": {"id": mark}},
            **message,
        )
        posting = asyncio.create_task(call, name="slack post")
        try:
            answer = await asyncio.shield(posting)
        except asyncio.CancelledError:
            # Nobody will know of the message, should it be posted in the end.
            orphan = asyncio.create_task(self._take_back(posting), name="take back")
            self._orphans.add(orphan)
            orphan.add_done_callback(self._orphans.discard)
            raise
        return str(answer.get("channel") or channel), str(answer["ts"])

    async def _take_back(self, posting: "asyncio.Task[dict[str, Any]]") -> None:
        try:
            answer = await posting
            await self._calls("chat.delete", channel=answer["channel"], ts=answer["ts"])
        except (KbotError, ConnectionError) as error:
            log.warning("post_not_taken_back", told=str(error))

    async def _find(self, channel: str, thread: str | None, doubt: _Doubt) -> dict[str, Any] | None:
        """The message with the mark, None if there is none, or nobody may look."""
        method, where = ("conversations.replies", {"ts": thread}) if thread else ("conversations.history", {})
        cursor: str | None = None
        oldest = f"{doubt.since - _SKEW:.6f}"
        while True:
            try:
                answer = await self._calls(
                    method,
                    channel=channel,
                    oldest=oldest,
                    limit=200,
                    include_all_metadata="true",
                    cursor=cursor,
                    **where,
                )
            except (SlackError, MessageGone) as refusal:
                log.warning("post_not_looked_for", told=str(refusal))
                return None
            for message in cast(list[dict[str, Any]], answer.get("messages") or []):
                metadata: dict[str, Any] = message.get("metadata") or {}
                payload: dict[str, Any] = metadata.get("event_payload") or {}
                if payload.get("id") == doubt.mark:
                    return message
            if not (cursor := next_cursor(answer)):
                return None
