"""The library: what there is, what is forgotten, and what people asked in vain."""

from dataclasses import replace

import pytest
from knowledge import EVERYBODY, FERIAS, LEAVE, add, miscounted, rows

from kbot.chat import Answer, Place
from kbot.database import Database
from kbot.engine import Asked, Engine, Final
from kbot.history import last_read, remember
from kbot.ingestion.load import Page
from kbot.library import forget, gaps, indexed_workspaces, sources
from kbot.models import Embedder, open_chat_model, open_reranker
from kbot.retrieval.search import search
from kbot.settings import Settings

HR = Place("default", "slack:hr", private=True)
DM = Place("default", "discord:D1", private=True)
OTHER = Place("team-b", "slack:general")
SECRET = "The salary of the director Zoraide Quintanilha is 98765 dollars in every month of the year."


@pytest.fixture
async def engine(database: Database, embedder: Embedder, settings: Settings) -> Engine:
    """An engine that answers by quoting."""
    quoting = settings.model_copy(update={"chat_model": "extractive"})
    return Engine(
        quoting, database, embedder, await open_chat_model(quoting, embedder), await open_reranker(quoting, embedder)
    )


async def ask(engine: Engine, question: str, place: Place = EVERYBODY, author: str = "U1") -> Answer:
    events = [event async for event in engine.ask(question, place, asked=Asked(author=author), with_history=False)]
    last = events[-1]
    assert isinstance(last, Final)
    return last.answer


async def unanswered(engine: Engine, question: str, place: Place = EVERYBODY, author: str = "U1") -> None:
    assert not (await ask(engine, question, place, author)).grounded


async def listed(engine: Engine, place: Place = EVERYBODY) -> dict[str, tuple[int, int]]:
    return {gap.question: (gap.times, gap.people) for gap in await gaps(engine.database, place)}


async def test_sources_tell_what_a_document_is(database: Database, embedder: Embedder) -> None:
    assert await sources(database, EVERYBODY) == []
    await add(database, embedder, "leave.md", LEAVE, title="Leave policy")
    await add(database, embedder, "Ferias.pdf", [Page(1, FERIAS), Page(2, "Fim do documento de férias.")])
    first, second = await sources(database, EVERYBODY)
    assert (first.source, first.pages, first.language, first.scope) == ("Ferias.pdf", 2, "pt", "")
    assert (second.source, second.title, second.pages, second.chunks) == ("leave.md", "Leave policy", None, 2)
    assert second.added_at == second.updated_at
    await add(database, embedder, "leave.md", LEAVE + "\n\nMore of it than before.")
    again = (await sources(database, EVERYBODY))[1]
    assert again.added_at == second.added_at
    assert again.updated_at > second.updated_at


async def test_sources_show_a_place_what_it_may_see(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "all.md", LEAVE)
    await add(database, embedder, "hr.md", SECRET, scope=HR.channel)
    await add(database, embedder, "dm.md", f"{SECRET} Or not.", scope=DM.channel)
    await add(database, embedder, "b.md", LEAVE, workspace="team-b")
    seen = {
        EVERYBODY: ["all.md"],
        Place("default", ""): ["all.md"],
        Place("default", "slack:D1"): ["all.md"],
        HR: ["all.md", "hr.md"],
        DM: ["all.md", "dm.md"],
        OTHER: ["b.md"],
        Place("team-c", HR.channel): list[str](),
    }
    for place, names in seen.items():
        assert [source.source for source in await sources(database, place)] == names
    every = await sources(database, EVERYBODY, everything=True)
    assert [(source.source, source.scope) for source in every] == [
        ("all.md", ""), ("dm.md", DM.channel), ("hr.md", HR.channel),
    ]  # fmt: skip
    assert await indexed_workspaces(database) == ["default", "team-b"]


async def test_forgetting_takes_all_that_was_read_of_it(engine: Engine) -> None:
    database, embedder = engine.database, engine.embedder
    await add(database, embedder, "leave.md", LEAVE)
    await add(database, embedder, "ferias.md", FERIAS)
    question = "How many days of paid leave does an employee have?"
    answer = await ask(engine, question)
    assert answer.grounded
    assert {citation.source for citation in answer.citations} == {"leave.md"}
    assert {passage.source for passage in await last_read(database, EVERYBODY)} >= {"leave.md"}
    assert await forget(database, EVERYBODY, "leave.md") == 1
    assert "leave.md" not in {passage.source for passage in await last_read(database, EVERYBODY)}
    left = await rows(database, "SELECT count(*) FROM readings WHERE passage::text LIKE '%%25 days%%'")
    assert left == [(0,)]
    assert [source.source for source in await sources(database, EVERYBODY)] == ["ferias.md"]
    assert {passage.source for passage in await search(database, embedder, question, EVERYBODY)} == {"ferias.md"}
    again = await ask(engine, question)
    assert "25 days" not in again.text
    assert all(citation.source != "leave.md" for citation in again.citations)
    assert await miscounted(database) == []


