"""Sentences that cannot both hold are found among many, for a bounded number of comparisons."""

import asyncio
from dataclasses import replace

import pytest

from kbot.chat import Passage
from kbot.disagreement.clashes import claims_of, clashes, followed_by, pairs, read_for
from kbot.disagreement.search import disagreements
from kbot.grounding import Verdict, classify
from kbot.language import detect_language
from kbot.models import Embedder

# (line of a list, its things, its kinds, question)
LISTS = {
    "en": (
        "The price of the {kind} {thing} is {price} euros per day.",
        ["room", "desk", "bike", "hall", "locker", "garage", "screen", "printer", "table", "chair", "lamp", "phone"],
        ["small", "large", "red", "green", "wooden"],
        "What is the price of the small room?",
    ),
    "pt": (
        "O preço da {thing} {kind} é de {price} euros por dia.",
        [
            "sala",
            "mesa",
            "bicicleta",
            "quadra",
            "gaveta",
            "garagem",
            "tela",
            "copa",
            "bancada",
            "cadeira",
            "lousa",
            "maca",
        ],
        ["pequena", "grande", "vermelha", "verde", "dourada"],
        "Qual é o preço da sala pequena?",
    ),
}


def lines(language: str, year: int) -> list[str]:
    template, things, kinds, _ = LISTS[language]
    named = [(kind, thing) for kind in kinds for thing in things]
    return [
        template.format(kind=kind, thing=thing, price=10 + (7 * n + year) % 90) for n, (kind, thing) in enumerate(named)
    ]


def passage(n: int, text: str, title: str) -> Passage:
    return Passage(f"c{n}", f"d{n}", f"{n}.md", title, text, 0, 0, 0, 0, language=detect_language(text))


def price_lists(language: str) -> tuple[str, Verdict, list[Passage]]:
    """A question, its answer of three sentences, and eight lists of 60 prices each, no two of which agree."""
    lists = [passage(year, "\n".join(lines(language, year)), f"Prices {2017 + year}") for year in range(8)]
    told = " ".join(f"{lines(language, 0)[place]} [1]" for place in (0, 13, 26))
    return LISTS[language][3], classify(told, lists, refusal="Nothing.", refusals=["Nothing."]), lists


@pytest.mark.parametrize("language", ["en", "pt"])
def test_long_price_lists_take_few_comparisons(language: str) -> None:
    _, verdict, lists = price_lists(language)
    claims = claims_of(verdict)
    read = read_for(claims, lists)
    followed = followed_by(claims, read)
    assert (len(claims), len(read)) == (3, 100)
    compared = list(pairs(followed, read))
    assert len(compared) <= 3 * 8 * 100
    assert len({frozenset(each) for each in compared}) == len(compared)
    assert all(one in followed and one != other for one, other in compared)


@pytest.mark.parametrize("language", ["en", "pt"])
def test_what_contradicts_the_answer_comes_before_what_is_merely_like_it(language: str) -> None:
    found = clashes(*price_lists(language))
    said = [lines(language, 0)[place] for place in (0, 13, 26)]
    assert {clash.first.text for clash in found[:21]} == set(said)
    assert {clash.second.text for clash in found[:21]} == {
        lines(language, year)[place] for year in range(1, 8) for place in (0, 13, 26)
    }
    assert not any(any(clash.unmatched) for clash in found[:21])


@pytest.mark.parametrize("language", ["en", "pt"])
async def test_it_is_told_of_every_other_list_while_others_are_served(language: str, embedder: Embedder) -> None:
    served = 0

    async def serve() -> None:
        nonlocal served
        while True:
            served += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(serve())
    # Without cosines nothing is awaited but the comparison itself.
    found = await disagreements(replace(embedder, name="ollama:unknown"), *price_lists(language))
    others.cancel()
    assert served > 0
    assert [(each.first.passage, each.second.passage) for each in found] == [(0, year) for year in range(1, 8)]
    assert found == await disagreements(embedder, *price_lists(language))


def test_in_another_language_as_many_sentences_are_looked_at() -> None:
    question, verdict, english = price_lists("en")
    portuguese = [passage(10 + year, "\n".join(lines("pt", year)), f"Preços {2017 + year}") for year in range(8)]
    read = read_for(claims_of(verdict), [*english, *portuguese])
    languages = [detect_language(one.text) for one in read]
    assert (languages.count("en"), languages.count("pt")) == (100, 100)
    assert clashes(question, verdict, [*english, *portuguese])[0].first.text in lines("en", 0)


PRICES = ("12 euros per day", "15 euros per day")


@pytest.mark.parametrize(("followed", "other"), [(0, 1), (1, 0)])
def test_the_first_side_is_the_one_that_the_answer_follows(followed: int, other: int) -> None:
    lists = [passage(n, f"The room costs {price}.", f"List {n}") for n, price in enumerate(PRICES)]
    told = f"The room costs {PRICES[followed]} [{followed + 1}]."
    (clash,) = clashes("How much is it?", classify(told, lists, refusal="Nothing.", refusals=["Nothing."]), lists)
    assert (clash.first.n, clash.second.n) == (followed, other)
    assert [(ours.written, theirs.written) for ours, theirs in clash.values] == [(PRICES[followed], PRICES[other])]


@pytest.mark.parametrize(
    ("told", "prices"),
    [
        ("The small room is 12 euros per day [1].", "The {thing} is {price} euros per day."),
        ("A sala pequena custa 12 euros por dia [1].", "A {thing} custa {price} euros por dia."),
    ],
)
def test_what_has_the_answers_value_for_something_else_is_not_what_it_says(told: str, prices: str) -> None:
    room, phone = ("small room", "small phone") if "room" in told else ("sala pequena", "mesa pequena")
    lists = [
        passage(n, prices.format(thing=thing, price=price), f"List {n}")
        for n, (thing, price) in enumerate([(room, 12), (phone, 12), (phone, 15)])
    ]
    verdict = classify(told, lists, refusal="Nothing.", refusals=["Nothing."])
    assert not clashes("How much is it?", verdict, lists)
    # Of what the answer says, they are told apart.
    assert clashes("How much is it?", classify(f"{lists[1].text} [2]", lists, refusal="-", refusals=["-"]), lists)
