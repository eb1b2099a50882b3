"""The smallest pieces that a document is not cut within: sentences with what belongs before them, turns of a talk."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kbot.ingestion.kinds import turn_starts
from kbot.outline import HEADING, Outline, tables
from kbot.sentences import sentences


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the text from `start` to the next unit's. `text` is what it says, without what leads into it."""

    start: int
    text: str


def sentence_units(text: str, numbered: Sequence[int]) -> list[Unit]:
    """A unit for each sentence, with the headings and short lines above it. A table, code and what stands on different
    numbered pages are kept as they are: none of the first two is cut, and no unit spans two pages."""
    kept = sorted([(table.start, table.end) for table in tables(text)] + Outline(text).fences)
    starts = [start for start, _ in kept]
    found: list[Unit] = []
    for low, high in pairwise(sorted({0, *numbered, len(text)})):
        for lead, start, end in _sentences(text[low:high]):
            at = low + lead
            block = bisect_right(starts, at) - 1
            if at > low and block >= 0 and starts[block] < at < kept[block][1]:
                if low + start < kept[block][1]:
                    continue
                at = kept[block][1]
            found.append(Unit(at, text[low + start : low + end]))
    return found


def turn_units(text: str, numbered: Sequence[int]) -> list[Unit]:
    """A unit for each turn of a transcript, or subtitle; pages begin a unit too."""
    starts = sorted({0, *turn_starts(text), *numbered})
    found: list[Unit] = []
    for low, high in pairwise([*starts, len(text)]):
        if said := " ".join(line for line in text[low:high].splitlines() if line.strip() and "-->" not in line).strip():
            found.append(Unit(low, said))
    return found


def _sentences(page: str) -> Iterator[tuple[int, int, int]]:
    """Start and end of the sentences of a page, after where what leads into each begins; a heading leads into the
    sentence that follows it."""
    end, held = 0, 0
    for start, after in sentences(page):
        lead = start
        if held >= 0:
            lead = held
        elif "\n" in page[end:start]:
            line = page.index("\n", end, start) + 1
            lead = line + len(page[line:start]) - len(page[line:start].lstrip())
        end, held = after, -1
        if HEADING.match(page[page.rfind("\n", 0, start) + 1 : end]):
            held = lead
            continue
        yield lead, start, end
    if held > 0 or (held == 0 and page.strip()):
        yield held, held, len(page.rstrip())
