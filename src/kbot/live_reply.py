"""A reply that grows in place, by three rules.

Writing only appends and never waits. One painter shows the newest text at the platform's pace, one call in flight.
Leaving the block paints the final text, or raises.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from kbot.chat import Adapter, Answer, Content, Place, Stage
from kbot.errors import DeliveryError, MessageGone
from kbot.logs import get_logger
from kbot.pacing import Pacer, attempt, insist
from kbot.splitting import Piece, closing, next_piece, outline, settled

__all__ = ["LiveReply", "Pacer"]

PARTING_SECONDS = 10.0  # kept for the last words of a block that an exception ends

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Paint:
    """What the message number `slot` should show; `raw` is the part of the reply's text in it."""

    slot: int
    content: Content
    raw: str = ""


@dataclass(frozen=True, slots=True)
class _Message:
    """A message as the reader sees it; a `sealed` one takes no further edit."""

    id: str
    content: Content
    raw: str
    sealed: bool = False

    def unseen(self, text: str, start: int) -> int:
        """Where in the text, from start, that begins which this message does not show already."""
        rest = text[start : start + len(self.raw)]
        if self.raw.startswith(rest):
            return start + len(rest)
        same = next(i for i, (one, other) in enumerate(zip(self.raw, rest, strict=False)) if one != other)
        return start + self.raw.rfind("\n", 0, same) + 1


