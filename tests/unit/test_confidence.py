"""How sure the passages make one of an answer, and where a question is refused."""

from dataclasses import replace

import pytest

from kbot.chat import Passage
from kbot.confidence import Cut, Signs, confidence, for_quoting, gate, nearness, rivals, roots, signs

NEAR = Passage(
    "c",
    "d",
    "leave.md",
    "Leave",
    "Everybody has 22 days of leave a year. Ask Ana Souza first.",
    0.5,
    0.6,
    0.7,
    0.59,
    quote="Everybody has 22 days of leave a year.",
    language="en",
)
FAR = replace(NEAR, text="The office in Lisbon opens at nine.", similarity=0.2, sentence=0.3, coverage=0.0, quote="")


def test_the_signs_are_what_they_say() -> None:
    found = signs("How many days of leave does Ana have in 2024?", [NEAR, FAR])
    assert found == Signs(
        evidence=pytest.approx((0.5 + 0.6 + 0.8 * 0.7) / 2.8),  # pyright: ignore[reportArgumentType]  # it compares
        foreign=0.0,
        near=pytest.approx(0.55),  # pyright: ignore[reportArgumentType]
        words=pytest.approx(2 / 4),  # pyright: ignore[reportArgumentType]  # days and leave, not ana and 2024
        unnamed=1.0,
    )
    named = signs("Há quantos dias em 22 de licença?", [replace(NEAR, similarity=0.9), NEAR, NEAR, FAR])
    assert (named.foreign, named.unnamed) == (1.0, 0.0)


def test_each_sign_moves_the_confidence_its_way() -> None:
    question = "How many days of leave are there?"
    sure = confidence(question, [NEAR])
    assert 0.5 < sure < 1
    assert confidence(question, [replace(NEAR, similarity=0.2, sentence=0.2)]) < sure
    assert confidence(question, [replace(NEAR, text="Something else is said in here.")]) < sure
    assert confidence("How many days of leave are there in Lisbon?", [NEAR]) < sure
    assert confidence(question, [replace(NEAR, text="Há folga.", language="pt")]) > confidence(
        question, [replace(NEAR, text="Há folga.")]
    ), "few of its words can be there"
    assert confidence(question, [FAR]) < 0.15
    assert confidence(question, []) == 0.0
    assert confidence("?", [replace(NEAR, text="")]) < sure


def test_a_near_passage_in_another_language_needs_none_of_the_words() -> None:
    said = replace(NEAR, text="Os cães podem vir às terças.", quote="", language="pt", coverage=0.0)
    question = "Is it possible to bring dogs to the office?"

    def sure(near: float, language: str) -> float:
        return confidence(question, [replace(said, similarity=near, sentence=near, language=language)])

    gained = sure(0.4, "pt") - sure(0.4, "en")
    assert gained > sure(0.15, "pt") - sure(0.15, "en") > 0
    assert gained > 0.3


def test_a_long_statement_needs_six_of_its_words_in_a_sentence() -> None:
    claim = "Everybody in the northern offices has 22 days of leave a year, by agreement with unions since spring."
    assert signs(claim, [NEAR]).words == pytest.approx(5 / 6)  # everybody, 22, days, leave, year


def test_a_reordered_result_has_the_same_signs() -> None:
    question = "How many days of leave are there, Ana?"
    assert signs(question, [replace(FAR, score=0.9), NEAR]) == signs(question, [NEAR, FAR])


@pytest.mark.parametrize(
    ("cut", "opens"),
    [(Cut(0.0, 9.0), True), (Cut(0.99, 9.0), False), (Cut(0.99, 0.55), True), (Cut(0.99, 0.56), False)],
)
def test_the_gate_opens_to_confidence_or_nearness(cut: Cut, opens: bool) -> None:
    assert gate("How many days of leave are there?", [FAR, NEAR], cut) is opens
    assert not gate("How many days of leave are there?", [], cut)


def test_a_model_that_only_quotes_has_the_stricter_cut() -> None:
    mild = Cut(0.25, 0.45)
    strict = for_quoting(mild)
    assert strict.confidence > mild.confidence
    assert strict.nearness == mild.nearness


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is the office in Lisbon open on Saturdays?", "The office in Porto is open on Saturdays."),
        ("A biblioteca de Lisboa abre aos sábados?", "A biblioteca do Porto abre aos sábados."),
        ("What does the plan Gold cover?", "The plan Silver covers all of it."),
        ("What is the first response for SEV5?", "SEV1: first response in 5 minutes"),
        ("Qual é a primeira resposta para SEV5?", "Gravidade: SEV1; Primeira resposta: 5 minutos"),
    ],
)
def test_what_is_said_of_another_of_its_kind_is_no_answer(question: str, said: str) -> None:
    assert rivals(question, said, said)
    name = next(word for word in ("Lisbon", "Lisboa", "Gold", "SEV5") if word in question)
    assert not rivals(question, f"Of {name}. {said}", said), "the passage is about it"


@pytest.mark.parametrize(
    ("question", "said", "foreign"),
    [
        ("Is the office in Lisbon open on Saturdays?", "The office is open on Saturdays.", False),
        ("Is the office in Lisbon open on Saturdays?", "Ask Ana Souza for a key.", False),
        ("Quem fundou a cidade de Varsóvia?", "A cidade foi fundada, wrote Warsaw.", True),
        ("When did the office open in 2019?", "The office opened again in 2021.", False),
    ],
)
def test_another_name_alone_makes_no_rival(question: str, said: str, *, foreign: bool) -> None:
    assert not rivals(question, said, said, foreign=foreign)


def test_words_are_known_by_their_beginning_in_both_languages() -> None:
    assert roots("The hospitals, os hospitais") == {"hospi"}
    assert roots("What is it? O que é? 7") == {"7"}
    assert nearness([FAR, NEAR]) == pytest.approx(0.55)


PRICES = "| Produto | Preço por mês | Suporte |\n|---|---|---|\n| Básico | R$ 49 | e-mail |\n| Equipe | R$ 189 | chat |"


@pytest.mark.parametrize(
    ("question", "words", "lacking"),
    [
        ("Qual é o preço por mês do Equipe?", 1.0, 0.0),
        ("Qual é o suporte do Básico?", 1.0, 0.0),
        ("Qual é o preço por mês do Ouro?", 2 / 3, 1.0),
        ("Qual é o prazo de entrega do Equipe?", 1 / 3, 0.0),
    ],
)
def test_a_row_says_what_the_head_of_its_table_names(question: str, words: float, lacking: float) -> None:
    found = signs(question, [replace(NEAR, title="", text=PRICES, quote=PRICES.partition("\n")[0], language="pt")])
    assert (found.words, found.unnamed) == (pytest.approx(words), lacking)
