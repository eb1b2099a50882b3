"""A conversation: what a follow-up leans on, and what it does not."""

import json
import uuid
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from answering import DOCUMENTS, FERIAS, SECRET_CHANNEL, UNKNOWN, Desk, ask, events_of, somewhere
from captured import captured_logs
from fakes.ollama import FakeOllama
from kbot.chat import Answer, Place
from kbot.engine import Searching
from kbot.errors import ModelUnreachable
from kbot.history import Turn, as_messages, last_read, last_turns, remember
from kbot.ingestion.jobs import Shelf, Upload, ingest
from kbot.prompts import REFUSALS

LIBRARY = "Quando a biblioteca abre?"
LUNCHTIME = "E na hora do almoço?"  # the search alone is not sure that this leans on the library


def contents(request: dict[str, list[dict[str, str]]]) -> list[str]:
    return [message["content"] for message in request["messages"]]


def is_rewriting(request: dict[str, list[dict[str, str]]]) -> bool:
    return "Reescreva" in contents(request)[0] or "Rewrite" in contents(request)[0]


async def told(desk: Desk, place: Place, n: int, message_id: str | None = None) -> None:
    answer = Answer(f"Pergunta {n}?", f"Resposta {n} [1].", grounded=True, refused=False)
    await remember(desk.database, place, answer, standalone=f"Pergunta {n}?", message_id=message_id, author="ana")


async def test_the_last_six_turns_are_told_to_the_model_without_marks(desk: Desk, model: FakeOllama) -> None:
    place = somewhere()
    for n in range(8):
        await told(desk, place, n)
    model.answers = [["Sim."], ["Fica fechada [1]."]]
    answer = await ask(await desk.engine(model), "E aos domingos?", place)
    rewriting, answering = model.requests
    assert is_rewriting(rewriting)
    assert contents(rewriting)[1:-1] == [text for n in range(2, 8) for text in (f"Pergunta {n}?", f"Resposta {n}.")]
    assert [message["role"] for message in rewriting["messages"]] == ["system", *["user", "assistant"] * 6, "user"]
    assert len(contents(answering)) == 2, "a question that leans on no turn is answered without any"
    assert answer.model_calls == 2
    assert await last_turns(desk.database, place, 2) == [
        Turn("Pergunta 7?", "Resposta 7.", "Pergunta 7?"),
        Turn(answer.question, "Fica fechada.", answer.question),
    ]


async def test_a_thread_is_a_conversation_that_starts_with_the_turn_that_opened_it(desk: Desk) -> None:
    channel = somewhere()
    thread = replace(channel, thread="m1")
    await told(desk, channel, 0, "m0")
    await told(desk, channel, 1, "m1")
    await told(desk, channel, 2, "m2")
    await told(desk, thread, 3, "m3")
    await told(desk, replace(channel, thread="other"), 4, "m4")
    await told(desk, replace(channel, workspace="elsewhere"), 5, "m5")
    assert [turn.question for turn in await last_turns(desk.database, channel, 6)] == [
        "Pergunta 0?",
        "Pergunta 1?",
        "Pergunta 2?",
    ]
    assert [turn.question for turn in await last_turns(desk.database, thread, 6)] == ["Pergunta 1?", "Pergunta 3?"]
    assert [turn.question for turn in await last_turns(desk.database, thread, 1)] == ["Pergunta 3?"]
    assert await last_turns(desk.database, thread, 0) == []
    assert await last_turns(desk.database, somewhere(), 6) == []


async def test_a_follow_up_is_searched_as_it_stands_alone_and_stored_as_it_was_said(
    desk: Desk, model: FakeOllama
) -> None:
    place = somewhere()
    engine = await desk.engine(model)
    model.answers = [["Às 8h [1]."], ['"A biblioteca abre', ' na hora do almoço?"\n'], ["Não [1]."]]
    await ask(engine, LIBRARY, place)
    events = await events_of(engine, LUNCHTIME, place)
    assert events[0] == Searching("A biblioteca abre na hora do almoço?")
    assert contents(model.requests[1])[-1] == LUNCHTIME
    assert contents(model.requests[2])[1:-1] == [LIBRARY, "Às 8h."]
    assert contents(model.requests[2])[-1].endswith("Pergunta: A biblioteca abre na hora do almoço?")
    assert [turn.question for turn in await last_turns(desk.database, place, 6)] == [LIBRARY, LUNCHTIME]


