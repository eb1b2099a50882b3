"""Sentences: where they begin and end, in prose, lists, tables, wrapped lines and other scripts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.sentences import BINDS, sentences


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


@pytest.mark.parametrize(
    "text",
    [
        "Os pedidos vão para a Quinta do Vale, Lda. Contactos e moradas abaixo.",
        "Quem assina é a Navegantes Ltda. Brasil ou a matriz em Lisboa.",
        "A entidade é a Navegantes S.A. Lisboa e o NIF é 500.",
        "Acme Inc. (the Company) pays every month on time.",
        "Foo Ltd. Brazil and Foo Ltd. Portugal pay every month.",
        "Fica na Av. Paulista, n.º 200, sala 4, perto da estação.",
        "Segundo o art. 5.º da lei, o cap. IV e a fig. 3, tudo vale.",
        "O Exmo. Senhor Diretor, a Sra. Souza e o Dr. Lima assinam.",
        "**Sra. Souza** e _Dr. Lima_ assinam o documento.",
        "Fale com alguém, p. ex. Ana, e custa aprox. 30 euros.",
        "See a doctor, e.g. Ann, i.e. The Doctor, or nobody at all.",
        "Mesas, cadeiras, etc. 30 vezes por ano, e etc. (ver anexo).",
        "Take room No. 7 on the left side of the hall on Nov. 3.",
        "We open at 9 a.m. and close at 5 p.m. (8 p.m. 3 times a year).",
        "The parcel is signed for by Farol Pagamentos Ltda.\nBrasil and sent on the next day.",
    ],
)
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert cut(text) == [text]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("O contrato é com a Farol Serviços Ltda.", "Os reembolsos saem no dia cinco."),
        ("The contract is with Foo Brazil Inc.", "The money is paid on the fifth."),
        ("Mesas, cadeiras, louça, etc.", "Reembolsos saem no dia cinco."),
        ("We open the doors at 9 a.m.", "Guests wait outside until then."),
        ("He lives somewhere in the U.S.", "We do not know more than that."),
        ("He likes to look at modern art.", "Visitors pay ten for a ticket."),
        ("**It is said in the first one [1].**", "Then it is said in another [2]."),
        ("_Diz-se isso na primeira delas._", "Depois se diz isso em outra."),
        ('He said that "it is *enough*."', "Then everybody else went home."),
    ],
)
def test_a_sentence_may_end_in_an_abbreviation_and_its_closing_marks(first: str, second: str) -> None:
    assert cut(f"{first} {second}") == [first, second]


@pytest.mark.parametrize("piece", [".", "a. ", " ", ". ", "a.\n", ".)", ".*", "-", "-|", "Ltda. ", "# "])
def test_the_time_it_takes_grows_with_the_text_and_no_faster(piece: str) -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        sentences(text)
        return time.process_time() - start

    short, long = piece * (8_000 // len(piece)), piece * (64_000 // len(piece))
    # Eight times the text; a quadratic time would be sixty-four times as long.
    assert seconds(long) < 30 * max(min(seconds(short) for _ in range(3)), 0.002)


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


@pytest.mark.parametrize("line", ["O livro dele está no", "Ela (a Ana) entrou no", "We walk to the"])
def test_a_line_that_ends_on_a_word_for_the_next_is_cut_off(line: str) -> None:
    assert BINDS.search(line)


@pytest.mark.parametrize(
    "line", ["Is it open? no", "Open on Sundays: no", "Pets allowed, no", "yes or no", "no", "yes/no"]
)
def test_no_for_an_answer_binds_no_line(line: str) -> None:
    assert not BINDS.search(line)
    assert cut(f"{line}\nThe library opens at nine on Mondays.")[-1] == "The library opens at nine on Mondays."
