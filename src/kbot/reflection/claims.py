"""An answer as claims: its sentences and the rows of its tables, each with the citations that it rests on. Pure
functions, which leave blocks of code as they are."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from kbot.grounding import code_blocks, marks, plain, strip_citations
from kbot.prompts import CUT_NOTES, QUOTE_NOTES
from kbot.sentences import TABLE_RULE, sentences

_STOPS = ".!?…;"
_CLOSING = "\"'”’»)*_"
_FEWEST_WORDS = 3
_FEWEST_CHARACTERS = 20
_STARTS = re.compile(r"[ \t]*(?:[-*+•▪–][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|>)")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_BARE = re.compile(r"[ \t>]*(?:[-*+•▪–]|\d{1,3}[.)])?[ \t*_]*")
# "2. Restart it", "Passo 2: reinicie": the number says where it stands in the answer.
_NUMBERED = re.compile(
    r"^(?:(?:e|ou|and|or)\s+(?=\(?\w{1,4}\)))?[*_]{0,3}"
    r"(?:(?:(?:step|passo|etapa|fase|phase)\s+)?\(?\d{1,3}\s?[.):]|\(?(?:[a-z]|[ivx]{2,4})\))[*_]{0,3}\s+",
    re.IGNORECASE,
)
# An item of a list within a line: "a) … [1]; b) … [2]", and the first one after what leads in the list.
_MARKED = r"(?=(?:(?:e|ou|and|or)\s+)?(?:\(?(?:\d{1,3}|[a-z]|[ivx]{2,4})\)|\d{1,3}\.|[-*•–])\s)"
_NEXT_ITEM = re.compile(rf"([.;]?),?\s+{_MARKED}")
_FIRST_ITEM = re.compile(rf"(:)\s+{_MARKED}")
_CELL_END = re.compile(r"(?<!\\)\|")
_LAST_PIPE = re.compile(r"(?<![ \t])[ \t]*+\|[ \t]*+\Z")
# What an answer says of the passages, not of the world.
_LACK = re.compile(
    r"\b(?:passages?|documents?|sources?|trechos?|documentos?|fontes?)\b(?:(?!\b(?:that|which|que)\b)[^.]){0,20}"
    r"\b(?:do(?:es)? not|don't|doesn't|não|nada|no information|sem informaç)[^.]{0,20}?"
    r"(?:mention|say|state|contain|specif|tell|give|provide|answer|explain|address|information"
    r"|mencion|di[zg]|inform(?:am?|ou|aram|ações|ação)\b|cont[eéê]m|especific|respond|tra[zt]|fala|explic)"
    r"|\bthere (?:is|are) no (?:passages?|documents?|information)"
    r"(?: (?:that|which|about|on|in|available|regarding)\b|[.,!]|\Z)"
    r"|\bnot in the (?:passages?|documents?)\b"
    r"|\b(?:não há|nenhum|nenhuma) (?:trechos?|documentos?|informaç\w+)"
    r"(?: (?:que|sobre|n[oa]s?|dispon\w+|suficientes?|a respeito|acerca|fala\w*|menciona\w*|diz\w*)\b|[.,!]|\Z)"
    r"|\bnão há nos (?:trechos|documentos)\b"
    r"|^The sources? disagrees?\b|^As fontes discordam\b|^A fonte se contradiz\b",
    re.IGNORECASE,
)
_NOTES = frozenset([*CUT_NOTES.values(), *QUOTE_NOTES.values()])  # kbot's own words, which nothing has to say

_LOOSE_MARKER = re.compile(r"(?<=[.!?…])\s+(\(?(?:\d{1,3}|[a-z])[.)])\Z")
# Where a sentence turns from what the passages lack to what they tell, or back.
_TURNS = re.compile(
    r"(?<!\s)\s*+(?:;\s*|[,–—-]?\s*\b(?:but|however|yet|though|although|whereas|while|mas|porém|contudo|todavia|entretanto"
    r"|no entanto|enquanto|embora)\b,?\s*)+",
    re.IGNORECASE,
)
_CONCEDES = re.compile(r"\A\W*(?:although|though|while|embora|ainda que|apesar de)\b[^,;]*(,\s+)", re.IGNORECASE)
_TELLS_OF_PASSAGES = re.compile(
    r"\W*(?:they |it |eles |elas )?(?:only|just|apenas|só|somente)\s+(?:mention|discuss|refer|talk|cover|mencion"
    r"|fala|trata|refere|aborda)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, or a row of a table as its cells, that says something of the world, without its marks,
    and the numbers it cites."""

    text: str
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Located:
    """A claim and where it stands; `row` for one that is a line of a table."""

    start: int
    end: int
    claim: Claim
    row: bool


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, an item of a list, or a line of a table that is none of its head, from `start` to `end`; `head` is
    where the head of a row's table begins and ends."""

    start: int
    end: int
    row: bool = False
    head: tuple[int, int] | None = None


