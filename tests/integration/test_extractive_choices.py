"""Which of the sentences near to a question the model quotes, and which with them, with the real embedder."""

import pytest
from quoting import prompt

from kbot.extractive import ExtractiveChatModel
from kbot.language import detect_language

OFFICE = (
    "## When is the office open?\n\nOn weekdays the office is open from 7 am to 8 pm. On Saturdays it is open from "
    "9 am to 1 pm.\n\n## Where do I park?\n\nThere are 22 parking spaces in the yard. A space costs 35 euros a month."
)
ESCRITÓRIO = (
    "## Quando abre o escritório?\n\nDe segunda a sexta o escritório abre das 7h às 20h. Aos sábados ele abre das 9h "
    "às 13h.\n\n## Onde estaciono?\n\nHá 22 vagas no subsolo do prédio. Cada vaga custa 35 euros por mês."
)


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        (
            "Can we work from home on Fridays?",
            "The council proposed that everybody may work from home on Fridays. The proposal was rejected in May.",
            ["everybody may work from home", "was rejected"],
        ),
        (
            "Podemos trabalhar de casa às sextas?",
            "Propôs-se que todos possam trabalhar de casa às sextas. A proposta foi rejeitada pela diretoria em maio.",
            ["trabalhar de casa", "foi rejeitada"],
        ),
        (
            "Can I choose the days on which I work in the office?",
            "You may choose the days on which you work in the office. However, on Tuesdays everybody comes.",
            ["You may choose", "on Tuesdays everybody comes"],
        ),
        (
            "Quem pode usar a garagem?",
            "Toda a equipe pode usar a garagem do prédio. No entanto, às terças ela é só dos visitantes.",
            ["Toda a equipe", "às terças"],
        ),
        (
            "Can I work from home on Fridays?",
            "You can work from home on Fridays. Only with written approval.",
            ["You can work", "Only with written approval."],
        ),
        (
            "Posso trabalhar de casa às sextas?",
            "Você pode trabalhar de casa às sextas. Essa possibilidade acabou em 2023.",
            ["Você pode trabalhar", "Essa possibilidade acabou"],
        ),
    ],
)
async def test_a_sentence_is_quoted_with_the_one_that_takes_it_back(
    quoting: ExtractiveChatModel, question: str, text: str, said: list[str]
) -> None:
    language = detect_language(question)
    answer = (await quoting.ainvoke(prompt(question, text, language=language))).text
    assert [part for part in said if part in answer] == said
    assert answer.count("[1]") == 2, "each cites"


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("When is the office open?", OFFICE, "On weekdays the office is open"),
        ("Is the office open on Saturdays?", OFFICE, "On Saturdays it is open"),
        ("How much is a parking space?", OFFICE, "A space costs 35 euros"),
        ("O escritório abre aos sábados?", ESCRITÓRIO, "Aos sábados ele abre"),
        ("Quanto custa uma vaga no subsolo?", ESCRITÓRIO, "Cada vaga custa 35 euros"),
    ],
)
async def test_of_what_stands_below_a_heading_that_is_quoted_which_can_be_the_answer(
    quoting: ExtractiveChatModel, question: str, text: str, said: str
) -> None:
    answer = (await quoting.ainvoke(prompt(question, text, language=detect_language(question)))).text
    assert answer.startswith(said)
    assert answer.count("[1]") == 1


async def test_a_sentence_that_only_follows_is_not_quoted_beside_it(quoting: ExtractiveChatModel) -> None:
    text = "The gym opens at six in the morning. The boxes for the shoes of its guests are near the door."
    answer = (await quoting.ainvoke(prompt("When does the gym open?", text))).text
    assert answer == "The gym opens at six in the morning. [1]"


async def test_a_sentence_is_quoted_with_all_that_take_it_back_one_after_another(quoting: ExtractiveChatModel) -> None:
    text = "Você pode trabalhar de casa às sextas. Apenas se o gestor autorizar por escrito. Isso não vale para todos."
    answer = (await quoting.ainvoke(prompt("Posso trabalhar de casa às sextas?", text, language="pt"))).text
    assert answer == "\n\n".join(f"{sentence}. [1]" for sentence in text.removesuffix(".").split(". "))
