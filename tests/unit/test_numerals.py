"""Numbers and ordinals in words, in digits and as Romans wrote them, in both languages."""

import re

import pytest

from kbot.figures.numerals import NUMBER, ORDINAL, read_number, read_ordinal, read_roman


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("two hundred and fifty", 250),
        ("cento e vinte e cinco", 125),
        ("dezessete", 17),
        ("nineteen", 19),
        ("vinte e um", 21),
        ("1.111.111", 1111111),
        ("mil e quinhentos", 1500),
        ("dois mil", 2000),
        ("cento e vinte mil", 120_000),
        ("two hundred and ten thousand and five", 210_005),
        ("fifteen hundred", 1500),
        ("a thousand", 1000),
    ],
)
def test_numbers_in_words_and_digits_are_read(written: str, number: int) -> None:
    assert read_number(written) == [number]


@pytest.mark.parametrize(
    ("written", "number"),
    [
        *(("third", 3), ("Décima", 10), ("décimo terceiro", 13), ("thirteenth", 13), ("nineteenth", 19)),
        *(("vigésimo segundo", 22), ("twenty-first", 21), ("trigésima primeira", 31)),
    ],
)
def test_ordinals_in_words_are_read(written: str, number: int) -> None:
    assert re.fullmatch(ORDINAL, written, re.IGNORECASE)
    assert read_ordinal(written) == number


@pytest.mark.parametrize("text", ["entre mil e dois mil", "Between a thousand and two thousand"])
def test_the_end_of_a_range_is_no_part_of_its_beginning(text: str) -> None:
    assert [read_number(match[0]) for match in re.finditer(NUMBER, text)] == [[1000], [2000]]


@pytest.mark.parametrize(("written", "number"), [("XIX", 19), ("IV", 4), ("XC", 90), ("IIII", 0), ("VX", 0), ("", 0)])
def test_roman_numerals_are_read_and_nothing_else(written: str, number: int) -> None:
    assert read_roman(written) == number
