"""A follow-up that is no sentence takes the place of a phrase of its own form in the question before it."""

import pytest

from kbot.ellipsis import filled, fragment, opens, without_opening
from kbot.language import detect_language
from kbot.phrases import phrases


@pytest.mark.parametrize(
    ("asked", "said", "whole"),
    [
        # the same preposition, in any of its forms
        ("Quanto custa o estacionamento em Braga?", "e em Lisboa?", "Quanto custa o estacionamento em Lisboa?"),
        ("Quanto custa o estacionamento em Braga?", "E no Porto?", "Quanto custa o estacionamento no Porto?"),
        ("Qual é a diária em Recife?", "E em São Paulo?", "Qual é a diária em São Paulo?"),
        ("Quem cuida da folha de pagamento?", "E da rede?", "Quem cuida da rede?"),
        ("Who is responsible for payroll?", "and for the network?", "Who is responsible for the network?"),
        ("Quanto posso gastar com livro técnico?", "E com celular?", "Quanto posso gastar com celular?"),
        # the same kind of thing: names, names with numbers, days
        ("Quanto custa o estacionamento em Braga?", "Lisboa?", "Quanto custa o estacionamento em Lisboa?"),
        ("How many people does Everest seat?", "And Aconcagua?", "How many people does Aconcagua seat?"),
        ("Qual é o prazo de resposta do SEV1?", "E do SEV3?", "Qual é o prazo de resposta do SEV3?"),
        ("Em quanto tempo se responde a um SEV1?", "E de um SEV2?", "Em quanto tempo se responde a um SEV2?"),
        ("When does the gym open on weekdays?", "And on Sundays?", "When does the gym open on Sundays?"),
        ("Que horas ela abre de segunda a sexta?", "E aos sábados?", "Que horas ela abre aos sábados?"),
        # the subject or the object
        ("How long is the probation period?", "and vacation?", "How long is vacation?"),
        ("How long is the probation period?", "And the notice period?", "How long is the notice period?"),
        ("When does the gym open on weekdays?", "and the pool?", "When does the pool open on weekdays?"),
        ("Qual é a diária em Recife?", "E o hotel?", "Qual é o hotel em Recife?"),
        ("A que horas a biblioteca abre?", "e a academia?", "A que horas a academia abre?"),
        ("A piscina é coberta?", "E a quadra?", "A quadra é coberta?"),
        ("O plano cobre óculos?", "e lentes?", "O plano cobre lentes?"),
        ("O plano cobre óculos?", "e o seguro?", "O seguro cobre óculos?"),
        ("Does the plan cover glasses?", "and contact lenses?", "Does the plan cover contact lenses?"),
        ("Does PerksPlus cover gym memberships?", "what about yoga?", "Does PerksPlus cover yoga?"),
        ("How often are laptops replaced?", "and phones?", "How often are phones replaced?"),
        ("On which days are dogs allowed?", "and cats?", "On which days are cats allowed?"),
        ("Quanto custa a segunda via do crachá?", "E a vaga mensal?", "Quanto custa a vaga mensal?"),
        ("Como peço a VPN no Windows?", "e Linux?", "Como peço a VPN no Linux?"),
        ("How do I install it on Windows?", "and Linux?", "How do I install it on Linux?"),
        ("Quanto custa o Discord?", "e o Slack?", "Quanto custa o Slack?"),
        # people
        (
            "Quantos dias de férias têm os funcionários?",
            "e estagiários?",
            "Quantos dias de férias têm estagiários?",
        ),
        ("How many books may students borrow?", "and teachers?", "How many books may teachers borrow?"),
        ("Quanto o vale paga por dia?", "E os estagiários?", "Quanto o vale paga por dia para os estagiários?"),
        ("How long is parental leave?", "and contractors?", "How long is parental leave for contractors?"),
        # what is counted by a measure, not the measure
        (
            "Quantos dias de férias têm os funcionários?",
            "e licença parental?",
            "Quantos dias de licença parental têm os funcionários?",
        ),
        ("Quantos dias de férias tenho?", "e licença parental?", "Quantos dias de licença parental tenho?"),
        ("Quantos dias de férias tenho?", "e horas extra?", "Quantas horas extra tenho?"),
        ("How many days of leave do I have?", "and sick leave?", "How many days of sick leave do I have?"),
        ("How many vacation days do I have?", "and parental leave?", "How many parental leave days do I have?"),
        ("How much money can I spend on books?", "and courses?", "How much money can I spend on courses?"),
        # "how many" agrees, or comes after
        ("Quantos livros posso levar?", "e revistas?", "Quantas revistas posso levar?"),
        ("Quantas vagas de garagem há?", "e bicicletários?", "Quantos bicicletários há?"),
        ("Quantos livros posso levar?", "e equipamento?", "Equipamento: quantos posso levar?"),
        ("How many books may I borrow?", "and magazines?", "How many magazines may I borrow?"),
        ("How many books may I borrow?", "and equipment?", "Equipment: how many may I borrow?"),
        # a phrase with its own company takes away that of the other
        (
            "Qual é o limite para hospedagem em capitais?",
            "E para refeição em viagem?",
            "Qual é o limite para refeição em viagem?",
        ),
        ("Quanto posso gastar com curso ou certificação?", "E com livros?", "Quanto posso gastar com livros?"),
        # another property of the same thing, or the same of another
        ("Qual é o prazo de reembolso de viagens?", "e o valor?", "Qual é o valor de reembolso de viagens?"),
        (
            "Qual é o prazo de reembolso de viagens?",
            "e o teto máximo?",
            "Qual é o teto máximo de reembolso de viagens?",
        ),
        ("Qual é o prazo de reembolso de viagens?", "e hospedagem?", "Qual é o prazo de reembolso de hospedagem?"),
        ("Qual é o horário da academia?", "e a piscina?", "Qual é o horário da piscina?"),
        ("Qual é a senha do wifi?", "e a VPN?", "Qual é a senha da VPN?"),
        ("What is the wifi password?", "and the VPN?", "What is the VPN password?"),
        (
            "What's the limit of travel reimbursement?",
            "and the deadline?",
            "What's the deadline of travel reimbursement?",
        ),
        ("What is the limit for the refund of trips?", "and hotels?", "What is the limit for the refund of hotels?"),
        # a moment takes the place of one of its kind alone
        ("A academia abre às 10h?", "e depois das 18:30?", "A academia abre depois das 18:30?"),
        ("A academia abre às 10h?", "e 18h?", "A academia abre às 18h?"),
        ("A academia abre às 10h?", "e aos domingos?", "A academia abre às 10h aos domingos?"),
        ("A academia abre aos sábados?", "e no fim de semana?", "A academia abre no fim de semana?"),
        ("A academia abre aos sábados?", "e hoje?", "A academia abre hoje?"),
        ("Qual é o orçamento de 2024?", "e 2025?", "Qual é o orçamento de 2025?"),
        ("Is the gym open at 10 am?", "and after 6 pm?", "Is the gym open after 6 pm?"),
        ("When is the gym open on weekdays?", "and the weekend?", "When is the gym open on the weekend?"),
        ("Quanto custa a vaga em Braga?", "e depois das 18h?", "Quanto custa a vaga em Braga depois das 18h?"),
        ("Quanto custa a vaga em Braga?", "e a partir das 8h?", "Quanto custa a vaga em Braga a partir das 8h?"),
        ("Quanto custa a vaga em Braga?", "e em 2025?", "Quanto custa a vaga em Braga em 2025?"),
        ("Quanto custa a vaga em Braga?", "e no ano passado?", "Quanto custa a vaga em Braga no ano passado?"),
        ("Quanto custa a vaga em Braga?", "e hoje à noite?", "Quanto custa a vaga em Braga hoje à noite?"),
        ("How much is parking in Braga?", "and after 6 pm?", "How much is parking in Braga after 6 pm?"),
        ("How much is parking in Braga?", "and in May?", "How much is parking in Braga in May?"),
        ("How much is parking in Braga?", "and 2025?", "How much is parking in Braga in 2025?"),
        ("How much is parking in Braga?", "and last year?", "How much is parking in Braga last year?"),
        ("How much is parking in Braga?", "and now?", "How much is parking in Braga now?"),
        # nothing has its form: it is added
        ("When is the gym open?", "and on Sundays?", "When is the gym open on Sundays?"),
        ("When is the gym open?", "What about weekends?", "When is the gym open on weekends?"),
        ("Quanto dura a licença", "E para estagiários?", "Quanto dura a licença para estagiários?"),
    ],
)
def test_a_fragment_takes_the_place_of_its_like(asked: str, said: str, whole: str) -> None:
    assert filled(said, asked, detect_language(asked)) == whole


