"""Which message shows which part of a reply. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

from kbot.chat import Content, Limits, Stage
from kbot.splitting import Piece, closing, next_piece, outline, settled


@dataclass(frozen=True, slots=True)
class Paint:
    """What the message number `slot` should show; `raw` is the part of the reply's text in it."""

    slot: int
    content: Content
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Message:
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


def plan(text: str, messages: Sequence[Message], limits: Limits, new: int) -> tuple[list[tuple[int, Piece]], int]:
    """The text laid out over the messages there are and new ones of at most `new` units.

    Returns the pieces with their messages' numbers, and where in the text begins what no message holds.
    """
    read, start, pieces = outline(text), 0, list[tuple[int, Piece]]()
    sealed = sum(message.sealed for message in messages)
    for slot in range(max(limits.messages, 1) + sealed):
        message = messages[slot] if slot < len(messages) else None
        if message and message.sealed:
            start = message.unseen(text, start)
        elif piece := next_piece(read, start, limits.edit if message else new, limits.count):
            pieces.append((slot, piece))
            start = piece.after
    return pieces, start


def growing(text: str, messages: Sequence[Message], limits: Limits, cursor: str) -> list[Paint]:
    """What the messages show of a text that is still being written: the cursor stands at its end, and what is open
    there is closed."""
    room = min(limits.post, limits.edit)
    pieces, end = plan(text, messages, limits, room)
    paints: list[Paint] = []
    for slot, piece in pieces:
        shown, raw, sure = piece.shown, piece.body, piece.shown
        if slot == pieces[-1][0] and end == len(text):
            bare = piece.opening + piece.body
            grown, sure = closing(bare, cursor), settled(bare)
            raw = sure.removeprefix(piece.opening)
            shown = grown if grown.strip() and limits.count(grown) <= room else shown
        paints.append(Paint(slot, Content(shown, "growing", settled=sure), raw))
    return paints


def final(text: str, messages: Sequence[Message], limits: Limits, stage: Stage) -> tuple[list[Paint], int]:
    """What the messages show of a finished text, and where in it begins what no message holds."""
    pieces, end = plan(text, messages, limits, limits.post)
    return [Paint(slot, Content(piece.shown, stage), piece.body) for slot, piece in pieces], end


def line(slot: int, text: str, stage: Stage, limits: Limits) -> Paint:
    """A line in place of a message's text, as much of it as one message holds."""
    piece = next_piece(outline(text), 0, limits.edit, limits.count)
    return Paint(slot, Content(piece.shown if piece else "…", stage))


def differs(paint: Paint, messages: Sequence[Message]) -> bool:
    """Whether a message does not show yet what it should."""
    if paint.slot >= len(messages):
        return True
    shown, wanted = messages[paint.slot].content, paint.content
    ends = paint.slot == len(messages) - 1 and wanted.stage in ("final", "failed")
    return shown.text != wanted.text or shown.answer is not wanted.answer or (ends and shown.stage != wanted.stage)
