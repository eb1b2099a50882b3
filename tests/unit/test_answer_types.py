"""What a question asks for, and what a sentence can hold, in both languages."""

import pytest

from kbot.answer_types import Kind, Wanted, can_hold, wanted


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who approves a trip?", "person"),
        ("A quem devo entregar o relatório?", "person"),
        ("When was the cathedral built?", "date"),
        ("Em que ano a empresa foi fundada?", "date"),
        ("What is the deadline for expenses?", "date"),
        ("What time does the library open?", "time"),
        ("A que horas abre a biblioteca?", "time"),
        ("Where do I park?", "place"),
        ("Em qual cidade fica a sede?", "place"),
        ("How long does delivery take?", "quantity"),
        ("Qual o número mínimo de alunos?", "quantity"),
        ("How much does the plan cost?", "money"),
        ("Quanto custa o plano?", "money"),
        ("How much is a parking space?", "money"),
        ("How much leave do I have?", "quantity"),
        ("What percentage of the cost is covered?", "percentage"),
        ("Qual a porcentagem de reembolso?", "percentage"),
        ("compliance hotline phone number", "contact"),
        ("Qual é o e-mail do suporte?", "contact"),
        ("What is a badge?", "definition"),
        ("O que é SGBD?", "definition"),
        ("How do I set up e-mail on my phone?", "manner"),
        ("Como cancelo um pedido?", "manner"),
        ("Why was it closed?", "reason"),
        ("Qual o motivo da recusa?", "reason"),
        ("Can I carry over days?", "yes/no"),
        ("Posso levar o notebook para casa?", "yes/no"),
        ("O plantão pode ser feito por estagiários?", "yes/no"),
        ("The gym is free for guests?", "yes/no"),
        ("O plantão que faço no domingo é pago?", "unknown"),
        ("estacionamento para visitantes", "unknown"),
        ("What is the capital of France?", "unknown"),
        ("Qual é o limite de hospedagem?", "unknown"),
        ("What links the two buildings?", "unknown"),
        ("", "unknown"),
    ],
)
def test_the_kind_of_a_question(question: str, kind: Kind) -> None:
    assert wanted(question).kind == kind


def test_what_is_counted_is_named() -> None:
    assert wanted("Quantos dias de férias eu tenho?") == Wanted("quantity", "dias")
    assert wanted("How many more weeks do I get?") == Wanted("quantity", "weeks")
    assert wanted("How long does it take?") == Wanted("quantity", "")


@pytest.mark.parametrize(
    ("kind", "sentence", "held"),
    [
        ("date", "It was closed in March.", True),
        ("date", "A matrícula é feita após a prova.", True),
        ("date", "The church is very beautiful.", False),
        ("date", "The gym opens at six in the morning.", True),
        ("date", "O bar abre à noite.", True),
        ("quantity", "A comissão tem três docentes.", True),
        ("quantity", "O estágio pode ser prestado em empresas.", False),
        ("money", "O limite é de R$ 420 por noite.", True),
        ("money", "Parking is free for everybody.", True),
        ("money", "The plan covers routine care.", False),
        ("money", "There are 22 parking spaces in the basement.", False),
        ("money", "A obra da piscina começa em 3 de março de 2027.", False),
        ("money", "Plano: Equipe; Preço por mês: 189", True),
        ("money", "O custo é de 82.000 por ano.", True),
        ("percentage", "Half of the staff works from home.", True),
        ("percentage", "The coast is crowded.", False),
        ("contact", "Call 555-0100 at any hour.", True),
        ("contact", "Escreva para rh@exemplo.com.", True),
        ("contact", "The hotline is confidential.", False),
        ("person", "Approval comes from Ana Souza.", True),
        ("person", "Quem decide é o gestor.", True),
        ("person", "It was very cold in there.", False),
        ("place", "It was very cold.", None),
        ("unknown", "Anything at all.", None),
    ],
)
def test_what_leaves_traces_is_denied_to_a_sentence_without_any(kind: Kind, sentence: str, held: bool | None) -> None:
    assert can_hold(sentence, Wanted(kind)) is held
