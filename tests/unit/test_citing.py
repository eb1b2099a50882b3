"""The sentence of a source that is shown as its quote."""

from dataclasses import replace

import pytest

from kbot.chat import Passage
from kbot.citing import quoted
from kbot.grounding import Verdict, classify

LEAVE = (
    "Cada pessoa tem 22 dias úteis de férias por ano. O pedido de férias é feito no portal com 30 dias de "
    "antecedência. Quem muda de equipe mantém as férias que já marcou."
)
HOURS = "The gym is open from 6 am to 10 pm on weekdays. On Sundays the gym opens at 8 am and closes at noon."
PASSAGES = [
    Passage("c1", "d1", "rh.md", "RH", LEAVE, 0.8, 0.9, 0.5, 0.8, "Cada pessoa tem 22 dias úteis de férias por ano."),
    Passage("c2", "d2", "gym.md", "Gym", HOURS, 0.8, 0.9, 0.5, 0.8, HOURS[:47]),
]


def judged(text: str, passages: list[Passage] = PASSAGES) -> Verdict:
    return quoted(classify(text, passages, refusal="Não sei.", refusals=["Não sei."]), passages)


@pytest.mark.parametrize(
    ("answer", "quotes"),
    [
        ("O pedido de férias é feito no portal com 30 dias de antecedência. [1]", ["O pedido de férias é feito"]),
        ("Peça as férias no portal, 30 dias antes [1].", ["O pedido de férias é feito"]),
        ("Mudar de equipe não muda as férias marcadas [1].", ["Quem muda de equipe"]),
        ("It closes at noon on Sundays [2]. São 22 dias úteis por ano [1].", ["On Sundays the gym", "Cada pessoa tem"]),
        ("You get leave of 22 days [1].", ["Cada pessoa tem"]),
        ("É assim mesmo [1].", ["Cada pessoa tem"]),
    ],
)
def test_a_quote_is_the_sentence_that_holds_most_of_what_cites_it(answer: str, quotes: list[str]) -> None:
    citations = judged(answer).citations
    assert [any(each.quote.startswith(quote) for quote in quotes) for each in citations] == [True] * len(quotes)
    assert all(
        each.quote in passage.text for each in citations for passage in PASSAGES if passage.id == each.passage_id
    )


def test_of_two_with_as_many_words_the_one_with_the_figure_is_quoted() -> None:
    text = "The fee of the north office is 20 euros. The fee of the north office is 30 euros."
    passage = replace(PASSAGES[0], text=text, quote="The fee of the north office is 20 euros.")
    (citation,) = judged("The north office has a fee of € 30 [1].", [passage]).citations
    assert citation.quote == "The fee of the north office is 30 euros."


def test_of_two_with_as_many_words_the_one_that_says_no_more_is_quoted() -> None:
    more = "The fee of the north office, which was built on a hill above the river, is paid in the portal of the bank."
    text = f"{more} The fee of the north office is paid in the portal."
    passage = replace(PASSAGES[0], text=text, quote=more)
    (citation,) = judged("The fee of the north office is paid in the portal [1].", [passage]).citations
    assert citation.quote == "The fee of the north office is paid in the portal."


def test_a_refusal_and_what_cites_nothing_have_no_quote() -> None:
    assert judged("Não sei.").citations == ()
    assert judged("São 22 dias.").citations == ()


def test_a_source_names_the_heading_that_its_quote_stands_under() -> None:
    text = (
        "# Preços\n\nA sala custa 18 euros por hora.\n\n## Estacionamento\n\n"
        "Um lugar na garagem custa 60 euros por mês.\n\n## Cacifos\n\nUm cacifo custa 5 euros por mês."
    )
    passage = replace(PASSAGES[0], text=text, heading="Preços > Cacifos", quote="Um cacifo custa 5 euros por mês.")
    headings = {
        "Um lugar na garagem custa 60 euros por mês [1].": "Preços > Estacionamento",
        "A sala custa 18 euros por hora [1].": "Preços",
        "Um cacifo custa 5 euros por mês [1].": "Preços > Cacifos",
    }
    assert {answer: judged(answer, [passage]).citations[0].heading for answer in headings} == headings
    inner = text.removeprefix("# Preços\n\n").replace("## ", "### ")
    inside = replace(passage, heading="Guia > Lisboa > Cacifos", text=inner)
    assert judged("A sala custa 18 euros por hora [1].", [inside]).citations[0].heading == "Guia > Lisboa"
