"""Pieces of a passage that can stand by themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.quotes import leans, quotes

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
    ("lead", "item", "whole"),
    [
        ("The following expenses are not reimbursed.", "Wine at dinner", "The following expenses are not reimbursed: "),
        ("As despesas abaixo não são reembolsadas.", "Vinho no jantar", "As despesas abaixo não são reembolsadas: "),
        ("We can't pay for everything.", "Wine at dinner.", "We can't pay for everything: "),
        ("Não é permitido", "trazer cachorro ao escritório", "Não é permitido: "),
        ("Everybody may bring", "small dogs", "Everybody may bring: "),
        ("Nobody can, and you must not, bring in", "dogs", "Nobody can, and you must not, bring in: "),
        ("Não se pode entrar com", "cachorro", "Não se pode entrar com: "),
        ("Bills are paid within a month.\nNot covered", "parking fines", "Not covered: "),
        ("Bills are paid within a month.\nNot covered:", "parking fines", "Not covered: "),
        ("What is not reimbursed?", "Wine at dinner", "What is not reimbursed? "),
        ("## O que não é reembolsado?", "Vinho no jantar", "O que não é reembolsado? "),
        ("The office opens at eight.", "Wine at dinner", ""),
        ("Come on the following day.", "Wine at dinner", ""),
        ("O que é reembolsado?", "Vinho no jantar", ""),
    ],
)
def test_a_sentence_directly_before_a_list_that_denies_points_at_it_or_has_no_end_leads_it_in(
    lead: str, item: str, whole: str
) -> None:
    assert said(f"{lead}\n\n- {item}\n- Taxi\n\nAsk the desk first.")[-3:] == [
        f"{whole}{item}",
        f"{whole}Taxi",
        "Ask the desk first.",
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


@pytest.mark.parametrize(
    "title",
    [
        "Reimbursement Program for\nContoso Electronics Employees",
        "Definition of Workplace Violence",
        "Definição de violência no trabalho",
        "Quem Pode Pedir Reembolso",
    ],
)
def test_a_title_without_a_mark_is_a_heading(title: str) -> None:
    title_found, said = quotes(f"{title}\nViolence is any act of harm to another person.")
    assert (title_found.form, title_found.text) == ("heading", " ".join(title.split()))
    assert said.said == "Violence is any act of harm to another person."


@pytest.mark.parametrize(
    "line",
    [
        "Rua das Flores, 120, sala 4",
        "compliance hotline 555-0100",
        "nobody may enter the hall after the bell rings or so",
    ],
)
def test_a_line_that_says_something_is_no_title(line: str) -> None:
    assert line in said(f"{line}\n\nA porta fica fechada depois das oito.")


def test_what_breaks_off_before_a_noun_is_left_out() -> None:
    assert said("The plan covers care. It is paid for by the company and by the") == ["The plan covers care."]
    assert said("Os prazos da empresa para a\n\n- férias de verão de todos") == ["férias de verão de todos"]


def test_a_lead_that_points_back_stands_after_what_it_points_to() -> None:
    text = "Some things are not paid for. These include, among others:\n\n- food and drinks"
    assert said(text)[-1] == "Some things are not paid for. These include, among others: food and drinks"
    text = "Há coisas que não são pagas. Entre elas estão as seguintes:\n\n- comida e bebida"
    assert said(text)[-1] == "Há coisas que não são pagas. Entre elas estão as seguintes: comida e bebida"


def test_a_yes_or_no_below_a_question_is_its_reply() -> None:
    faq = "## Can I park here?\n\nNo, the yard is closed at night.\n\n## Where do I park?\n\nNo parking is free here."
    before = {quote.text: quote.before for quote in quotes(faq)}
    assert before["No, the yard is closed at night."] == "Can I park here?\n"
    assert before["No parking is free here."] is None


@pytest.mark.parametrize(
    "text",
    [
        "Q: Can I bring my dog?\nA: No, never.\nQ: Can I bring my cat?\nA: It may come on Fridays.\nOn a lead.",
        (
            "**Q1:** Can I bring\nmy dog?\n\n**A1:** No, never.\n\n**Q2: Can I bring my cat?**\n\n"
            "**A2:** It may come on Fridays.\nOn a lead."
        ),
        (
            "Pergunta: Can I bring my dog? Resposta: No, never.\n"
            "Pergunta: Can I bring my cat? Resposta: It may come on Fridays.\nOn a lead."
        ),
        "- P: Can I bring my dog?\n  R: No, never.\n- P: Can I bring my cat?\n  R: It may come on Fridays.\nOn a lead.",
    ],
)
def test_marked_questions_and_answers_are_as_under_headings(text: str) -> None:
    headings = "### Can I bring my dog?\nNo, never.\n### Can I bring my cat?\nIt may come on Fridays.\nOn a lead."
    assert quotes(text) == quotes(headings)
    assert [quote.before for quote in quotes(text)] == [None, "Can I bring my dog?\n", None, None]


@pytest.mark.parametrize("text", ["P: 555-0100\nR: Rua das Flores", "Q: Who asks?\nQ: Who else?"])
def test_marks_without_a_question_and_its_answer_are_left(text: str) -> None:
    assert {quote.form for quote in quotes(text)} <= {"sentence", "question"}
    assert quotes(text)[0].text.startswith(text[:4])


TALK = """# Reunião

