"""Office files: DOCX by mammoth, PPTX by python-pptx, XLSX by openpyxl."""

import io
import re
import warnings as python_warnings
import zipfile
from collections.abc import Iterator
from datetime import datetime, time
from html import unescape
from pathlib import PurePosixPath
from typing import Any, cast

from kbot.ingestion.pages import DOCX, PPTX, XLSX, Loaded, Page
from kbot.ingestion.tables import CELLS, pipe_table
from kbot.ingestion.text import clean, heading_title

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_TITLE = re.compile(r"<dc:title>([^<]*)</dc:title>")
_EMPTY_ROWS = 10_000


def read_docx(data: bytes) -> Loaded:
    """A Word document as Markdown, with footnotes and endnotes at its end."""
    import mammoth
    from bs4 import BeautifulSoup

    from kbot.ingestion.markup import to_markdown

    def no_image(image: object) -> list[object]:
        return []

    html = str(cast("Any", mammoth).convert_to_html(io.BytesIO(data), convert_image=no_image).value)
    soup = BeautifulSoup(html, "html.parser")
    for back in soup.select('a[href^="#footnote-ref"], a[href^="#endnote-ref"]'):
        back.decompose()
    markdown, warnings = to_markdown(soup)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        core = (
            archive.read("docProps/core.xml").decode("utf-8", errors="replace") if "docProps/core.xml" in names else ""
        )
    titled = _TITLE.search(core)
    title = clean(unescape(titled.group(1))).strip() if titled else ""
    embedded = [PurePosixPath(name).name for name in names if name.startswith("word/embeddings/")]
    if embedded:
        listed = ", ".join(embedded[:5])
        warnings = (
            *warnings,
            f"Files embedded in the document were not read ({listed}); save them apart and ingest them.",
        )
    return Loaded(title or heading_title(markdown), DOCX, (Page(None, markdown),), warnings=warnings)


def read_pptx(data: bytes) -> Loaded:
    """A presentation, a page for each slide: its title as heading, its text from top to bottom, tables, and the
    notes."""
    import pptx

    deck: Any = cast("Any", pptx).Presentation(io.BytesIO(_transitional(data)))
    slides = [clean("\n\n".join(filter(None, _slide(slide)))) for slide in deck.slides]
    pages = tuple(Page(number, text) for number, text in enumerate(slides, 1) if text.strip())
    title = clean(str(deck.core_properties.title or "")).strip()
    if not title or title.casefold() in ("powerpoint presentation", "apresentação do powerpoint"):
        title = heading_title(pages[0].text) if pages else ""
    return Loaded(title, PPTX, pages, len(slides) - len(pages), page_count=len(slides))


def _slide(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        yield "# " + " ".join(str(title.text_frame.text).split())
    for shape in _ordered(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            yield from _shape(shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = str(slide.notes_slide.notes_text_frame.text).strip()
        if notes:
            yield f"Notes: {notes}"


def _ordered(shapes: Any) -> list[Any]:
    return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))


def _shape(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):
        for child in _ordered(shape.shapes):
            yield from _shape(child)
    elif shape.has_text_frame:
        paragraphs = [(p.level, str(p.text).replace("\v", "\n").strip()) for p in shape.text_frame.paragraphs]
        several = sum(bool(text) for _, text in paragraphs) > 1
        yield "\n".join(f"{'  ' * level}- {text}" if several else text for level, text in paragraphs if text)
    elif getattr(shape, "has_table", False):
        yield pipe_table([[str(cell.text) for cell in row.cells] for row in shape.table.rows])


def read_xlsx(data: bytes) -> Loaded:
    """A workbook as one page: under each sheet's name its cells as a table, with the values that Excel stored for
    formulas."""
    import openpyxl

    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore")  # openpyxl speaks of styles and extensions, which are not read
        book: Any = cast("Any", openpyxl).load_workbook(io.BytesIO(_transitional(data)), read_only=True, data_only=True)
        parts: list[str] = []
        warnings: list[str] = []
        left = CELLS
        for sheet in book.worksheets:
            rows, whole = _cells(sheet, left)
            left -= sum(map(len, rows))
            if rows:
                parts.append(f"## {sheet.title}\n\n{pipe_table(rows)}")
            if not whole:
                warnings.append(
                    f"Sheet “{sheet.title}” was read up to row {len(rows)} only (of a workbook, {CELLS:,} cells are "
                    "read); split it."
                )
        title = str(book.properties.title or "")
        book.close()
    return Loaded(clean(title).strip(), XLSX, (Page(None, clean("\n\n".join(parts))),), warnings=tuple(warnings))


def _cells(sheet: Any, most: int) -> tuple[list[list[str]], bool]:
    """The rows that hold something, cut to their last filled cell, and whether they are all."""
    sheet.reset_dimensions()  # the stored ones are often wrong, and a forged one makes rows of 16,384 cells
    rows: list[list[str]] = []
    empty = 0
    for values in sheet.iter_rows(values_only=True):
        row = [_cell(value) for value in values]
        while row and not row[-1]:
            row.pop()
        empty = 0 if row else empty + 1
        if empty > _EMPTY_ROWS:
            break
        if row:
            most -= len(row)
            if most < 0:
                return rows, False
            rows.append(row)
    return rows, True


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime() if value.time() == time(0):
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "minutes")
        case _:
            return str(value).strip()


def _transitional(data: bytes) -> bytes:
    """A file in the strict variant of ISO 29500 with the namespaces of the usual one, which is all that these readers
    know."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        if not any(
            _STRICT.search(source.read(name))
            for name in ("xl/workbook.xml", "ppt/presentation.xml")
            if name in source.namelist()
        ):
            return data
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy:
            for member in source.infolist():
                content = source.read(member)
                if member.filename.endswith((".xml", ".rels")):
                    content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)
                copy.writestr(member.filename, content)
    return target.getvalue()
