"""What takes the sentence before it back."""

import pytest

from kbot.retractions import takes_back


@pytest.mark.parametrize(
    "sentence",
    [
        "However, on Tuesdays everybody comes.",
        "The proposal was rejected in May.",
        "A proposta foi rejeitada pela diretoria em maio.",
        "Only with written approval.",
        "Only managers, though.",
        "Apenas se o gestor autorizar por escrito.",
        "Somente gestores.",
        "Except on Fridays.",
        "Not on Fridays, though.",
        "Não às sextas, porém.",
        "Não mais desde maio.",
        "That does not apply to interns.",
        "This isn't for interns.",
        "Does not apply to interns.",
        "Isso não vale para estagiários.",
        "Não se aplica a estagiários.",
        "Desde maio isso não vale mais.",
        "This is only for managers.",
        "This only applies to managers.",
        "Isso vale apenas para gestores.",
        "Isso só vale para gestores.",
        "We stopped this in 2023.",
        "We don't do that any more.",
        "Paramos com isso, que não é mais permitido, e não fazemos mais isso.",
        "This ended in 2023.",
        "Essa possibilidade acabou em 2023.",
        "This possibility ended in 2023.",
        "These rules do not apply to interns.",
        "Essas regras não valem para estagiários.",
        "However, since the new policy of May 2024 was adopted by the board, this is forbidden to everybody.",
        "Desde que a nova política de maio de 2024 foi aprovada pela diretoria, no entanto, isso é proibido a todos.",
    ],
)
def test_a_limit_a_denial_and_an_end_take_back(sentence: str) -> None:
    assert takes_back(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The boxes for the shoes of its guests are near the door.",
        "Only members of the board may park in the yard.",
        "Somente os membros da diretoria param no pátio.",
        "Não se pode fumar no pátio.",
        "Não nos responsabilizamos por objetos perdidos.",
        "It does not have lockers.",
        "This takes only five minutes.",
        "Isso leva apenas cinco minutos.",
        "These rooms do not have a window.",
        "Esta sala não tem janela.",
        "The desk has a list of rooms that are not heated.",
        "This includes rooms that are not covered.",
        "É melhor usar isso e não misturar os cartões.",
        "The desk says that the keys are not there.",
        "Essa regra foi aprovada em 2023.",
        "This was approved in 2023.",
        "O escritório está aberto aos sábados.",
        "However, the new policy of May 2024 was adopted by the board, and everybody can read it at the desk.",
        "This gives everybody who comes early the time to prepare the room, so that guests are not kept waiting.",
    ],
)
def test_what_merely_follows_takes_nothing_back(sentence: str) -> None:
    assert not takes_back(sentence)
