"""What is measured of a question, and how many such figures become one, with its interval. Pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

DEPTH = 10
RESAMPLES = 1000
_SEED = 20_240_229
# Five questions that all change to one side do so by chance in 1 of 16 sets, six in 1 of 32: fewer can show nothing.
_FEWEST = 6

Found = Mapping[str, float]
"""The figures of one question by their measure's name; a measure that does not apply to it is not among them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a question, and what a set's figure is made of it: the mean, or a quantile of seconds. `better` is
    the side on which a change is welcome; `gated` ones say whether a run is worse than another."""

    name: str
    title: str
    better: Literal["higher", "lower"] = "higher"
    quantile: float | None = None
    of: str = ""
    gated: bool = False

    @property
    def figure(self) -> str:
        """The name of the question's figure that it is made of."""
        return self.of or self.name


MEASURES: tuple[Measure, ...] = (
    Measure("hit@1", "a relevant passage comes first"),
    Measure("hit@5", "a relevant passage is among the first 5", gated=True),
    Measure("hit@k", "a relevant passage is among those that are read"),
    Measure("mrr@10", "reciprocal rank of the first relevant passage", gated=True),
    Measure("ndcg@10", "nDCG of the first 10", gated=True),
    Measure("read_holds_answer", "what is read holds a given answer", gated=True),
    Measure("read_answer_words", "words of a given answer that one of the texts read holds"),
    Measure("read_characters", "characters read", "lower"),
    Measure("refused_unread", "unanswerable, refused before the model"),
    Measure("refused", "unanswerable, refused in all", gated=True),
    Measure("wrongly_refused_unread", "answerable, refused before the model", "lower"),
    Measure("wrongly_refused", "answerable, refused in all", "lower", gated=True),
    Measure("refusal_precision_unread", "of those refused before the model, unanswerable"),
    Measure("refusal_precision", "of those refused in all, unanswerable"),
    Measure("uncited", "not refused, and not one valid citation", "lower", gated=True),
    Measure("citation_right", "citations whose passage is labelled relevant or holds the answer", gated=True),
    Measure("citation_relevant", "citations whose passage is labelled relevant"),
    Measure("citation_holds_answer", "citations whose passage holds a given answer"),
    Measure("claims_uncited", "claims without a citation", "lower", gated=True),
    Measure("exact", "the answer is a given one, word for word"),
    Measure("f1", "words shared with the nearest given answer", gated=True),
    Measure("contains", "the answer holds a given one"),
    Measure("faithfulness", "claims that the cited passages support", gated=True),
    Measure("retrieve_ms_p50", "search, median ms", "lower", 0.5, "retrieve_ms"),
    Measure("retrieve_ms_p95", "search, 95th percentile ms", "lower", 0.95, "retrieve_ms"),
    Measure("total_ms_p50", "answer, median ms", "lower", 0.5, "total_ms"),
    Measure("total_ms_p95", "answer, 95th percentile ms", "lower", 0.95, "total_ms"),
    Measure("model_calls", "model calls a question", "lower"),
    Measure("failed", "the model failed", "lower", gated=True),
)

HEADLINES = ("hit@5", "mrr@10", "faithfulness")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure over `n` questions with its 95 % bootstrap interval, which is the figure itself where nothing varies."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Change:
    """A figure's change from one run to another over the questions of both, with the 95 % interval of the difference.

    Where that holds 0, or the questions are fewer than six, the change is `noise`.
    """

    before: float
    after: float
    low: float
    high: float
    n: int

    @property
    def difference(self) -> float:
        return self.after - self.before

    @property
    def noise(self) -> bool:
        return self.n < _FEWEST or self.low <= 0 <= self.high


def measure_named(name: str) -> Measure:
    """A measure by its name. Raises KeyError."""
    for measure in MEASURES:
        if measure.name == name:
            return measure
    raise KeyError(name)


def ranking(ranks: Sequence[bool], relevant: int, *, k: int) -> dict[str, float]:
    """hit@1, hit@5, hit@k, mrr@10 and ndcg@10 of one ranking: whether each place holds a relevant passage, and how
    many relevant ones there are."""
    first = next((place for place, good in enumerate(ranks, 1) if good), 0)
    gain = sum(good / math.log2(place + 1) for place, good in enumerate(ranks[:DEPTH], 1))
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(relevant, DEPTH) + 1))
    return {
        **{name: float(0 < first <= depth) for name, depth in (("hit@1", 1), ("hit@5", 5), ("hit@k", k))},
        "mrr@10": 1 / first if 0 < first <= DEPTH else 0.0,
        "ndcg@10": gain / ideal,
    }


def estimate(measure: Measure, questions: Sequence[Found]) -> Estimate | None:
    """A measure over questions with its interval; None where it applies to none of them."""
    values = _column(measure, questions)
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = _interval(_over(measure, values[_draws(values.size)]))
    return Estimate(float(_over(measure, values[None, :])[0]), low, high, int(values.size))


def change(measure: Measure, before: Sequence[Found], after: Sequence[Found]) -> Change | None:
    """How a measure changed over the same questions, in the same order: each resample draws them for both. None where
    it applies to none of them in one of the two."""
    old, new = _column(measure, before), _column(measure, after)
    known = ~(np.isnan(old) & np.isnan(new))
    if measure.quantile is not None:
        known = ~(np.isnan(old) | np.isnan(new))
    old, new = old[known], new[known]
    if np.isnan(old).all() or np.isnan(new).all():
        return None
    draws = _draws(old.size)
    low, high = _interval(_over(measure, new[draws]) - _over(measure, old[draws]))
    then, now = (float(_over(measure, each[None, :])[0]) for each in (old, new))
    return Change(then, now, low, high, int(old.size))


def _column(measure: Measure, questions: Sequence[Found]) -> NDArray[np.float64]:
    return np.array([found.get(measure.figure, math.nan) for found in questions], dtype=np.float64)


def _draws(size: int) -> NDArray[np.int64]:
    return np.random.default_rng(_SEED).integers(0, size, (RESAMPLES, size))


def _over(measure: Measure, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The figure of each row. NaN stands where a measure does not apply; a row of nothing else has no figure."""
    if measure.quantile is not None:
        return np.quantile(values, measure.quantile, axis=1)
    there = ~np.isnan(values)
    counts = there.sum(axis=1)
    sums = np.where(there, values, 0.0).sum(axis=1)
    return np.divide(sums, counts, out=np.full(len(values), math.nan), where=counts > 0)


def _interval(figures: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.nanquantile(figures, (0.025, 0.975))
    return float(low), float(high)
