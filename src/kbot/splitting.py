"""Cut a text for a platform's message limit, so that each part reads well by itself.

Cuts fall, best first, at a paragraph, a line, a sentence, a word, a CJK comma, and at last between grapheme
clusters (Unicode Standard Annex 29), never inside one. A cut inside a code fence closes it and opens it again
in the next part with the same mark and language (CommonMark 0.31, section 4.5); a cut table repeats its
header and never tears a row that fits.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from wcwidth import iter_graphemes

_FENCE = re.compile(r"(?P<lead>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_MARKER = re.compile(r"[-*+]|\d{1,9}[.)]")
_SENTENCE = re.compile(r"(?:(?<=\w\w)|(?<=[)\]\"”»]))[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』）”’]*")
_SPACE = re.compile(r"\s+")
_COMMA = re.compile(r"[、，；：」』）】》・]")
_WHOLE = re.compile(r"!?\[[^\]\n]*\]\([^)\s]*\)|(`+)[^`\n]+\1|https?://\S+")
_HALF_LINK = re.compile(r"!?\[(?:[^\[\]\n]{0,200}|[^\[\]\n]*\](?:\([^()\s]*)?)\Z")
_MARK = re.compile(r"\\.|`+|\*\*|~~|__", re.DOTALL)
_HALF_MARK = re.compile(r"(?<![\\*_~`])[*_~`]+\Z")

Kind = Literal["text", "blank", "heading", "open", "code", "close", "head", "rule", "row"]
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Fence:
    lead: str
    mark: str
    info: str

    def closes(self, line: str) -> bool:
        rest = line.strip(" \t\r\n>")
        return len(rest) >= len(self.mark) and set(rest) == {self.mark[0]}


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    kind: Kind
    fence: _Fence | None = None
    table: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """A text and what its lines are: text, code between fences, tables."""

    text: str
    lines: tuple[_Line, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a text: `body` is `text[start:start + len(body)]` as it stands, the rest of it are repairs.

    The next part starts at `after`; between the body's end and `after` lies white space only.
    """

    start: int
    after: int
    opening: str
    body: str
    closing: str

    @property
    def shown(self) -> str:
        """The part as a message shows it."""
        return self.opening + self.body + self.closing


def split(text: str, limit: int, *, first_limit: int | None = None, count: Count = len) -> list[str]:
    """The parts of a text, none blank, none longer than `limit` (the first: `first_limit`) by `count`.

    `count` must not shrink when a text grows. Raises ValueError if a limit is too small for one character.
    """
    read = outline(text)
    parts, start, room = list[str](), 0, limit if first_limit is None else first_limit
    while piece := next_piece(read, start, room, count):
        parts.append(piece.shown)
        start, room = piece.after, limit
    return parts


def outline(text: str) -> Outline:
    """Read what the lines of a text are."""
    lines: list[_Line] = []
    fence: _Fence | None = None
    table, start = "", 0
    for raw in text.split("\n"):
        end = min(start + len(raw) + 1, len(text))
        kind, line_fence = "text", fence
        match = _FENCE.match(raw)
        if fence:
            kind = "close" if fence.closes(raw) else "code"
            fence = None if kind == "close" else fence
        elif match and not (match["mark"][0] == "`" and "`" in match["info"]):
            lead = _MARKER.sub(lambda marker: " " * len(marker[0]), match["lead"])
            kind, table = "open", ""
            fence = line_fence = _Fence(lead, match["mark"], match["info"].strip())
        elif table and "|" in raw:
            kind = "row"
        elif "|" in raw and _RULE.fullmatch(raw) and lines and "|" in text[lines[-1].start : lines[-1].end]:
            kind, table = "rule", text[lines[-1].start : end]
            lines[-1] = _Line(lines[-1].start, lines[-1].end, "head", None, table)
        else:
            kind = "blank" if not raw.strip() else "heading" if _HEADING.match(raw) else "text"
            table = ""
        if end > start:
            lines.append(_Line(start, end, kind, line_fence, table))
        start = end
    return Outline(text, tuple(lines))


