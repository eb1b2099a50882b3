"""Where in a reply a yes or a no stands as a vote, and where it is a word like any other."""

import time

import pytest

from kbot.reflection.votes import read_votes


def made(text: str, count: int = 1, *, numbered: bool = False) -> dict[int, bool]:
    return {n: bool(vote["yes"]) for n, vote in read_votes(text, count, numbered=numbered).items()}


@pytest.mark.parametrize(
    "text",
    [
        *("Yes", "yes.", "Sim!", "TRUE", "**Yes**", "“Sim.”", "\n\n- **Yes**", "> Yes", "```\nyes\n```"),
        *("Yes, no doubt", "Sim, não há dúvida.", "Yes. 22 days.", "Yes - it does.", "Sim — o trecho diz.", "Yes: [1]"),
        *(
            "Answer: yes",
            "Resposta: **sim**",
            "Final answer: Yes.",
            "The passage gives the hours.\n\nYes.",
            "Yes\n\nyes",
        ),
    ],
)
def test_a_single_yes_comes_first_or_stands_alone(text: str) -> None:
    assert made(text) == {1: True}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "No",
            "no.",
            "Não.",
            "nao",
            "Na\u0303o.",
            "False",
            "**No**, it is not there",
            "No...",
            "No\nIt is not there.",
        ),
        *("Não, o trecho não diz.", "No: nothing", "Resposta: não", "Answer: **No**", "Não se diz aqui.\nNão"),
    ],
)
def test_a_single_no_comes_first_or_stands_alone(text: str) -> None:
    assert made(text) == {1: False}


@pytest.mark.parametrize(
    "text",
    [
        *("", "Perhaps.", "No problem! 1: yes", "No information is given.", "Não sei.", "Não há trecho que diga: sim"),
        *(
            "No. 7 is the gate.",
            "no-one can tell",
            "yes/no",
            "Yes or no?",
            "Yes\n\nNo",
            "Nothing.",
            "Simples.",
            "yesno",
        ),
        *("The answer is no, because the passage says yes", "I cannot say yes.", "1: yes", "not sure", "No?", "sim_1"),
    ],
)
def test_a_yes_or_no_within_other_words_is_no_vote(text: str) -> None:
    assert made(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        *("1: yes\n2: no", "1. Yes\n2. No.", "1) sim\n2) não", "1 - sim\n2 – Não", "1 yes\n2 no", "(1) YES\r\n(2) NO"),
        *("**1: yes**\n**2:** no", "- 1: yes\n- 2: no", "* 1: `yes`\n* 2: `no`", "| 1 | yes |\n| 2 | no |"),
        *(
            "Passage 1: yes\nPassage 2: no",
            "Trecho 1: sim\nTrecho 2: não",
            "Passagem nº 1: sim\nTexto 2: falso.\n2: no",
        ),
        *(
            "Statement 1: yes\nText 1: yes\nStatement 2: no",
            "1: : Yes\n2: : No",
            "[1] = true\n[2] = false",
            "#1 yes\n#2 no",
        ),
        *(
            "No problem!\n1: yes\n2: no",
            "2: no\n1: yes\n\nNo other passage does.",
            "Here you are:\n\n 1: yes,\n 2: no;",
        ),
    ],
)
def test_a_numbered_vote_is_a_line_of_its_number_and_the_word(text: str) -> None:
    assert made(text, 2, numbered=True) == {1: True, 2: False}


@pytest.mark.parametrize(
    ("text", "votes"),
    [
        ("2: no", {2: False}),
        ("1: not sure\n2: no", {2: False}),
        ("1: no doubt\n2: yes\n3: não sei", {2: True}),
        ("1: yes, if it is a Sunday\n3: no", {3: False}),
        ("1: no\n3: yes\n1: no", {1: False, 3: True}),
        ("2: yes\n3: no\n4: no\n5: no", {2: True, 3: False}),
    ],
)
def test_a_vote_that_is_missing_or_too_many_takes_nothing_from_the_others(text: str, votes: dict[int, bool]) -> None:
    assert made(text, 3, numbered=True) == votes


@pytest.mark.parametrize(
    "text",
    [
        *("1. Yes 3. no", "1: yes, 2: no", "yes\nno", "Yes, no doubt", "No problem! 1: yes", "not 1: yes", "1: yes/no"),
        *("3: yes\n4: no", "0: yes\n1: no", "1: yes\n1: no", "1: no\n2: yes\n1: yes", "12: yes\n13: no"),
        *("1.5: yes", "2020: no", "The answer to 1: no", "1: No. 2 is wrong"),
    ],
)
def test_numbers_other_than_those_asked_for_count_for_nothing(text: str) -> None:
    assert made(text, 2, numbered=True) == {}


def test_the_only_one_of_numbered_votes_may_stand_without_its_number() -> None:
    assert made("Yes.", numbered=True) == {1: True}
    assert made("1: no", numbered=True) == {1: False}
    assert made("No problem! 1: yes", numbered=True) == made("2: no", numbered=True) == {}


@pytest.mark.parametrize("odd", ["*", "|", "-", " ", "1", "1:", ": ", "Passage ", "Passage n", "no", "no "])
def test_lines_without_end_are_read_at_once(odd: str) -> None:
    begun = time.process_time()
    assert made(f"{odd * 2000}\n1: no", 2, numbered=True) == {1: False}
    assert made(odd * 2000 + "?") == {}
    assert time.process_time() - begun < 1
