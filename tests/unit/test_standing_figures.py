"""Whether the figures of a claim stand in a text, in both languages and however each writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from degenerate import DEGENERATE, assert_linear
from kbot.figures.numerals import read_number, read_roman
from kbot.figures.standing import missing


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("There are three rules for trips.", "There are 3 rules for trips."),
        ("Cada equipe tem 3 pessoas.", "Cada equipe tem três pessoas."),
        ("Cada equipe tem 25 alunos.", "A team has twenty-five students."),
        ("São cento e vinte alunos.", "There are 120 students."),
        ("It opens at 9 am.", "It opens at 9:00."),
        ("Abre às 9h.", "It opens at 9 am."),
        ("A loja abre 9h.", "A loja abre às 9:00."),
        ("It closes at noon.", "Fecha às 12:00."),
        ("It closes at midnight.", "Fecha às 24h."),
        ("The gym opens at 8 pm.", "The gym is open 8-10 pm."),
        ("O limite é de R$ 1.500.", "O limite é de R$ 1.500,00."),
        ("The limit is R$ 1,500.00.", "O limite é de R$ 1.500."),
        ("O limite é de R$ 2.000.", "O limite é de R$ 2 mil."),
        ("O desconto é de 15%.", "O desconto é de 15 por cento."),
        ("There are 1,000 seats.", "There are 1000 seats."),
        ("It began on 1 March 2024.", "Começou em 01/03/2024."),
        ("Começou em 01/03/2024.", "It began on 1 March 2024."),
        ("It lasts until 1 March.", "It lasts from 1 to 5 March."),
        ("It began on 1 March 2024.", "In 2024 it began on 1 March."),
        ("O projeto é de 2024.", "The project (2024) goes on."),
        ("You have 15 days.", "O prazo é de 15 dias."),
        ("O prazo é de 15 dias.", "O prazo é de 15 (quinze) dias."),
        ("O prazo é de 14 dias.", "You have two weeks."),
        ("It takes one hour.", "It takes 60 minutes."),
        ("It takes 1 hour.", "It takes an hour."),
        ("Leva 30 minutos.", "Leva meia hora."),
        ("It takes 1h30.", "It takes 90 minutes."),
        ("São 22 dias de férias.", "São 22 dias úteis de férias."),
        ("São 20 dias.", "Pode ser 10, 15 ou 20 dias."),
        ("São 15 dias.", "Pode ser 10, 15 ou 20 dias."),
        ("O prazo é de 15 dias.", "| Pedido | Prazo (dias) |\n| --- | --- |\n| Férias | 15 |"),
        ("Families pay $3,000.", "It is $1,500 for one person, 3,000 for families."),
        ("Abre nas segundas-feiras.", "It is open on weekdays."),
        ("It is open from Monday to Friday.", "Abre de segunda a sexta."),
        ("No século 19 havia um forte.", "A fort of the século XIX."),
        ("It is on the 2nd floor.", "Fica no segundo andar."),
        ("About 1.4 million people live there.", "It has 1,392,000 people."),
        ("Use Python 3.11 for it.", "It needs Python 3.11."),
        ("Ligue para 0800 123-4567.", "Phone: 0800-123-4567."),
        ("É o art. 7º da lei.", "Artigo 7 da lei."),
        ("It is in room A-17.", "Sala A 17."),
        ("You have **15** days.", "You have 15 days."),
        ("See pages 12-15.", "Pages 12 to 15."),
        ("Leva 90 minutos.", "Leva 1h30."),
        ("Open from Monday to Friday.", "Open on business days."),
    ],
)
def test_a_figure_stands_however_it_is_written(claim: str, text: str) -> None:
    assert missing(claim, text) == ()


@pytest.mark.parametrize(
    ("claim", "text", "lacking"),
    [
        ("O prazo é de 15 minutos.", "O prazo é de 15 dias.", "15 minutos"),
        ("The prize is US$ 15.", "O prêmio é de R$ 15.", "US$ 15"),
        ("O desconto é de 15%.", "O prazo é de 15 dias.", "15%"),
        ("It takes 15 minutes.", "It takes 15 requests.", "15 minutes"),
        ("It costs $5 per day.", "It costs $5 per month.", "$5 per day"),
        ("O limite é de R$ 1.500.", "O limite é de R$ 1.200.", "R$ 1.500"),
        ("It closes at 9 pm on it.", "It closes at 9 am.", "9 pm"),
        ("It began on 2 March 2024.", "It began on 1 March 2024.", "2 March 2024"),
        ("It began on 1 March 2023.", "Começou em 01/03/2024.", "1 March 2023"),
        ("It opens on Sundays.", "It opens on Saturdays.", "Sundays"),
        ("You have 12 days.", "You have 10 to 15 days.", "12 days"),
        ("You have 8 days.", "You have up to 10 days.", "8 days"),
        ("São 1.040 alunos.", "São 1.000 alunos.", "1.040 alunos"),
        ("São 22 dias úteis.", "São 22 dias.", "22 dias úteis"),
        ("São 22 dias corridos.", "São 22 dias úteis.", "22 dias corridos"),
        ("It takes one month.", "It takes three months.", "one month"),
        ("You have fifteen days.", "You have many days.", "fifteen days"),
        ("It needs four copies.", "It needs three copies.", "four copies"),
        ("O prazo é de 15 dias.", "Artigo 15. O prazo é de 30 dias.", "15 dias"),
        ("You get 45 days in all.", "You get 15 days, and then 30 days.", "45 days"),
        ("Use Python 3.12 for it.", "It needs Python 3.11.", "3.12"),
        ("It is in room B-17.", "It is in room A-17.", "B-17"),
        ("É o art. 8º da lei.", "É o art. 7º da lei.", "8"),
        ("A loja fecha no domingo.", "A loja fecha na segunda-feira.", "domingo"),
        ("It is closed on Sunday.", "Sent in 5 business days. It is closed on Monday.", "Sunday"),
        ("Há 2 milhões de usuários.", "Há 2 mil usuários.", "2 milhões de usuários"),
        ("It has 2 million users.", "It has 2 users.", "2 million users"),
        ("O valor é de R$ 1.500.", "O valor é de R$ 1,50.", "R$ 1.500"),
        ("It costs $1,500.", "It costs $1.50.", "$1,500"),
    ],
)
def test_a_figure_with_another_number_or_unit_does_not(claim: str, text: str, lacking: str) -> None:
    assert missing(claim, text) == (lacking,)


@pytest.mark.parametrize(
    "claim",
    [
        "One of the rules is old.",
        "Uma pessoa pode pedir férias.",
        "Um dia isso muda.",
        "The food is second to none.",
        "There are three ways to ask for it.",
        "Há duas formas de pedir.",
        "At first it is closed.",
    ],
)
def test_a_number_word_that_is_no_amount_needs_no_support(claim: str) -> None:
    assert missing(claim, "Whoever wants to may ask in the portal, or write a letter.") == ()


_WORDS = [
    "15",
    "dias",
    "R$ 1.500",
    "às 9h",
    "A-17",
    "3.11",
    "de",
    "segunda",
    "(quinze)",
    "1 March 2024",
    "one day",
    "|",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join) | st.text(max_size=60))
def test_a_text_holds_its_own_figures(text: str) -> None:
    assert missing(text, text) == ()


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("two hundred and fifty", 250),
        ("cento e vinte e cinco", 125),
        ("dezessete", 17),
        ("nineteen", 19),
        ("vinte e um", 21),
        ("1.111.111", 1111111),
    ],
)
def test_numbers_in_words_and_digits_are_read(written: str, number: int) -> None:
    assert read_number(written) == [number]


@pytest.mark.parametrize(("written", "number"), [("XIX", 19), ("IV", 4), ("XC", 90), ("IIII", 0), ("VX", 0), ("", 0)])
def test_roman_numerals_are_read_and_nothing_else(written: str, number: int) -> None:
    assert read_roman(written) == number


@pytest.mark.parametrize("piece", DEGENERATE)
def test_figures_of_a_degenerate_answer_take_time_proportional_to_its_length(piece: str) -> None:
    assert_linear(lambda text: missing(text, text[:-7]), piece)


def test_a_claim_of_ever_more_figures_is_not_looked_for() -> None:
    dates = ", ".join(f"{n % 28 + 1}/{n % 12 + 1}/{1900 + n}" for n in range(400))
    assert len(missing(dates, dates)) > 60
