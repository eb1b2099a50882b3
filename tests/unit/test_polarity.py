"""What a sentence affirms or denies, in both languages."""

import pytest

from kbot.polarity import opposed, polarity


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("Remote work is allowed.", "Remote work is not allowed.", True),
        ("Contractors may use it.", "Contractors may not use it.", True),
        ("Interns can approve it.", "Interns cannot approve it.", True),
        ("Interns can approve it.", "Interns can't approve it.", True),
        ("Remote work is allowed.", "O trabalho remoto não é permitido.", True),
        ("É permitido fumar.", "É proibido fumar.", True),
        ("It is forbidden.", "Não é permitido.", False),
        ("O curso é obrigatório.", "O curso é opcional.", True),
        ("O curso não é obrigatório.", "O curso é facultativo.", False),
        ("A biblioteca abre.", "A biblioteca fica fechada.", True),
        ("It is supported.", "It is no longer supported.", True),
        ("The plan covers it.", "The plan does not cover it.", True),
        ("O plano cobre.", "O plano não cobre.", True),
        ("No receipt is required.", "A receipt is required.", True),
        ("A receipt is required.", "A receipt is required on the day.", False),
        ("It opens at 8 and closes at 20.", "It is closed.", False),
        ("It may not be used, and is not sold.", "It may be used.", False),
        ("Uma regra no portal é válida.", "A regra no portal é válida.", False),
    ],
)
def test_one_denies_what_the_other_affirms(first: str, second: str, apart: bool) -> None:
    assert opposed(polarity(first), polarity(second)) is apart
    assert opposed(polarity(second), polarity(first)) is apart
