"""A reply that grows in place, by three rules.

Writing only appends and never waits. One painter shows the newest text at the platform's pace, one call in flight.
Leaving the block paints the final text, or raises.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Self
from uuid import uuid4

from kbot.chat import Adapter, Answer, Content, Place, Stage
from kbot.errors import DeliveryError, MessageGone
from kbot.layout import Message, Paint, differs, final, growing, line
from kbot.logs import get_logger
from kbot.pacing import Kind, Pacer, attempt, insist
from kbot.splitting import closing, next_piece, outline

__all__ = ["LiveReply", "Pacer"]

PARTING_SECONDS = 3.0  # kept for the last words of a block that an exception ends
_POSTING_SECONDS = 1.5  # and then, where no edit was taken, for posting them
_RETHINK_SECONDS = 2.0  # after which a line that waits for its edit may have become text

log = get_logger(__name__)


class LiveReply:
    """One reply in a place, from its placeholder to its final text.

    Used as `async with LiveReply(adapter, place, pacer=pacer) as reply:` around the work that writes it. The block ends
    in `finish`, `fail` or `withdraw`; without any its text so far is final. An exception in the block is painted once,
    the text so far with `interrupted` under it, and goes on. If the message or its place is deleted, `gone` is set, the
    block is cancelled and `MessageGone` raised at its end. Raises DeliveryError at the start if the place takes no
    message, at the end if the final text was not delivered within `deadline` seconds; waits for a budget, and those
    that the platform asks for, are not counted.

    `cursor` follows the text while it grows; `withdrawn` stands in a message that is no longer needed and cannot be
    deleted. `ended` is true once the reader sees the reply's end. `messages` are those of an earlier reply, which this
    one takes the place of; `posted` is told the ids of all messages whenever there is a new one. `text` is what was
    written so far.
    """

    def __init__(
        self,
        adapter: Adapter,
        place: Place,
        *,
        placeholder: str = "…",
        pacer: Pacer | None = None,
        cursor: str = " ▌",
        interrupted: str = "…",
        withdrawn: str = "—",
        deadline: float = 120.0,
        messages: Sequence[str] = (),
        posted: Callable[[list[str]], Awaitable[None]] | None = None,
    ) -> None:
        self.text = ""
        self.gone = asyncio.Event()
        self._adapter, self._place, self._limits = adapter, place, adapter.limits
        self._pacer = pacer or Pacer(adapter.limits.interval)
        self._cursor, self._interrupted, self._withdrawn = cursor, interrupted, withdrawn
        self._deadline, self._posted = deadline, posted
        self._status = self._placeholder = placeholder
        self._ending: tuple[str, Stage, Answer | None] | None = None
        self._messages = [Message(known, Content("", "growing"), "") for known in messages]
        self._changed, self._leaving = asyncio.Event(), asyncio.Event()
        self._growing = ExitStack()
        self._grows = self._taken_back = False
        self._cancelled_writer = False
        self._key = uuid4().hex[:16]
        self.ended = False

    @property
    def message_ids(self) -> list[str]:
        """The messages of the reply so far, in order."""
        return [message.id for message in self._messages]

    def write(self, token: str) -> None:
        """Append to the text."""
        self.replace(self.text + token)

    def show(self, status: str) -> None:
        """Show a line in place of the newest message until more is written; it is no part of the text."""
        self._status = status
        self._changed.set()

    def replace(self, text: str) -> None:
        """Take back all that was written and start again from `text`, which may be empty."""
        self.text = text
        self._status = ""
        self._changed.set()

    def finish(self, text: str, answer: Answer | None = None) -> None:
        """Set the final text, whole; `answer` goes with the reply's last message. A blank text is a ValueError."""
        self._end(text, "final", answer)

    def fail(self, text: str) -> None:
        """End the reply with `text` under what was written so far (`replace("")` drops that first)."""
        self._end(f"{closing(self.text.rstrip())}\n\n{text}".lstrip() if text.strip() else "", "failed", None)

    def withdraw(self) -> None:
        """End the reply by deleting its messages."""
        self._taken_back = True

    def _end(self, text: str, stage: Stage, answer: Answer | None) -> None:
        if not text.strip():
            raise ValueError("A reply cannot end in a blank text: platforms refuse it. Say what there is to say.")
        self._ending = (text, stage, answer)

    async def __aenter__(self) -> Self:
        writer = asyncio.current_task()
        assert writer is not None
        self._writer, self._cancellations = writer, writer.cancelling()
        if not self._messages:
            await attempt(None, partial(self._call, Paint(0, Content(self._placeholder, "placeholder"))))
        self._changed.set()
        self._painting = asyncio.create_task(self._paint(), name="live reply")
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._leaving.set()
        self._changed.set()
        try:
            if self._cancelled_writer:
                ours = self._writer.uncancel() <= self._cancellations
                error = None if ours and isinstance(error, asyncio.CancelledError) else error
            kept = f"{closing(self.text.rstrip())}\n\n{self._interrupted}".lstrip()
            whole = error is None and self.text.strip()
            ending = self._ending or ((self.text, "final", None) if whole else (kept, "failed", None))
            try:
                await self._close(error is None, *ending)
            except DeliveryError as undelivered:
                if error is None:
                    raise
                error.add_note(f"Its reply could not be completed: {undelivered}")
                await self._say_apart()
            if error is None:
                self._painting.result()
        finally:
            self._painting.cancel()
            self._growing.close()

    async def _close(self, patient: bool, text: str, stage: Stage, answer: Answer | None) -> None:
        seconds = self._deadline if patient else min(PARTING_SECONDS, self._deadline)
        try:
            async with asyncio.timeout(seconds) as clock:
                await asyncio.wait({self._painting})
                if self.gone.is_set():
                    raise MessageGone("The reply's message or its place was deleted; the answer was stopped.")
                insisting = partial(insist, self._pacer, clock=clock, patient=patient)
                if self._taken_back:
                    await self._delete(0, insisting)
                else:
                    await self._deliver(text, stage, answer, insisting)
                self.ended = True
        except TimeoutError as error:
            raise DeliveryError(
                f"{self._adapter.name} did not take the final text of a reply within {seconds:g} s. "
                "Check the platform's status and the network that kbot runs in, then ask again."
            ) from error

    async def _say_apart(self) -> None:
        """Say in a new message that the reply was interrupted, where its own takes no edit in time."""
        if not self._messages or self._taken_back:
            return
        content = Content(self._interrupted, "failed", key=f"{self._key}.{len(self._messages)}")
        try:
            async with asyncio.timeout(_POSTING_SECONDS):
                await self._adapter.send(self._place, content)
        except (DeliveryError, OSError) as failure:
            log.warning("end_not_told", adapter=self._adapter.name, error=type(failure).__name__)

    async def _paint(self) -> None:
        """Show the newest text, one call after the other, until the block is left."""
        while True:
            await self._changed.wait()
            if self._leaving.is_set():
                return
            self._changed.clear()
            if (paint := self._next()) is None:
                continue
            kind: Kind = "growing" if self.text.strip() and not self._status else "status"
            wait = await self._pacer.grant(kind) if paint.slot < len(self._messages) else 0.0
            if wait == 0 and (paint := self._next()):
                self._begin_growing(paint)
                edits = paint.slot < len(self._messages)
                try:
                    wait = await attempt(self._pacer if edits else None, partial(self._call, paint))
                except MessageGone:
                    self.gone.set()
                    self._cancelled_writer = not self._leaving.is_set() and self._writer.cancel("message gone")
                    return
                except DeliveryError as refusal:
                    log.warning("edits_refused", adapter=self._adapter.name, error=str(refusal))
                    self._seal(paint)
                    return
            elif kind == "status":
                wait = min(wait, _RETHINK_SECONDS)
            self._changed.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait or self._pacer.pause):
                    await self._leaving.wait()

    def _begin_growing(self, paint: Paint) -> None:
        if not self._grows and paint.content.settled:
            self._grows = True
            self._growing.enter_context(self._pacer.growing())

    def _next(self) -> Paint | None:
        """The first message that does not show what it should by now."""
        return next((paint for paint in self._wanted() if differs(paint, self._messages)), None)

    def _wanted(self) -> list[Paint]:
        if not self.text.strip():
            first = line(0, self._status or self._placeholder, "placeholder", self._limits)
            return [first, *self._surplus(1)]
        if self._status:
            return [line(max(len(self._messages) - 1, 0), self._status, "growing", self._limits)]
        paints = growing(self.text, self._messages, self._limits, self._cursor)
        return [*paints, *self._surplus(len(paints))]

    def _surplus(self, first: int) -> list[Paint]:
        """Messages that a shorter text does not need for now."""
        return [
            Paint(slot, Content(self._withdrawn, "growing"))
            for slot in range(first, len(self._messages))
            if not self._messages[slot].sealed
        ]

    async def _call(self, paint: Paint) -> None:
        if paint.slot < len(self._messages):
            message = self._messages[paint.slot]
            await self._adapter.edit(self._place, message.id, paint.content)
            self._messages[paint.slot] = replace(message, content=paint.content, raw=paint.raw)
        else:
            content = replace(paint.content, key=f"{self._key}.{paint.slot}")
            message_id = await self._adapter.send(self._place, content)
            self._messages.append(Message(message_id, paint.content, paint.raw))
            if self._posted:
                await self._posted(self.message_ids)

    async def _deliver(
        self, text: str, stage: Stage, answer: Answer | None, insisting: Callable[..., Awaitable[None]]
    ) -> None:
        """Paint the final text; a message that refuses its edit keeps what it shows, the rest goes below it."""
        end = None
        while end is None:
            end = await self._deliver_once(text, stage, answer, insisting)
        if rest := next_piece(outline(text), end, 2 * self._limits.count(text) + 1000, self._limits.count):
            await insisting(partial(self._adapter.send_file, self._place, "answer.md", rest.shown), edit=False)

    async def _deliver_once(
        self, text: str, stage: Stage, answer: Answer | None, insisting: Callable[..., Awaitable[None]]
    ) -> int | None:
        paints, end = final(text, self._messages, self._limits, stage)
        after = paints[-1].slot + 1 if paints else 0
        if answer and (not paints or any(message.sealed for message in self._messages[after:])):
            paints.append(Paint(max(len(self._messages), after), Content(self._withdrawn, stage)))
        if answer:
            paints[-1] = replace(paints[-1], content=replace(paints[-1].content, answer=answer))
        for paint in [paint for paint in paints if differs(paint, self._messages)]:
            try:
                await insisting(partial(self._call, paint), edit=paint.slot < len(self._messages))
            except MessageGone:
                self.gone.set()
                raise
            except DeliveryError:
                if not self._seal(paint):
                    raise
                return None
        await self._delete(after, insisting)
        return end

    async def _delete(self, first: int, insisting: Callable[..., Awaitable[None]]) -> None:
        """Delete the messages from number `first` on."""
        for slot in reversed(range(first, len(self._messages))):
            message = self._messages[slot]
            if not self._taken_back and (message.sealed or message.content.answer):
                continue
            try:
                await insisting(partial(self._adapter.delete, self._place, message.id), edit=False)
            except MessageGone:
                log.info("message_gone", adapter=self._adapter.name)
            except DeliveryError as refusal:
                log.warning("delete_refused", adapter=self._adapter.name, error=str(refusal))
                await insisting(partial(self._call, Paint(slot, Content(self._withdrawn, "final"))))
                continue
            del self._messages[slot]

    def _seal(self, paint: Paint) -> bool:
        """Take a refused edit as the last of its message; False if there is no message yet."""
        if known := paint.slot < len(self._messages):
            self._messages[paint.slot] = replace(self._messages[paint.slot], sealed=True)
        return known
