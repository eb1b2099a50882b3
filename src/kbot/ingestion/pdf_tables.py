"""Tables in PDF pages that only white space marks: rows of text whose cells stand under each other."""

from collections.abc import Iterator, Sequence
from ctypes import byref, c_double
from dataclasses import dataclass
from typing import Any, cast

from pypdfium2 import raw

from kbot.ingestion.tables import pipe_table

_raw = cast("Any", raw)  # untyped
_GAP = 1.2  # of the line's height: wider than any space between words, narrower than between columns
_COLUMNS, _ROWS = 3, 3


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float


def with_tables(text: str, textpage: Any) -> str:
    """The page's text with its borderless tables as pipe tables, so that a value stays with its column.

    A table is three or more rows in a row, of two or more cells each, whose cells fall into three or more columns
    when all are projected on the x axis. Rows whose text is not found as lines of the page's text are left as they
    are.
    """
    rows = list(_rows(_boxes(textpage)))
    blocks = [block for block in _blocks(rows) if any(len(row) >= _COLUMNS for row in block)]
    if not blocks:
        return text
    lines = text.split("\n")
    squeezed = ["".join(line.split()) for line in lines]
    after = 0
    for block in blocks:
        columns = _columns(block)
        if columns is None:
            continue
        cells = [[_text(textpage, box) for box in row] for row in block]
        keys = ["".join("".join(row).split()) for row in cells]
        at = next((i for i in range(after, len(lines) - len(keys) + 1) if squeezed[i : i + len(keys)] == keys), None)
        if at is None:
            continue
        table = pipe_table([_placed(row, boxes, columns) for row, boxes in zip(cells, block, strict=True)])
        lines[at : at + len(keys)] = squeezed[at : at + len(keys)] = ["", *table.split("\n"), ""]
        after = at + len(keys) + 3
    return "\n".join(lines)


def _boxes(textpage: Any) -> Iterator[_Box]:
    left, top, right, bottom = c_double(), c_double(), c_double(), c_double()
    pointers = (byref(left), byref(top), byref(right), byref(bottom))
    for index in range(_raw.FPDFText_CountRects(textpage, 0, -1)):
        if _raw.FPDFText_GetRect(textpage, index, *pointers):
            yield _Box(left.value, bottom.value, right.value, top.value)


def _rows(boxes: Iterator[_Box]) -> Iterator[list[_Box]]:
    """Boxes that follow each other to the right on one line, with those closer than a gap made one."""
    row: list[_Box] = []
    for box in boxes:
        last = row[-1] if row else None
        if last is None or box.left < last.left or not _same_line(last, box):
            if row:
                yield row
            row = [box]
        elif box.left - last.right > _GAP * max(last.top - last.bottom, box.top - box.bottom):
            row.append(box)
        else:
            row[-1] = _around(last, box)
    if row:
        yield row


def _same_line(a: _Box, b: _Box) -> bool:
    shared = min(a.top, b.top) - max(a.bottom, b.bottom)
    return shared > 0.5 * min(a.top - a.bottom, b.top - b.bottom) or abs(a.bottom - b.bottom) < 1


def _around(a: _Box, b: _Box) -> _Box:
    return _Box(min(a.left, b.left), min(a.bottom, b.bottom), max(a.right, b.right), max(a.top, b.top))


def _blocks(rows: Sequence[list[_Box]]) -> Iterator[list[list[_Box]]]:
    block: list[list[_Box]] = []
    for row in (*rows, []):
        if len(row) >= 2 and (not block or row[0].top < block[-1][0].top):
            block.append(row)
            continue
        if len(block) >= _ROWS:
            yield block
        block = [row] if len(row) >= 2 else []


def _columns(block: Sequence[Sequence[_Box]]) -> list[tuple[float, float]] | None:
    """The x intervals that the cells of a block cover; None when they are few, or when two cells of one row share
    one."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((box.left, box.right) for row in block for box in row):
        if columns and left <= columns[-1][1]:
            columns[-1] = (columns[-1][0], max(right, columns[-1][1]))
        else:
            columns.append((left, right))
    taken = [{_column(box, columns) for box in row} for row in block]
    if len(columns) < _COLUMNS or any(len(row) != len(places) for row, places in zip(block, taken, strict=True)):
        return None
    return columns


def _column(box: _Box, columns: Sequence[tuple[float, float]]) -> int:
    return next(index for index, (left, right) in enumerate(columns) if left <= box.left <= right)


def _placed(row: Sequence[str], boxes: Sequence[_Box], columns: Sequence[tuple[float, float]]) -> list[str]:
    placed = [""] * len(columns)
    for text, box in zip(row, boxes, strict=True):
        placed[_column(box, columns)] = text
    return placed


def _text(textpage: Any, box: _Box) -> str:
    return " ".join(str(textpage.get_text_bounded(box.left, box.bottom, box.right, box.top)).split())