async def test_forgetting_stays_in_its_place(database: Database, embedder: Embedder) -> None:
    for scope, workspace in (("", "default"), (HR.channel, "default"), (DM.channel, "default"), ("", "team-b")):
        await add(database, embedder, "a.md", LEAVE, scope=scope, workspace=workspace)
    assert await forget(database, EVERYBODY, "b.md") == 0
    assert await forget(database, EVERYBODY, "A.md") == 0
    assert await forget(database, Place("nobody", ""), "a.md") == 0
    assert await forget(database, HR, "a.md") == 1
    assert [source.scope for source in await sources(database, HR)] == [""], "what all share outlives a namesake"
    await add(database, embedder, "a.md", LEAVE, scope=HR.channel)
    assert await forget(database, EVERYBODY, "a.md") == 1
    left = await sources(database, EVERYBODY, everything=True)
    assert sorted(source.scope for source in left) == sorted([HR.channel, DM.channel])
    assert await forget(database, HR, "a.md") == 1
    assert [source.scope for source in await sources(database, EVERYBODY, everything=True)] == [DM.channel]
    assert len(await sources(database, OTHER)) == 1
    assert await miscounted(database) == []


async def test_a_document_forgotten_while_it_is_read_is_not_remembered(engine: Engine) -> None:
    database = engine.database
    await add(database, engine.embedder, "leave.md", LEAVE)
    answer = await ask(engine, "How many days of paid leave does an employee have?")
    assert answer.read
    await forget(database, EVERYBODY, "leave.md")
    await remember(database, EVERYBODY, answer, standalone=answer.question, message_id="m2", author="U1")
    assert await last_read(database, EVERYBODY) == []


async def test_gaps_are_grouped_and_the_most_asked_come_first(engine: Engine) -> None:
    await unanswered(engine, "Who won the chess championship of 1972?", author="U1")
    await unanswered(engine, "Qual é a receita do bolo de cenoura?", author="U1")
    await unanswered(engine, "qual e a receita do bolo de cenoura", author="U2")
    await unanswered(engine, "Qual é a RECEITA do bolo de cenoura?!", author="U2")
    found = await gaps(engine.database, EVERYBODY)
    assert [(gap.question, gap.times, gap.people) for gap in found] == [
        ("Qual é a RECEITA do bolo de cenoura?!", 3, 2),
        ("Who won the chess championship of 1972?", 1, 1),
    ]
    await unanswered(engine, "What is the capital of Mongolia?", author="U3")
    assert [gap.question for gap in await gaps(engine.database, EVERYBODY)][1] == "What is the capital of Mongolia?"
    assert len(await gaps(engine.database, EVERYBODY, limit=2)) == 2


async def test_a_follow_up_is_a_gap_with_what_it_leans_on(engine: Engine) -> None:
    async def asked(question: str, standalone: str, place: Place = EVERYBODY) -> None:
        turn = Answer(question, "…", grounded=False, refused=True, reason="nothing_near")
        await remember(engine.database, place, turn, standalone=standalone, message_id=None, author="U1")

    joined = "Quantos dias de folga há no Porto? E em Lisboa?"
    await asked("E em Lisboa?", joined)
    await asked("E aos domingos?", "")
    await asked("Who won the chess championship of 1972?", "Who won the chess championship of 1972?")
    shown = {joined: (1, 1), "E aos domingos?": (1, 1), "Who won the chess championship of 1972?": (1, 1)}
    assert await listed(engine) == shown
    # What went before it in private is not shown elsewhere by way of a follow-up.
    secret = "Why was the director fired?"
    here = replace(EVERYBODY, channel="slack:secret")
    await asked(secret, secret, replace(here, private=True))
    await asked("And who comes next?", f"{secret} And who comes next?", here)
    assert await listed(engine) == shown | {"And who comes next?": (1, 1)}
    assert f"{secret} And who comes next?" in await listed(engine, here)


