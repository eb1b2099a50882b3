"""An answer as claims: its sentences and the rows of its tables, each with the citations that it rests on. Pure
functions, which leave blocks of code as they are."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from kbot.grounding import marks, plain, strip_citations
from kbot.prompts import CUT_NOTES, QUOTE_NOTES
from kbot.reflection.blocks import Block, blocks, prose_lines
from kbot.reflection.lacks import tells_a_lack, told_beside
from kbot.sentences import sentences

_STOPS = ".!?…;"
_CLOSING = "\"'”’»)*_"
_FEWEST_WORDS = 3
_FEWEST_CHARACTERS = 20
_BARE = re.compile(r"[ \t>]*(?:[-*+•▪–]|\d{1,3}[.)])?[ \t*_.,;]*")
# "2. Restart it", "Passo 2: reinicie": the number says where it stands in the answer.
_NUMBERED = re.compile(
    r"^(?:(?:e|ou|and|or)\s+(?=\(?\w{1,4}\)))?[*_]{0,3}"
    r"(?:(?:(?:step|passo|etapa|fase|phase)\s+)?\(?\d{1,3}\s?[.):]|\(?(?:[a-z]|[ivx]{2,4})\))[*_]{0,3}\s+",
    re.IGNORECASE,
)
# An item of a list within a line: "a) … [1]; b) … [2]", and the first one after what leads in the list.
_MARKED = r"(?=(?:(?:e|ou|and|or)\s+)?(?:\(?(?:\d{1,3}|[a-z]|[ivx]{2,4})\)|\d{1,3}\.|[-*•–])\s)"
_NEXT_ITEM = re.compile(rf"(\.?)[,;]?\s+{_MARKED}")
_FIRST_ITEM = re.compile(rf"(:)\s+{_MARKED}")
# "R$ 420 [1]. It includes breakfast [2].", of which the first is too short for a sentence of its own.
_NEXT_SENTENCE = re.compile(r"([.!?…])[ \t]+(?=[^\W\d_])(?![a-zà-öø-ÿ])")
# It answers the question, and no passage says it, or denies it: the sentence after it does, which it is a part of.
_YES_OR_NO = re.compile(
    r"\A[*_]*(?:yes|no|sim|não)[*_]*(?:\s*[\[【][^\]】]*[\]】])*(?:[.!;:,]|\s[–—-])[*_]*\s+", re.IGNORECASE
)
_TAG = re.compile(
    r",\s*(?:right|correct|ok(?:ay)?|(?:is|are|do|does|has|have|can)n't (?:it|they|you|he|she)|certo|correto|né|não"
    r"|não é(?: mesmo)?|tá|viu)\?\Z",
    re.IGNORECASE,
)
_CELL_END = re.compile(r"(?<!\\)\|")
_LAST_PIPE = re.compile(r"(?<![ \t])[ \t]*+\|[ \t]*+\Z")
_NOTES = frozenset([*CUT_NOTES.values(), *QUOTE_NOTES.values()])  # kbot's own words, which nothing has to say
_LOOSE_MARKER = re.compile(r"(?<=[.!?…])\s+(\(?(?:\d{1,3}|[a-z])[.)])\Z")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, or a row of a table as its cells, that says something of the world, without its marks,
    and the numbers it cites."""

    text: str
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Located:
    """A claim and where it stands; `line` for one that has its line alone: a heading, or a row of a table."""

    start: int
    end: int
    claim: Claim
    line: bool


def split_claims(answer: str) -> list[Claim]:
    """The claims of an answer, in order. Code, what says that the passages do not tell, and questions, headings and
    what leads in a list that neither cite nor hold a figure are no claims."""
    return [each.claim for each in _located(_marks_within(answer))]


def without(answer: str, dropped: Sequence[Claim]) -> str:
    """The answer without these of its claims, and without what is left bare by that: the mark of a list's item, the
    head of a table."""
    text = _marks_within(answer)
    gone = set(dropped)
    cuts = [(each.start, each.end, each.line) for each in _located(text) if each.claim in gone]
    lines = {(start, end) for start, end, line in cuts if line}
    tables = groupby((block for block in blocks(text) if block.head), key=lambda block: block.head)
    cuts += [(*head, True) for head, body in tables if head and all((row.start, row.end) in lines for row in body)]
    pieces: list[str] = []
    within: list[int] = []  # where something is missing from a line that stays
    before = ""
    at = length = 0
    for begins, end, whole in sorted(cuts):
        start = max(begins, at)
        pieces.append(text[at:start])
        length += start - at
        # What begins in the middle takes what parts it from the words before it, and leaves what comes after.
        before = text[at:start] or before
        at = _line_end(text, end) if whole else end if before[-1:].strip() else _after_parting(text, end, before)
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
            last = _LAST_PIPE.search(said) if each.line else None
            stop = last[0] if last else "" if each.line else said[len(said.rstrip(".!…;")) :]
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
    for block in blocks(text):
        line = block.kind in ("heading", "row")
        for start, words, end in _spans(text, block):
            numbers: dict[int, None] = {}
            while place < len(cited) and cited[place][0] <= end:
                numbers |= dict.fromkeys(cited[place][1]) if cited[place][0] > start else {}
                place += 1
            said = _row(text[words:end]) if block.kind == "row" else _sentence(text[words:end])
            if not said or said in _NOTES:
                continue
            long = end - words >= min(_FEWEST_CHARACTERS, whole)
            few = block.kind != "row" and len(plain(said).split()) < _FEWEST_WORDS
            if numbers or (not few and _tells(said, block, long=long)):
                found.append(_Located(start, end, Claim(said, tuple(numbers)), line))
    return found


