"""Figures of rankings, their intervals, and what counts as a change."""

import importlib
import math
import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from kbot.evaluation.measures import (
    MEASURES,
    Change,
    Found,
    change,
    estimate,
    measure_named,
    ranking,
)

HIT, PRECISION, SLOW = measure_named("hit@5"), measure_named("refusal_precision"), measure_named("total_ms_p95")


def test_rankings_are_measured_as_ir_measures_does() -> None:
    theirs = pytest.importorskip("ir_measures", reason="ir-measures has no build for this machine")
    draw = random.Random(7)
    runs: dict[str, list[str]] = {}
    labels: dict[str, list[str]] = {}
    for number in range(60):
        passages = [f"p{n}" for n in range(30)]
        draw.shuffle(passages)
        runs[f"q{number}"] = passages[: draw.randint(0, 25)]
        labels[f"q{number}"] = draw.sample(sorted(passages), draw.randint(1, 14))
    qrels = [theirs.Qrel(question, passage, 1) for question, found in labels.items() for passage in found]
    scored = [
        theirs.ScoredDoc(question, passage, 1 / place)
        for question, found in runs.items()
        for place, passage in enumerate(found, 1)
    ]
    parse = cast(Callable[[str], Any], theirs.parse_measure)
    names = {
        "hit@1": "Success@1",
        "hit@5": "Success@5",
        "hit@k": "Success@8",
        "mrr@10": "RR@10",
        "ndcg@10": "nDCG@10",
    }
    iterate = cast(Callable[..., Any], importlib.import_module("ir_measures").iter_calc)
    expected = {
        (each.query_id, str(each.measure)): each.value for each in iterate(map(parse, names.values()), qrels, scored)
    }
    compared = 0
    for question, relevant in labels.items():
        ours = ranking([passage in relevant for passage in runs[question]], len(relevant), k=8)
        for name, their_name in names.items():
            found = expected.get((question, their_name), 0.0)  # they leave out what found nothing
            assert ours[name] == pytest.approx(found), (question, name)
            compared += 1
    assert compared == 300


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    draw = random.Random(3)
    held = 0
    for _ in range(100):
        found: list[Found] = [{"hit@5": float(draw.random() < 0.7)} for _ in range(80)]
        figure = estimate(HIT, found)
        assert figure is not None
        assert figure.low <= figure.value <= figure.high
        held += figure.low <= 0.7 <= figure.high
    assert 88 <= held <= 99


def test_a_measure_is_over_the_questions_that_it_applies_to() -> None:
    found: list[Found] = [{"hit@5": 1.0}, {"refused": 1.0}, {"hit@5": 0.0}]
    figure = estimate(HIT, found)
    assert figure is not None
    assert (figure.value, figure.n) == (0.5, 2)
    assert estimate(PRECISION, found) is None
    seconds = estimate(SLOW, [{"total_ms": float(n)} for n in range(1, 101)])
    assert seconds is not None
    assert seconds.value == pytest.approx(95.05)


def test_the_same_is_noise_and_a_lasting_loss_is_none() -> None:
    draw = random.Random(5)
    before: list[Found] = [{"hit@5": float(draw.random() < 0.8)} for _ in range(60)]
    same = change(HIT, before, before)
    assert same is not None
    assert same == Change(same.before, same.before, 0.0, 0.0, 60)
    assert same.noise
    swapped = change(HIT, before, [*before[30:], *before[:30]])
    assert swapped is not None
    assert swapped.noise, "other questions hit, as many"
    lost = change(HIT, before, [{"hit@5": each["hit@5"] * (n % 4 > 0)} for n, each in enumerate(before)])
    assert lost is not None
    assert lost.high < 0
    assert not lost.noise


def test_pairing_finds_what_two_intervals_alone_would_not() -> None:
    draw = random.Random(9)
    before: list[Found] = [{"mrr@10": draw.random()} for _ in range(50)]
    after: list[Found] = [{"mrr@10": each["mrr@10"] + 0.02} for each in before]
    measure = measure_named("mrr@10")
    old, new, found = estimate(measure, before), estimate(measure, after), change(measure, before, after)
    assert old
    assert new
    assert found
    assert old.high > new.low, "the intervals overlap"
    assert not found.noise


def test_five_questions_show_nothing_and_six_may() -> None:
    none: Found = {"hit@5": 0.0}
    hit: Found = {"hit@5": 1.0}
    five, six = (change(HIT, [none] * n, [hit] * n) for n in (5, 6))
    assert five
    assert six
    assert (five.noise, six.noise) == (True, False)


def test_a_precision_may_rest_on_other_questions_in_each_run() -> None:
    wrong: Found = {"refusal_precision": 0.0}
    right: Found = {"refusal_precision": 1.0}
    answered: Found = {}
    before = [wrong] * 10 + [answered] * 10
    found = change(PRECISION, before, [answered] * 10 + [right] * 10)
    assert found is not None
    assert (found.before, found.after, found.n) == (0.0, 1.0, 20)
    assert not found.noise
    assert change(PRECISION, before, [answered] * 20) is None


def test_the_measures_have_names_of_their_own_and_finite_gains() -> None:
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    with pytest.raises(KeyError):
        measure_named("recall@3")
    assert ranking([], 3, k=8) == dict.fromkeys(("hit@1", "hit@5", "hit@k", "mrr@10", "ndcg@10"), 0.0)
    assert math.isclose(ranking([True] * 3, 3, k=8)["ndcg@10"], 1.0)
