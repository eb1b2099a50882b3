"""How much of a given answer a model gets to read."""

from dataclasses import replace

import pytest

from kbot.chat import Passage
from kbot.evaluation.trial import reading_figures

PASSAGE = Passage("p1", "d1", "hr.md", "HR", "Leave is asked for in the portal.", 0.8, 0.9, 0.5, 0.8)
ANSWER = "25 days of paid leave"


def test_an_answer_is_held_by_the_text_that_is_read() -> None:
    assert reading_figures([], [ANSWER]) == {
        "read_holds_answer": 0.0,
        "read_answer_words": 0.0,
        "read_characters": 0.0,
    }
    without = reading_figures([PASSAGE], [ANSWER])
    assert without["read_holds_answer"] == 0.0
    assert without["read_answer_words"] == pytest.approx(1 / 4), "of 25, days, paid and leave"
    assert without["read_characters"] == len(PASSAGE.text)


@pytest.mark.parametrize("where", ["text", "section", "after"])
def test_it_is_found_in_the_text_the_section_and_the_neighbours(where: str) -> None:
    holding = replace(PASSAGE, **{where: "Everybody has 25 days of PAID leave, and asks in the portal."})
    found = reading_figures([replace(PASSAGE, id="p0", text="Another text."), holding], [ANSWER, "no such thing"])
    assert found["read_holds_answer"] == found["read_answer_words"] == 1.0


def test_words_in_two_texts_are_not_put_together() -> None:
    parts = [replace(PASSAGE, id=str(n), text=text) for n, text in enumerate(["25 days", "paid leave"])]
    assert reading_figures(parts, [ANSWER])["read_answer_words"] == 0.5


def test_the_nearest_of_several_answers_counts_and_one_of_function_words_too() -> None:
    assert reading_figures([PASSAGE], ["none of it", "in the portal"])["read_answer_words"] == 1.0
    assert reading_figures([PASSAGE], ["not"])["read_answer_words"] == 0.0