def _tells(said: str, block: Block, *, long: bool) -> bool:
    """Whether what cites nothing is a claim. A figure makes one of what is short, asks for nothing but a yes, or stands
    over something else: of two digits there, since a smaller one tells how much that is, as in "There are 3 rules:"."""
    ending = said.rstrip("*_ ")[-1:]
    if ending == ":" or block.kind == "heading":
        return bool(re.search(r"\d\d", said))
    figures = bool(re.search(r"\d", said))
    if ending == "?":
        return figures and bool(_TAG.search(said))
    # "8 days" is short, and yet an answer; "Here you are!" is none.
    return long or figures


def _spans(text: str, block: Block) -> Iterator[tuple[int, int, int]]:
    """Where what may be a claim begins, where its words do, and where it ends: a row, a heading, a sentence, an item of
    a list within one, or what one tells beside what the passages lack."""
    if block.kind == "row" or (block.kind == "heading" and not tells_a_lack(text[block.start : block.end])):
        yield block.start, block.start, block.end
    if block.kind in ("heading", "row"):
        return
    begins: int | None = None
    for a, b in sentences(text[block.start : block.end]):
        start, end = block.start + a if begins is None else begins, block.start + b
        marker = _LOOSE_MARKER.search(text, start, end)
        begins = marker.start(1) if marker else None
        for first, words, last in _parts(text, start, marker.start() if marker else end):
            lacks = tells_a_lack(text[words:last])
            yield from told_beside(text, words, last) if lacks else ((first, words, last),)


def _parts(text: str, start: int, end: int) -> list[tuple[int, int, int]]:
    """The items of a list in a sentence, or the short sentences in one, each but the last of which ends with a
    citation; else the whole sentence."""
    said = text[start:end]
    cited = [mark.end for mark in marks(said)]
    nexts = (_NEXT_ITEM.match(said, each) or _NEXT_SENTENCE.match(said, each) for each in cited[:-1])
    answer = _YES_OR_NO.match(said)
    cuts = [found for found in nexts if found and found.end() > (answer.end() if answer else 0)]
    lead = _FIRST_ITEM.search(said, 0, cited[0]) if cuts else None
    begins = [0, *([lead.end()] if lead else []), *(cut.end(1) for cut in cuts)]
    words = [0, *([lead.end()] if lead else []), *(cut.end() for cut in cuts)]
    ends = [*([lead.end(1)] if lead else []), *(cut.end(1) for cut in cuts), len(said)]
    for place, cut in enumerate([] if lead else cuts, 1):
        # What commas part leaves the stop to the sentence, which ends without it as well.
        ends[place] -= not cut[1] and said[ends[place] - 1] in _STOPS
    return [(start + a, start + b, start + c) for a, b, c in zip(begins, words, ends, strict=True)]


def _row(written: str) -> str:
    """The cells of a row but those that say that the passages do not tell something; "" where no figure stands in the
    others, beside the first, which says what the row is on."""
    cells = [" ".join(cell.split()) for cell in _CELL_END.split(strip_citations(written)) if cell.strip()]
    told = [cell for cell in cells if not tells_a_lack(cell)]
    lacks = len(told) < len(cells) and not any(re.search(r"\d", cell) for cell in told[1:])
    return "" if lacks else "; ".join(told)


def _sentence(written: str) -> str:
    """A sentence without its citations, and without the number of an item or the yes or no that it begins with."""
    said = _NUMBERED.sub("", " ".join(strip_citations(written).split()).lstrip("#*-•> "))
    rest = _YES_OR_NO.sub("", said)
    return rest if len(plain(rest).split()) >= _FEWEST_WORDS else said


def _line_end(text: str, end: int) -> int:
    following = text.find("\n", end)
    return following + 1 if following >= 0 else len(text)


def _after_parting(text: str, end: int, before: str) -> int:
    """Where what parts a claim from the next ends; at the beginning of a line that may be a full stop."""
    parting = " \t,;" if before.endswith((" ", "\t")) else " \t,;."
    while end < len(text) and text[end] in parting:
        end += 1
    return end


def _tidied(text: str, within: Sequence[int]) -> str:
    """The text without the lines that are bare where something is missing `within` them, and without more than one
    blank line in a row outside code."""
    prose = dict(prose_lines(text))
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
