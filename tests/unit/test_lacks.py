"""What an answer says that the documents lack, what it tells beside that, and what kbot says of it itself."""

import pytest

from kbot.prompts import CUT_NOTES, QUOTE_NOTES
from kbot.reflection.claims import Claim, attributed, split_claims, without


@pytest.mark.parametrize(
    "answer",
    [
        "Não há documentos exigidos além do RG para abrir a conta.",
        "There are no documents to submit before day 90.",
        "Nenhum documento precisa ser autenticado.",
        "Não há informações a preencher na página 2 do formulário.",
        "Documentos que não contêm assinatura são devolvidos em 5 dias.",
        "Documents that do not contain a signature are returned.",
        "Fontes externas não informadas até dia 5 são multadas em R$ 100.",
    ],
)
def test_what_the_world_says_of_documents_is_a_claim(answer: str) -> None:
    assert [claim.text for claim in split_claims(answer)] == [answer]


@pytest.mark.parametrize("note", [*CUT_NOTES.values(), *QUOTE_NOTES.values()])
def test_what_kbot_says_of_its_answer_is_no_claim(note: str) -> None:
    assert split_claims(f"It closes at 10 in the evening [2].\n\n{note}") == [
        Claim("It closes at 10 in the evening.", (2,))
    ]


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


@pytest.mark.parametrize(
    ("answer", "claim", "rest"),
    [
        (
            "The documents do not mention Linux, but Windows needs 8 GB [1].",
            "Windows needs 8 GB",
            "The documents do not mention Linux.",
        ),
        (
            "The sources don't mention Porto; however, Lisbon opens at 9 [1].",
            "Lisbon opens at 9",
            "The sources don't mention Porto.",
        ),
        (
            "Although the documents do not mention Linux, Windows needs 8 GB [1].",
            "Windows needs 8 GB",
            "Although the documents do not mention Linux.",
        ),
        (
            "Windows needs 8 GB [1], but the documents do not mention Linux.",
            "Windows needs 8 GB",
            "but the documents do not mention Linux.",
        ),
        ("Os documentos não falam de X, mas Y custa 10 [1].", "Y custa 10", "Os documentos não falam de X."),
        (
            "Os trechos não dizem o preço; no entanto, o almoço é às 12 [1].",
            "o almoço é às 12",
            "Os trechos não dizem o preço.",
        ),
        (
            "Os trechos não dizem o preço do jantar, porém o almoço custa 12 euros [1].",
            "o almoço custa 12 euros",
            "Os trechos não dizem o preço do jantar.",
        ),
        (
            "The documents do not specify a limit, so you can take 40 more days unpaid [1].",
            "you can take 40 more days unpaid",
            "The documents do not specify a limit.",
        ),
        (
            "There is no information on sick leave beyond the 40 paid days per year [1].",
            "the 40 paid days per year",
            "There is no information on sick leave.",
        ),
        ("The sources disagree: it is 40 days in total [1].", "it is 40 days in total", "The sources disagree."),
        (
            "O documento não informa limite, portanto você pode tirar quantos dias quiser [1].",
            "você pode tirar quantos dias quiser",
            "O documento não informa limite.",
        ),
        (
            "Não há informações sobre preço - a entrada custa 40 reais [1].",
            "a entrada custa 40 reais",
            "Não há informações sobre preço.",
        ),
        (
            "Os documentos não contêm assinatura digital e são rejeitados em 40 dias [1].",
            "são rejeitados em 40 dias",
            "Os documentos não contêm assinatura digital.",
        ),
        (
            "The document does not say anything about holidays: on Sundays the gym is open from 8 am to noon [1].",
            "on Sundays the gym is open from 8 am to noon",
            "The document does not say anything about holidays.",
        ),
        (
            "The documents do not mention holidays and say that the gym is open on Sundays [1].",
            "the gym is open on Sundays",
            "The documents do not mention holidays.",
        ),
        (
            "Os trechos não falam de feriados e dizem que a academia abre aos domingos [1].",
            "a academia abre aos domingos",
            "Os trechos não falam de feriados.",
        ),
        (
            "Os trechos não falam de feriados: a academia abre às 8h [1].",
            "a academia abre às 8h",
            "Os trechos não falam de feriados.",
        ),
    ],
)
def test_what_is_told_beside_a_lack_is_a_claim_if_it_cites(answer: str, claim: str, rest: str) -> None:
    assert split_claims(answer) == [Claim(claim, (1,))]
    assert without(answer, split_claims(answer)) == rest
    assert attributed(answer, {Claim(claim, (1,)): 4}) == answer.replace("[1]", "[4]")


@pytest.mark.parametrize(("first", "second"), [(", mas ", ", embora "), ("; ", "; "), ("; ", " mas ")])
def test_what_stays_beside_a_lack_is_parted_as_it_was(first: str, second: str) -> None:
    answer = f"Os documentos não informam o preço{first}a vaga é coberta [1]{second}bicicletas sejam proibidas [2]."
    covered, bicycles = split_claims(answer)
    assert without(answer, [covered]) == f"Os documentos não informam o preço{second}bicicletas sejam proibidas [2]."
    assert without(answer, [bicycles]) == f"Os documentos não informam o preço{first}a vaga é coberta [1]."
    assert without(answer, [covered, bicycles]) == "Os documentos não informam o preço."


def test_what_is_told_before_a_lack_is_a_claim_if_a_citation_follows() -> None:
    answer = "Employees get a yearly bonus, but the documents do not mention exceptions [1]."
    assert split_claims(answer) == [Claim("Employees get a yearly bonus", ())]


@pytest.mark.parametrize(
    "answer",
    [
        "The documents do not mention prices, hours, or places [1].",
        "The documents do not mention the following: prices, hours and places [1].",
        "Não há informações sobre: preço, horário e local [1].",
        "The documents do not mention the price – or any cost – of parking [1].",
        "There is no information about parking other than the price [1].",
        "The documents do not mention Linux, so I cannot answer [1].",
        "Os trechos não mencionam o prazo, portanto não é possível responder [1].",
        "I'm sorry, but the documents do not mention parking [1].",
        "Sobre 2024: os documentos não informam o preço [1].",
        "| Linux | The documents do not mention it [1] |",
        "The documents do not mention Linux, but others may do so.",
        "The passages do not mention the price, but only mention parking [1].",
        "Os trechos não dizem o preço, mas apenas falam do estacionamento [1].",
        "Os trechos não dizem o preço [1], mas os documentos não informam o prazo [2].",
    ],
)
def test_what_tells_nothing_beside_a_lack_is_no_claim(answer: str) -> None:
    assert split_claims(answer) == []