class LiveReply:
    """One reply in a place, from its placeholder to its final text.

    Used as `async with LiveReply(adapter, place, pacer=pacer) as reply:` around the work that writes it. The block
    ends in `finish` or `fail`; without either its text so far is final. An exception in the block is painted once,
    the text so far with `interrupted` under it, and goes on. If the message or its place is deleted, `gone` is set,
    the block is cancelled and `MessageGone` raised at its end. Raises DeliveryError at the start if the place takes
    no message, at the end if the final text was not delivered within `deadline` seconds.

    `cursor` follows the text while it grows; `withdrawn` stands in a message that is no longer needed; `count`
    measures a text as the platform's limits do. `text` is what was written so far.
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
        count: Callable[[str], int] = len,
    ) -> None:
        self.text = ""
        self.gone = asyncio.Event()
        self._adapter, self._place = adapter, place
        self._pacer = pacer or Pacer(None, adapter.limits.interval)
        self._cursor, self._interrupted, self._withdrawn = cursor, interrupted, withdrawn
        self._deadline, self._count = deadline, count
        self._status = self._placeholder = placeholder
        self._ending: tuple[str, Stage, Answer | None] | None = None
        self._messages: list[_Message] = []
        self._changed, self._leaving = asyncio.Event(), asyncio.Event()
        self._open = ExitStack()
        self._until = 0.0
        self._cancelled_writer = False

    @property
    def message_id(self) -> str | None:
        """The reply's first message, once it is posted."""
        return self._messages[0].id if self._messages else None

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

    def _end(self, text: str, stage: Stage, answer: Answer | None) -> None:
        if not text.strip():
            raise ValueError("A reply cannot end in a blank text: platforms refuse it. Say what there is to say.")
        self._ending = (text, stage, answer)

    async def __aenter__(self) -> Self:
        writer = asyncio.current_task()
        assert writer is not None
        self._writer, self._cancellations = writer, writer.cancelling()
        with ExitStack() as opening:
            opening.enter_context(self._pacer.live())
            await attempt(self._pacer, partial(self._call, _Paint(0, Content(self._placeholder, "placeholder"))))
            self._open = opening.pop_all()
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
                await self._close(self._deadline if error is None else PARTING_SECONDS, *ending)
            except DeliveryError as undelivered:
                if error is None:
                    raise
                error.add_note(f"Its reply could not be completed: {undelivered}")
            if error is None:
                self._painting.result()
        finally:
            self._painting.cancel()
            self._open.close()

    async def _close(self, seconds: float, text: str, stage: Stage, answer: Answer | None) -> None:
        self._until = asyncio.get_running_loop().time() + min(seconds, self._deadline)
        try:
            async with asyncio.timeout_at(self._until):
                await asyncio.wait({self._painting})
                if self.gone.is_set():
                    raise MessageGone("The reply's message or its place was deleted; the answer was stopped.")
                await self._deliver(text, stage, answer)
        except TimeoutError as error:
            raise DeliveryError(
                f"{self._adapter.name} did not take the final text of a reply within {seconds:g} s. "
                "Check the platform's status and the network that kbot runs in, then ask again."
            ) from error

    async def _paint(self) -> None:
        """Show the newest text, one call after the other, until the block is left."""
        while True:
            await self._changed.wait()
            if self._leaving.is_set():
                return
            self._changed.clear()
            if self._next() is None:
                continue
            wait = await self._pacer.interim()
            if wait == 0 and (paint := self._next()):
                try:
                    await attempt(self._pacer, partial(self._call, paint))
                except MessageGone:
                    self.gone.set()
                    self._cancelled_writer = not self._leaving.is_set() and self._writer.cancel("message gone")
                    return
                except DeliveryError as refusal:
                    log.warning("edits_refused", adapter=self._adapter.name, error=str(refusal))
                    self._seal(paint)
                    return
            self._changed.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait or self._pacer.pause):
                    await self._leaving.wait()

    def _next(self) -> _Paint | None:
        """The first message that does not show what it should by now."""
        return next((paint for paint in self._growing() if self._differs(paint)), None)

    def _growing(self) -> Iterator[_Paint]:
        if not self.text.strip():
            yield self._line(0, self._status or self._placeholder, "placeholder")
            yield from self._surplus(1, "growing")
            return
        if self._status:
            yield self._line(max(len(self._messages) - 1, 0), self._status, "growing")
            return
        room = min(self._adapter.limits.post, self._adapter.limits.edit)
        pieces, end = self._plan(self.text, room)
        for slot, piece in pieces:
            shown, raw = piece.shown, piece.body
            if slot == pieces[-1][0] and end == len(self.text):
                bare = piece.opening + piece.body
                grown, raw = closing(bare, self._cursor), settled(bare).removeprefix(piece.opening)
                shown = grown if grown.strip() and self._count(grown) <= room else shown
            yield _Paint(slot, Content(shown, "growing"), raw)
        yield from self._surplus(len(pieces), "growing")

    def _line(self, slot: int, text: str, stage: Stage) -> _Paint:
        piece = next_piece(outline(text), 0, self._adapter.limits.edit, self._count)
        return _Paint(slot, Content(piece.shown if piece else self._placeholder, stage))

    def _surplus(self, first: int, stage: Stage) -> Iterator[_Paint]:
        """Messages that a shorter text no longer needs: a platform may not let them be deleted."""
        for slot in range(first, len(self._messages)):
            if not self._messages[slot].sealed:
                yield _Paint(slot, Content(self._withdrawn, stage))

    def _plan(self, text: str, new: int) -> tuple[list[tuple[int, Piece]], int]:
        """The text laid out over the messages there are and new ones of at most `new` units.

        Returns the pieces with their messages' numbers, and where in the text begins what no message holds.
        """
        read, start, pieces = outline(text), 0, list[tuple[int, Piece]]()
        sealed = sum(message.sealed for message in self._messages)
        for slot in range(max(self._adapter.limits.messages, 1) + sealed):
            message = self._messages[slot] if slot < len(self._messages) else None
            if message and message.sealed:
                start = message.unseen(text, start)
            elif piece := next_piece(read, start, self._adapter.limits.edit if message else new, self._count):
                pieces.append((slot, piece))
                start = piece.after
        return pieces, start

    def _differs(self, paint: _Paint) -> bool:
        if paint.slot >= len(self._messages):
            return True
        shown, wanted = self._messages[paint.slot].content, paint.content
        ends = paint.slot == len(self._messages) - 1 and wanted.stage in ("final", "failed")
        return shown.text != wanted.text or shown.answer is not wanted.answer or (ends and shown.stage != wanted.stage)

    async def _call(self, paint: _Paint) -> None:
        if paint.slot < len(self._messages):
            message = self._messages[paint.slot]
            await self._adapter.edit(self._place, message.id, paint.content)
            self._messages[paint.slot] = replace(message, content=paint.content, raw=paint.raw)
        else:
            message_id = await self._adapter.send(self._place, paint.content)
            self._messages.append(_Message(message_id, paint.content, paint.raw))

    async def _deliver(self, text: str, stage: Stage, answer: Answer | None) -> None:
        """Paint the final text; a message that refuses its edit keeps what it shows, the rest goes below it."""
        end = None
        while end is None:
            end = await self._deliver_once(text, stage, answer)
        if rest := next_piece(outline(text), end, 2 * self._count(text) + 1000, self._count):
            post = partial(self._adapter.send_file, self._place, "answer.md", rest.shown)
            await insist(self._pacer, post, self._until)

    async def _deliver_once(self, text: str, stage: Stage, answer: Answer | None) -> int | None:
        pieces, end = self._plan(text, self._adapter.limits.post)
        paints = [_Paint(slot, Content(piece.shown, stage), piece.body) for slot, piece in pieces]
        after = paints[-1].slot + 1 if paints else 0
        surplus = list(self._surplus(after, stage))
        if answer and (not paints or any(message.sealed for message in self._messages[after:])):
            paints.append(_Paint(max(len(self._messages), after), Content(self._withdrawn, stage)))
        if answer:
            paints[-1] = replace(paints[-1], content=replace(paints[-1].content, answer=answer))
        for paint in filter(self._differs, [*paints, *surplus]):
            try:
                await insist(self._pacer, partial(self._call, paint), self._until)
            except MessageGone:
                self.gone.set()
                raise
            except DeliveryError:
                if not self._seal(paint):
                    raise
                return None
        return end

    def _seal(self, paint: _Paint) -> bool:
        """Take a refused edit as the last of its message; False if there is no message yet."""
        if known := paint.slot < len(self._messages):
            self._messages[paint.slot] = replace(self._messages[paint.slot], sealed=True)
        return known
