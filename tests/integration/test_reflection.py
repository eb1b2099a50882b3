"""What the engine asks itself: drafts are checked, withdrawn, written again, cut or refused, within bounded calls."""

import json
import math
import uuid
from pathlib import Path
from typing import Literal

import pytest

from answering import DOCUMENTS, FERIAS, Desk, ask, events_of, somewhere, steps, streamed
from fakes.ollama import FakeOllama
from kbot.chat import Decision, Place
from kbot.engine import Checking, Final, Retracted, Searching
from kbot.grounding import worth_reading
from kbot.history import decided_for, last_turns
from kbot.ingestion.jobs import Shelf, Upload, ingest
from kbot.prompts import COURTESIES, CUT_NOTES, REFUSALS
from kbot.shapes import answer_shape
from kbot.small_talk import SmallTalk

RIGHT = "Cada pessoa tem 22 dias úteis de férias por ano [1]."
WRONG = "Cada pessoa tem 40 dias úteis de férias por ano [1]."

BOTH = "Quando abre a biblioteca, e quando abre a company gym aos domingos, on Sundays?"
VOTES_NO = ["\n".join(f"{n}: no" for n in range(1, 9))]
VOTES_FIRST = ["\n".join(["1: yes", *(f"{n}: no" for n in range(2, 9))])]


async def test_a_draft_that_does_not_hold_is_withdrawn_and_written_again(desk: Desk, model: FakeOllama) -> None:
    model.answers = [[WRONG], ["São 22 dias úteis", " por ano [1]."]]
    events = await events_of(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    kinds = [type(event) for event in events]
    assert kinds[kinds.index(Retracted) + 1] is Checking, "the reader sees why the text is gone"
    assert streamed(events) == "São 22 dias úteis por ano [1]."
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert (answer.text, answer.grounded, answer.model_calls) == ("São 22 dias úteis por ano [1].", True, 2)
    assert steps(answer) == ["gate near", "claims unsupported", "draft written again", "claims supported"]
    first, second = (request["messages"][-1]["content"] for request in model.requests)
    assert "40 dias" not in first
    assert "“Cada pessoa tem 40 dias úteis de férias por ano.”" in second, "the model is told what does not hold"


async def test_a_second_draft_that_does_not_hold_either_is_a_refusal(desk: Desk, model: FakeOllama) -> None:
    model.words = [WRONG]
    place = somewhere()
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, place)
    assert (answer.text, answer.refused, answer.reason) == (REFUSALS["pt"], True, "unsupported")
    assert (answer.read, answer.citations, answer.model_calls) == ((), (), 2)
    assert steps(answer)[-2:] == ["claims unsupported", "draft refused"]
    assert (await last_turns(desk.database, place, 6))[0].answer == REFUSALS["pt"]
    shape = answer_shape(answer)
    assert shape["decisions"][-1] == {"step": "draft", "outcome": "refused", "detail": "1/1"}
    assert "40 dias" not in json.dumps(shape), "what did not hold is nowhere"


@pytest.mark.parametrize(
    ("draft", "text"),
    [
        (f"{RIGHT} O bônus de férias é de 900 euros [1].", RIGHT),
        (f"- {RIGHT}\n- São 900 euros de bônus [1].\n- Pedido com 30 dias de antecedência no portal [1].", None),
    ],
)
async def test_what_is_supported_stays_and_says_that_something_was_left_out(
    desk: Desk, model: FakeOllama, draft: str, text: str | None
) -> None:
    model.words = [draft]
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    assert answer.grounded
    assert answer.text.endswith(CUT_NOTES["pt"])
    assert "900" not in answer.text
    assert "22 dias" in answer.text
    assert "\n- \n" not in answer.text
    assert text is None or answer.text == f"{text}\n\n{CUT_NOTES['pt']}"
    assert steps(answer)[-1] == "draft cut"


async def test_a_claim_without_a_citation_gets_that_of_the_passage_that_says_it(desk: Desk, model: FakeOllama) -> None:
    model.words = ["Cada pessoa tem 22 dias úteis de férias por ano."]
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    assert (answer.grounded, answer.model_calls) == (True, 1)
    assert answer.text == "Cada pessoa tem 22 dias úteis de férias por ano [1]."
    assert answer.citations[0].source == "ferias.md"


