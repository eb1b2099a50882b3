"""What is answered only because the operator lowered the cut is told without what contradicts it."""

import uuid
from pathlib import Path

import pytest

from answering import Desk, ask
from kbot.chat import Answer, Place
from kbot.ingestion.jobs import Shelf, Upload, ingest

DOCUMENTS = {
    "handbook.md": "# Employee handbook\n\nEvery employee has 22 days of annual leave per year.\n\n"
    "The office opens at 9:00 on weekdays. Visitors sign in at the desk.\n",
    "faq.md": "# Questions of newcomers\n\nEvery employee has 30 days of annual leave per year.\n\n"
    "The office opens at 8:00 on weekdays. The kitchen is on the first floor.\n",
    "manual.md": "# Manual da equipe\n\nO estacionamento abre às 7h nos dias úteis.\n\n"
    "O vale-refeição é de R$ 35,00 por dia. Ele é pago no primeiro dia do mês.\n",
    "avisos.md": "# Avisos\n\nO estacionamento abre às 6h nos dias úteis.\n\n"
    "O vale-refeição é de R$ 42,00 por dia. Fale com o RH.\n",
}


@pytest.fixture(scope="module")
async def place(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder: Path = tmp_path_factory.mktemp("two")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    workspace = f"two-{uuid.uuid4().hex}"
    items = [Upload(name, folder / name) for name in DOCUMENTS]
    async for receipt in ingest(desk.database, desk.embedder, desk.settings, items, Shelf(workspace)):
        assert receipt.status == "added"
    return Place(workspace, "")


def tells(answer: Answer) -> bool:
    return "disagree" in answer.text or "discordam" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "When is sick leave paid?",
        "What does the annual report say?",
        "How much is parking?",
        "Quanto é o vale-transporte?",
        "Qual foi o lucro da empresa no ano passado?",
        "Quantos dias de licença-paternidade?",
    ],
)
async def test_a_near_miss_is_quoted_alone(desk: Desk, place: Place, question: str) -> None:
    assert (await ask(await desk.engine(), question, place)).reason == "nothing_near"
    quoted = await ask(await desk.engine(cut=0.0), question, place)
    assert quoted.grounded
    assert not tells(quoted)


@pytest.mark.parametrize("cut", [None, 0.0, 0.45])
@pytest.mark.parametrize("question", ["How many days of annual leave do I have?", "A que horas abre o estacionamento?"])
async def test_what_was_asked_is_told_with_any_cut(desk: Desk, place: Place, question: str, cut: float | None) -> None:
    assert tells(await ask(await desk.engine(cut=cut), question, place))
