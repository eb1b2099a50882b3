"""Text that is not to be trusted, on the way to a terminal: file names, questions, passages, what a server said."""

from rich.text import Text

from kbot.chat import plain


def shown(text: str, style: str = "") -> Text:
    """The text without control characters, and without a part in the console's own markup."""
    return Text(plain(text, "\ufffd"), style)


def shown_line(text: str, style: str = "") -> Text:
    """The same on one line: a name may hold a line feed."""
    return shown(" ".join(text.split()), style)