def next_piece(read: Outline, start: int, limit: int, count: Count = len) -> Piece | None:
    """The part that begins at `start`, None if only white space is left. Raises as `split` does."""
    text = read.text
    while True:
        if _fence_at(read, start) is None:
            start = _skip_space(text, start)
        if start >= len(text):
            return None
        piece = _cut(read, start, limit, count)
        if piece.shown.strip():
            return piece
        start = piece.after


def _cut(read: Outline, start: int, limit: int, count: Count) -> Piece:
    text, reach = read.text, _reach(read.text, start, limit, count)
    if reach == len(text) and count((whole := _dress(read, start, reach, limit, count)).shown) <= limit:
        return whole
    # A repair that leaves no room is given up first, then a cluster that is longer than a message.
    ends = tuple(_ends(read, start, reach))
    for room, candidates in ((limit, ends), (0, ends), (0, range(reach, start, -1))):
        for end in candidates:
            piece = _dress(read, start, end, room, count)
            if count(piece.shown) <= limit and (piece.body.strip() or piece.opening):
                return piece
    if text[start].isspace():
        return Piece(start, start + 1, "", text[start], "")
    raise ValueError(f"A limit of {limit} leaves no room for {text[start]!r}; give split a greater one.")


def _dress(read: Outline, start: int, end: int, limit: int, count: Count) -> Piece:
    """The piece from start to end with its repairs; a repair that would fill half of `limit` is left out."""
    text = read.text
    before, fence = _fence_at(read, start), _fence_at(read, end)
    openings = [""]
    if before:
        bare = f"{before.lead}{before.mark}"
        openings = [f"{bare}{before.info}\n", f"{bare}\n", ""]
    elif (line := read.lines[_index(read, start)]).kind == "row" and not text[line.start : start].strip():
        openings = [line.table, ""] if count(line.table + text[start : line.end]) <= limit else [""]
    opening = next((o for o in openings if count(o) <= limit // 2), "")
    body = text[start:end]
    if fence is None:
        return Piece(start, _skip_space(text, end), opening, body.rstrip(), "")
    closing = f"{'' if body.endswith(chr(10)) else chr(10)}{fence.lead}{fence.mark}"
    fits = count(closing) <= limit // 2 and (opening or before is None)
    return Piece(start, end, opening, body, closing if fits else "")


def _reach(text: str, start: int, limit: int, count: Count) -> int:
    """The greatest end for which the bare text from start fits the limit."""
    ends = range(start, len(text) + 1)
    return start + bisect_right(ends, limit, key=lambda end: count(text[start:end])) - 1


def _ends(read: Outline, start: int, reach: int) -> Iterator[int]:
    """Where the piece may end, best first."""
    text = read.text
    clusters = tuple(accumulate((len(c) for c in iter_graphemes(text, start, reach + 1)), initial=start))
    allowed = {end for end in clusters if start < end <= reach}
    window = read.lines[_index(read, start) : _index(read, reach) + 1]
    paragraphs, lines = _line_ends(window, start, reach)
    inside = [(line.start, line.end) for line in window if line.kind not in ("text", "heading", "blank")]
    inside += [m.span() for m in _WHOLE.finditer(text, start, min(reach + 500, len(text)))]
    torn = {end for low, high in inside for end in range(max(low + 1, start), min(high, reach + 1))}
    torn |= {end for line in window if line.kind != "text" for end in (line.end - 1, line.end)} - {*lines}
    sentences = [m.end() for m in _SENTENCE.finditer(text, start, reach + 1)]
    spaces = _SPACE.finditer(text, start, reach + 1)
    words = [m.end() if _fence_at(read, m.end()) else m.start() for m in spaces]
    commas = [m.end() for m in _COMMA.finditer(text, start, reach + 1)]

    def least(ends: Iterable[int], share: float) -> list[int]:
        bound = start + share * (reach - start)
        return sorted((end for end in ends if end in allowed and end >= bound), reverse=True)

    yield from least(paragraphs, 0.5)
    yield from least(lines, 0.4)
    for ends in (sentences, words, commas):
        yield from least(set(ends) - torn, 0.4)
    for ends in (lines, set(words) - torn, words, allowed):
        yield from least(ends, 0)


def _line_ends(window: Sequence[_Line], start: int, reach: int) -> tuple[list[int], list[int]]:
    """Ends of lines where a cut may fall, first those that also end a paragraph, a code block or a table."""
    paragraphs, lines = list[int](), list[int]()
    titled = False  # what is above ends in a heading, which must not be parted from what it is about
    for line, following in pairwise(window):
        titled = line.kind == "heading" or (titled and line.kind == "blank")
        if line.end <= start or titled or line.end > reach:
            continue
        if line.kind in ("open", "head", "rule") or following.kind in ("close", "rule"):
            continue
        lines.append(line.end)
        block_ends = line.kind in ("blank", "close") or (line.kind == "row" and following.kind != "row")
        if following.kind in ("blank", "open", "head", "heading") or (block_ends and line.kind != "code"):
            paragraphs.append(line.end)
    return paragraphs, lines


def _index(read: Outline, position: int) -> int:
    """The number of the line that holds the character at the position."""
    return bisect_right(read.lines, position, hi=len(read.lines) - 1, key=lambda line: line.end)


def _fence_at(read: Outline, position: int) -> _Fence | None:
    """The code fence that is open after `text[:position]`."""
    if position == 0:
        return None
    line = read.lines[_index(read, position - 1)]
    if line.fence is None or line.kind == "code":
        return line.fence
    if line.kind == "open":
        past = position >= line.start + len(line.fence.lead) + len(line.fence.mark)
        return line.fence if past else None
    return None if position == line.end else line.fence


def _skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    if match is None:
        return start
    # A space may carry a combining mark of its own: the two are one cluster.
    last = match.end() - 1
    return match.end() if len(next(iter_graphemes(text, last))) == 1 else last


def settled(text: str) -> str:
    """The text without a link or citation that has only half arrived at its end."""
    return _HALF_LINK.sub("", text) if _fence_at(outline(text), len(text)) is None else text


def closing(text: str, mark: str = "") -> str:
    """A growing text made fit to show: `mark` (a cursor) at its end, then what is open there closed.

    Closes a code fence, a code span, `**`, `~~` and `__`; holds back a mark or a link that has half arrived.
    For display alone: the text that is kept stays as it is.
    """
    read = outline(text)
    fence = _fence_at(read, len(text))
    if fence is None:
        text = settled(text)
        stem = _HALF_MARK.sub("", text)
        start = next((line.end for line in reversed(read.lines) if line.kind in ("blank", "close")), 0)
        marks = _open_marks(stem[start:])
        if marks and not _open_marks(text[start:]):
            stem, marks = text, []
        return f"{stem.rstrip() if marks else stem}{mark}{''.join(reversed(marks))}"
    last = read.lines[-1]
    if last.kind == "open" and last.end == len(text) and not text.endswith("\n"):
        return closing(text[: last.start], mark)
    if last.kind == "code" and set(text[last.start :].strip()) == {fence.mark[0]}:
        text = text[: last.start]
    joint = "" if text.endswith("\n") and not mark else "\n"
    return f"{text}{mark}{joint}{fence.lead}{fence.mark}"


def _open_marks(paragraph: str) -> list[str]:
    """The inline marks that a paragraph opens and does not close, outermost first."""
    marks: list[str] = []
    position = 0
    while match := _MARK.search(paragraph, position):
        run, position = match[0], match.end()
        before, after = paragraph[match.start() - 1 : match.start()], paragraph[position : position + 1]
        if run[0] == "\\":
            continue
        if run[0] == "`":
            end = re.compile(rf"(?<!`){run}(?!`)").search(paragraph, position)
            if end is None:
                return [*marks, run]
            position = end.end()
        elif run in marks and before and not before.isspace():
            del marks[marks.index(run) :]
        elif after.strip() and not (run == "__" and before.isalnum()):
            marks.append(run)
    return marks