async def test_a_wrong_citation_is_put_right(desk: Desk, model: FakeOllama) -> None:
    engine = await desk.engine(model, reflection="check", candidates=40)
    passages = worth_reading(await engine.search(BOTH))
    sources = [passage.source for passage in passages]
    assert {"biblioteca.md", "gym.md"} <= set(sources), "both are read"
    wrong, right = sources.index("gym.md") + 1, sources.index("biblioteca.md") + 1
    model.words = [f"De segunda a sexta a biblioteca abre às 8h e fecha às 20h [{wrong}]."]
    answer = await ask(engine, BOTH, somewhere())
    assert answer.text == "De segunda a sexta a biblioteca abre às 8h e fecha às 20h [1]."
    assert [citation.source for citation in answer.citations] == ["biblioteca.md"], right
    assert "claims attributed" in steps(answer)


async def test_a_sentence_in_passing_costs_no_second_draft(desk: Desk, model: FakeOllama) -> None:
    model.words = [f"{RIGHT} Boa sorte com o planejamento da viagem ao Caribe."]
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, somewhere())
    assert (answer.text, answer.model_calls) == (f"{RIGHT}\n\n{CUT_NOTES['pt']}", 1)


async def test_off_checks_nothing(desk: Desk, model: FakeOllama) -> None:
    model.words = [WRONG]
    answer = await ask(await desk.engine(model, reflection="off"), FERIAS, somewhere())
    assert (answer.text, answer.model_calls, steps(answer)) == (WRONG, 1, ["gate near"])


async def test_a_model_that_writes_is_checked_unless_told_otherwise_and_one_that_quotes_is_not(
    desk: Desk, model: FakeOllama
) -> None:
    model.words = [RIGHT]
    assert "claims supported" in steps(await ask(await desk.engine(model, reflection=None), FERIAS))
    assert "claims supported" not in steps(await ask(await desk.engine(reflection=None), FERIAS))
    assert "claims supported" in steps(await ask(await desk.engine(reflection="check"), FERIAS))


async def test_thanks_are_not_looked_up(desk: Desk, model: FakeOllama) -> None:
    model.words = ["No"]
    place = somewhere()
    engine = await desk.engine(model, reflection="full")
    events = await events_of(engine, "Deu tudo certo por aqui e a reunião acabou cedo", place)
    assert [type(event) for event in events] == [Final]
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert (answer.text, answer.reason, answer.model_calls) == (COURTESIES[""]["pt"], "no_question", 1)
    assert (answer.grounded, answer.refused, answer.read) == (False, False, ())
    assert await last_turns(desk.database, place, 6) == [], "it is no gap of the documents"


@pytest.mark.parametrize(
    ("said", "kind", "language"),
    [("obrigado!", "thanks", "pt"), ("Thank you very much", "thanks", "en"), ("Oi, bom dia", "", "pt")],
)
async def test_small_talk_is_told_without_a_model_in_every_mode(
    desk: Desk, model: FakeOllama, said: str, kind: SmallTalk, language: Literal["pt", "en"]
) -> None:
    for mode in ("off", "check", "full"):
        answer = await ask(await desk.engine(model, reflection=mode), said, somewhere())
        assert (answer.text, answer.reason, answer.refused) == (COURTESIES[kind][language], "no_question", False)
    assert model.requests == []


async def test_full_searches_again_in_other_words(desk: Desk, model: FakeOllama) -> None:
    model.answers = [
        VOTES_NO,
        ["Qual é o período de férias anual de cada pessoa?"],
        VOTES_FIRST,
        ["Yes"],  # the search is less sure of these words
        [RIGHT],
        ["Yes"],
    ]
    events = await events_of(await desk.engine(model, reflection="full"), FERIAS, somewhere())
    searches = [event.question for event in events if isinstance(event, Searching)]
    assert searches == [FERIAS, "Qual é o período de férias anual de cada pessoa?"]
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert (answer.text, answer.grounded, len(answer.read), answer.model_calls) == (RIGHT, True, 1, 6)
    assert steps(answer) == [
        "gate near",
        "passages none relevant",
        "search again",
        "gate near",
        "passages relevant",
        "passages answer",
        "answer to the point",
        "claims supported",
    ]


@pytest.mark.parametrize(("yes", "step"), [(0.2, "passages relevant"), (0.02, "passages none relevant")])
async def test_only_a_sure_no_leaves_a_passage_out(desk: Desk, model: FakeOllama, yes: float, step: str) -> None:
    shares = [{"token": "yes", "logprob": math.log(yes)}, {"token": "no", "logprob": math.log(1 - yes)}]
    pieces = [piece for n in range(1, 9) for piece in (f"{n}:", " no", "\n")]
    model.odds = [[{"token": piece, "logprob": 0.0, "top_logprobs": shares}] for piece in pieces]
    model.answers = [pieces, [RIGHT], ["Yes"]]
    answer = await ask(await desk.engine(model, reflection="full", reflection_attempts=0), FERIAS, somewhere())
    assert step in steps(answer)
    assert answer.grounded is (yes > 0.1)


