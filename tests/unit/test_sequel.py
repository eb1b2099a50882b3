"""What comes after an answer, asked for with nothing but "and then?"."""

import pytest

from kbot.chat import Passage
from kbot.sequel import after_answer, asks_what_follows

STEPS = "## Instalar\n\nDescarregue o instalador do portal. Corra-o como administrador. Reinicie o computador no fim."


def passage(text: str, *, after: str = "", section: str = "") -> Passage:
    return Passage("1", "d", "a.md", "A", text, 0.5, 0.5, 0.5, 0.5, before="antes", after=after, section=section)


@pytest.mark.parametrize(
    "question",
    [
        *(
            "e depois?",
            "E depois disso?",
            "e a seguir?",
            "o que faço agora?",
            "o que vem a seguir?",
            "o que faço depois?",
        ),
        *("próximo passo?", "Qual é o próximo passo?", "qual é a etapa seguinte?", "o que se segue?"),
        *("and then?", "Then what?", "what next?", "What's next?", "What’s the next step?", "and after that?"),
        *("what do I do next?", "what happens then?", "Now what?", "what now?", "Afterwards?"),
    ],
)
def test_what_follows_is_asked_for_in_few_words(question: str) -> None:
    assert asks_what_follows(question)


@pytest.mark.parametrize(
    "question",
    [
        *("e depois das 18h?", "E depois de amanhã?", "e o próximo feriado?", "e quem vem depois?", "E em Lisboa?"),
        *("E agora?", "agora?", "And now?", "now?"),
        *("and then on Sundays?", "what next week?", "next year?", "now on Linux?", "and after lunch?"),
    ],
)
def test_what_says_more_asks_for_something_of_its_own(question: str) -> None:
    assert not asks_what_follows(question)


@pytest.mark.parametrize(
    ("read", "answer", "rest"),
    [
        (passage(STEPS), "Descarregue o instalador do portal. [1]", STEPS[STEPS.index("Corra") :]),
        (passage(STEPS), "Descarregue o instalador do portal. [1]\n\nCorra-o como administrador. [1]", STEPS[-29:]),
        (passage("Corra-o.", section=STEPS), "Corra-o como administrador. [1]", STEPS[-29:]),
        (passage(STEPS, after="Entre com o crachá."), "Reinicie o computador no fim. [1]", "Entre com o crachá."),
        (
            passage(
                "1. Open the portal of the house.\n2. Click on the forgotten password.\n3. Choose a new one there."
            ),
            "- Open the portal of the house. [1]",
            "2. Click on the forgotten password.\n3. Choose a new one there.",
        ),
        (
            passage(
                "Open the portal of the house. Choose a password of yours.\n\n## Price\n\nIt costs nothing at all."
            ),
            "Open the portal of the house. [1]",
            "Choose a password of yours.",
        ),
    ],
)
def test_what_follows_stands_after_the_last_sentence_that_is_quoted(read: Passage, answer: str, rest: str) -> None:
    (found,) = after_answer([read], answer)
    assert (found.text, found.before, found.after, found.section) == (rest, "", "", "")


@pytest.mark.parametrize("answer", ["Reinicie o computador no fim. [1]", "É preciso um instalador. [1]", ""])
def test_nothing_follows_the_end_nor_what_is_not_quoted(answer: str) -> None:
    assert after_answer([passage(STEPS)], answer) == []
