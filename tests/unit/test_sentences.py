"""Sentences: where they begin and end, in prose, lists, tables, wrapped lines and other scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The first sentence ends here. The second one asks something? And the third shouts!",
            ["The first sentence ends here.", "The second one asks something?", "And the third shouts!"],
        ),
        (
            "Férias se pedem com antecedência. Ninguém sai em dezembro… Depois disso, tudo bem?",
            ["Férias se pedem com antecedência.", "Ninguém sai em dezembro…", "Depois disso, tudo bem?"],
        ),
        (
            'He said "that is quite enough." Then everybody went home (it was late).',
            ['He said "that is quite enough."', "Then everybody went home (it was late)."],
        ),
        (
            "A paragraph without a full stop\n\nAnother paragraph without one",
            ["A paragraph without a full stop", "Another paragraph without one"],
        ),
        (
            "- the first item of a list\n- the second item of a list\n3) a numbered item of it",
            ["the first item of a list", "the second item of a list", "3) a numbered item of it"],
        ),
        (
            "| Name of a person | Days of leave |\n| --- | --- |\n| Maria Carolina | 25 days |",
            ["| Name of a person | Days of leave |", "| Maria Carolina | 25 days |"],
        ),
        (
            "```python\nprint('a line of code in it')\n```",
            ["print('a line of code in it')"],
        ),
        (
            "O Dr. Silva atende na sala quatro. Segundo o art. 5 da lei, p. ex., tudo vale.",
            ["O Dr. Silva atende na sala quatro.", "Segundo o art. 5 da lei, p. ex., tudo vale."],
        ),
        (
            "Mr. Smith lives in the U.S. today, e.g. in Ohio. Version 3.11.2 of Python runs there.",
            ["Mr. Smith lives in the U.S. today, e.g. in Ohio.", "Version 3.11.2 of Python runs there."],
        ),
        (
            "How many days of leave are there? There are 25. They end with the year. Yes.",
            ["How many days of leave are there? There are 25.", "They end with the year. Yes."],
        ),
        (
            "年次有給休暇は二十五日あります。それは三月までに使う必要があります。",
            ["年次有給休暇は二十五日あります。それは三月までに使う必要があります。"],
        ),
        ("Short.", ["Short."]),
        ("  Curto.  ", ["Curto."]),
        ("", []),
        (" \n\t\n ", []),
    ],
)
def test_a_text_is_cut_at_its_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_wrapped_line_goes_on_and_an_own_line_does_not() -> None:
    wrapped = "This line of a paragraph was wrapped by an editor, so that it\ngoes on in the next one."
    assert cut(wrapped) == [wrapped]
    address = "Farol Pagamentos Ltda.\nRua das Flores, 120, sala 4\nSão Paulo, Brasil, 01000-000"
    assert cut(address) == address.splitlines()
    title = "Short title of a page\nThe paragraph under it begins with a capital letter."
    assert cut(title) == title.splitlines()


def test_a_heading_loses_its_marks_and_a_quotation_too() -> None:
    assert cut("## How the duty roster works\n\n> A word that somebody said once.") == [
        "How the duty roster works",
        "A word that somebody said once.",
    ]


TEXTS = st.text(st.sampled_from('aé字 .!?…。\n\t#-|>`~*1)"”'), max_size=200)


@given(TEXTS)
def test_spans_lie_in_order_inside_the_text(text: str) -> None:
    found = sentences(text)
    last = 0
    for start, end in found:
        assert last <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        last = end
    assert bool(found) == bool(text.strip())


@given(TEXTS)
def test_a_sentence_has_twenty_characters_unless_it_is_all_there_is(text: str) -> None:
    found = sentences(text)
    if len(found) > 1:
        assert all(end - start >= 20 for start, end in found)