async def test_gaps_of_private_places_stay_there(engine: Engine) -> None:
    await unanswered(engine, "Who won the chess championship of 1972?", EVERYBODY)
    await unanswered(engine, "Why was the director fired?", HR)
    await unanswered(engine, "Am I going to be promoted?", DM)
    await unanswered(engine, "What is the capital of Mongolia?", OTHER)
    shared = {"Who won the chess championship of 1972?": (1, 1)}
    assert await listed(engine) == shared
    assert await listed(engine, Place("default", "")) == shared
    assert await listed(engine, Place("default", "slack:random")) == shared
    assert await listed(engine, HR) == shared | {"Why was the director fired?": (1, 1)}
    assert await listed(engine, DM) == shared | {"Am I going to be promoted?": (1, 1)}
    assert await listed(engine, OTHER) == {"What is the capital of Mongolia?": (1, 1)}


async def test_a_gap_that_is_answered_later_is_none(engine: Engine) -> None:
    question = "How many days of paid leave does an employee have?"
    await unanswered(engine, question)
    await unanswered(engine, question.upper())
    assert list((await listed(engine)).values()) == [(2, 1)]
    await add(engine.database, engine.embedder, "leave.md", LEAVE)
    assert (await ask(engine, question)).grounded
    assert await listed(engine) == {}
    await forget(engine.database, EVERYBODY, "leave.md")
    await unanswered(engine, question)
    assert await listed(engine) == {question: (1, 1)}


async def test_an_answer_in_a_private_place_closes_no_gap_elsewhere(engine: Engine) -> None:
    question = "How much is the salary of the director Zoraide Quintanilha in a month?"
    await unanswered(engine, question)
    await unanswered(engine, question, HR)
    await add(engine.database, engine.embedder, "secret.md", SECRET, scope=HR.channel)
    answer = await ask(engine, question, HR)
    assert answer.grounded
    assert "98765" in answer.text
    assert await listed(engine) == {question: (1, 1)}, "others still do not know"
    assert await listed(engine, HR) == {question: (1, 1)}


async def test_an_answer_from_a_document_of_one_channel_closes_no_gap_elsewhere(engine: Engine) -> None:
    question = "How much is the salary of the director Zoraide Quintanilha in a month?"
    await unanswered(engine, question)
    await add(engine.database, engine.embedder, "secret.md", SECRET, scope=HR.channel)
    assert (await ask(engine, question, replace(HR, private=False))).grounded
    await forget(engine.database, HR, "secret.md")
    assert await listed(engine) == {question: (1, 1)}


async def test_small_talk_is_no_gap(engine: Engine) -> None:
    for text in ("hello", "Muito obrigado!"):
        await unanswered(engine, text)
    assert await listed(engine) == {}


async def test_an_answer_from_a_private_document_is_read_in_its_place_alone(engine: Engine) -> None:
    question = "How much is the salary of the director Zoraide Quintanilha in a month?"
    await add(engine.database, engine.embedder, "leave.md", LEAVE)
    await add(engine.database, engine.embedder, "secret.md", SECRET, scope=HR.channel)
    for place in (EVERYBODY, DM, OTHER, Place("default", "discord:hr")):
        answer = await ask(engine, question, place)
        shown = f"{answer.text}{answer.citations}{answer.read}"
        assert "98765" not in shown
        assert "secret.md" not in shown
    assert "98765" in (await ask(engine, question, HR)).text
    for place in (EVERYBODY, DM, OTHER, Place("default", "")):
        assert all(passage.source != "secret.md" for passage in await last_read(engine.database, place))
    assert any(passage.source == "secret.md" for passage in await last_read(engine.database, HR))
    thread = replace(HR, thread="17.3")
    assert "98765" in (await ask(engine, question, thread)).text


async def test_readings_of_a_private_document_are_not_shown_where_it_cannot_be_seen(engine: Engine) -> None:
    await add(engine.database, engine.embedder, "secret.md", SECRET, scope=HR.channel)
    (passage,) = await engine.search("salary", HR)
    leaked = Answer("salary", "It is 98765 [1].", True, False, read=(passage,))
    await remember(engine.database, EVERYBODY, leaked, standalone="salary", message_id="m", author="U1")
    assert await last_read(engine.database, EVERYBODY) == []