@pytest.mark.parametrize(
    "said",
    [
        *(
            "e grátis?",
            "e mais barato?",
            "e cedo?",
            "e mais tarde?",
            "e a de treinamento?",
            "e os outros?",
            "e comigo?",
        ),
        *("e internacionais?", "e remotamente?", "e o preço?"),
        *("and us?", "and remotely?", "and mine?", "and the others?", "and twice?", "and home?", "and cheaper?"),
        *("and the cheapest?", "and international?", "and the price?"),
    ],
)
def test_what_has_no_noun_of_its_own_or_is_a_property_takes_no_place_of_a_thing(said: str) -> None:
    asked = "Quanto custa a vaga em Braga?" if said.startswith("e ") else "How much is the parking spot in Braga?"
    assert filled(said, asked, detect_language(asked)) is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Qual é o prazo de reembolso de viagens?", "e internacionais?"),
        ("Que horas a biblioteca abre?", "E se eu atrasar?"),
        ("Que horas a biblioteca abre?", "Por quê?"),
        ("Quantos dias de férias tenho?", "e estagiários?"),
        ("How much vacation do I have?", "and interns?"),
        ("Quantos dias tenho?", "e férias?"),
        ("Quantos dias de férias eu tenho?", "E vender?"),
        ("Quantos dias de férias eu tenho?", "E a biblioteca?"),
        ("How many conferences may I attend?", "And the budget?"),
        ("When is the gym open?", "How much is it?"),
        ("When is the gym open?", "and is it crowded?"),
        ("Que horas a biblioteca abre?", "E visitantes, onde param o carro?"),
        ("Wann ist das Büro offen?", "und am Sonntag?"),
    ],
)
def test_a_sentence_and_what_has_no_like_takes_no_place(asked: str, said: str) -> None:
    assert filled(said, asked, detect_language(asked)) is None