@pytest.mark.parametrize(
    "written",
    [
        ["Sim."],
        ["xyzzy plugh"],
        [" "],
        ["\n\n"],
        ["A biblioteca abre na hora do almoço?\n", "Não, ela fica fechada."],
        ["A biblioteca, ", *["na hora do almoço, "] * 500],
        [REFUSALS["pt"]],
        ["<think>A biblioteca na hora do almoço?</think>"],
    ],
)
async def test_what_is_no_rewriting_falls_back_to_the_joined_questions(
    desk: Desk, model: FakeOllama, written: list[str], tmp_path: Path
) -> None:
    place = Place(f"few-{uuid.uuid4().hex}", "memory:few")  # what else there is decides how sure the search is
    names = ("biblioteca.md", "ferias.md", "gym.md")
    for name in names:
        (tmp_path / name).write_text(str(DOCUMENTS[name]), encoding="utf-8")
    items = [Upload(name, tmp_path / name) for name in names]
    receipts = [r async for r in ingest(desk.database, desk.embedder, desk.settings, items, Shelf(place.workspace))]
    assert [receipt.status for receipt in receipts] == ["added"] * 3
    engine = await desk.engine(model)
    model.answers = [["Às 8h [1]."], written, ["Não [1]."]]
    await ask(engine, LIBRARY, place)
    events = await events_of(engine, LUNCHTIME, place)
    assert events[0] == Searching("Quando a biblioteca abre na hora do almoço?")
    last = events[-1]
    assert json.dumps(asdict(last), ensure_ascii=False).count("biblioteca.md") >= 1


async def test_a_question_of_its_own_is_answered_without_the_turns_before(desk: Desk, model: FakeOllama) -> None:
    place = somewhere()
    engine = await desk.engine(model)
    model.answers = [["Às 8h [1]."], ["22 [1]."]]
    await ask(engine, LIBRARY, place)
    assert (await events_of(engine, FERIAS, place))[0] == Searching(FERIAS)
    assert [len(contents(request)) for request in model.requests] == [2, 2]


async def test_a_model_that_is_down_is_an_error_and_not_a_worse_search(desk: Desk, model: FakeOllama) -> None:
    place = somewhere()
    await told(desk, place, 1)
    with pytest.raises(ModelUnreachable):
        await ask(await desk.engine(model, ollama_url="http://127.0.0.1:9"), "E aos domingos?", place)


@pytest.mark.parametrize(
    ("opening", "follow_ups", "source", "says"),
    [
        (LIBRARY, ["E aos domingos?"], "biblioteca.md", "fechada"),
        ("When is the gym open?", ["and on Sundays?"], "gym.md", "noon"),
        (LIBRARY, ["E isso vale para quem?", "E aos domingos?"], "biblioteca.md", "fechada"),
        ("Como peço férias?", ["Com quantos dias de antecedência?"], "ferias.md", "30 dias"),
    ],
)
async def test_without_a_model_a_follow_up_finds_what_the_joined_question_needs(
    desk: Desk, opening: str, follow_ups: list[str], source: str, says: str
) -> None:
    place = somewhere()
    engine = await desk.engine()
    await ask(engine, opening, place)
    answer = None
    for question in follow_ups:
        answer = await ask(engine, question, place)
    assert answer is not None
    assert answer.grounded
    assert [citation.source for citation in answer.citations] == [source]
    assert says in answer.text


async def test_a_short_follow_up_is_refused_in_the_language_of_the_conversation(desk: Desk) -> None:
    place = somewhere()
    engine = await desk.engine(cut=0.95)
    await ask(engine, UNKNOWN, place)
    assert (await ask(engine, "Xyzzy?", place)).text == REFUSALS["pt"]
    assert (await ask(engine, "Xyzzy?", somewhere())).text == REFUSALS["en"]


async def test_what_was_read_for_the_last_answer_is_seen_where_it_may_be(desk: Desk, model: FakeOllama) -> None:
    model.words = ["Sim [1]."]
    place = somewhere()
    engine = await desk.engine(model)
    answer = await ask(engine, FERIAS, place, message_id="m1")
    assert tuple(await last_read(desk.database, place)) == answer.read
    assert tuple(await last_read(desk.database, replace(place, thread="m1"))) == answer.read
    assert await last_read(desk.database, replace(place, thread="m2")) == []
    await ask(engine, UNKNOWN, place)
    assert await last_read(desk.database, place) == [], "a refusal has read nothing"
    secret = Place("default", SECRET_CHANNEL, "t-read")
    await ask(engine, "De quantos salários é o bônus anual da diretoria?", secret)
    assert [passage.source for passage in await last_read(desk.database, secret)][:1] == ["bonus.md"]
    async with desk.database.pool.connection() as connection:
        await connection.execute("UPDATE documents SET scope = 'memory:other' WHERE source = 'bonus.md'")
        try:
            await connection.commit()
            assert "bonus.md" not in [passage.source for passage in await last_read(desk.database, secret)]
        finally:
            await connection.execute("UPDATE documents SET scope = %s WHERE source = 'bonus.md'", (SECRET_CHANNEL,))


async def test_control_characters_and_broken_surrogates_are_stored_as_spaces(desk: Desk, model: FakeOllama) -> None:
    place = somewhere()
    model.words = ["22\x00 dias\ud83d [1]."]
    with captured_logs() as logs:
        answer = await ask(await desk.engine(model), f"{FERIAS}\x00\udc00", place)
    assert answer.text == "22  dias  [1]."
    assert (await last_turns(desk.database, place, 1))[0].question == FERIAS
    assert logs.lines == []


def test_turns_are_messages_of_two_roles() -> None:
    messages = as_messages([Turn("a?", "b.")])
    assert [(message.type, message.content) for message in messages] == [("human", "a?"), ("ai", "b.")]
