"""A question becomes an answer with sources, or an honest no: real retrieval, a scripted model."""

import asyncio
import json
import logging
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import SecretStr

from answering import DOCUMENTS, FERIAS, SECRET_CHANNEL, UNKNOWN, UNKNOWN_EN, Desk, ask, events_of, somewhere, streamed
from captured import captured_logs
from fakes.ollama import Behaviour, FakeOllama
from kbot.chat import Place
from kbot.database import open_database
from kbot.engine import Engine, Event, Final, Retracted, Searching, Token
from kbot.errors import DatabaseError, ModelError, ModelFailed, ModelMissing, ModelTimeout, ModelUnreachable, StreamCut
from kbot.models import open_chat_model, open_reranker
from kbot.prompts import REFUSALS
from kbot.shapes import answer_shape

SOURCES = [*DOCUMENTS, "bonus.md", "Política de férias", "citations=(Citation", "passage_id"]


def no_source_in(events: list[Event]) -> bool:
    """Whether what came names no document, and holds no passage."""
    text = "".join(json.dumps(asdict(event), ensure_ascii=False) for event in events)
    return not any(source in text for source in SOURCES)


async def gather_events(engine: Engine, place: Place, events: list[Event]) -> None:
    async with aclosing(engine.ask(FERIAS, place)) as asking:
        async for event in asking:
            events.append(event)  # noqa: PERF401  # what came before an error counts


@pytest.mark.parametrize(
    ("question", "own", "refusal"),
    [
        (UNKNOWN, None, REFUSALS["pt"]),
        (UNKNOWN_EN, None, REFUSALS["en"]),
        (UNKNOWN, "Isso eu não sei.", "Isso eu não sei."),
        ("???", None, REFUSALS["en"]),
        ("", None, REFUSALS["en"]),
        ("\x00\ud800 ", None, REFUSALS["en"]),
    ],
)
async def test_what_is_not_near_is_refused_without_asking_the_model(
    desk: Desk, model: FakeOllama, question: str, own: str | None, refusal: str
) -> None:
    engine = await desk.engine(model, refusal=own)
    events = await events_of(engine, question, somewhere())
    assert model.requests == []
    assert [type(event) for event in events] == [Searching, Final]
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert (answer.text, answer.grounded, answer.refused, answer.reason) == (refusal, False, True, "nothing_near")
    assert (answer.citations, answer.read, answer.model_calls) == ((), (), 0)
    assert no_source_in(events)


async def test_a_grounded_answer_has_its_sources_in_the_final_event_alone(desk: Desk, model: FakeOllama) -> None:
    model.words = ["São ", "22 dias", " úteis [", "9", "]", " por ano [1].", " Veja [^1]."]
    events = await events_of(await desk.engine(model), FERIAS, somewhere())
    assert isinstance(events[0], Searching)
    assert all(isinstance(event, Token) for event in events[1:-1])
    assert streamed(events) == "São 22 dias úteis [9] por ano [1]. Veja [^1]."
    assert no_source_in(events[:-1])
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert answer.text == "São 22 dias úteis por ano [1]. Veja [1]."
    assert (answer.grounded, answer.refused, answer.reason, answer.model_calls) == (True, False, "", 1)
    assert (answer.citations[0].n, answer.citations[0].source) == (1, "ferias.md")
    assert "22 dias" in answer.citations[0].quote
    assert answer.read[0].cited
    assert not any(passage.cited for passage in answer.read[1:])
    assert list(answer.timings) == ["retrieve_ms", "first_token_ms", "total_ms"]
    system, human = (message["content"] for message in model.requests[0]["messages"])
    assert REFUSALS["pt"] in system
    assert 'source="Política de férias"' in human
    assert human.endswith(f"Pergunta: {FERIAS}")


