"""Pages of text become one document text and its chunks: whole headings, tables and code, with exact offsets.

A chunk holds no text of its neighbours: what overlaps is added when it is read, from the chunks before and after.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from semantic_text_splitter import MarkdownSplitter

from kbot.ingestion.load import Page
from kbot.sentences import FENCE, TABLE_RULE, sentences

_PAGE_BREAK = "\n\n"
_LONGEST_RUN = 4000
_UNBROKEN = re.compile(r"\S{4000,}")
# A numbered page of up to this many chunks' length stays whole.
_WHOLE_PAGE = 2
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$")
_TABLE = re.compile(r"^(?:[ \t]*\|.*(?:\n|\Z))+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page begins in the document's text (characters), its number and the bookmarks that cover it."""

    start: int
    number: int | None
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chunk: characters of the chunk's text, and the page it begins on."""

    start: int
    end: int
    page: int | None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the document: `text` is the document's text from `start` to `end`.

    `heading` is the path of headings that a reader sees it under. `context` is the part of that path that the text
    does not itself hold, and `header` the header rows of the table in whose middle it begins; both are embedded and
    indexed with it. `titles` are the context and the longer headings in the text, which say what it is about;
    `sentences` are all others, which can be quoted.
    """

    position: int
    start: int
    end: int
    text: str
    page: int | None
    heading: str
    context: str
    header: str
    titles: tuple[str, ...]
    sentences: tuple[Sentence, ...]

    @property
    def passage(self) -> str:
        """What is embedded: the text with what it lacks."""
        return "\n".join(part for part in (self.context, self.header, self.text) if part)


def join_pages(pages: Sequence[Page]) -> tuple[str, tuple[PageStart, ...]]:
    """The document's text, and where its pages start in it."""
    starts: list[PageStart] = []
    parts: list[str] = []
    length = 0
    for page in pages:
        text = page.text.strip("\n")
        starts.append(PageStart(length, page.number, page.heading))
        parts.append(text)
        length += len(text) + len(_PAGE_BREAK)
    return _PAGE_BREAK.join(parts), tuple(starts)


def chunk(text: str, pages: Sequence[PageStart], *, size: int) -> Iterator[Chunk]:
    """Cut a document's text into chunks of at most about `size` characters.

    A numbered page begins a new chunk, and one of up to twice `size` is one chunk, so that a citation names
    the page that a reader finds it on. A heading stays with what follows it, so a chunk can be longer by its headings.
    """
    bounds = list(_merge_headings(text, _cut(text, pages, size), size))
    page_offsets = [page.start for page in pages]
    outline = _Outline(text)
    tables = _tables(text)
    for position, (start, end) in enumerate(bounds):
        body = text[start:end]
        start += len(body) - len(body.lstrip("\n"))
        body = body.strip("\n").rstrip()
        end = start + len(body)
        page = _page_at(pages, page_offsets, start)
        path = outline.path(start + _leading_headings(body))
        outer = [name for offset, name in path if offset < start]
        if page and page.heading:
            bookmarks = [name for name in page.heading.split(" > ") if not _begins_with(body, name)]
            outer = bookmarks + [name for name in outer if name not in bookmarks]
        heading = page.heading if page and page.heading else " > ".join(name for _, name in path)
        titles = [" > ".join(outer)] if outer else []
        quotable: list[Sentence] = []
        for low, high in sentences(body):
            if _HEADING.match(body[body.rfind("\n", 0, low) + 1 : high]):
                titles.append(body[low:high])
            else:
                at = _page_at(pages, page_offsets, start + low)
                quotable.append(Sentence(low, high, at.number if at else None))
        yield Chunk(
            position=position,
            start=start,
            end=end,
            text=body,
            page=page.number if page else None,
            heading=heading,
            context=" > ".join(outer),
            header=_table_header(tables, start),
            titles=tuple(titles),
            sentences=tuple(quotable),
        )


