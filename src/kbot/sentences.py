"""Where the sentences of a text begin and end."""

import re
from itertools import pairwise

_BOUNDARY = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=\S)|\n[ \t]*\n\s*|\n|(?<=[。!?])")
_MARKER = re.compile(r"\s*(?:#{1,6}\s|[-*+•▪–]\s|\d{1,3}[.)]\s|\||>)")
_LEAD = re.compile(r"(?:#{1,6}[ \t]+|[-*+•▪–][ \t]+|>[ \t]*)+")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$")
_CLOSING = ".!?:;…|"
_SHORT_LINE = 40
_SHORTEST_SENTENCE = 20


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a text, of at least 20 characters each; the whole text where there is none.

    A sentence ends at `.!?` before white space, at a blank line, and at the end of a line unless the line was merely
    wrapped: a long line without closing punctuation, followed by a line that is no list item, heading or table row,
    goes on in the next.
    """
    cuts = [0]
    for found in _BOUNDARY.finditer(text):
        if found.group() == "\n" and _wrapped(text, found.start()):
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
        if end - start >= _SHORTEST_SENTENCE and not _FENCE.match(line) and not _TABLE_RULE.match(line):
            spans.append((start, end))
    if not spans and (whole := text.strip()):
        start = text.index(whole)
        spans.append((start, start + len(whole)))
    return spans


def _wrapped(text: str, newline: int) -> bool:
    line = text[text.rfind("\n", 0, newline) + 1 : newline].rstrip()
    following = text[newline + 1 : newline + 20]
    if not line or line[-1] in _CLOSING or _MARKER.match(following):
        return False
    return following[:1].islower() or (len(line) >= _SHORT_LINE and not _MARKER.match(line))
