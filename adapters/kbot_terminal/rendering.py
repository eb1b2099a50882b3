"""What the terminal shows, made of text that is not to be trusted.

No part of it acts as the console's markup or as an escape sequence, and no HTML or link hides what it says.
"""

import re
from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
from rich.markdown import Markdown
from rich.segment import SegmentLines
from rich.table import Table
from rich.text import Text

from kbot.chat import Answer, Citation, Passage

__all__ = ["Tail", "markdown", "passages", "plain", "sources"]

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
    for citation in answer.citations:
        lines.append(f"\n[{citation.n}] ", style="not bold cyan")
        lines.append(_where(citation), style="not bold")
        if citation.url:
            lines.append(f"\n    {plain(citation.url)}", style="not bold dim")
    return lines


def passages(read: Sequence[Passage]) -> Table:
    """Everything that was read, with its evidence; a cited passage is ticked."""
    table = Table(title="Read for the last answer", title_justify="left", show_lines=True, expand=True)
    table.add_column("cited", justify="center")
    table.add_column("source", ratio=2, overflow="fold")
    for name in ("similarity", "sentence", "coverage", "score"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("best sentence", ratio=3, overflow="fold")
    for passage in read:
        evidence = (passage.similarity, passage.sentence, passage.coverage, passage.score)
        cited, quote = "✓" if passage.cited else "", plain(passage.quote or passage.text[:200])
        table.add_row(cited, Text(_where(passage)), *(f"{value:.2f}" for value in evidence), Text(quote))
    return table


def _where(source: Citation | Passage) -> str:
    page = "" if source.page is None else f"p. {source.page}"
    parts = (source.title or source.source, page, source.heading)
    return plain(" · ".join(" ".join(part.split()) for part in parts if part))
