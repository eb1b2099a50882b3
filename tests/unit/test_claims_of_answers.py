"""An answer as claims with their citations."""

import pytest

from kbot.evaluation.claims import Claim, split_claims


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
