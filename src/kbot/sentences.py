"""Where the sentences of a text begin and end."""

import re
from itertools import pairwise

from kbot.answer_types import folded
from kbot.language import FUNCTION_WORDS

_BOUNDARY = re.compile(r"(?<=[.!?…])[\"'”’»)\]*_]*\s+(?=\S)|\n[ \t]*\n\s*|\n|(?<=[。!?])")
_MARKER = re.compile(r"\s*(?:#{1,6}\s|[-*+•▪–]\s|\d{1,3}[.)]\s|\||>)")
_LEAD = re.compile(r"(?:#{1,6}[ \t]+|[-*+•▪–][ \t]+|>[ \t]*)+")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
TABLE_RULE = re.compile(r"^(?=[\s:|-]*$)[^-]*-[^|]*\|")

# Abbreviations: what always needs a word after it, what needs a number, and what may stand at the end of a sentence.
_TITLES = (
    *("Dr", "Dra", "Drs", "Sr", "Sra", "Srs", "Sras", "Prof", "Profa", "Profs", "Exmo", "Exma", "Ilmo", "Ilma", "Eng"),
    *("Mr", "Mrs", "Ms", "St", "Gen", "Rev", "Hon", "Av", "Tel", "tel", "Dept", "Depto"),
    *("cf", "ex", "vs", "approx", "aprox", "e.g", "i.e"),
)
_NUMBERED = ("art", "Art", "arts", "Arts", "fig", "Fig", "cap", "Cap", "pp", "pág", "págs", "ap", "apto", "Bl")
_COMPANIES = ("Ltda", "Lda", "Inc", "Ltd", "Corp", "Cia", "Co", "Bros", "Jr")
ABBREVIATIONS = (*_TITLES, *_NUMBERED, *_COMPANIES, "etc")
"""What may stand before a full stop that ends no sentence, beside a single letter: as it is usually written."""


def _shortened(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(patterns)})\.$", re.IGNORECASE)


_IN_THE_DAY = r"[ap]\.\s?m"
_NEVER_ENDS = _shortened(*map(re.escape, _TITLES))
# "No." and "out." are words as well, so it takes a number; so it does after what ends a sentence before a capital.
_BEFORE_NUMBERS = _shortened(
    *_NUMBERED,
    r"n\.?[oº°]s?|n[úu]ms?|vols?|secs?|ch|refs?|etc",
    r"jan|feb|fev|apr|abr|aug|ago|sept|oct|nov|dec|dez",
    _IN_THE_DAY,
)
_NUMBER = re.compile(r"\(|\d|(?:[IVXLC]{2,}|[B-DF-HJ-NP-Z])\b")
_MAY_END = _shortened(*_COMPANIES, r"(?<![ap]\.)(?<![ap]\.\s)[a-z]", r"[b-oq-z]\.\s?m")
_LONGEST_ABBREVIATION = 12
_WORD = re.compile(r"[\"'“‘«*_]*([^\W\d_]+)(?!\.)")
_CLOSING = ".!?:;…|"
_SHORT_LINE = 40
# A line does not end with one of these, wherever it was broken; nor does a sentence. "No" after a mark, or after "or",
# is an answer.
BINDS = re.compile(
    r"(?<![^\W_])(?:an?|the|of|to|for|in|on|at|by|with|from|and|or|than|de|d[aeo]s?|em|nas?|nos"
    r"|(?<=[\w)\]\"'”’»]\s)(?<!\bor\s)no|aos?|à|às|um|uma|uns|umas|o|os|as|para|por|pel[ao]s?|com|sem|e|ou|que)\s*$"
)
_SHORTEST_SENTENCE = 20


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a text, of at least 20 characters each; the whole text where there is none.

    A sentence ends at `.!?` before white space, at a blank line, and at the end of a line unless the line was merely
    wrapped: a long line without closing punctuation, followed by a line that is no list item, heading or table row,
    goes on in the next. It does not end at a usual abbreviation or before a small letter, and a shorter one is part of
    its neighbour in the line. What closes a quotation, a bracket or an emphasis after the full stop belongs to it.
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
    """Whether the sentence goes on after its full stop: in small letters, or after an abbreviation, unless that may end
    one and a word that begins sentences comes next (as in Kiss and Strunk, 2006)."""
    if text[following].islower():
        return True
    if text[end - 1] != "." or not text[max(0, end - 2)].isalnum():
        return False
    low = max(0, end - _LONGEST_ABBREVIATION)
    if _NEVER_ENDS.search(text, low, end):
        return True
    if _BEFORE_NUMBERS.search(text, low, end) and _NUMBER.match(text, following):
        return True
    if not _MAY_END.search(text, low, end):
        return False
    word = _WORD.match(text, following, following + _LONGEST_ABBREVIATION)
    return not (word and folded(word[1]) in FUNCTION_WORDS)


def _wrapped(text: str, newline: int) -> bool:
    line = text[text.rfind("\n", 0, newline) + 1 : newline].rstrip()
    following = text[newline + 1 : newline + 20]
    if not line or _MARKER.match(following) or FENCE.match(line) or FENCE.match(following):
        return False
    long = len(line) >= _SHORT_LINE and not _MARKER.match(line)
    if line[-1] == ".":
        return long and bool(following.strip()) and _goes_on(text, newline, newline + 1)
    return line[-1] not in _CLOSING and (long or following[:1].islower() or bool(BINDS.search(line)))
