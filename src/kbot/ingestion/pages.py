"""What reading a file yields, and the bounds it is read in: plain data, shared by kbot and the process that parses."""

from dataclasses import dataclass

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
HTML, MARKDOWN, CSV, MAIL, TEXT = "text/html", "text/markdown", "text/csv", "message/rfc822", "text/plain"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of text in Markdown, or plain text in which no line is mistaken for a Markdown heading.

    `number` counts from 1 (PDF pages, slides) and is None in formats without pages. `heading` is the path of PDF
    bookmarks in force where the page starts, joined by " > ".
    """

    number: int | None
    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file as text. `pages` holds the pages with text, under their true numbers; `page_count` counts all of them
    and is None in formats without pages. `warnings` are sentences for the person who sent the file."""

    title: str
    media_type: str
    pages: tuple[Page, ...]
    pages_without_text: int = 0
    warnings: tuple[str, ...] = ()
    page_count: int | None = None


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """The bounds of one file: its bytes, the seconds and megabytes of memory that parsing may take, characters of
    text."""

    max_bytes: int
    seconds: float
    megabytes: int
    characters: int = 20_000_000