def split_claims(answer: str) -> list[Claim]:
    """The claims of an answer, in order. Questions, headings, code, what leads in a list, and what says that the
    passages do not tell are no claims."""
    return [each.claim for each in _located(_marks_within(answer))]


def tells_a_lack(answer: str) -> bool:
    """Whether an answer says that the passages do not tell something."""
    return bool(_LACK.search(strip_citations(answer)))


def without(answer: str, dropped: Sequence[Claim]) -> str:
    """The answer without these of its claims, and without what is left bare by that: the mark of a list's item, the
    head of a table."""
    text = _marks_within(answer)
    gone = set(dropped)
    cuts = [(each.start, each.end, each.row) for each in _located(text) if each.claim in gone]
    rows = {(start, end) for start, end, row in cuts if row}
    tables = groupby((block for block in _blocks(text) if block.head), key=lambda block: block.head)
    cuts += [(*head, True) for head, body in tables if head and all((row.start, row.end) in rows for row in body)]
    pieces: list[str] = []
    within: list[int] = []  # where something is missing from a line that stays
    at = length = 0
    for start, end, whole in sorted(cuts):
        pieces.append(text[at:start])
        length += start - at
        at = _line_end(text, end) if whole else _after_spaces(text, end)
        within += [] if whole else [length]
    return _tidied("".join([*pieces, text[at:]]), within)


def attributed(answer: str, found: Mapping[Claim, int]) -> str:
    """The answer with the citations of each of these claims replaced by the one given, or put there."""
    text = _marks_within(answer)
    pieces: list[str] = []
    at = 0
    for each in _located(text):
        if each.claim in found:
            said = strip_citations(text[each.start : each.end])
            last = _LAST_PIPE.search(said) if each.row else None
            stop = last[0] if last else "" if each.row else said[len(said.rstrip(".!…;")) :]
            pieces += [text[at : each.start], said.removesuffix(stop), f" [{found[each.claim]}]", stop]
            at = each.end
    return "".join([*pieces, text[at:]])


def _marks_within(answer: str) -> str:
    """The answer with marks after the end of a sentence before it: "It opens at 8. [1] It closes at 9." cites the first
    sentence, as "It opens at 8 [1]." does."""
    pieces: list[str] = []
    at = 0
    found = marks(answer)
    for place, mark in enumerate(found):
        if place and found[place - 1].end == mark.start:
            continue
        last = place
        while last + 1 < len(found) and found[last + 1].start == found[last].end:
            last += 1
        before = answer[found[place - 1].end if place else 0 : mark.start]
        open_end = before.rstrip(_CLOSING)
        stop = mark.start - len(before) + len(open_end.rstrip(_STOPS))
        if stop < mark.start - len(before) + len(open_end):
            pieces += [answer[at:stop], answer[mark.start : found[last].end], answer[stop : mark.start]]
            at = found[last].end
    return "".join([*pieces, answer[at:]])


def _located(text: str) -> list[_Located]:
    found: list[_Located] = []
    cited = [(mark.end, mark.numbers) for mark in marks(text)]
    whole = len(text.strip())
    place = 0
    for block in _blocks(text):
        for start, words, end in _spans(text, block):
            numbers: dict[int, None] = {}
            while place < len(cited) and cited[place][0] <= end:
                numbers |= dict.fromkeys(cited[place][1]) if cited[place][0] > start else {}
                place += 1
            said = _said(text[words:end], row=block.row)
            if not said or said in _NOTES:
                continue
            # "8 days [1]" is short, and yet an answer; "Here you are!" is none.
            short = end - start < _FEWEST_CHARACTERS and end - start < whole and not re.search(r"\d", said)
            tells = not said.endswith(("?", ":")) and len(plain(said).split()) >= _FEWEST_WORDS
            if numbers or (tells and not short):
                found.append(_Located(start, end, Claim(said, tuple(numbers)), block.row))
    return found


