"""The tables of `kbot eval`, for people."""

from collections.abc import Sequence

from rich import box
from rich.table import Column, Table
from rich.text import Text

from kbot.commands.printing import shown_line
from kbot.evaluation.calibration import Point
from kbot.evaluation.comparison import Comparison, is_worse
from kbot.evaluation.measures import HEADLINES, Change, Estimate, Measure, measure_named
from kbot.evaluation.run import ALL, Run, figures, subsets

_BY_SUBSET = ("hit@5", "mrr@10", "ndcg@10", "refused", "wrongly_refused", "citation_right", "f1", "faithfulness")


def run_tables(run: Run) -> list[Table]:
    """All figures of a run with their intervals, and the chief ones by subset."""
    groups = {kind: (len(group), figures(group)) for kind, group in subsets(run.outcomes).items()}
    _, everything = groups[ALL]
    table = _table("measure", "value", "95 % interval", "n", Column("", no_wrap=True))
    for name, figure in everything.items():
        measure = measure_named(name)
        spread = f"{_number(measure, figure.low)} to {_number(measure, figure.high)}"
        table.add_row(name, _number(measure, figure.value), spread, str(figure.n), Text(measure.title, "dim"))
    if len(groups) == 1:
        return [table]
    shown = [name for name in _BY_SUBSET if name in everything]
    subset_table = _table("subset", "n", *shown)
    for kind, (size, found) in groups.items():
        subset_table.add_row(shown_line(kind), str(size), *(_cell(name, found.get(name)) for name in shown))
    return [table, subset_table]


def runs_table(runs: Sequence[Run]) -> Table:
    """The runs with their headline figures, newest first."""
    table = _table("run", Column("id", no_wrap=True), Column("set"), Column("model"), "questions", *HEADLINES)
    for run in reversed(runs):
        found = figures(run.outcomes, HEADLINES)
        table.add_row(
            shown_line(run.name),
            run.id[:8],
            shown_line(run.labelled),
            shown_line(str(run.configuration.get("model", ""))),
            str(len(run.outcomes)),
            *(_cell(name, found.get(name)) for name in HEADLINES),
        )
    return table


def comparison_tables(found: Comparison) -> list[Table]:
    """What differs in the configurations, every change over all questions, and by subset those of quality beyond
    noise."""
    made = _table("configuration", Column("before", overflow="fold"), Column("after", overflow="fold"))
    for each in found.differences:
        made.add_row(each.name.replace("_", " "), shown_line(each.before or "–"), shown_line(each.after or "–"))
    table = _table(f"measure ({found.n} questions)", "before", "after", "change", "95 % interval", Column("verdict"))
    for name, change in found.changes[ALL].items():
        table.add_row(name, *_change(measure_named(name), change))
    tables = [made, table] if found.differences else [table]
    apart = [
        (kind, name, change)
        for kind, changes in found.changes.items()
        for name, change in changes.items()
        if kind != ALL and not change.noise and measure_named(name).quantile is None
    ]
    if apart:
        by_subset = _table("subset", Column("measure"), "before", "after", "change", "95 % interval", Column("verdict"))
        for kind, name, change in apart:
            by_subset.add_row(shown_line(kind), name, *_change(measure_named(name), change))
        tables.append(by_subset)
    return tables


def curve_table(curve: Sequence[tuple[float, Point]], chosen: Point, now: Point) -> Table:
    """What can be had at each share of wrongly refused questions; then the cut so far, and the one that was chosen."""
    table = _table("at most wrongly refused", "wrongly refused", "rightly refused", "confidence", "nearness")
    for share, point in curve:
        table.add_row(f"{share:.0%}", *_point(point))
    table.add_section()
    table.add_row("the cut so far", *_point(now))
    table.add_row(Text("the cut chosen", "bold"), *_point(chosen))
    return table


def _table(first: str, *columns: str | Column) -> Table:
    ready = [Column(each, justify="right", no_wrap=True) if isinstance(each, str) else each for each in columns]
    return Table(Column(first, overflow="fold"), *ready, box=box.SIMPLE_HEAD, pad_edge=False)


def _cell(name: str, figure: Estimate | None) -> str:
    return "–" if figure is None else _number(measure_named(name), figure.value)


def _change(measure: Measure, found: Change) -> tuple[str | Text, ...]:
    worse = is_worse(measure, found)
    verdict = "noise" if found.noise else "worse" if worse else "better"
    style = "dim" if found.noise else "red" if worse else "green"
    numbers = (_number(measure, value) for value in (found.before, found.after))
    spread = f"{_number(measure, found.low, '+')} to {_number(measure, found.high, '+')}"
    return (*numbers, _number(measure, found.difference, "+"), spread, Text(verdict, style))


def _point(point: Point) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in (point.wrongly, point.rightly, point.cut.confidence, point.cut.nearness))


def _number(measure: Measure, value: float, sign: str = "") -> str:
    return f"{value:{sign}.{1 if measure.quantile is not None else 3}f}"
