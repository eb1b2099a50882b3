"""Text that everything else can take."""

import re
import unicodedata

_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# Where combining marks are: those before U+0300 need no look, and are nearly all.
_MARKS = re.compile(r"[^\x00-\u02ff]+")


def readable(text: str) -> str:
    """The text with a space for each character that no database takes: controls and broken surrogates."""
    return _UNREADABLE.sub(" ", text)


def storable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, such as a byte of a name that is no text."""
    return text.encode("utf-8", "replace").decode()


def unaccented(text: str) -> str:
    """The text with its letters taken apart (NFKD) and without accents."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return _MARKS.sub(lambda marks: "".join(c for c in marks[0] if not unicodedata.combining(c)), decomposed)
