"""What gives a text its shape: headings, tables and code, and where they stand."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from kbot.sentences import FENCE, TABLE_RULE

HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$")
_TABLE = re.compile(r"^(?:[ \t]*\|.*(?:\n|\Z))+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Table:
    """A pipe table, from `start` to `end` in the text, and its header rows."""

    start: int
    end: int
    header: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, where its line starts in the text; `level` is 1 for the highest, 6 for the lowest."""

    start: int
    level: int
    name: str


class Outline:
    """The Markdown headings of a text, outside fenced code, and which of them are in force at an offset. `fences` are
    the starts and ends of the code."""

    def __init__(self, text: str) -> None:
        self.fences: list[tuple[int, int]] = []
        self.headings: list[Heading] = []
        self._paths: list[tuple[Heading, ...]] = []
        path: tuple[Heading, ...] = ()
        fence: str | None = None
        opened = offset = 0
        for line in text.splitlines(keepends=True):
            mark = FENCE.match(line)
            if fence:
                if mark and mark.group(1).startswith(fence) and not line.strip(" `~\r\n"):
                    fence = None
                    self.fences.append((opened, offset + len(line)))
            elif mark:
                fence, opened = mark.group(1), offset
            elif found := HEADING.match(line.rstrip()):
                heading = Heading(offset, len(found[1]), found[2])
                path = (*(outer for outer in path if outer.level < heading.level), heading)
                self.headings.append(heading)
                self._paths.append(path)
            offset += len(line)
        if fence:
            self.fences.append((opened, offset))

    def path(self, offset: int) -> tuple[Heading, ...]:
        """The headings in force just before `offset`, outermost first."""
        index = bisect_right(self.headings, offset - 1, key=lambda heading: heading.start) - 1
        return self._paths[index] if index >= 0 else ()


def heading_at(text: str, place: int, heading: str) -> str:
    """The path of headings ("Leave > Sick leave") that a place in a passage stands under, where `heading` is that of
    another place in it, or of its beginning."""
    if "#" not in text:
        return heading
    outline = Outline(text)
    within = {each.name for each in outline.headings}
    outer = [name for name in heading.split(" > ") if name and name not in within]
    path = outline.path(place + 1)
    if path:
        outer = outer[: path[0].level - 1]
    return " > ".join([*outer, *(each.name for each in path)])


def tables(text: str) -> list[Table]:
    """The pipe tables of a text that have a header, in order."""
    found: list[Table] = []
    for table in _TABLE.finditer(text):
        first = text.find("\n", table.start(), table.end()) + 1
        second = text.find("\n", first, table.end()) + 1
        if first and second and TABLE_RULE.match(text[first : second - 1]):
            found.append(Table(table.start(), table.end(), text[table.start() : second - 1]))
    return found


def header_at(tables: Sequence[Table], start: int) -> str:
    """The header rows of the table in whose middle `start` lies, else nothing."""
    at = bisect_right(tables, start, key=lambda table: table.start) - 1
    if at < 0:
        return ""
    table = tables[at]
    return table.header if table.start + len(table.header) < start < table.end else ""


def leading_headings(body: str) -> int:
    """Characters of the headings with which a text begins."""
    length = 0
    for line in body.splitlines(keepends=True):
        if line.strip() and not HEADING.match(line.rstrip()):
            break
        length += len(line)
    return length
