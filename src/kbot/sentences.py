"""Where the sentences of a text begin and end."""

import re
from itertools import pairwise

_BOUNDARY = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=\S)|\n[ \t]*\n\s*|\n|(?<=[。!?])")
_MARKER = re.compile(r"\s*(?:#{1,6}\s|[-*+•▪–]\s|\d{1,3}[.)]\s|\||>)")
_LEAD = re.compile(r"(?:#{1,6}[ \t]+|[-*+•▪–][ \t]+|>[ \t]*)+")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$")
_ABBREVIATION = re.compile(
    r"(?:^|[\s.(\[])(?:[a-z]|sra?s?|dra?s?|profa?|eng|mrs?|ms|st|av|tel|arts?|inc|cf|ex|fig|cap|págs?|pp|vs|approx)\.$",
    re.IGNORECASE,
)
_CLOSING = ".!?:;…|"
_SHORT_LINE = 40
_SHORTEST_SENTENCE = 20


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a text, of at least 20 characters each; the whole text where there is none.

    A sentence ends at `.!?` before white space, at a blank line, and at the end of a line unless the line was merely
    wrapped: a long line without closing punctuation, followed by a line that is no list item, heading or table row,
    goes on in the next. It does not end at a usual abbreviation or before a small letter, and a shorter one is part of
    its neighbour in the line.
    """
    cuts = [0]
    for found in _BOUNDARY.finditer(text):
        if found.group() == "\n":
            if _wrapped(text, found.start()):
                continue
        elif "\n" not in found.group() and found.end() < len(text) and _goes_on(text, found.start(), found.end()):
            continue
        cuts.append(found.end())
    cuts.append(len(text))
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        lead = _LEAD.match(piece)
        start += lead.end() if lead else len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        line = text[start:end]
        if not line or FENCE.match(line) or TABLE_RULE.match(line):
            continue
        short = min(end - start, spans[-1][1] - spans[-1][0]) < _SHORTEST_SENTENCE if spans else False
        if short and "\n" not in text[spans[-1][1] : start]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    spans = [(start, end) for start, end in spans if end - start >= _SHORTEST_SENTENCE]
    if not spans and (whole := text.strip()):
        start = text.index(whole)
        spans.append((start, start + len(whole)))
    return spans


def _goes_on(text: str, end: int, following: int) -> bool:
    return text[following].islower() or bool(_ABBREVIATION.search(text, max(0, end - 12), end))


def _wrapped(text: str, newline: int) -> bool:
    line = text[text.rfind("\n", 0, newline) + 1 : newline].rstrip()
    following = text[newline + 1 : newline + 20]
    if not line or line[-1] in _CLOSING or _MARKER.match(following) or FENCE.match(line) or FENCE.match(following):
        return False
    return following[:1].islower() or (len(line) >= _SHORT_LINE and not _MARKER.match(line))
