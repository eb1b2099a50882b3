"""Answers compared with given ones, in Portuguese and English."""

import pytest

from kbot.wording import contains, exact, f1, words


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("The Library, at 8 AM!", "library at 8 am"),
        ("A Constituição.", "constituicao"),
        ("os **dez acadêmicos**", "dez academicos"),
        ("R$ 1.500,", "r$ 1,500"),
        ("1\u202f234\u202f567", "1.234.567"),
    ],
)
def test_case_accents_articles_and_separators_do_not_count(said: str, given: str) -> None:
    assert exact(said, [given])
    assert f1(said, [given]) == 1.0


def test_other_words_and_numbers_count() -> None:
    assert not exact("dez dias", ["dez dias úteis"])
    assert words("1.5") != words("15")
    assert words("12.345,6")[0] == "12345"
    assert words("1 500") == ["1", "500"], "a plain space parts numbers"
    assert not exact("", ["qualquer"])


def test_f1_is_that_of_the_nearest_answer() -> None:
    assert f1("vinte e dois dias", ["vinte e dois dias úteis"]) == pytest.approx(2 * 4 / 9)
    assert f1("22 days", ["thirty", "22 working days"]) == pytest.approx(2 * 2 / 5)
    assert f1("dias dias dias", ["dias"]) == pytest.approx(2 * 1 / 4)
    assert f1("nothing shared", ["outra coisa"]) == 0.0
    assert f1("anything", []) == 0.0
    assert f1("", ["x"]) == 0.0


def test_an_answer_is_held_as_whole_words() -> None:
    assert contains("São 22 dias úteis por ano.", ["22 dias"])
    assert contains("it is in the Compliance-Hotline", ["compliance hotline"])
    assert not contains("São 122 dias.", ["22 dias"])
    assert not contains("text", ["", "the"])
