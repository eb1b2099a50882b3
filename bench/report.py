"""What a part of the benchmark found: tables, and targets met or missed; printed, and written as JSON."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table as Drawn

_LIBRARIES = ("kbot", "psycopg", "pgvector", "numpy", "langchain-core", "langchain-postgres")

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A number that should be at least `least`, or at most `most`."""

    text: str
    value: float
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool:
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)

    @property
    def bound(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"


@dataclass(frozen=True, slots=True)
class Result:
    """What one part found; `notes` say under what conditions, or why it was skipped."""

    name: str
    tables: tuple[Table, ...] = ()
    targets: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()


def percentiles(milliseconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    low, high = np.percentile(milliseconds, (50, 95))
    return float(low), float(high)


def environment(server: str) -> dict[str, Cell]:
    """Where the numbers come from."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "load": load,
        "python": platform.python_version(),
        "postgres": server,
        **{name: version(name) for name in _LIBRARIES},
    }


def show(result: Result, console: Console) -> None:
    """Print a result."""
    console.rule(result.name)
    for table in result.tables:
        drawn = Drawn(title=table.title, title_justify="left", box=box.SIMPLE_HEAD)
        for index, column in enumerate(table.columns):
            drawn.add_column(column, justify="right" if index else "left")
        for row in table.rows:
            drawn.add_row(*(_shown(cell) for cell in row))
        console.print(drawn)
    for target in result.targets:
        word = "[green]met   [/]" if target.met else "[red]missed[/]"
        console.print(f"{word} {target.text}: {_shown(target.value)} (target {target.bound})", highlight=False)
    for note in result.notes:
        console.print(f"[dim]{note}[/]", highlight=False)


def write(path: Path, where: dict[str, Cell], results: Sequence[Result]) -> None:
    """Write results as one JSON object."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = [
        {**asdict(result), "targets": [{**asdict(target), "met": target.met} for target in result.targets]}
        for result in results
    ]
    text = json.dumps({"environment": where, "results": found}, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.3f}" if abs(cell) < 10 else f"{cell:.1f}"
    return str(cell)