async def test_the_page_of_a_passage_is_in_prompt_and_citation(desk: Desk, model: FakeOllama) -> None:
    model.words = ["15 euros [1]."]
    answer = await ask(await desk.engine(model), "How much does it cost to replace a lost badge?")
    assert (answer.citations[0].source, answer.citations[0].page) == ("badge.pdf", 2)
    assert '<passage n="1" source="badge" page="2">' in model.requests[0]["messages"][-1]["content"]
    assert "Answer in English" in model.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["Bem, ", "“NAO ENCONTREI a resposta", " para isso nos documentos que tenho” [1]."], "refused"),
        (["São 22 dias [1]. ", REFUSALS["en"]], "refused"),
        (["[1]"], "refused"),
        (["São 22 dias."], "uncited"),
        (["São 22 dias [99]. `a[1]`"], "uncited"),
    ],
)
async def test_no_path_of_an_ungrounded_answer_carries_a_source(
    desk: Desk, model: FakeOllama, words: list[str], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    model.words = words
    place = somewhere()
    engine = await desk.engine(model)
    with captured_logs() as logs:
        events = await events_of(engine, FERIAS, place)
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert (answer.grounded, answer.refused, answer.reason) == (False, reason == "refused", reason)
    assert no_source_in(events)
    shape = json.dumps(answer_shape(answer), ensure_ascii=False)
    assert not any(source in shape for source in SOURCES)
    assert answer_shape(answer)["citations"] == answer_shape(answer)["read"] == []
    async with desk.database.pool.connection() as connection:
        rows = await (
            await connection.execute(
                "SELECT count(*) FROM readings r JOIN turns t ON t.id = r.turn_id WHERE t.channel = %s",
                (place.channel,),
            )
        ).fetchone()
    assert rows == (0,)
    told = f"{logs} {caplog.text}"
    assert not any(text in told for text in (*SOURCES, "22 dias", "férias", "hunter2"))


async def test_thinking_reaches_neither_the_answer_nor_the_history(desk: Desk, model: FakeOllama) -> None:
    model.thoughts = ["Hmm, segredo um."]
    model.words = [
        "Talvez segredo dois</th",
        "ink>",
        "São 22 dias [1].",
        "<think>segredo três [2]</think>",
        " Só isso.",
    ]
    place = somewhere()
    engine = await desk.engine(model)
    events = await events_of(engine, FERIAS, place)
    assert Retracted() in events
    assert streamed(events) == "São 22 dias [1]. Só isso."
    assert isinstance(events[-1], Final)
    assert events[-1].answer.text == "São 22 dias [1]. Só isso."
    model.thoughts, model.words = [], ["São 22 [1]."]
    await ask(engine, "E o pedido de férias?", place)
    assert "segredo" not in json.dumps(model.requests[1:], ensure_ascii=False)


@pytest.mark.parametrize(
    ("behaviour", "kind", "text"),
    [
        ("silent", ModelTimeout, ""),
        ("hangs", ModelTimeout, "São 22 dias [1]."),
        ("fails", ModelFailed, ""),
        ("cut", StreamCut, "São 22 dias [1]."),
        ("undone", StreamCut, "São 22 dias [1]."),
    ],
)
async def test_a_model_that_fails_is_an_error_after_its_tokens_and_no_turn(
    desk: Desk, model: FakeOllama, behaviour: Behaviour, kind: type[ModelError], text: str
) -> None:
    model.words = ["São 22 ", "dias [1]."]
    engine = await desk.engine(model, model_timeout=0.3)
    model.behaviour = behaviour
    place = somewhere()
    events: list[Event] = []
    with pytest.raises(kind):
        await gather_events(engine, place, events)
    assert streamed(events) == text
    assert no_source_in(events)
    model.behaviour = "normal"
    await ask(engine, FERIAS, place)
    assert len(model.requests[-1]["messages"]) == 2, "what failed is not remembered"


async def test_a_model_that_is_not_there_is_named(desk: Desk, model: FakeOllama) -> None:
    with pytest.raises(ModelMissing, match="ollama pull mistral"):
        await ask(await desk.engine(model, chat_model="ollama:mistral"), FERIAS)
    with pytest.raises(ModelUnreachable, match="ollama serve"):
        await ask(await desk.engine(model, ollama_url="http://127.0.0.1:9"), FERIAS)


async def test_closing_the_events_stops_the_model(desk: Desk, model: FakeOllama) -> None:
    model.behaviour = "hangs"
    async with aclosing((await desk.engine(model)).ask(FERIAS)) as events:
        async for event in events:
            if isinstance(event, Token):
                break
    async with asyncio.timeout(5):
        await model.left.wait()


async def test_instructions_in_a_document_stay_in_their_passage(desk: Desk, model: FakeOllama) -> None:
    model.words = ["A3 [1]."]
    answer = await ask(await desk.engine(model), "A impressora do terceiro andar imprime em qual formato?")
    assert answer.citations[0].source == "hostil.md"
    system, human = (message["content"] for message in model.requests[0]["messages"])
    assert "hunter2" not in system
    assert human.count("</passage>") == human.count("<passage ") == len(answer.read)
    assert "<|im_" not in human
    assert "{refusal}" in human
    assert human.index("hunter2") < human.index("</passage>"), "it is still inside the first passage"


async def test_a_document_of_one_channel_answers_there_alone(desk: Desk, model: FakeOllama) -> None:
    model.words = ["4 salários [1]."]
    engine = await desk.engine(model)
    question = "De quantos salários é o bônus anual da diretoria?"
    inside = await ask(engine, question, Place("default", SECRET_CHANNEL, "t1"))
    assert inside.citations[0].source == "bonus.md"
    for place in (somewhere(), None, Place("other", SECRET_CHANNEL)):
        outside = await ask(engine, question, place)
        assert "bonus.md" not in [passage.source for passage in outside.read]
    assert all("4 salários" not in str(request) for request in model.requests[1:])


async def test_without_a_place_no_question_follows_another(desk: Desk, model: FakeOllama) -> None:
    model.words = ["São 22 [1]."]
    engine = await desk.engine(model)
    await ask(engine, FERIAS)
    await ask(engine, FERIAS)
    assert [len(request["messages"]) for request in model.requests] == [2, 2]


async def test_the_operators_cut_opens_and_shuts_the_gate(desk: Desk, model: FakeOllama) -> None:
    model.words = ["Não sei."]
    await ask(await desk.engine(model, cut=-1.0), UNKNOWN)
    assert len(model.requests) == 1
    answer = await ask(await desk.engine(model, cut=0.99), "E-mail?")
    assert (answer.reason, len(model.requests)) == ("nothing_near", 1)


async def test_a_real_language_model_answers_from_the_documents(desk: Desk, gguf_file: Path) -> None:
    settings = desk.settings.model_copy(
        update={"chat_model": f"gguf:{gguf_file}", "passages": 1, "answer_tokens": 40, "model_timeout": 60.0}
    )
    engine = Engine(
        settings,
        desk.database,
        desk.embedder,
        await open_chat_model(settings, desk.embedder),
        await open_reranker(settings, desk.embedder),
    )
    events = await events_of(engine, FERIAS, somewhere())
    tokens = [event for event in events if isinstance(event, Token)]
    assert len(tokens) > 3, "it streams"
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert "22" in answer.text
    assert answer.grounded == bool(answer.citations)
    assert {citation.source for citation in answer.citations} <= {"ferias.md"}


async def test_a_model_that_never_ends_is_stopped(desk: Desk, model: FakeOllama) -> None:
    engine = await desk.engine(model, answer_tokens=16)
    model.answers = [["São 22 dias [1]. "] * 10_000]
    events: list[Event] = []
    with pytest.raises(StreamCut, match="did not come to an end"):
        await gather_events(engine, somewhere(), events)
    assert 5 < len([event for event in events if isinstance(event, Token)]) < 200
    assert no_source_in(events)


async def test_a_joined_follow_up_may_bring_its_own_topic(desk: Desk) -> None:
    engine = await desk.engine()
    place = somewhere()
    assert "22 dias" in (await ask(engine, FERIAS, place)).text
    assert "fechada" in (await ask(engine, "E a biblioteca aos domingos?", place)).text


async def test_a_database_that_may_only_be_read_is_said_in_words(desk: Desk) -> None:
    assert desk.settings.database_url
    address = f"{desk.settings.database_url.get_secret_value()} options='-c default_transaction_read_only=on'"
    settings = desk.settings.model_copy(update={"database_url": SecretStr(address), "chat_model": "extractive"})
    async with open_database(settings, migrate=False) as database:
        engine = Engine(
            settings,
            database,
            desk.embedder,
            await open_chat_model(settings, desk.embedder),
            await open_reranker(settings, desk.embedder),
        )
        with pytest.raises(DatabaseError, match=r"does not let kbot work: .*read-only"):
            await ask(engine, FERIAS, somewhere())


@pytest.mark.parametrize("fusion", ["sum", "rrf"])
async def test_an_answer_is_found_by_each_fusion(desk: Desk, fusion: str) -> None:
    answer = await ask(await desk.engine(fusion=fusion), FERIAS)
    assert answer.grounded
    assert "22 dias" in answer.text
