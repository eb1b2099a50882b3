"""Cut by length: at the highest border of Markdown that a piece holds, down to sentences and words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from semantic_text_splitter import MarkdownSplitter

from kbot.outline import HEADING
from kbot.sentences import FENCE

Span = tuple[int, int]
"""Start and end in a document's text (characters)."""

_LONGEST_RUN = 4000
_UNBROKEN = re.compile(r"\S{4000,}")
# A numbered page of up to this many chunks' length stays whole.
_WHOLE_PAGE = 2


def cut_recursively(text: str, numbered: Sequence[int], size: int) -> list[Span]:
    """Spans of at most about `size` characters that together hold the text, white space between them aside.

    A numbered page (they begin at `numbered`) begins a new span, and one of up to twice `size` is one span, so that a
    citation names the page that a reader finds it on. A heading stays with what follows it, so a span can be longer
    by its headings.
    """
    return list(join_headings(text, _within(text, numbered, size, size * _WHOLE_PAGE if numbered else size), size))


def cut_at(text: str, edges: Iterable[int], size: int) -> list[Span]:
    """Spans that begin at the edges, and, between two that lie further apart than `size`, also where they are cut
    recursively."""
    return list(join_headings(text, _within(text, edges, size, size), size))


def _within(text: str, borders: Iterable[int], size: int, whole: int) -> Iterator[Span]:
    splitter = MarkdownSplitter((size * 5 // 8, size), trim=False)
    # The splitter's time grows with the square of a run without white space: such runs are cut before it sees them.
    edges = {0, len(text), *borders}
    for run in _UNBROKEN.finditer(text):
        edges.update(range(run.start(), run.end(), _LONGEST_RUN))
    for low, high in pairwise(sorted(edges)):
        pieces = [(0, text[low:high])] if high - low <= whole else splitter.chunk_indices(text[low:high])
        for offset, piece in pieces:
            if piece.strip():
                yield low + offset, low + offset + len(piece)


def join_headings(text: str, spans: Iterable[Span], size: int) -> Iterator[Span]:
    """The spans, of which one that holds headings alone is joined with the next."""
    held: int | None = None
    last: Span | None = None
    for start, end in spans:
        begin = start if held is None else held
        lines = [line for line in text[begin:end].splitlines() if line.strip()]
        if end - begin <= size and all(
            HEADING.match(line) or (FENCE.match(line) and index == len(lines) - 1) for index, line in enumerate(lines)
        ):
            held, last = begin, (begin, end)
            continue
        held, last = None, None
        yield begin, end
    if last:
        yield last
