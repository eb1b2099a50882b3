"""The sections from which a model reads where a small chunk was found: neighbouring chunks under one heading, of one
page.

Sections are made of whole chunks and none shares a chunk with another, so that two chunks have either the same section
or nothing in common.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from kbot.ingestion.chunk import Chunk
from kbot.outline import Outline

# The search looks for a section's chunks no further than this from the one that it found.
_MOST_CHUNKS = 32
_CONTINUED = 8  # weaker than any heading, of which there are six


def with_sections(
    text: str, chunks: Sequence[Chunk], characters: int, *, numbered: Sequence[int], clauses: Mapping[int, int]
) -> list[Chunk]:
    """The chunks of a document's text with the sections to which they belong, of at most `characters` and 32 chunks.

    That is their page, as far as it is `numbered` (a citation names where the answer stands); in it the parts under the
    highest headings that fit, clauses being headings too; where one heading has more, as many chunks in a row as fit.
    A section that begins in the middle of a table ends with it. A chunk that fills a section by itself has none.
    """
    levels = {heading.start: heading.level for heading in Outline(text).headings} | dict(clauses)
    # How high the heading is that a chunk begins with: 1 the highest, 8 none.
    strengths = [levels.get(chunk.start, _CONTINUED) for chunk in chunks]
    found: list[Chunk] = []
    for low, high in _runs(chunks, numbered):
        for start, end in _grouped(chunks, strengths, low, high, characters):
            section = (chunks[start].start, chunks[end - 1].end) if end - start > 1 else None
            found += [replace(chunk, section=section) for chunk in chunks[start:end]]
    return found


def _runs(chunks: Sequence[Chunk], numbered: Sequence[int]) -> Iterator[tuple[int, int]]:
    """From and to which chunk each numbered page goes. A chunk on two pages, which begins with a heading that ends the
    first, belongs to neither."""
    pages = sorted({*numbered})
    on = [(bisect_right(pages, chunk.start), bisect_right(pages, chunk.end - 1)) for chunk in chunks]
    borders = [0, *(n for n in range(1, len(chunks)) if on[n] != on[n - 1]), len(chunks)]
    yield from ((low, high) for low, high in pairwise(borders) if low < high)


def _grouped(
    chunks: Sequence[Chunk], strengths: Sequence[int], low: int, high: int, characters: int
) -> list[tuple[int, int]]:
    if _fits(chunks, low, high, characters) or high - low == 1:
        return _outside_tables(chunks, low, high)
    highest = min(strengths[low + 1 : high])
    if highest == _CONTINUED:
        return _filled(chunks, low, high, characters)
    borders = [low, *(n for n in range(low + 1, high) if strengths[n] == highest), high]
    return [group for start, end in pairwise(borders) for group in _grouped(chunks, strengths, start, end, characters)]


def _fits(chunks: Sequence[Chunk], low: int, high: int, characters: int) -> bool:
    return chunks[high - 1].end - chunks[low].start <= characters and high - low <= _MOST_CHUNKS


def _filled(chunks: Sequence[Chunk], low: int, high: int, characters: int) -> list[tuple[int, int]]:
    """As many chunks in a row as fit, again and again."""
    groups: list[tuple[int, int]] = []
    start = low
    for n in range(low + 1, high + 1):
        if n == high or not _fits(chunks, start, n + 1, characters):
            groups += _outside_tables(chunks, start, n)
            start = n
    return groups


def _outside_tables(chunks: Sequence[Chunk], low: int, high: int) -> list[tuple[int, int]]:
    """A group, cut where it would begin in the middle of a table and go on behind it: all its chunks are read with the
    header of that table."""
    header = chunks[low].header
    border = next((n for n in range(low + 1, high) if header and chunks[n].header != header), high)
    return [(low, border), *(_outside_tables(chunks, border, high) if border < high else [])]
