"""Text that is not to be trusted, on the way to a terminal: file names, questions, passages, what a server said."""

import re

from rich.text import Text

# Escape sequences begin with one of these; a tab and a line feed are all that a text needs.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(text: str, style: str = "") -> Text:
    """The text without control characters, and without a part in the console's own markup."""
    return Text(_CONTROL.sub("\ufffd", text), style)


def shown_line(text: str, style: str = "") -> Text:
    """The same on one line: a name may hold a line feed."""
    return shown(" ".join(text.split()), style)
