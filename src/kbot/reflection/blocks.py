"""The blocks of an answer: its paragraphs, items of lists, headings, and rows of tables. Pure functions, which leave
blocks of code out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kbot.grounding import code_blocks
from kbot.sentences import TABLE_RULE

_ITEM = re.compile(r"[ \t]*(?:[-*+•▪–][ \t]|\d{1,3}[.)][ \t])")
_QUOTE = re.compile(r"[ \t]*>")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")


@dataclass(frozen=True, slots=True)
class Block:
    """What stands from `start` to `end`: one line, or a paragraph or an item of several. None is the head of a table;
    `head` is where that of a row begins and ends."""

    start: int
    end: int
    kind: Literal["paragraph", "item", "heading", "row"] = "paragraph"
    head: tuple[int, int] | None = None


def blocks(text: str) -> Iterator[Block]:
    """All blocks of a text but code, and what heads a table, in their order."""
    lines = prose_lines(text)
    opened: Block | None = None
    head: tuple[int, int] | None = None
    for place, (start, end) in enumerate(lines):
        line = text[start:end]
        following = text[slice(*lines[place + 1])] if place + 1 < len(lines) else ""
        if "|" in line and TABLE_RULE.match(following):
            head = (start, lines[place + 1][1])
            row = False
        else:
            row = "|" in line and (bool(head) or line.lstrip().startswith("|")) and not TABLE_RULE.match(line)
            head = head if "|" in line else None
        in_table = "|" in line and (row or head is not None)
        item, heading = bool(_ITEM.match(line)), bool(_HEADING.match(line))
        starts = in_table or item or heading or bool(_QUOTE.match(line))
        if opened and (starts or not line.strip() or start != opened.end + 1):
            yield opened
            opened = None
        if row or (heading and not in_table):
            yield Block(start, end, "row" if row else "heading", head)
        elif line.strip() and not in_table:
            opened = (
                Block(opened.start, end, opened.kind) if opened else Block(start, end, "item" if item else "paragraph")
            )
    if opened:
        yield opened


def prose_lines(text: str) -> list[tuple[int, int]]:
    """Where the lines outside code begin and end, without their line breaks."""
    code = code_blocks(text)
    found: list[tuple[int, int]] = []
    start = place = 0
    for line in text.split("\n"):
        end = start + len(line)
        while place < len(code) and code[place][1] <= start:
            place += 1
        if place == len(code) or end <= code[place][0]:
            found.append((start, end))
        start = end + 1
    return found