def _spans(text: str, block: _Block) -> Iterator[tuple[int, int, int]]:
    """Where what may be a claim begins, where its words do, and where it ends: a row, a sentence, an item of a list
    within one, or what one tells beside what the passages lack."""
    if block.row:
        lacks = tells_a_lack(text[block.start : block.end])
        yield from () if lacks else ((block.start, block.start, block.end),)
        return
    begins: int | None = None
    for a, b in sentences(text[block.start : block.end]):
        start, end = block.start + a if begins is None else begins, block.start + b
        marker = _LOOSE_MARKER.search(text, start, end)
        begins = marker.start(1) if marker else None
        for first, last in _items(text, start, marker.start() if marker else end):
            yield from _told(text, first, last) if tells_a_lack(text[first:last]) else ((first, first, last),)


def _items(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The items of a list in a sentence, each but the last of which ends with a citation; else the whole sentence."""
    said = text[start:end]
    cited = [mark.end for mark in marks(said)]
    cuts = [found for each in cited[:-1] if (found := _NEXT_ITEM.match(said, each))]
    lead = _FIRST_ITEM.search(said, 0, cited[0]) if cuts else None
    cuts = [lead, *cuts] if lead else cuts
    starts = [start, *(start + cut.end() for cut in cuts)]
    return list(zip(starts, [*(start + cut.end(1) for cut in cuts), end], strict=True))


def _told(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The clauses with a citation of a sentence that tells a lack. A later one begins with what turns to it, and leaves
    the full stop, so that the sentence stands without it."""
    concedes = _CONCEDES.match(text, start, end)
    turns = [found.span() for found in _TURNS.finditer(text, start, end)]
    turns = [concedes.span(1), *(each for each in turns if each[0] > concedes.start(1))] if concedes else turns
    ends = [*(first for first, _ in turns), end - (text[end - 1] in _STOPS)]
    for begins, words, last in zip([start, *ends[:-1]], [start, *(after for _, after in turns)], ends, strict=True):
        clause = text[words:last]
        if marks(clause) and not tells_a_lack(clause) and not _TELLS_OF_PASSAGES.match(clause):
            yield begins, words, last


def _said(written: str, *, row: bool) -> str:
    written = strip_citations(written)
    if row:
        return "; ".join(" ".join(cell.split()) for cell in _CELL_END.split(written) if cell.strip())
    return _NUMBERED.sub("", " ".join(written.split()).lstrip("#*-•> "))


def _blocks(text: str) -> Iterator[_Block]:
    """Paragraphs, items and rows, in their order: all but headings, code, and what heads a table."""
    lines = _lines(text)
    opened: _Block | None = None
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
        starts = "|" in line and (row or head is not None)
        if opened and (starts or not line.strip() or _STARTS.match(line) or start != opened.end + 1):
            yield opened
            opened = None
        if row:
            yield _Block(start, end, True, head)
        elif line.strip() and not starts and not _HEADING.match(line):
            opened = _Block(opened.start if opened else start, end)
    if opened:
        yield opened


def _lines(text: str) -> list[tuple[int, int]]:
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


def _line_end(text: str, end: int) -> int:
    following = text.find("\n", end)
    return following + 1 if following >= 0 else len(text)


def _after_spaces(text: str, end: int) -> int:
    while end < len(text) and text[end] in " \t,;":
        end += 1
    return end


def _tidied(text: str, within: Sequence[int]) -> str:
    """The text without the lines that are bare where something is missing `within` them, and without more than one
    blank line in a row outside code."""
    prose = dict(_lines(text))
    kept: list[str] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        first = bisect_left(within, start)
        missing = first < len(within) and within[first] <= end
        twice = not line.strip() and (not kept or not kept[-1].strip())
        if start not in prose or not ((missing and _BARE.fullmatch(line)) or twice):
            kept.append(line.rstrip() if missing else line)
        start = end + 1
    return "\n".join(kept).strip()
