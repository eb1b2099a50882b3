"""What a model thinks before it answers, taken out of what it says.

Reasoning models write their thoughts between tags, as text like any other, and a tag may be split over
chunks.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

UNSAID: Final = ""
"""Among the pieces of an answer: all before it turned out to be thinking; the answer starts anew after it."""

_NAMES = ("think", "thinking", "thought", "reasoning", "seed:think", "scratchpad")
_TAG = re.compile(rf"<(/?)(?:{'|'.join(_NAMES)})>", re.IGNORECASE)
_TAGS = tuple(f"<{slash}{name}>" for name in _NAMES for slash in ("", "/"))


class ThinkFilter:
    """Holds back thinking while an answer streams.

    An opening tag hides what follows up to the next closing one, or to the end. Some models write a closing
    tag alone, since their prompt template already opened it: what came before it was thinking, and `UNSAID`
    says so once more text follows. A tag right after a backtick is quoted, and part of the answer.
    """

    def __init__(self) -> None:
        self.thinking = False
        self._held = ""
        self._last = ""
        self._shown = False
        self._aloud = False

    def feed(self, piece: str) -> Iterator[str]:
        """The visible pieces that are certain after one more piece; `UNSAID` may be among them."""
        text = self._held + piece
        told = 0
        for tag in _TAG.finditer(text):
            before = text[tag.start() - 1] if tag.start() else self._last
            if before == "`" and not self.thinking:
                continue
            yield from self._show(text[told : tag.start()])
            told = tag.end()
            closing = bool(tag[1])
            self._aloud = self._aloud or (closing and not self.thinking and self._shown)
            self.thinking = not closing
        open_end = _unfinished_tag(text, told)
        yield from self._show(text[told:open_end])
        self._held = text[open_end:]
        self._last = text[open_end - 1 : open_end] or self._last

    def end(self) -> Iterator[str]:
        """What was held back as the possible start of a tag, when nothing follows any more."""
        held, self._held = self._held, ""
        yield from self._show(held)

    def _show(self, text: str) -> Iterator[str]:
        if self.thinking:
            return
        if self._aloud or not self._shown:
            text = text.lstrip()
        if not text:
            return
        if self._aloud:
            self._aloud = False
            yield UNSAID
        self._shown = True
        yield text


def _unfinished_tag(text: str, start: int) -> int:
    """Where the beginning of a tag stands at the end of the text; the text's length if none does."""
    at = text.rfind("<", start)
    if at >= 0 and any(tag.startswith(text[at:].lower()) for tag in _TAGS):
        return at
    return len(text)


def joined(pieces: Iterable[str]) -> str:
    """The answer that the pieces make, `UNSAID` obeyed."""
    text = ""
    for piece in pieces:
        text = text + piece if piece else ""
    return text


def visible(text: str) -> str:
    """A whole text without its thinking."""
    thoughts = ThinkFilter()
    return joined([*thoughts.feed(text), *thoughts.end()])
