"""Rows of cells to Markdown pipe tables, and CSV files to rows."""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence

from kbot.ingestion.pages import CSV, Loaded, Page
from kbot.ingestion.text import Decoded

CELLS = 200_000
_DELIMITERS = "\t;|,"
_SNIFFED_LINES = 50


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose header is the first row; short rows are filled up, cells are kept on one line."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    lines = [_line([*row, *[""] * (width - len(row))]) for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def read_csv(decoded: Decoded) -> Loaded:
    """A CSV file as one table; its delimiter is found among tab, semicolon, bar and comma. Text of one column stays
    text."""
    delimiter = _delimiter(decoded.text)
    if delimiter is None:
        return Loaded("", CSV, (Page(None, decoded.text),), warnings=decoded.warnings)
    csv.field_size_limit(10_000_000)
    rows: list[list[str]] = []
    cells = 0
    warnings = decoded.warnings
    for row in csv.reader(decoded.text.splitlines(keepends=True), delimiter=delimiter, skipinitialspace=True):
        if not any(cell.strip() for cell in row):
            continue
        cells += len(row)
        if cells > CELLS:
            warnings = (
                *warnings,
                f"Only the first {len(rows)} rows were read ({CELLS} cells); split the file to have the rest.",
            )
            break
        rows.append(row)
    return Loaded("", CSV, (Page(None, pipe_table(rows)),), warnings=warnings)


def _delimiter(text: str) -> str | None:
    """The delimiter that gives most lines the same number of fields, at least two; ties go to the one rarer in
    prose."""
    lines = text.splitlines(keepends=True)[:_SNIFFED_LINES]
    best, best_share = None, 0.5
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        width, count = max(((w, n) for w, n in widths.items() if w > 1), key=lambda item: item[1], default=(1, 0))
        if width > 1 and count / widths.total() > best_share:
            best, best_share = delimiter, count / widths.total()
    return best
