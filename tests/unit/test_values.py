"""Amounts, dates and times in both languages: what they mean, and whether two of them can both be true."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.figures.values import agree, comparable, values_in


def written(text: str) -> list[tuple[str, str]]:
    return [(value.unit, value.written) for value in values_in(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Cada pessoa tem 22 dias úteis de férias por ano.", [("working day", "22 dias úteis")]),
        ("O auxílio é de R$ 1.500,00 por mês.", [("brl", "R$ 1.500,00 por mês")]),
        ("Compras acima de R$ 5.000 precisam de aprovação.", [("brl", "R$ 5.000")]),
        ("Partners get 10 % off, or 12% in May.", [("%", "10 %"), ("%", "12%")]),
        (
            "The team has three people and vinte e cinco alunos.",
            [("person", "three people"), ("count", "vinte e cinco alunos")],
        ),
        (
            "Das 11h às 14h, or 9:30, or 10 pm, or noon.",
            [("time of day", t) for t in ("11h", "14h", "9:30", "10 pm", "noon")],
        ),
        ("It takes 9h.", [("minute", "9h")]),
        ("De segunda a sexta, e aos domingos.", [("day of week", "segunda a sexta"), ("day of week", "domingos")]),
        ("On 1 March 2024, em 10 de maio de 2024.", [("date", "1 March 2024"), ("date", "10 de maio de 2024")]),
        ("O salário sai no dia 25; the rent is due on the 5th.", [("date", "25"), ("date", "5th")]),
        ("Founded in 1998 with 1500 alunos (2003).", [("date", "1998"), ("count", "1500 alunos"), ("date", "2003")]),
        ("Version 2 of plan B in room 12, uma sala, the sixth man, na segunda fase.", []),
    ],
)
def test_a_sentence_names_its_values(text: str, found: list[tuple[str, str]]) -> None:
    assert written(text) == found


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("R$ 1.500,00", "R$ 1500", True),
        ("R$ 1.500,00", "R$ 1.200", False),
        ("US$ 1,200.50", "US$ 1.200,50", True),
        ("2,500 MB", "1,500 MB", False),
        ("60 minutes", "uma hora", True),
        ("two weeks", "14 dias", True),
        ("2 weeks", "10 days", False),
        ("24 months", "1 year", False),
        ("1 GB", "1024 MB", True),
        ("10 to 15 days", "12 dias", True),
        ("entre 5 e 10 dias", "12 days", False),
        ("at least 8 days", "at most 64 days", True),
        ("at least 8 days", "no mínimo 10 dias", False),
        ("up to 10 days", "12 days", False),
        ("10 %", "10,4 %", True),
        ("10 %", "12 %", False),
        ("about 1.4 million inhabitants", "1,392,000 inhabitants", True),
        ("120,000 inhabitants", "119,874 inhabitants", True),
        ("four copies", "quatro cópias", True),
        ("in 1 March 2024", "em 01/03/2024", True),
        ("on 1 March 2024", "em 01/04/2024", False),
        ("on 5 April", "5 de abril de 2024", True),
        ("in 1998", "em 10 de maio de 1996", False),
        ("at 9h", "at 9:30", False),
        ("at 8 pm", "às 20h", True),
        ("at 8:00", "às 20h", True),
        ("on weekdays", "às terças", True),
        ("on Sundays", "aos sábados", False),
    ],
)
def test_values_agree_when_both_can_be_true(first: str, second: str, same: bool) -> None:
    (a,), (b,) = values_in(first), values_in(second)
    assert comparable(a, b)
    assert agree(a, b) is same
    assert agree(b, a) is same


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("22 days", "22 working days"),
        ("10 euros", "10 dollars"),
        ("€ 5 per km", "€ 5 por hora"),
        ("$ 9 per user", "$ 9 por mês"),
        ("9h30", "9 hours"),
    ],
)
def test_values_of_different_things_are_not_comparable(first: str, second: str) -> None:
    (a,), (b,) = values_in(first), values_in(second)
    assert not comparable(a, b)


PIECES = [
    "1",
    "22",
    "1.500",
    ",50",
    " ",
    "-",
    "/",
    ":",
    "h",
    " dias",
    "R$ ",
    " to ",
    "May",
    " de ",
    "31/31/2024",
    "2024-99-99",
    "%",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=60))
def test_whatever_stands_there_is_read_and_agrees_with_itself(text: str) -> None:
    values = values_in(text)
    assert all(0 <= value.start < value.end <= len(text) for value in values)
    assert all(agree(value, value) and comparable(value, value) for value in values)
    assert all(one.end <= following.start for one, following in pairwise(values))
