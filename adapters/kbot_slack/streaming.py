"""Slack's native streaming in direct messages: text is appended, and what cannot be is left to edits."""

import time
from typing import Any, cast

from kbot.chat import Content, DeliveryError, RateLimited, get_logger
from kbot_slack.calls import Calls, SlackError, next_cursor
from kbot_slack.markup import escape_block

log = get_logger(__name__)

_SKEW = 5.0  # seconds by which Slack's clock and this one may differ
_KEPT = 600.0


class Streams:
    """The messages that are being streamed. Each ends at its first trouble, and is edited from then on: Slack closes a
    stream after some minutes, and text that was appended cannot be taken back."""

    def __init__(self, calls: Calls, bot_user_id: str) -> None:
        self._calls = calls
        self._bot = bot_user_id
        # What each shows; None for one that is to be stopped, whose text may be longer than what is known of it.
        self._shown: dict[str, str | None] = {}
        self._doubts: dict[tuple[str, str], float] = {}
        self._impossible = False

    async def start(self, channel: str, thread: str) -> str | None:
        """Begin a message; its id, or None where streaming is not to be had. If the answer is lost, the message that
        may have been begun is looked for, and gone on with. Raises RateLimited, MessageGone, and ConnectionError if
        that cannot be known yet: the next call looks again."""
        if self._impossible:
            return None
        self._doubts = {key: since for key, since in self._doubts.items() if since > time.time() - _KEPT}
        if since := self._doubts.get((channel, thread)):
            return await self._adopted(channel, thread, since)
        since = time.time()
        try:
            answer = await self._calls("chat.startStream", channel=channel, thread_ts=thread)
        except SlackError as refusal:
            # Nothing but a setting, a plan or another server makes it possible later.
            self._impossible = True
            log.warning("native_stream_refused", told=str(refusal))
            return None
        except ConnectionError as error:
            log.warning("native_stream_not_begun", told=str(error))
            self._doubts[channel, thread] = since
            return await self._adopted(channel, thread, since)
        self._shown[answer["ts"]] = ""
        return str(answer["ts"])

    async def grow(self, channel: str, ts: str, content: Content) -> bool:
        """Show what is new of a text; False where an edit must do it. Raises RateLimited and ConnectionError."""
        if ts not in self._shown:
            return False
        shown = self._shown[ts]
        if content.stage == "placeholder" and shown == "":
            return True
        if content.stage == "growing" and shown is not None and content.settled.startswith(shown):
            added = content.settled[len(shown) :]
            if not added or await self._append(channel, ts, added):
                self._shown[ts] = content.settled
                return True
        self._shown[ts] = None
        await self.stop(channel, ts)
        return False

    async def stop(self, channel: str, ts: str) -> None:
        """End a stream, if the message is one, so that it can be edited. Raises RateLimited and ConnectionError."""
        try:
            await self._calls("chat.stopStream", channel=channel, ts=ts)
        except RateLimited:
            raise
        except DeliveryError as refusal:  # Slack closes a stream itself after some minutes
            log.info("native_stream_not_stopped", told=str(refusal))
        self._shown.pop(ts, None)

    async def _adopted(self, channel: str, thread: str, since: float) -> str | None:
        """The message in the thread that was begun and never answered for, now a known stream."""
        found: str | None = None
        cursor: str | None = None
        oldest = f"{since - _SKEW:.6f}"
        try:
            while found is None:
                answer = await self._calls(
                    "conversations.replies", channel=channel, ts=thread, oldest=oldest, limit=200, cursor=cursor
                )
                told = cast(list[dict[str, Any]], answer.get("messages") or [])
                found = next((str(each["ts"]) for each in told if self._is_orphan(each)), None)
                if not (cursor := next_cursor(answer)):
                    break
        except SlackError as refusal:
            log.warning("native_stream_not_looked_for", told=str(refusal))
        del self._doubts[channel, thread]
        if found:
            self._shown[found] = ""
        return found

    def _is_orphan(self, message: dict[str, Any]) -> bool:
        return message.get("user") == self._bot and not message.get("text") and message["ts"] not in self._shown

    async def _append(self, channel: str, ts: str, text: str) -> bool:
        try:
            await self._calls("chat.appendStream", channel=channel, ts=ts, markdown_text=escape_block(text))
        except RateLimited:
            raise
        except (DeliveryError, ConnectionError) as error:
            log.info("native_stream_ended", told=str(error))
            return False
        return True


def is_open(refusal: DeliveryError) -> bool:
    """Whether a message was refused a change because its stream is still open."""
    open_codes: set[Any] = {"streaming_state_conflict", "cant_delete_message"}
    return isinstance(refusal, SlackError) and refusal.code in open_codes
