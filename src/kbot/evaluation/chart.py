"""Line charts as SVG that stands in an HTML page and needs nothing else. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 1100, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 16, 14, 46
_MOST_LABELS = 14
_LONGEST_LABEL = 18


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure between 0 and 1 at place `x` (0 the first run), with its interval and what a pointer on it is told."""

    x: int
    value: float
    low: float
    high: float
    told: str


@dataclass(frozen=True, slots=True)
class Line:
    """Marks joined in their order; `tone` is the number of its colour in the page's style."""

    name: str
    tone: int
    marks: tuple[Mark, ...]


def line_chart(title: str, lines: Sequence[Line], labels: Sequence[str]) -> str:
    """A chart over the runs of the labels: each line with its interval as a band, and a dot a run."""
    floor = _floor([mark.low for line in lines for mark in line.marks])
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        *(_grid_line(tenth / 10, floor) for tenth in range(round(floor * 10), 11, 1 if floor else 2)),
        *_labels(labels),
    ]
    parts += [_band(line, len(labels), floor) for line in lines if len(line.marks) > 1]
    parts += [_path(line, len(labels), floor) for line in lines if len(line.marks) > 1]
    parts += [_dot(line, mark, len(labels), floor) for line in lines for mark in line.marks]
    return "\n".join([*parts, "</svg>"])


def _floor(lows: Sequence[float]) -> float:
    """Where the axis begins: 0, or, where every figure is high, the tenth below the lowest, so that changes show."""
    lowest = min(lows, default=0.0)
    return 0.0 if lowest < 0.5 else min(int(lowest * 10) / 10, 0.8)


def _x(place: int, places: int) -> float:
    room = _WIDTH - _LEFT - _RIGHT
    return _LEFT + room / 2 if places == 1 else _LEFT + 14 + (room - 28) * place / (places - 1)


def _y(value: float, floor: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - (value - floor) / (1 - floor))


def _grid_line(value: float, floor: float) -> str:
    y = _y(value, floor)
    line = f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return f'{line}<text class="axis" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>'


def _labels(labels: Sequence[str]) -> list[str]:
    every = -(-len(labels) // _MOST_LABELS)
    return [
        f'<text class="axis" x="{_x(place, len(labels)):.1f}" y="{_HEIGHT - _BOTTOM + 18 + 13 * (place // every % 2)}"'
        f' text-anchor="middle">{escape(_clipped(label))}</text>'
        for place, label in enumerate(labels)
        if place % every == 0
    ]


def _clipped(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"


def _band(line: Line, places: int, floor: float) -> str:
    above = [(mark.x, mark.high) for mark in line.marks]
    below = [(mark.x, mark.low) for mark in reversed(line.marks)]
    points = " ".join(f"{_x(x, places):.1f},{_y(value, floor):.1f}" for x, value in [*above, *below])
    return f'<polygon class="band tone{line.tone}" points="{points}"/>'


def _path(line: Line, places: int, floor: float) -> str:
    points = " ".join(f"{_x(mark.x, places):.1f},{_y(mark.value, floor):.1f}" for mark in line.marks)
    return f'<polyline class="line tone{line.tone}" points="{points}"/>'


def _dot(line: Line, mark: Mark, places: int, floor: float) -> str:
    x = _x(mark.x, places)
    spread = (
        f'<line class="whisker tone{line.tone}" x1="{x:.1f}" x2="{x:.1f}" y1="{_y(mark.low, floor):.1f}" '
        f'y2="{_y(mark.high, floor):.1f}"/>'
        if len(line.marks) == 1
        else ""
    )
    dot = f'<circle class="dot tone{line.tone}" cx="{x:.1f}" cy="{_y(mark.value, floor):.1f}" r="4.5">'
    return f"{spread}{dot}<title>{escape(line.name)}: {escape(mark.told)}</title></circle>"
