"""Follow-ups over a house of small documents that say like things of different places: what each leans on, and that a
new topic leans on nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from answering import Desk
from fakes.ollama import FakeOllama
from kbot.chat import Place
from kbot.confidence import roots
from kbot.engine import Engine
from kbot.evaluation.corpus import check_labels, read_corpus, shelve
from kbot.evaluation.judge import words_judge
from kbot.evaluation.labelled import LabelledQuestion, read_questions
from kbot.evaluation.trial import put
from kbot.followups import Understood, understood
from kbot.history import Turn
from kbot.language import detect_language
from kbot.retrieval.search import search

CONVERSATIONS = Path(__file__).parents[1] / "conversations"
HOUSE = read_questions(CONVERSATIONS / "house.questions.jsonl").questions
DEMO = read_questions(CONVERSATIONS / "demo.questions.jsonl").questions
ELLIPTIC = {
    "documents": read_questions(CONVERSATIONS / "house-elliptic.questions.jsonl").questions,
    "offices": read_questions(CONVERSATIONS / "offices.questions.jsonl").questions,
}


@dataclass(frozen=True, slots=True)
class House:
    """The documents of the house in a workspace of their own."""

    desk: Desk
    workspace: str

    async def understand(self, question: str, turns: Sequence[Turn], model: FakeOllama | None = None) -> Understood:
        engine = await self.desk.engine(model)
        return await understood(
            engine.chat,
            question,
            turns,
            language=detect_language(question),
            timeout=5,
            search=partial(search, engine.database, engine.embedder, place=Place(self.workspace, ""), k=40),
        )

    async def talk(self, *questions: str) -> list[Understood]:
        """What becomes of questions, each asked after all before it."""
        turns: list[Turn] = []
        found: list[Understood] = []
        for question in questions:
            found.append(await self.understand(question, turns[-6:]))
            turns.append(Turn(question, "", found[-1].question))
        return found


@pytest.fixture(scope="module")
async def house(desk: Desk) -> House:
    return House(desk, await shelve(await desk.engine(), read_corpus(CONVERSATIONS / "documents"), lambda _: None))


def turns_of(*questions: str) -> list[Turn]:
    return [Turn(question, "") for question in questions]


def test_the_conversations_are_of_both_languages_and_lean_on_each_of_six_turns() -> None:
    for language in ("pt", "en"):
        kinds = {each.kind for each in HOUSE if each.kind.startswith(language)}
        assert kinds == {*(f"{language} {back} back" for back in range(1, 7)), f"{language} new topic"}
    assert len(HOUSE) + len(DEMO) >= 60
    assert any(not each.answerable for each in HOUSE)


async def test_follow_ups_find_their_document_and_new_topics_are_left_alone(house: House) -> None:
    engine = await house.desk.engine()
    await check_labels(engine, house.workspace, HOUSE)
    asked = [each for each in HOUSE if each.answerable]
    first = {each: await _first(engine, house.workspace, each) for each in asked}
    missed = [each for each in asked if not first[each]]
    assert len(missed) <= len(asked) // 10, [(each.kind, each.text) for each in missed]
    for each in HOUSE:
        if "new topic" in each.kind:
            found = await house.understand(each.text, turns_of(*(question for question, _ in each.history)))
            assert (found.question, found.turns) == (each.text, ()), each


@pytest.mark.parametrize("documents", ["documents", "offices"])
async def test_a_follow_up_without_a_verb_is_answered_for_itself_or_refused(desk: Desk, documents: str) -> None:
    engine = await desk.engine()
    workspace = await shelve(engine, read_corpus(CONVERSATIONS / documents), lambda _: None)
    await check_labels(engine, workspace, ELLIPTIC[documents])
    judge = words_judge(engine.embedder)
    outcomes = [await put(engine, workspace, each, judge, "everything") for each in ELLIPTIC[documents]]
    told = [each for each in outcomes if each.answerable]
    untold = [each for each in outcomes if not each.answerable]
    right = [each for each in told if each.found["contains"]]
    refused = [each for each in untold if each.found["refused"]]
    assert len(right) >= 0.6 * len(told), [(each.text, each.answer) for each in told if each not in right]
    assert len(refused) >= 0.8 * len(untold), [(each.text, each.answer) for each in untold if each not in refused]


@pytest.fixture(scope="module")
async def offices(desk: Desk) -> House:
    return House(desk, await shelve(await desk.engine(), read_corpus(CONVERSATIONS / "offices"), lambda _: None))


PARKING = "Quanto custa o estacionamento em Braga?"


async def test_a_follow_up_takes_the_place_of_what_it_stands_for(offices: House) -> None:
    found = await offices.talk(PARKING, "e em Lisboa?", "E no Porto?")
    assert [each.question for each in found[1:]] == [
        "Quanto custa o estacionamento em Lisboa?",
        "Quanto custa o estacionamento no Porto?",
    ]
    assert [each.decision.detail for each in found[1:]] == ["1/1", "1/2"]


async def test_nothing_is_read_for_a_place_that_no_document_names(offices: House, model: FakeOllama) -> None:
    found = await offices.understand("E em Coimbra?", turns_of(PARKING))
    assert (found.question, found.passages) == ("Quanto custa o estacionamento em Coimbra?", ())
    model.answers = [["Quanto custa o estacionamento em Coimbra?"]]
    read = await offices.understand("E em Coimbra?", turns_of(PARKING), model)
    assert read.passages, "a model that reads may see by itself that nothing is told"


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("Quanto o vale-refeição paga por dia?", "Who is responsible for printers?"),
        ("Que horas abre a academia?", "A piscina da academia é coberta?"),
        ("Who is responsible for payroll?", "Who is responsible for the network?"),
        ("Quanto custa o estacionamento em Braga?", "Quanto custa o estacionamento em Lisboa?"),
    ],
)
async def test_a_whole_question_that_finds_its_passage_stands_alone(offices: House, before: str, question: str) -> None:
    found = await offices.understand(question, turns_of(before))
    assert (found.question, found.turns) == (question, ())


async def _first(engine: Engine, workspace: str, question: LabelledQuestion) -> bool:
    outcome = await put(engine, workspace, question, words_judge(engine.embedder), "retrieval")
    return bool(outcome.found["hit@1"])


async def test_the_turns_from_the_one_it_leans_on_belong_to_a_follow_up(house: House) -> None:
    turns = turns_of("Quantos dias de férias eu tenho?", "Que horas a biblioteca abre?", "Como peço acesso à VPN?")
    found = await house.understand("E no sábado ela abre?", turns)
    assert found.question == "No sábado ela abre? (horas, biblioteca)"
    assert found.turns == tuple(turns[1:])
    assert found.passages[0].source == "biblioteca.md"
    assert (found.calls, found.decision.outcome, found.decision.detail) == (0, "joined", "2/3")


@pytest.mark.parametrize(
    ("asked", "answer", "question", "follows"),
    [
        (
            "Onde faço meu crachá?",
            "O crachá é feito na recepção, com foto, e fica pronto na hora.",
            "e depois?",
            "A segunda via",
        ),
        (
            "What happens if my laptop breaks?",
            "A broken one is exchanged by the help desk within two working days.",
            "what next?",
            "If it is stolen",
        ),
    ],
)
async def test_what_follows_stands_after_what_was_answered(
    house: House, model: FakeOllama, asked: str, answer: str, question: str, follows: str
) -> None:
    turn = Turn(asked, f"{answer} [1]")
    found = await house.understand(question, [turn])
    assert found.question == f"{asked} {question.capitalize()}"
    assert found.passages[0].text.startswith(follows)
    assert not any(answer in each.text for each in found.passages)
    read = await house.understand(question, [turn], model)
    assert answer in read.passages[0].text, "a model that writes sees from the turns what was told"
    again = await house.understand(question, [Turn(question, f"{answer} [1]", found.question)])
    assert again.question == found.question


@pytest.mark.parametrize(
    ("before", "question", "understood"),
    [
        (PARKING, "Obrigado, e a que horas abre a academia?", "A que horas abre a academia?"),
        (
            "Who is responsible for payroll?",
            "Thanks! And how often is the database backed up?",
            "How often is the database backed up?",
        ),
    ],
)
async def test_a_question_of_its_own_after_a_courtesy_leans_on_nothing(
    offices: House, before: str, question: str, understood: str
) -> None:
    found = await offices.understand(question, turns_of(before))
    assert (found.question, found.turns) == (understood, ())


@pytest.mark.parametrize("question", ["Obrigada! E em Lisboa?", "ok, e em Lisboa? Obrigado!"])
async def test_a_courtesy_is_no_part_of_a_follow_up(offices: House, question: str) -> None:
    found = await offices.understand(question, turns_of(PARKING))
    assert found.question == "Quanto custa o estacionamento em Lisboa?"


async def test_what_fits_two_turns_is_meant_of_the_later_one(house: House) -> None:
    library, canteen = "Que horas a biblioteca abre?", "Quando é servido o almoço no refeitório?"
    for turns, source in (((library, canteen), "refeitorio.md"), ((canteen, library), "biblioteca.md")):
        found = await house.understand("E aos domingos?", turns_of(*turns))
        assert found.passages[0].source == source


@pytest.mark.parametrize(
    ("questions", "source"),
    [
        (
            (
                "When is the gym open?",
                "and on Sundays?",
                "How much is it a month?",
                "Can I bring a guest?",
                "And are there lockers?",
                "What do they take for towels?",
                "and on weekdays?",
            ),
            "gym.md",
        ),
        (
            (
                "Quantos dias de férias eu tenho?",
                "E os estagiários?",
                "Com que antecedência são pedidas?",
                "Posso dividir em partes?",
                "E vender?",
                "Isso vale para quem?",
                "E quantos dias os estagiários têm?",
            ),
            "ferias.md",
        ),
    ],
)
async def test_a_chain_of_follow_ups_stays_with_its_topic_and_does_not_grow(
    house: House, questions: Sequence[str], source: str
) -> None:
    found = await house.talk(*questions)
    assert [each.passages[0].source for each in found] == [source] * len(found)
    assert all(roots(question) <= roots(each.question) for each, question in zip(found, questions, strict=True))
    assert max(len(each.question) for each in found) < 200


async def test_a_question_that_finds_nothing_by_itself_leans_on_the_last_turn(house: House) -> None:
    turns = turns_of("Que horas a biblioteca abre?", "Quando é servido o almoço no refeitório?")
    found = await house.understand("Por quê?", turns)
    assert found.question == "Por quê? (almoço, refeitório)"


LUNCH = "Quando é servido o almoço no refeitório?"


async def test_the_model_is_believed_where_its_words_are_found_at_the_same_place(
    house: House, model: FakeOllama
) -> None:
    model.answers = [["O refeitório serve almoço aos domingos?"]]
    found = await house.understand("E aos domingos?", turns_of(LUNCH), model)
    assert (found.question, found.decision.outcome) == ("O refeitório serve almoço aos domingos?", "rewritten")
    assert (found.calls, found.turns) == (1, tuple(turns_of(LUNCH)))


@pytest.mark.parametrize(
    "written",
    [
        "Sim.",
        "O refeitório serve lanches aos domingos.",
        "E aos domingos?",
        "Aos domingos o ônibus circula até que horas?",
        "Quem inventou os domingos e o calendário romano?",
    ],
)
async def test_what_the_model_makes_up_loses_to_the_joined_questions(
    house: House, model: FakeOllama, written: str
) -> None:
    model.answers = [[written]]
    found = await house.understand("E aos domingos?", turns_of(LUNCH), model)
    assert found.question == "Quando é servido o almoço no refeitório aos domingos?"
    assert found.calls == 1


async def test_a_model_is_not_asked_where_the_search_leaves_no_doubt(house: House, model: FakeOllama) -> None:
    turns = turns_of("Que horas a biblioteca abre?")
    found = await house.understand("E aos domingos?", turns, model)
    assert (found.question, found.calls) == ("Que horas a biblioteca abre aos domingos?", 0)
    assert model.requests == []


async def test_a_model_is_not_asked_about_a_question_of_its_own(house: House, model: FakeOllama) -> None:
    turns = turns_of("Que horas a biblioteca abre?")
    for question in ("Quantos dias de férias eu tenho?", "Quanto custa, em reais, a segunda via do crachá da empresa?"):
        found = await house.understand(question, turns, model)
        assert (found.question, found.calls, found.turns) == (question, 0, ())
    first = await house.understand("E aos domingos?", [], model)
    assert (first.question, first.calls) == ("E aos domingos?", 0)
    assert model.requests == []
