"""The JSON of `kbot eval`. These shapes are kept stable: keys are added, never renamed or removed."""

from collections.abc import Sequence
from typing import Any

from kbot.evaluation.calibration import Point
from kbot.evaluation.comparison import Comparison, is_worse
from kbot.evaluation.measures import Change, Estimate, Measure, measure_named
from kbot.evaluation.run import ALL, Run, figures, subsets
from kbot.evaluation.trial import Outcome


def run_shape(run: Run) -> dict[str, Any]:
    """A run: figures over all questions in `measures`, those of each subset in `subsets`, and in `outcomes` those of
    every question, from which `kbot.evaluation.exported` makes the run again."""
    groups = subsets(run.outcomes)
    return {
        "id": run.id,
        "name": run.name,
        "set": run.labelled,
        "workspace": run.workspace,
        "started_at": run.started_at.isoformat(),
        "seconds": round((run.finished_at - run.started_at).total_seconds(), 3),
        "questions": len(run.outcomes),
        "configuration": dict(run.configuration),
        "measures": _figures(groups.pop(ALL)),
        "subsets": {kind: {"questions": len(group), "measures": _figures(group)} for kind, group in groups.items()},
        "outcomes": [_outcome(outcome) for outcome in run.outcomes],
    }


def comparison_shape(found: Comparison) -> dict[str, Any]:
    """Two runs: what changed over all questions, by subset, and in the configuration."""
    changes = {
        kind: {name: change_shape(measure_named(name), change) for name, change in group.items()}
        for kind, group in found.changes.items()
    }
    return {
        "before": found.before.id,
        "after": found.after.id,
        "questions": found.n,
        "measures": changes.pop(ALL),
        "subsets": changes,
        "configuration": {each.name: [each.before, each.after] for each in found.differences},
    }


def change_shape(measure: Measure, found: Change) -> dict[str, Any]:
    """One change; `verdict` is noise, better or worse."""
    verdict = "noise" if found.noise else "worse" if is_worse(measure, found) else "better"
    numbers = {"before": found.before, "after": found.after, "change": found.difference}
    spread = {"low": found.low, "high": found.high}
    return {**{name: round(value, 6) for name, value in (numbers | spread).items()}, "n": found.n, "verdict": verdict}


def point_shape(point: Point) -> dict[str, float]:
    """A cut and what it refuses."""
    numbers = {"confidence": point.cut.confidence, "nearness": point.cut.nearness}
    return {
        name: round(value, 6)
        for name, value in (numbers | {"rightly": point.rightly, "wrongly": point.wrongly}).items()
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    shape = {"question": outcome.question, "kind": outcome.kind, "answerable": outcome.answerable}
    return {**shape, "reason": outcome.reason, "found": dict(outcome.found)}


def _figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    return {name: _estimate(figure) for name, figure in figures(outcomes).items()}


def _estimate(figure: Estimate) -> dict[str, float]:
    numbers = {"value": figure.value, "low": figure.low, "high": figure.high}
    return {**{name: round(value, 6) for name, value in numbers.items()}, "n": figure.n}
