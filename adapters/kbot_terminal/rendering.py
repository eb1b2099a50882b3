"""What the terminal shows, made of text that is not to be trusted.

No part of it acts as the console's markup or as an escape sequence, and no HTML or link hides what it says.
"""

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
from rich.markdown import Markdown
from rich.segment import SegmentLines
from rich.text import Text

from kbot.chat import Answer, Passage, captions, labels_in, plain, sources

_EXCERPT = 500  # characters of a passage that `passages` shows


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


def source_list(answer: Answer | None) -> Text | None:
    """The numbered sources of a grounded answer; None for any other, which has none to show."""
    shown = sources(answer)
    if answer is None or not shown:
        return None
    lines = Text(labels_in(answer.language).sources, style="bold")
    for citation, caption in zip(shown, captions(shown, answer.language), strict=True):
        lines.append(f"\n[{citation.n}] ", style="not bold cyan")
        lines.append(caption, style="not bold")
        if citation.url:
            lines.append(f"\n    {plain(citation.url)}", style="not bold dim")
    return lines


def passages(read: Sequence[Passage]) -> Text:
    """Everything that was read, with its evidence, its best sentence and its beginning; a cited passage is ticked."""
    shown = Text("Read for the last answer", style="bold")
    for passage, caption in zip(read, captions(read), strict=True):
        evidence = {name: getattr(passage, name) for name in ("similarity", "sentence", "coverage", "score")}
        shown.append(f"\n\n{'✓' if passage.cited else '·'} {caption}", style="not bold cyan")
        shown.append("\n  " + " · ".join(f"{name} {value:.2f}" for name, value in evidence.items()), style="not bold")
        quote, text = (" ".join(plain(each).split()) for each in (passage.quote, passage.text))
        if quote:
            shown.append(f"\n  {quote}", style="not bold")
        if text != quote:
            shown.append(f"\n  {text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + '…'}", style="not bold dim")
    return shown
