"""The cut of an embedder, chosen from labelled questions: as many as possible of those that the documents do not answer
are refused before the model, and at most a given share of the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kbot.chat import Passage, Place
from kbot.confidence import Cut, confidence, nearness, reaches
from kbot.engine import Engine
from kbot.errors import SettingsError
from kbot.evaluation.labelled import LabelledQuestion
from kbot.evaluation.run import Progress

CURVE = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
FEWEST_ANSWERABLE, FEWEST_UNANSWERABLE = 30, 20
"""Of fewer, a part that is held out has less than six of one kind or four of the other, and says nothing of a cut."""

_FOLDS = 5
_SEED = 20_240_229
_STEPS = 250


@dataclass(frozen=True, slots=True)
class Evidence:
    """What `kbot.confidence.gate` holds against a cut: the confidence in the passages found for a question, and the
    nearness of the nearest."""

    answerable: bool
    confidence: float
    nearness: float


@dataclass(frozen=True, slots=True)
class Point:
    """A cut, and the shares that it refuses: `rightly` of the unanswerable questions, `wrongly` of the others."""

    cut: Cut
    rightly: float
    wrongly: float


async def gather(
    engine: Engine, workspace: str, questions: Sequence[LabelledQuestion], progress: Progress
) -> list[Evidence]:
    """Search for each question. Raises `DatabaseError`, `ModelError`."""
    found: list[Evidence] = []
    for done, question in enumerate(questions, 1):
        passages = await engine.search(question.text, Place(workspace, ""))
        found.append(evidence_of(question.text, passages, answerable=question.answerable))
        progress(done, len(questions))
    return found


def evidence_of(question: str, passages: Sequence[Passage], *, answerable: bool) -> Evidence:
    """What the passages found for a question, best first, say for it."""
    return Evidence(answerable, confidence(question, passages), nearness(passages))


def at(cut: Cut, evidence: Sequence[Evidence]) -> Point:
    """What a cut refuses. Raises SettingsError unless there are questions of both kinds."""
    answerable, unanswerable = _both(evidence)
    return Point(cut, _refused(unanswerable, cut), _refused(answerable, cut))


def choose(evidence: Sequence[Evidence], most: float) -> Point:
    """The cut that refuses most of the unanswerable questions and at most the share `most` of the others.

    Among equals it is the one that refuses fewest of the others, and then the mildest. Raises SettingsError unless
    there are questions of both kinds.
    """
    answerable, unanswerable = _both(evidence)
    # A question is refused where both its numbers lie below the cut's: only the unanswerable ones' own numbers, and a
    # little more, are worth trying.
    confidences = _steps([each.confidence for each in unanswerable])
    nearnesses = _steps([each.nearness for each in unanswerable])
    rightly = _table(unanswerable, confidences, nearnesses)
    wrongly = _table(answerable, confidences, nearnesses)
    rightly[wrongly > most + 1e-12] = -1.0
    best = np.argwhere(rightly == rightly.max())
    row, column = min(best.tolist(), key=lambda found: (wrongly[found[0], found[1]], found[0] + found[1]))
    cut = Cut(float(confidences[row]), float(nearnesses[column]))
    return Point(cut, float(rightly[row, column]), float(wrongly[row, column]))


def held_out(evidence: Sequence[Evidence], most: float) -> tuple[float, float]:
    """What a cut so chosen refuses of questions that it was not chosen on, rightly and wrongly: the mean of five parts,
    each held out in turn. Raises SettingsError unless there are questions of both kinds."""
    answerable, unanswerable = _both(evidence)
    parts = [list[Evidence]() for _ in range(_FOLDS)]
    draw = np.random.default_rng(_SEED)
    for group in (answerable, unanswerable):
        for place, index in enumerate(draw.permutation(len(group))):
            parts[place % _FOLDS].append(group[int(index)])
    rightly: list[bool] = []
    wrongly: list[bool] = []
    for held in parts:
        rest = [each for part in parts if part is not held for each in part]
        if not held or len({each.answerable for each in rest}) < 2:
            continue
        cut = choose(rest, most).cut
        rightly += [_refuses(cut, each) for each in held if not each.answerable]
        wrongly += [_refuses(cut, each) for each in held if each.answerable]
    return (_mean(rightly), _mean(wrongly))


def objection(evidence: Sequence[Evidence], chosen: Point, held: tuple[float, float], now: Point, most: float) -> str:
    """Why a cut that was chosen is not to be kept; "" where nothing speaks against it.

    The questions are too few; or what it refuses of those it was not chosen on (`held`, rightly and wrongly) is no
    better than what the cut so far refuses of the same questions. Where that refuses more than the share `most`
    wrongly, fewer of them is better; else more rightly, beyond what is lost for it.
    """
    answerable = sum(each.answerable for each in evidence)
    if answerable < FEWEST_ANSWERABLE or len(evidence) - answerable < FEWEST_UNANSWERABLE:
        return (
            f"{answerable} answerable and {len(evidence) - answerable} unanswerable questions are too few to choose a "
            f"cut from: it takes {FEWEST_ANSWERABLE} and {FEWEST_UNANSWERABLE}"
        )
    if chosen.cut == now.cut:
        return ""
    gain, loss = held[0] - now.rightly, held[1] - now.wrongly
    if loss < 0 if now.wrongly > most else gain >= 0 and gain > loss:
        return ""
    return (
        f"of questions that it was not chosen on it refuses {held[0]:.3f} rightly and {held[1]:.3f} wrongly, no better "
        f"than the cut so far with {now.rightly:.3f} and {now.wrongly:.3f}"
    )


def _both(evidence: Sequence[Evidence]) -> tuple[list[Evidence], list[Evidence]]:
    answerable = [each for each in evidence if each.answerable]
    unanswerable = [each for each in evidence if not each.answerable]
    if not answerable or not unanswerable:
        raise SettingsError(
            f"A cut is chosen from both kinds of questions; there are {len(answerable)} answerable and "
            f"{len(unanswerable)} unanswerable ones. Add questions that the documents do not answer, or raise --limit."
        )
    return answerable, unanswerable


def _steps(values: Sequence[float]) -> NDArray[np.float64]:
    """At most so many numbers to try, each just above one of the values, and one that refuses nothing."""
    distinct = np.unique(np.asarray(values, dtype=np.float64))
    if distinct.size > _STEPS:
        distinct = np.unique(np.quantile(distinct, np.linspace(0, 1, _STEPS), method="nearest"))
    return np.concatenate(([distinct[0]], np.nextafter(distinct, np.inf)))


def _table(
    group: Sequence[Evidence], confidences: NDArray[np.float64], nearnesses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The share of a group that each cut refuses."""
    unlikely = np.array([each.confidence for each in group])[:, None] < confidences[None, :]
    far = np.array([each.nearness for each in group])[:, None] < nearnesses[None, :]
    return (unlikely.T.astype(np.float64) @ far.astype(np.float64)) / len(group)


def _refused(group: Sequence[Evidence], cut: Cut) -> float:
    return _mean([_refuses(cut, each) for each in group])


def _refuses(cut: Cut, found: Evidence) -> bool:
    return not reaches(found.confidence, found.nearness, cut)


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