def test_what_opens_a_follow_up_is_no_part_of_it() -> None:
    assert fragment("E em Lisboa?", "pt") == "em Lisboa"
    assert fragment("but what about Sundays?", "en") == "Sundays"
    assert without_opening("E quem adota?") == "Quem adota?"
    assert without_opening("and?") == "and?"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Quanto custa a vaga mensal no estacionamento?", ["a vaga mensal", "no estacionamento"]),
        ("Em quanto tempo sai o acesso à VPN?", ["tempo", "o acesso", "à VPN"]),
        ("Com que antecedência se pedem férias?", ["antecedência", "férias"]),
        ("How often is the database backed up?", ["the database"]),
        ("When does Inês book flights?", ["Inês", "flights"]),
        ("What does the shuttle cost for guests?", ["the shuttle", "for guests"]),
    ],
)
def test_the_phrases_of_a_question_are_found_without_its_verb(question: str, said: list[str]) -> None:
    found = phrases(question, detect_language(question))
    assert [question[each.words[0].start : each.words[-1].end] for each in found] == said


@pytest.mark.parametrize("question", ["E-mail do RH?", "So-called quick wins?", "E-book ou livro?"])
def test_the_first_half_of_a_word_opens_nothing(question: str) -> None:
    assert not opens(question)
    assert without_opening(question) == question