def _cut(text: str, pages: Sequence[PageStart], size: int) -> Iterator[tuple[int, int]]:
    splitter = MarkdownSplitter((size * 5 // 8, size), trim=False)
    # The splitter's time grows with the square of a run without white space: such runs are cut before it sees them.
    edges = {0, len(text)}
    for run in _UNBROKEN.finditer(text):
        edges.update(range(run.start(), run.end(), _LONGEST_RUN))
    edges.update(numbered := [page.start for page in pages if page.number is not None])
    whole = size * _WHOLE_PAGE if numbered else size
    for low, high in pairwise(sorted(edges)):
        pieces = [(0, text[low:high])] if high - low <= whole else splitter.chunk_indices(text[low:high])
        for offset, piece in pieces:
            if piece.strip():
                yield low + offset, low + offset + len(piece)


def _merge_headings(text: str, bounds: Iterator[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    held: int | None = None
    last: tuple[int, int] | None = None
    for start, end in bounds:
        begin = start if held is None else held
        lines = [line for line in text[begin:end].splitlines() if line.strip()]
        if end - begin <= size and all(
            _HEADING.match(line) or (FENCE.match(line) and index == len(lines) - 1) for index, line in enumerate(lines)
        ):
            held, last = begin, (begin, end)
            continue
        held, last = None, None
        yield begin, end
    if last:
        yield last


def _page_at(pages: Sequence[PageStart], offsets: list[int], offset: int) -> PageStart | None:
    index = bisect_right(offsets, offset) - 1
    return pages[index] if index >= 0 else None


def _begins_with(body: str, heading: str) -> bool:
    first = body.partition("\n")[0].lstrip("# ").strip()
    return first.casefold().startswith(heading.casefold()) if heading else False


def _tables(text: str) -> list[tuple[int, int, str]]:
    """Start and end of each pipe table, and its header rows."""
    found: list[tuple[int, int, str]] = []
    for table in _TABLE.finditer(text):
        first = text.find("\n", table.start(), table.end()) + 1
        second = text.find("\n", first, table.end()) + 1
        if first and second and TABLE_RULE.match(text[first : second - 1]):
            found.append((table.start(), table.end(), text[table.start() : second - 1]))
    return found


def _table_header(tables: Sequence[tuple[int, int, str]], start: int) -> str:
    """The header rows of the table in whose middle `start` lies, else nothing."""
    at = bisect_right(tables, start, key=lambda table: table[0]) - 1
    if at < 0:
        return ""
    top, end, header = tables[at]
    return header if top + len(header) < start < end else ""


def _leading_headings(body: str) -> int:
    """Characters of the headings with which a chunk begins."""
    length = 0
    for line in body.splitlines(keepends=True):
        if line.strip() and not _HEADING.match(line.rstrip()):
            break
        length += len(line)
    return length


class _Outline:
    """The Markdown headings of a text, outside fenced code: which of them are in force at an offset."""

    def __init__(self, text: str) -> None:
        self._offsets: list[int] = []
        self._paths: list[tuple[tuple[int, str], ...]] = []
        path: list[tuple[int, int, str]] = []
        fence: str | None = None
        offset = 0
        for line in text.splitlines(keepends=True):
            mark = FENCE.match(line)
            if fence:
                if mark and mark.group(1).startswith(fence) and not line.strip(" `~\r\n"):
                    fence = None
            elif mark:
                fence = mark.group(1)
            elif heading := _HEADING.match(line.rstrip()):
                level = len(heading.group(1))
                path = [*(entry for entry in path if entry[0] < level), (level, offset, heading.group(2))]
                self._offsets.append(offset)
                self._paths.append(tuple((start, name) for _, start, name in path))
            offset += len(line)

    def path(self, offset: int) -> tuple[tuple[int, str], ...]:
        """Offset and text of each heading in force just before `offset`, outermost first."""
        index = bisect_right(self._offsets, offset - 1) - 1
        return self._paths[index] if index >= 0 else ()
