"""What a team asked and judged, as its own labelled questions."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from answering import Desk, ask, somewhere
from kbot import desk as counter
from kbot.chat import Answer, Opinion, Person, Place
from kbot.engine import Engine
from kbot.evaluation.harvest import labelled_rows
from kbot.evaluation.labelled import read_questions, write_questions
from kbot.history import remember


@pytest.fixture
async def engine(desk: Desk) -> Engine:
    return await desk.engine()


async def test_what_people_say_becomes_labelled_questions(desk: Desk, engine: Engine, tmp_path: Path) -> None:
    place, ana, bia = somewhere(), Person("ana", "pt"), Person("bia", "pt")
    private = replace(somewhere(), private=True)
    liked = await ask(engine, "Quantos dias úteis de férias se tem por ano?", place)
    disputed = await ask(engine, "A que horas a biblioteca abre de segunda a sexta?", place)
    gap = await ask(engine, "Qual foi a cotação do níquel exportado em Singapura?", place)
    missed = await ask(engine, "Qual foi a cotação do cobre exportado em Singapura?", place)
    secret = await ask(engine, "A que horas a biblioteca fecha de segunda a sexta?", private)
    unrated = await ask(engine, "A biblioteca abre aos domingos?", place)
    assert all(answer.grounded for answer in (liked, disputed, secret, unrated))
    assert not gap.grounded
    assert not missed.grounded
    said: list[tuple[Place, Person, Answer, Opinion]] = [
        (place, ana, liked, "helpful"),
        (place, ana, disputed, "helpful"),
        (place, bia, disputed, "unhelpful"),
        (place, ana, missed, "unhelpful"),
        (private, ana, secret, "helpful"),
    ]
    for where, person, answer, opinion in said:
        await counter.rate(desk.database, where, person, answer.id, opinion)
    rows = {row["question"]: row for row in await labelled_rows(desk.database, "default", private=False)}
    assert (rows[liked.question]["answerable"], rows[liked.question]["relevant"]) == (True, ["ferias.md"])
    assert rows[liked.question]["lang"] == "pt"
    assert "22 dias" in rows[liked.question]["answers"][0]
    assert "[1]" not in rows[liked.question]["answers"][0]
    assert (rows[gap.question]["answerable"], rows[gap.question]["type"]) == (False, "gap")
    assert [rows[each.question]["answerable"] for each in (disputed, missed)] == [None, None]
    assert "note" in rows[missed.question]
    assert secret.question not in rows
    assert unrated.question not in rows
    everything = await labelled_rows(desk.database, "default", private=True)
    assert secret.question in {row["question"] for row in everything}
    assert json.loads(json.dumps(everything)) == everything
    path = tmp_path / "own.questions.jsonl"
    write_questions(path, rows.values())
    again = read_questions(path)
    assert again.unlabelled >= 2
    assert {liked.question, gap.question} <= {question.text for question in again.questions}


async def test_a_follow_up_to_something_private_is_exported_only_if_that_is_wanted(desk: Desk, engine: Engine) -> None:
    place = somewhere()

    async def asked(question: str, standalone: str, where: Place) -> None:
        gap = Answer(question, "…", grounded=False, refused=True, reason="nothing_near")
        await remember(engine.database, where, gap, standalone=standalone, message_id=None, author="U1")

    secret = "Why was the director fired?"
    await asked("And in Braga?", "What was paid in Braga?", place)
    await asked(secret, secret, replace(place, private=True))
    await asked("And who comes next?", f"{secret} And who comes next?", place)

    async def exported(*, private: bool) -> set[str]:
        rows = await labelled_rows(desk.database, "default", private=private)
        return {row["question"] for row in rows if "director" in row["question"] or "Braga" in row["question"]}

    assert await exported(private=False) == {"What was paid in Braga?"}
    assert await exported(private=True) == {"What was paid in Braga?", secret, f"{secret} And who comes next?"}
