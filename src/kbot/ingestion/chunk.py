"""Pages of text become one document text and its chunks: whole headings, tables and code, with exact offsets.

A chunk holds no text of its neighbours: what overlaps is added when it is read, from the chunks before and after.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kbot.ingestion.load import Page
from kbot.ingestion.recursive import Span, cut_recursively
from kbot.outline import Outline, header_at, leading_headings, tables
from kbot.sentences import sentences

_PAGE_BREAK = "\n\n"


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
    `sentences` are all others, which can be quoted. `section` is the longer span of the document's text that is read
    where the chunk was found, None where it is the chunk alone.
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
    section: Span | None = None

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
    """Cut a document's text into chunks of at most about `size` characters; see `cut_recursively`."""
    return chunks(text, pages, cut_recursively(text, numbered(pages), size))


def numbered(pages: Sequence[PageStart]) -> list[int]:
    """Where the pages with numbers start."""
    return [page.start for page in pages if page.number is not None]


def chunks(text: str, pages: Sequence[PageStart], spans: Sequence[Span]) -> Iterator[Chunk]:
    """The chunks of the spans into which a document's text was cut."""
    page_offsets = [page.start for page in pages]
    outline = Outline(text)
    headings = {heading.start for heading in outline.headings}
    grid = tables(text)
    for position, (start, end) in enumerate(spans):
        body = text[start:end]
        start += len(body) - len(body.lstrip("\n"))
        body = body.strip("\n").rstrip()
        end = start + len(body)
        page = _page_at(pages, page_offsets, start)
        path = outline.path(start + leading_headings(body))
        outer = [each.name for each in path if each.start < start]
        if page and page.heading:
            bookmarks = [name for name in page.heading.split(" > ") if not _begins_with(body, name)]
            outer = bookmarks + [name for name in outer if name not in bookmarks]
        heading = page.heading if page and page.heading else " > ".join(each.name for each in path)
        titles = [" > ".join(outer)] if outer else []
        quotable: list[Sentence] = []
        for low, high in sentences(body):
            if start + body.rfind("\n", 0, low) + 1 in headings and "\n" not in body[low:high]:
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
            header=header_at(grid, start),
            titles=tuple(titles),
            sentences=tuple(quotable),
        )


def _page_at(pages: Sequence[PageStart], offsets: list[int], offset: int) -> PageStart | None:
    index = bisect_right(offsets, offset) - 1
    return pages[index] if index >= 0 else None


def _begins_with(body: str, heading: str) -> bool:
    first = body.partition("\n")[0].lstrip("# ").strip()
    return first.casefold().startswith(heading.casefold()) if heading else False