Ana Souza: Vocês tinham seguro?
Carla Dias: Não tínhamos.
Ana Souza: O novo vale a partir de março. Ele cobre o incêndio e o roubo. Nada mais.

## Decisões

- contratar o seguro"""


def test_what_is_said_keeps_its_speaker() -> None:
    assert said(TALK) == [
        "Carla Dias: Não tínhamos.",
        "Ana Souza: O novo vale a partir de março.",
        "Ana Souza: Ele cobre o incêndio e o roubo. Nada mais.",
        "Decisões: contratar o seguro",
    ]


def test_a_reply_knows_the_line_before_it() -> None:
    before = {quote.text: quote.before for quote in quotes(TALK)}
    assert before["Não tínhamos."] == "Ana Souza: Vocês tinham seguro?\nCarla Dias:"
    assert before["O novo vale a partir de março."] == "", "the line before it says too little itself"
    assert before["contratar o seguro"] is None
    first, *_ = quotes("Carla Dias: Não tínhamos.\nAna Souza: Então vamos ter um.\nCarla Dias: Vamos, sim, em março.")
    assert first.before == ""


@pytest.mark.parametrize("text", ["Não tínhamos.", "Yes.", "Sim, e logo depois do almoço.", "No, not before the end."])
def test_a_few_words_or_a_yes_or_no_lean_on_what_was_said(text: str) -> None:
    assert leans(text)


@pytest.mark.parametrize(
    "text", ["No dia 25 fica a Joana.", "Não se pode levar cães ao escritório.", "Nobody has keys to it."]
)
def test_a_whole_statement_leans_on_nothing(text: str) -> None:
    assert not leans(text)


@given(st.text(alphabet=st.sampled_from("ab.:?-#|> \n1`*"), max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    assert all(quote.text.strip() == quote.text != "" for quote in quotes(text))


def test_no_for_an_answer_is_not_taken_for_what_breaks_off() -> None:
    text = "Is the library open on Sundays? no\nThe front desk opens at nine on Mondays."
    assert [quote.text for quote in quotes(text)] == text.splitlines()
    assert [quote.text for quote in quotes("A biblioteca abre aos domingos? Ela fica no")] == [
        "A biblioteca abre aos domingos?"
    ]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("1. Warehouse move\nTom Okafor is responsible for it.\n\n2. Next meeting\nWe meet on Friday.", "hshs"),
        ("Pauta\n\n1. Mudança do armazém\n\nA mudança é em janeiro.", "lhs"),
        ("We have:\n\n1. Coffee\n2. Tea\n\nAsk for them in the kitchen.", "liis"),
        ("1. Bring the form to the desk.\n\nIt is open until noon.", "is"),
    ],
)
def test_a_single_item_over_a_paragraph_is_its_title(text: str, forms: str) -> None:
    letters = {"heading": "h", "sentence": "s", "item": "i", "lead": "l"}
    assert "".join(letters[quote.form] for quote in quotes(text)) == forms