async def test_a_draft_beside_the_point_is_followed_by_another_search(desk: Desk, model: FakeOllama) -> None:
    beside = "O pedido de férias é feito no portal com 30 dias de antecedência [1]."
    model.answers = [
        VOTES_FIRST,
        [beside],
        ["No"],
        ["Quantos dias de descanso anual há?"],
        VOTES_FIRST,
        ["Yes"],
        [RIGHT],
        ["Yes"],
    ]
    answer = await ask(await desk.engine(model, reflection="full", reflection_attempts=3), FERIAS, somewhere())
    assert (answer.text, answer.grounded) == (RIGHT, True)
    assert "answer beside the point" in steps(answer)


async def test_a_further_search_keeps_a_call_for_its_draft(desk: Desk, model: FakeOllama) -> None:
    model.answers = [VOTES_FIRST, [REFUSALS["pt"]], ["Quantos dias de descanso anual há?"], VOTES_FIRST, [RIGHT]]
    answer = await ask(await desk.engine(model, reflection="full", reflection_attempts=1), FERIAS, somewhere())
    assert (answer.text, answer.grounded, answer.model_calls) == (RIGHT, True, 5)
    assert "passages answer" not in steps(answer), "the last call is the draft's"


@pytest.mark.parametrize("attempts", [0, 1, 2])
@pytest.mark.parametrize("mode", ["off", "check", "full"])
@pytest.mark.parametrize(
    "script",
    [
        ["1: no\n2: no", "Quantas férias?", "Quantos dias livres?", "Quanto descanso?"],
        ["1: yes", WRONG, WRONG, "Quantos dias?"],
        ["No"],
        ["Yes"],
        ["[1]", WRONG],
        ["no idea [1]"],
        [RIGHT],
    ],
)
async def test_calls_are_bounded_whatever_the_model_says(
    desk: Desk, model: FakeOllama, mode: str, attempts: int, script: list[str]
) -> None:
    model.answers = [[script[n % len(script)] + " " * (n // len(script))] for n in range(40)]
    engine = await desk.engine(model, reflection=mode, reflection_attempts=attempts)
    answer = await ask(engine, FERIAS, somewhere())
    most = {"off": 0, "check": 1, "full": 2 + 2 * attempts}[mode]
    assert answer.model_calls == len(model.requests) <= 1 + most
    assert answer.grounded or not answer.read


async def test_a_grader_that_answers_nonsense_changes_nothing(desk: Desk, model: FakeOllama) -> None:
    model.answers = [["Claro!"], [RIGHT], ["Talvez."]]
    answer = await ask(await desk.engine(model, reflection="full"), FERIAS, somewhere())
    assert (answer.text, answer.grounded) == (RIGHT, True)


async def test_decisions_are_kept_with_the_turn(desk: Desk, model: FakeOllama) -> None:
    model.words = [RIGHT]
    place = somewhere()
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, place)
    kept = await decided_for(desk.database, place, answer.id)
    assert tuple(kept) == answer.decisions
    assert Decision("claims", "supported", "1/1") in kept
    assert await decided_for(desk.database, somewhere(), answer.id) == [], "another channel does not see them"


async def test_the_answer_tells_where_its_sources_contradict_each_other(
    desk: Desk, model: FakeOllama, tmp_path: Path
) -> None:
    here = Place(f"two-{uuid.uuid4().hex}", "memory:rh")
    other = "# Perguntas ao RH\n\nCada pessoa tem 30 dias úteis de férias por ano.\n"
    for name, text in (("ferias.md", DOCUMENTS["ferias.md"]), ("perguntas.md", other)):
        (tmp_path / name).write_text(str(text), encoding="utf-8")
    items = [Upload(name, tmp_path / name) for name in ("ferias.md", "perguntas.md")]
    async for receipt in ingest(desk.database, desk.embedder, desk.settings, items, Shelf(here.workspace)):
        assert receipt.status == "added"
    passages = await (await desk.engine(model)).search(FERIAS, here)
    cited = [passage.source for passage in passages].index("ferias.md") + 1
    model.words = [f"Cada pessoa tem 22 dias úteis de férias por ano [{cited}]."]
    answer = await ask(await desk.engine(model, reflection="check"), FERIAS, here)
    first, second = answer.text.split("\n\n")
    assert first == "Cada pessoa tem 22 dias úteis de férias por ano [1]."
    assert "discordam" in second
    assert "22 dias" in second
    assert "30 dias" in second
    assert [citation.source for citation in answer.citations] == ["ferias.md", "perguntas.md"]
    assert all(passage.cited for passage in answer.read)
    assert steps(answer)[-1] == "sources disagree"
