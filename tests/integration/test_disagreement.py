"""Passages that contradict each other are found with the real embedder, and hardly any others."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kbot.chat import Passage
from kbot.disagreement import disagreements
from kbot.grounding import classify
from kbot.language import detect_language
from kbot.models import Embedder

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("disagreeing_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]
REFUSAL = "Nothing was found here at all."


def passage(n: int, text: str, title: str, heading: str = "", document: str = "") -> Passage:
    document = document or f"d{n}"
    language = detect_language(text)
    return Passage(f"c{n}", document, f"{n}.md", title, text, 0, 0, 0, 0, heading=heading, language=language)


async def found(embedder: Embedder, question: str, answer: str, *passages: Passage) -> list[tuple[str, str, str]]:
    verdict = classify(answer, passages, refusal=REFUSAL, refusals=[REFUSAL])
    each = await disagreements(embedder, question, verdict, passages)
    return [(one.kind, one.first.value, one.second.value) for one in each]


async def kind(embedder: Embedder, question: str, first: str, second: str) -> str:
    passages = passage(1, first, "Handbook"), passage(2, second, "FAQ")
    each = await found(embedder, question, f"{first} [1]", *passages)
    return each[0][0] if each else ""


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair["kind"]], ids=lambda pair: pair["first"])
async def test_what_only_looks_like_it_is_no_disagreement(pair: dict[str, str], embedder: Embedder) -> None:
    for first, second in ((pair["first"], pair["second"]), (pair["second"], pair["first"])):
        assert not await kind(embedder, pair["question"], first, second)


async def test_most_disagreements_are_found_and_named_for_what_they_are(embedder: Embedder) -> None:
    right: Counter[str] = Counter()
    for pair in PAIRS:
        if pair["kind"]:
            said = await kind(embedder, pair["question"], pair["first"], pair["second"])
            assert said in ("", pair["kind"])
            assert said == await kind(embedder, pair["question"], pair["second"], pair["first"])
            right[pair["kind"]] += said == pair["kind"]
    assert right["number"] >= 25, "of 31"
    assert right["date"] >= 18, "of 20"
    assert right["negation"] >= 25, "of 27"


LONG = passage(
    1,
    "Each employee is entitled to 22 days of paid vacation per year, which have to be taken before March.",
    "Handbook",
)
SHORT = passage(2, "# Vacation\n\nEvery employee has 30 days of vacation per year. Ask your manager.", "FAQ")
LEAVE = ("How many vacation days do I have?", "You have 22 days of vacation per year [1].")


async def test_the_answer_may_be_in_the_models_own_words(embedder: Embedder) -> None:
    assert await found(embedder, *LEAVE, LONG, SHORT) == [("number", "22 days", "30 days")]


async def test_the_other_side_may_be_read_in_another_language(embedder: Embedder) -> None:
    other = passage(2, "Os funcionários têm direito a 30 dias de férias por ano. Fale com o RH.", "Perguntas")
    assert await found(embedder, *LEAVE, LONG, other) == [("number", "22 days", "30 dias")]


async def test_the_section_that_was_read_counts(embedder: Embedder) -> None:
    inside = replace(SHORT, text="Ask your manager about that.", section=SHORT.text)
    assert await found(embedder, *LEAVE, LONG, inside) == [("number", "22 days", "30 days")]


async def test_only_what_the_answer_says_counts(embedder: Embedder) -> None:
    assert not await found(embedder, "Who is asked?", "Ask your manager [2].", LONG, SHORT)
    assert not await found(embedder, *LEAVE, LONG)
    assert not await found(embedder, LEAVE[0], REFUSAL, LONG, SHORT)
    assert not await found(embedder, LEAVE[0], "You have 22 days.", LONG, SHORT)


async def test_a_document_may_contradict_itself(embedder: Embedder) -> None:
    text = "A reunião geral começa às 9h.\n\nO almoço é pago pela casa.\n\nA reunião geral começa às 10h."
    each = await found(embedder, "Que horas é a reunião?", "A reunião geral é às 9h [1].", passage(1, text, "Aviso"))
    assert each == [("date", "9h", "10h")]


async def test_a_new_rule_disagrees_with_the_old_one(embedder: Embedder) -> None:
    old = passage(1, "Passwords must be changed every 90 days.", "Security policy 2023")
    new = passage(2, "From 1 March 2024, passwords must be changed every 60 days.", "Security policy 2024")
    each = await found(embedder, "How often must passwords be changed?", "Every 90 days [1].", old, new)
    assert each == [("number", "90 days", "60 days")]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (
            "How much is the plan?",
            passage(1, "The price is 10 euros per month.", "Plans", "Plans > Plan A", "d"),
            passage(2, "The price is 25 euros per month.", "Plans", "Plans > Plan B", "d"),
        ),
        (
            "When does the shop open?",
            passage(1, "The shop opens at 9:00.", "Guide of Porto"),
            passage(2, "The shop opens at 10:00.", "Guide of Lisbon"),
        ),
        (
            "A loja do Porto abre quando?",
            passage(1, "A loja abre às 9h.", "Porto"),
            passage(2, "A loja abre às 10h.", "Lisboa"),
        ),
        (
            "What is the copayment in the network?",
            passage(1, "For in-network emergency services, the copayment is typically around $100.", "Benefits"),
            passage(2, "For out-of-network emergency services, the copayment is typically around $150.", "Benefits"),
        ),
        (
            "Quanto é o copagamento na rede?",
            passage(1, "Na rede, o copagamento de emergência é de R$ 100.", "Benefícios"),
            passage(2, "Fora da rede, o copagamento de emergência é de R$ 150.", "Benefícios"),
        ),
        (
            "How long do I wait?",
            passage(1, "1. Wait for 10 minutes.\n2. Press the button.\n3. Wait for 20 minutes.", "Router"),
            passage(2, "Something else that nobody asked for.", "Other"),
        ),
        (
            "What does it cost?",
            passage(1, "| Plan | Price |\n|---|---|\n| Basic | 10 euros |\n| Pro | 25 euros |", "Plans"),
            passage(2, "| Plan | Price |\n|---|---|\n| Basic | 12 euros |\n| Pro | 30 euros |", "Other"),
        ),
    ],
)
async def test_what_stands_apart_is_no_disagreement(
    question: str, first: Passage, second: Passage, embedder: Embedder
) -> None:
    answer = " ".join(line.strip("| ") + " [1]" for line in first.text.splitlines())
    assert not await found(embedder, question, answer, first, second)


async def test_with_an_encoder_whose_cosines_are_unknown_words_have_to_be_equal(embedder: Embedder) -> None:
    unknown = replace(embedder, name="ollama:unknown")
    portuguese = passage(2, "Os funcionários têm direito a 30 dias de férias por ano.", "Perguntas")
    assert not await found(unknown, *LEAVE, LONG, portuguese)
    assert await found(
        unknown,
        "How often?",
        "Passwords must be changed every 90 days [1].",
        passage(1, "Passwords must be changed every 90 days.", "Handbook"),
        passage(2, "Passwords must be changed every 60 days.", "FAQ"),
    )
