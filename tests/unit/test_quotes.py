"""Pieces of a passage that can stand by themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.quotes import quotes

PLAN = """# Dental plan

The plan covers routine care. The following are not covered:

- dental implants
- **cosmetic** work,
  such as whitening

## Exclusões

Não são cobertos:
1. aparelhos
2. próteses de qualquer tipo

## Ajuda

Contact the front desk first."""


def said(text: str, heading: str = "") -> list[str]:
    return [quote.said for quote in quotes(text, heading) if quote.form in ("sentence", "item", "row")]


def test_items_go_with_what_leads_them_in_and_sentences_stand_alone() -> None:
    assert said(PLAN) == [
        "The plan covers routine care.",
        "The following are not covered: dental implants",
        "The following are not covered: cosmetic work, such as whitening",
        "Não são cobertos: aparelhos",
        "Não são cobertos: próteses de qualquer tipo",
        "Contact the front desk first.",
    ]
    forms = [quote.form for quote in quotes(PLAN)]
    assert forms == [
        "heading",
        "sentence",
        "lead",
        "item",
        "item",
        "heading",
        "lead",
        "item",
        "item",
        "heading",
        "sentence",
    ]
    groups = {quote.text: quote.group for quote in quotes(PLAN)}
    assert groups["dental implants"] == groups["The following are not covered:"] != groups["aparelhos"]


def test_a_short_lead_is_no_part_of_the_sentence_before_it() -> None:
    text = "Report it immediately to somebody. You can do so:\n- by mail\n- in person"
    assert said(text) == [
        "Report it immediately to somebody.",
        "You can do so: by mail",
        "You can do so: in person",
    ]


@pytest.mark.parametrize(
    ("text", "heading", "whole"),
    [
        ("- dental implants\n- braces", "What is not covered", "What is not covered: dental implants"),
        (
            "Orthodontics for adults is paid by you.",
            "Not covered",
            "Not covered: Orthodontics for adults is paid by you.",
        ),
        ("Orthodontics for adults is paid by you.", "Dental plan", "Orthodontics for adults is paid by you."),
        ("Ask the front desk before noon.", "Do I need no badge?", "Ask the front desk before noon."),
        ("## Licença no trabalho\n\nDura vinte dias úteis ao todo.", "", "Dura vinte dias úteis ao todo."),
        ("Contact:\ncompliance hotline 555-0100", "", "Contact: compliance hotline 555-0100"),
    ],
)
def test_a_heading_is_said_where_the_words_need_it(text: str, heading: str, whole: str) -> None:
    assert said(text, heading)[0] == whole


def test_a_row_is_said_with_its_header_and_a_table_of_contents_is_not() -> None:
    table = "| Despesa | Limite |\n|---|---|\n| Hotel | R$ 420 |\n| Táxi | |\n\nContents ............. 12"
    assert said(table) == ["Despesa: Hotel; Limite: R$ 420", "Despesa: Táxi"]


def test_what_the_border_cut_off_is_known() -> None:
    first, second = quotes("of the plan ends with the year. Every new member waits for a month.")
    assert (first.whole, second.whole) == (False, True)


@given(st.text(alphabet=st.sampled_from("ab.:?-#|> \n1`*"), max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    assert all(quote.text.strip() == quote.text != "" for quote in quotes(text))
