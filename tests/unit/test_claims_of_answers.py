"""An answer as claims with their citations."""

import pytest

from kbot.reflection.claims import Claim, attributed, split_claims, without


@pytest.mark.parametrize(
    "answer",
    [
        "The gym opens at 6 in the morning [1]. It closes at 10 in the evening [2].",
        "The gym opens at 6 in the morning. [1] It closes at 10 in the evening. [2]",
        "- The gym opens at 6 in the morning [1].\n- It closes at 10 in the evening [2].",
        "# Opening hours of the gym\n\nThe gym opens at 6 in the morning [1].\n\nIt closes at 10 in the evening. [2]",
    ],
)
def test_a_mark_belongs_to_the_sentence_that_it_ends(answer: str) -> None:
    assert split_claims(answer) == [
        Claim("The gym opens at 6 in the morning.", (1,)),
        Claim("It closes at 10 in the evening.", (2,)),
    ]


def test_a_claim_may_cite_several_and_none() -> None:
    found = split_claims("São 22 dias úteis por ano [1][3]. O pedido se faz no portal da empresa.")
    assert found == [Claim("São 22 dias úteis por ano.", (1, 3)), Claim("O pedido se faz no portal da empresa.", ())]


@pytest.mark.parametrize(
    "answer",
    [
        "O que mais você gostaria de saber?",
        "The benefits that you get are as follows:",
        "The passages do not say when it closes.",
        "Os trechos não dizem quando ela fecha.",
        "",
    ],
)
def test_what_says_nothing_of_the_world_is_no_claim(answer: str) -> None:
    assert split_claims(answer) == []


def test_a_short_answer_is_a_claim_if_it_cites() -> None:
    assert split_claims("R$ 420 [1]") == [Claim("R$ 420", (1,))]
    assert split_claims("Claro!") == []


@pytest.mark.parametrize(
    ("answer", "dropped", "rest"),
    [
        ("It opens at 8 in Porto [1]. It closes at 9 in Lisbon [2].", [1], "It opens at 8 in Porto [1]."),
        ("It opens at 8 in Porto. [1] It closes at 9 in Lisbon. [2]", [0], "It closes at 9 in Lisbon [2]."),
        (
            "São três regras:\n\n- A primeira é simples [1].\n- A segunda é falsa [1].\n- A terceira é longa [2].",
            [1],
            "São três regras:\n\n- A primeira é simples [1].\n- A terceira é longa [2].",
        ),
        ("1. A primeira é simples [1].\n2. A segunda é falsa [1].", [0, 1], ""),
        ("Only one sentence is here [1].", [], "Only one sentence is here [1]."),
    ],
)
def test_claims_are_left_out_with_what_only_led_to_them(answer: str, dropped: list[int], rest: str) -> None:
    claims = split_claims(answer)
    assert without(answer, [claims[n] for n in dropped]) == rest


def test_a_citation_is_put_before_the_stop() -> None:
    answer = "It opens at 8 in Porto. It closes at 9 in Lisbon [2]!"
    first, second = split_claims(answer)
    assert attributed(answer, {first: 3}) == "It opens at 8 in Porto [3]. It closes at 9 in Lisbon [2]!"
    assert attributed(answer, {first: 3, second: 1}) == "It opens at 8 in Porto [3]. It closes at 9 in Lisbon [1]!"
    assert attributed("Abre às 8h no Porto", {Claim("Abre às 8h no Porto", ()): 1}) == "Abre às 8h no Porto [1]"


@pytest.mark.parametrize(
    ("said", "claims"),
    [
        ("The documents for the boat trip do not include a passport [1].", 1),
        ("Documentos sem assinatura não são aceitos no pedido de férias [1].", 1),
        ("The data source does not need a password [1].", 1),
        ("No documents are needed to enter the building [1].", 1),
        ("O trecho da estrada não tem pedágio [1].", 1),
        ("There are no passages that directly answer this question. [1]", 0),
        ("The passages do not say when it opens [1].", 0),
        ("Os trechos não mencionam o prazo [1].", 0),
    ],
)
def test_what_the_passages_lack_is_no_claim_and_what_documents_are_is(said: str, claims: int) -> None:
    assert len(split_claims(said)) == claims


def test_the_number_of_an_item_is_no_part_of_its_claim() -> None:
    assert [
        claim.text for claim in split_claims("1. Open the portal of trips [1].\n2. Choose the date there [1].")
    ] == [
        "Open the portal of trips.",
        "Choose the date there.",
    ]
