"""When a question's words lean on one before it, and what counts as putting it in other words."""

import pytest

from kbot.followups import is_rewriting, points_back


@pytest.mark.parametrize(
    "question",
    [
        "E aos domingos?",
        "and on Sundays?",
        "Mas e se chover muito na cidade inteira?",
        "What about the people who work on weekends?",
        "Quanto tempo ele demora para chegar aqui?",
        "How long does it take to get there by train?",
        "Por quê?",
        "Domingo?",
        "Isso vale para estagiários da empresa também?",
        "Os meus filhos podem entrar nele?",
        "A regra muda em algum desses casos?",
        "Could I rent a towel there?",
        "Estagiários podem usar a sala também?",
    ],
)
def test_a_follow_up_points_back(question: str) -> None:
    assert points_back(question)


@pytest.mark.parametrize(
    "question",
    [
        "Quantos dias de férias cada pessoa tem?",
        "Is there a gym in the main building?",
        "E-mail da equipe de suporte interno, qual é?",
        "Which one of the offices opens on Sundays?",
        "A cantina esta aberta no feriado?",
        "Ouvidoria: qual o telefone de contato?",
    ],
)
def test_a_question_of_its_own_does_not(question: str) -> None:
    assert not points_back(question)


@pytest.mark.parametrize(
    ("written", "question", "is_one"),
    [
        ("A biblioteca abre aos domingos?", "E aos domingos?", True),
        ("A biblioteca abre no domingo?", "E aos domingos?", True),
        ("Does the library open on Sundays?", "and on Sundays?", True),
        ("Quem é o dono da casa?", "E ele?", True),
        ("A biblioteca abre?\nSim.", "E aos domingos?", False),
        ("Sim, abre.", "E aos domingos?", False),
        ("A biblioteca fica fechada aos domingos.", "E aos domingos?", False),
        ("Horário da biblioteca no domingo", "domingo", True),
        ("", "E aos domingos?", False),
    ],
)
def test_a_rewriting_keeps_words_of_the_question_on_one_line(written: str, question: str, is_one: bool) -> None:
    assert is_rewriting(written, question) is is_one
