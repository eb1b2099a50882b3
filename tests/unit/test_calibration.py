"""The cut that is chosen from labelled evidence."""

import random
from dataclasses import replace

import pytest

from kbot.chat import Passage
from kbot.confidence import Cut, gate
from kbot.errors import SettingsError
from kbot.evaluation.calibration import Evidence, Point, at, choose, evidence_of, held_out, objection

PASSAGE = Passage("c", "d", "s", "t", "x", 0.0, 0.0, 0.0, 0.0)


def drawn(count: int, seed: int = 1) -> list[Evidence]:
    """Questions whose evidence is better where they are answerable, with much overlap."""
    draw = random.Random(seed)
    return [
        Evidence(good, draw.gauss(0.5 + 0.12 * good, 0.1), min(max(draw.gauss(0.4 + 0.2 * good, 0.15), 0.0), 1.0))
        for good in (draw.random() < 0.6 for _ in range(count))
    ]


@pytest.mark.parametrize("most", [0.0, 0.05, 0.2, 1.0])
def test_no_cut_among_all_is_better(most: float) -> None:
    evidence = drawn(60)
    point = choose(evidence, most)
    assert point == at(point.cut, evidence)
    assert point.wrongly <= most
    tried = [at(Cut(sure.confidence + 1e-9, near.nearness + 1e-9), evidence) for sure in evidence for near in evidence]
    assert point.rightly == max([each.rightly for each in tried if each.wrongly <= most], default=0.0)


def test_a_point_refuses_what_the_gate_refuses() -> None:
    draw = random.Random(4)
    cut = Cut(0.4, 0.6)
    question = "How many days of leave?"
    groups = [
        [
            replace(PASSAGE, similarity=draw.random(), sentence=draw.random(), coverage=draw.random() * 0.7)
            for _ in range(draw.randint(0, 3))
        ]
        for _ in range(200)
    ]
    evidence = [evidence_of(question, group, answerable=n % 2 == 0) for n, group in enumerate(groups)]
    refused = [not gate(question, group, cut) for group in groups]
    point = at(cut, evidence)
    assert 0 < sum(refused) < 200
    assert point.wrongly == pytest.approx(sum(refused[::2]) / 100)
    assert point.rightly == pytest.approx(sum(refused[1::2]) / 100)


def test_more_allowed_refuses_more_and_held_out_is_no_better() -> None:
    evidence = drawn(300)
    points = [choose(evidence, most) for most in (0.0, 0.02, 0.05, 0.1, 0.3)]
    assert [point.rightly for point in points] == sorted(point.rightly for point in points)
    rightly, wrongly = held_out(evidence, 0.05)
    assert 0 < rightly <= points[2].rightly + 0.05
    assert wrongly < 0.15


def test_both_kinds_of_questions_are_needed() -> None:
    with pytest.raises(SettingsError, match="3 answerable and 0 unanswerable"):
        choose([Evidence(True, 0.5, 0.5)] * 3, 0.05)


CUT, OTHER = Cut(0.3, 0.4), Cut(0.2, 0.3)
ENOUGH = [Evidence(True, 0.9, 0.9)] * 30 + [Evidence(False, 0.1, 0.1)] * 20


@pytest.mark.parametrize(
    ("held", "now", "sound"),
    [
        ((0.6, 0.05), (0.5, 0.04), True),
        ((0.5, 0.04), (0.5, 0.04), False),
        ((0.4, 0.0), (0.5, 0.04), False),
        ((0.5, 0.02), (0.5, 0.04), True),
        ((0.55, 0.12), (0.5, 0.04), False),
        ((0.3, 0.05), (0.6, 0.2), True),
        ((0.7, 0.2), (0.6, 0.2), False),
        ((0.0, 0.0), (0.5, 0.04), False),
    ],
)
def test_a_cut_is_kept_where_it_is_better_on_questions_it_was_not_chosen_on(
    held: tuple[float, float], now: tuple[float, float], sound: bool
) -> None:
    told = objection(ENOUGH, Point(CUT, 0.9, 0.0), held, Point(OTHER, *now), 0.05)
    assert (told == "") is sound
    assert sound or f"{held[0]:.3f} rightly" in told
    assert objection(ENOUGH, Point(CUT, 0.9, 0.0), held, Point(CUT, *now), 0.05) == "", "the same cut changes nothing"


@pytest.mark.parametrize(("answerable", "unanswerable"), [(29, 20), (30, 19), (4, 4)])
def test_few_questions_are_no_ground_for_a_cut(answerable: int, unanswerable: int) -> None:
    few = [Evidence(True, 0.9, 0.9)] * answerable + [Evidence(False, 0.1, 0.1)] * unanswerable
    told = objection(few, Point(CUT, 1.0, 0.0), (1.0, 0.0), Point(OTHER, 0.0, 0.0), 0.05)
    assert told.startswith(f"{answerable} answerable and {unanswerable} unanswerable questions are too few")
