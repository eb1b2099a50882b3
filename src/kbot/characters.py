"""Text that everything else can take."""

import re

_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def readable(text: str) -> str:
    """The text with a space for each character that no database takes: controls and broken surrogates."""
    return _UNREADABLE.sub(" ", text)


def storable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, such as a byte of a name that is no text."""
    return text.encode("utf-8", "replace").decode()
