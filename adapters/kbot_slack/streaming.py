"""Slack's native streaming in direct messages: text is appended, and what cannot be is left to edits."""

from typing import Any

from kbot.chat import Content, DeliveryError, RateLimited, get_logger
from kbot_slack.calls import Calls, SlackError
from kbot_slack.markup import escape_block

log = get_logger(__name__)


class Streams:
    """The messages that are being streamed. Each ends at its first trouble, and is edited from then on: Slack closes a
    stream after some minutes, and text that was appended cannot be taken back."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._shown: dict[str, str] = {}
        self._impossible = False

    async def start(self, channel: str, thread: str) -> str | None:
        """Begin a message; its id, or None where streaming is not to be had. Raises RateLimited and MessageGone."""
        if self._impossible:
            return None
        try:
            answer = await self._calls("chat.startStream", channel=channel, thread_ts=thread)
        except SlackError as refusal:
            # Nothing but a setting, a plan or another server makes it possible later.
            self._impossible = True
            log.warning("native_stream_refused", told=str(refusal))
            return None
        except ConnectionError as error:
            log.warning("native_stream_not_begun", told=str(error))
            return None
        self._shown[answer["ts"]] = ""
        return str(answer["ts"])

    async def grow(self, channel: str, ts: str, content: Content) -> bool:
        """Show what is new of a text; False where an edit must do it. Raises RateLimited."""
        shown = self._shown.get(ts)
        if shown is None:
            return False
        if content.stage == "placeholder" and not shown:
            return True
        if content.stage == "growing" and content.settled.startswith(shown):
            added = content.settled[len(shown) :]
            if not added or await self._append(channel, ts, added):
                self._shown[ts] = content.settled
                return True
        await self.stop(channel, ts)
        return False

    async def stop(self, channel: str, ts: str) -> None:
        """End a stream, if the message is one, so that it can be edited."""
        self._shown.pop(ts, None)
        try:
            await self._calls("chat.stopStream", channel=channel, ts=ts)
        except (DeliveryError, ConnectionError) as error:
            # Slack may have closed it itself; if it is open still, the edit that follows is refused and says so.
            log.info("native_stream_not_stopped", told=str(error))

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
