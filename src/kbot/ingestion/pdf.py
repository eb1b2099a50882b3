"""PDF files by PDFium: the text of each page, tables without borders, bookmarks as headings, and what could not be
read."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import Any, cast

import pypdfium2
from pypdfium2 import raw

from kbot.errors import Rejected
from kbot.ingestion.pages import PDF, Loaded, Page
from kbot.ingestion.pdf_tables import with_tables
from kbot.ingestion.text import clean, plain

_pdfium = cast("Any", pypdfium2)  # untyped
_raw = cast("Any", raw)
_COPY = 0x10  # ISO 32000-1, table 22, bit 5
_HYPHEN = re.compile("(\\w*)(?:[\x02\ufffe][ ]?(?:\r?\n)?)(\\w*)")
_WORD = re.compile(r"\w+(?:-\w+)*")
_NO_TITLE = re.compile(
    r"^(?:microsoft \w+ - .*|\(?(?:anonymous|unspecified|untitled|title|sem título)\)?|.*\.\w{2,4})?$",
    re.IGNORECASE,
)
_TOP = 0.25
_NAMES_SHOWN = 5
_SPANS_SHOWN = 12


def read_pdf(data: bytes) -> Loaded:
    """The pages of a PDF. Text whose author forbids copying is read all the same, with a warning: whether the team
    may use it is for the team to know.

    Raises Rejected when the file needs a password, is broken, or has no text on any page.
    """
    try:
        document = _pdfium.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise Rejected(_reason(cast("Any", error).err_code, data)) from error
    with document:
        count = len(document)
        texts, broken = _texts(document, count)
        attached = [document.get_attachment(index).get_name() for index in range(document.count_attachments())]
        forbidden = not _raw.FPDF_GetDocPermissions(document) & _COPY
        title = str(document.get_metadata_value("Title"))
        headings = _headings(document, count)
    texts = _rejoined(texts)
    empty = [number for number, text in enumerate(texts, 1) if not text.strip() and number not in broken]
    warnings = list(_warnings(empty, broken, attached, forbidden))
    if len(empty) + len(broken) == count:
        reason = (
            "The PDF has no text layer (scanned?); run OCR on it, for example with ocrmypdf, and ingest the result."
        )
        raise Rejected(" ".join((reason, *(w for w in warnings if not w.startswith("Page")))))
    pages = tuple(
        Page(number, plain(clean(text)), headings[number - 1]) for number, text in enumerate(texts, 1) if text.strip()
    )
    return Loaded(
        "" if _NO_TITLE.match(title.strip()) else clean(title),
        PDF,
        pages,
        len(empty) + len(broken),
        tuple(warnings),
        count,
    )


def _reason(code: int | None, data: bytes) -> str:
    if code == _raw.FPDF_ERR_PASSWORD:
        return "The PDF is protected by a password; remove the password and ingest it again."
    if code == _raw.FPDF_ERR_SECURITY:
        return "The PDF is encrypted in a way kbot cannot read; save it without encryption and ingest it again."
    if b"%%EOF" not in data[-2048:]:
        return "The PDF was cut off (its end is missing); upload it again."
    return (
        "The PDF is damaged and cannot be opened; open it in a PDF viewer, save it anew (print to PDF) and ingest that."
    )


def _texts(document: Any, count: int) -> tuple[list[str], list[int]]:
    texts: list[str] = []
    broken: list[int] = []
    for index in range(count):
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            broken.append(index + 1)
            texts.append("")
            continue
        if page.get_rotation() and _is_upright(page):
            page.set_rotation(
                0
            )  # else PDFium orders the lines as they would lie on the turned page, from last to first
        textpage = page.get_textpage()
        texts.append(with_tables(str(textpage.get_text_range()).replace("\r\n", "\n"), textpage))
        textpage.close()
        page.close()
    return texts, broken


def _is_upright(page: Any) -> bool:
    """Whether most text runs left to right before the page is turned."""
    matrices = [item.get_matrix().get() for item in page.get_objects(filter=(_raw.FPDF_PAGEOBJ_TEXT,), max_depth=3)]
    return sum(a > 0 and abs(b) < abs(a) for a, b, *_ in matrices) * 2 > len(matrices)


def _rejoined(texts: Sequence[str]) -> list[str]:
    """Words that a line end cut, made whole. Whether a hyphen was there before, other places of the document tell."""
    if not any("\x02" in text or "\ufffe" in text for text in texts):
        return list(texts)
    words = {word.casefold() for text in texts for word in _WORD.findall(_HYPHEN.sub(" ", text))}

    def joined(found: re.Match[str]) -> str:
        head, tail = found.groups()
        if (head + tail).casefold() in words:
            return head + tail
        known = all(len(part) > 1 and part.casefold() in words for part in (head, tail))
        return f"{head}-{tail}" if known or f"{head}-{tail}".casefold() in words else head + tail

    return [_HYPHEN.sub(joined, text) for text in texts]


def _headings(document: Any, count: int) -> list[str]:
    """For each page, the path of the first bookmark in its top quarter, with what is nested right under that; else
    the path of the last bookmark on the pages before."""
    marks: list[tuple[float, str]] = []
    path: list[str] = []
    for mark in document.get_toc():
        path = [*path[: mark.level], " ".join(clean(mark.get_title()).split())]
        target = mark.get_dest()
        page = target.get_index() if target else None
        if page is not None and 0 <= page < count:
            marks.append((page + _depth(document, page, *target.get_view()), " > ".join(filter(None, path))))
    marks.sort(key=lambda mark: mark[0])
    headings: list[str] = []
    current, at = "", 0
    for page in range(count):
        while at < len(marks) and marks[at][0] < page:
            current, at = marks[at][1], at + 1
        for number, (place, heading) in enumerate(islice(marks, at, None)):
            if place > page + _TOP or (number and not heading.startswith(f"{current} > ")):
                break
            current = heading
        headings.append(current)
    return headings


def _depth(document: Any, page: int, mode: int, view: Sequence[float]) -> float:
    """How far down the page a bookmark points, 0 (top) to below 1."""
    place = {
        _raw.PDFDEST_VIEW_XYZ: 1,
        _raw.PDFDEST_VIEW_FITH: 0,
        _raw.PDFDEST_VIEW_FITBH: 0,
        _raw.PDFDEST_VIEW_FITR: 3,
    }.get(mode)
    height = document.get_page_size(page)[1]
    if place is None or place >= len(view) or not view[place] or height <= 0:
        return 0.0
    return min(max(1 - view[place] / height, 0.0), 0.99)


def _warnings(empty: list[int], broken: list[int], attached: list[str], forbidden: bool) -> Iterable[str]:
    if empty:
        yield f"{_numbered(empty)} without text (blank or scanned); run OCR on the PDF if that text matters."
    if broken:
        yield f"{_numbered(broken)} cannot be read (damaged); save the PDF anew if that text matters."
    if attached:
        shown = ", ".join(clean(name) for name in attached[:_NAMES_SHOWN])
        more = f" and {len(attached) - _NAMES_SHOWN} more" if len(attached) > _NAMES_SHOWN else ""
        yield f"The PDF carries attached files that were not read: {shown}{more}; ingest them on their own."
    if forbidden:
        yield "The author of the PDF forbids copying its text; it was read all the same: check that you may use it."


def _numbered(numbers: list[int]) -> str:
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    spans = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    more = f" … ({len(numbers)} in all)" if len(spans) > _SPANS_SHOWN else ""
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {', '.join(spans[:_SPANS_SHOWN])}{more}"
