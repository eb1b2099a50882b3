"""What the terminal shows, made of text that is not to be trusted.

No part of it acts as the console's markup or as an escape sequence, and no HTML or link hides what it says.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
from rich.markdown import Markdown
from rich.segment import SegmentLines
from rich.text import Text

from kbot.chat import Answer, Citation, Passage

__all__ = ["Tail", "labels", "markdown", "passages", "plain", "sources"]

_EXCERPT = 500  # characters of a passage that `passages` shows

# All control characters but tab and line feed, and the marks that turn the direction of a text around.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text without control characters: an escape sequence is left as harmless letters."""
    return _CONTROL.sub("", text)


def markdown(text: str) -> Markdown:
    """The text as Markdown; HTML in it is shown as it is written, a link with its address."""
    rendered = Markdown(plain(text), hyperlinks=False)
    for token in rendered.parsed:
        if token.type == "html_block":
            token.type = "code_block"
        for child in token.children or ():
            if child.type == "html_inline":
                child.type = "text"
    return rendered


class Tail:
    """The last lines of something that may be taller than the screen: the newest are what a reader follows."""

    def __init__(self, whole: ConsoleRenderable) -> None:
        self._whole = whole

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._whole, options, pad=False)
        room = max(console.size.height - 2, 1)
        yield SegmentLines(lines[-room:], new_lines=True)


def sources(answer: Answer | None) -> Text | None:
    """The numbered sources of a grounded answer; None for any other, which has none to show."""
    if answer is None or not answer.grounded or not answer.citations:
        return None
    lines = Text("Sources", style="bold")
    for citation, label in zip(answer.citations, labels(answer.citations), strict=True):
        lines.append(f"\n[{citation.n}] ", style="not bold cyan")
        lines.append(label, style="not bold")
        if citation.url:
            lines.append(f"\n    {plain(citation.url)}", style="not bold dim")
    return lines


def passages(read: Sequence[Passage]) -> Text:
    """Everything that was read, with its evidence, its best sentence and its beginning; a cited passage is ticked."""
    shown = Text("Read for the last answer", style="bold")
    for passage, label in zip(read, labels(read), strict=True):
        evidence = {name: getattr(passage, name) for name in ("similarity", "sentence", "coverage", "score")}
        shown.append(f"\n\n{'✓' if passage.cited else '·'} {label}", style="not bold cyan")
        shown.append("\n  " + " · ".join(f"{name} {value:.2f}" for name, value in evidence.items()), style="not bold")
        quote, text = (" ".join(plain(each).split()) for each in (passage.quote, passage.text))
        if quote:
            shown.append(f"\n  {quote}", style="not bold")
        if text != quote:
            shown.append(f"\n  {text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + '…'}", style="not bold dim")
    return shown


def labels(places: Sequence[Citation] | Sequence[Passage]) -> list[str]:
    """Where each of them stands, for people: title, page and heading. The file's name is added where the title does not
    say it, and where two documents would look the same."""
    documents = {place.source: place.title for place in places}
    titles = Counter(documents.values())
    return [_label(place, alone=titles[place.title] == 1) for place in places]


def _label(place: Citation | Passage, *, alone: bool) -> str:
    title = place.title or place.source
    named = title == place.source or (alone and (_says(title, place.source) or place.url == place.source))
    page = "" if place.page is None else f"p. {place.page}"
    heading = [part for part in place.heading.split(" > ") if _letters(part) != _letters(title)]
    parts = (title if named else f"{title} ({place.source})", page, " > ".join(heading))
    return plain(" · ".join(" ".join(part.split()) for part in parts if part))


def _says(title: str, source: str) -> bool:
    """Whether a title names the file: "Manual de RH" does so for "pdf/manual-de-rh.pdf"."""
    path = PurePosixPath(source)
    return _letters(title) in {_letters(path.stem), _letters(path.name)}


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
