"""Two runs beside each other: what changed, whether it is more than noise, and what differs in their making."""

from collections.abc import Sequence
from dataclasses import dataclass

from kbot.errors import SettingsError
from kbot.evaluation.measures import MEASURES, Change, Measure, change
from kbot.evaluation.run import ALL, Run, subsets
from kbot.evaluation.trial import Outcome

# Names of one run alone: they say nothing of how its figures came about.
_UNCOMPARED = {"questions"}


@dataclass(frozen=True, slots=True)
class Difference:
    """What two configurations have under one name, as text; "" where one has nothing."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes by subset and measure over the `n` questions of both runs, and what differs in their configurations.

    `before_only` and `after_only` count the questions that one run alone was asked.
    """

    before: Run
    after: Run
    n: int
    before_only: int
    after_only: int
    changes: dict[str, dict[str, Change]]
    differences: tuple[Difference, ...]


def compare(before: Run, after: Run) -> Comparison:
    """Pair two runs question by question. Raises SettingsError where they have no question in common."""
    old = {outcome.question: outcome for outcome in before.outcomes}
    new = {outcome.question: outcome for outcome in after.outcomes}
    shared = [question for question in old if question in new]
    if not shared:
        raise SettingsError(
            f"The runs {before.name!r} and {after.name!r} have no question in common ({before.labelled}, "
            f"{after.labelled}). Compare runs of one labelled set."
        )
    groups = subsets([old[question] for question in shared])
    changes = {kind: _changes(group, [new[outcome.question] for outcome in group]) for kind, group in groups.items()}
    return Comparison(
        before,
        after,
        len(shared),
        len(old) - len(shared),
        len(new) - len(shared),
        changes,
        differences(before, after),
    )


def differences(before: Run, after: Run) -> tuple[Difference, ...]:
    """The names under which two configurations have different values."""
    old, new = before.configuration, after.configuration
    names = [name for name in dict.fromkeys([*old, *new]) if name not in _UNCOMPARED and old.get(name) != new.get(name)]
    return tuple(Difference(name, str(old.get(name, "")), str(new.get(name, ""))) for name in names)


def is_worse(measure: Measure, found: Change) -> bool:
    """Whether a change is for the worse, and more than noise."""
    return not found.noise and (found.difference < 0) == (measure.better == "higher")


def regressions(comparison: Comparison, measures: Sequence[Measure]) -> list[tuple[Measure, Change]]:
    """Of some measures, over all questions, those that became worse beyond noise."""
    changes = comparison.changes[ALL]
    return [
        (each, changes[each.name]) for each in measures if each.name in changes and is_worse(each, changes[each.name])
    ]


def gated_measures() -> tuple[Measure, ...]:
    """The measures that a gate looks at unless it is told which: those of quality, none of the machine's speed."""
    return tuple(measure for measure in MEASURES if measure.gated)


def _changes(before: Sequence[Outcome], after: Sequence[Outcome]) -> dict[str, Change]:
    pairs = ([outcome.found for outcome in before], [outcome.found for outcome in after])
    found = {measure.name: change(measure, *pairs) for measure in MEASURES}
    return {name: each for name, each in found.items() if each is not None}
