"""Who speaks in a passage, and what is no talk."""

import pytest

from kbot.dialogue import talk

ANSWERED = "Ana Souza: Vocês tinham seguro?\nCarla Dias: Não tínhamos."
RETURNS = "Ben: We meet again on Friday.\nDora: I will be there, too.\nBen: Then it is settled."
CUES = (
    "2\n00:00:01.000 --> 00:00:04.500\n<v Ana Souza>Did we have insurance?</v>\n\n"
    "00:00:05.000 --> 00:00:06.000\n<v Carla Dias>We had <i>none</i>.</v>\n"
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (ANSWERED, ["Ana Souza", "Carla Dias"]),
        (f"# Reunião\n\n{ANSWERED}\n\nFim.", ["Ana Souza", "Carla Dias"]),
        (RETURNS, ["Ben", "Dora", "Ben"]),
        ("**Ana:** Já está pronto?\n\n[00:12] Leo: Está pronto desde ontem.", ["Ana", "Leo"]),
        (CUES, ["Ana Souza", "Carla Dias"]),
    ],
)
def test_people_who_answer_each_other_talk(text: str, names: list[str]) -> None:
    said, turns = talk(text)
    assert [turn.name for turn in turns] == names
    assert "-->" not in said
    assert "<" not in said


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ana: it is done, as far as I know.",
        "Ouro: custa 30 euros por mês.\nPrata: custa 20 euros por mês.\nBronze: custa 10 euros por mês.",
        "Question: How do I do that?\nAnswer: You ask the team, and it is done.",
        "Nome: Maria\nSetor: Vendas\nNome: João\nSetor: Compras",
    ],
)
def test_what_only_looks_like_a_talk_is_none(text: str) -> None:
    assert talk(text) == (text, [])
