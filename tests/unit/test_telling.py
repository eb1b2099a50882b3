"""What an answer says where its sources disagree."""

from typing import Any

import pytest

from kbot.chat import Passage
from kbot.disagreement import Disagreement, Side, told
from kbot.grounding import Verdict, classify
from kbot.language import Language
from kbot.reflection.claims import split_claims


def passage(n: int, title: str = "Handbook", updated: str = "", document: str = "") -> Passage:
    return Passage(f"c{n}", document or f"d{n}", f"{n}.md", title, "text", 0, 0, 0, 0, "quote", updated=updated)


def verdict(text: str, passages: list[Passage]) -> Verdict:
    return classify(text, passages, refusal="Nothing was found.", refusals=["Nothing was found."])


def days(**sides: Any) -> Disagreement:
    first = Side(sides.get("first", 0), "Employees have 22 days.", "22 days")
    return Disagreement("number", first, Side(sides.get("second", 1), "Employees have 30 days.", "30 days"))


def test_both_are_cited_and_the_older_is_named() -> None:
    passages = [passage(1, updated="2025-01-02"), passage(2, "FAQ", updated="2024-03-03")]
    answer = told(verdict("You have 22 days [1].", passages), [days()], passages, "en")
    assert answer.text == (
        "You have 22 days [1].\n\n"
        "The sources disagree: “Handbook” says 22 days [1], “FAQ” (older, 3 March 2024) says 30 days [2]."
    )
    assert [(c.n, c.passage_id, c.quote) for c in answer.citations] == [
        (1, "c1", "quote"),
        (2, "c2", "Employees have 30 days."),
    ]


def test_in_portuguese_and_from_the_other_side() -> None:
    passages = [passage(1, "Manual", updated="2024-03-01"), passage(2, "FAQ", updated="2024-03-03")]
    answer = told(verdict("São 22 dias [1]. E mais [2].", passages), [days()], passages, "pt")
    assert answer.text.endswith(
        "As fontes discordam: “Manual” (mais antiga, 1 de março de 2024) diz 22 days [1], “FAQ” diz 30 days [2]."
    )
    assert len(answer.citations) == 2


def test_documents_of_one_title_are_told_apart_by_their_files_and_days_alike_are_not_named() -> None:
    passages = [passage(1, updated="2024-03-03"), passage(2, updated="2024-03-03")]
    answer = told(verdict("You have 22 days [1].", passages), [days()], passages, "")
    assert answer.text.endswith("The sources disagree: “1.md” says 22 days [1], “2.md” says 30 days [2].")


def test_a_document_that_contradicts_itself() -> None:
    passages = [passage(1, document="d"), passage(2, document="d")]
    answer = told(verdict("You have 22 days [1].", passages), [days()], passages, "en")
    assert answer.text.endswith(
        "The source disagrees with itself: “Handbook” says 22 days [1] and, elsewhere, 30 days [2]."
    )


def test_what_is_denied_is_quoted_without_markup_or_marks() -> None:
    passages = [passage(1), passage(2, "[FAQ](http://x)")]
    first, second = Side(0, "Pets are **allowed** [3].", ""), Side(1, "Pets are not allowed.", "")
    answer = told(verdict("Yes [1].", passages), [Disagreement("negation", first, second)], passages, "en")
    assert "“Handbook” says “Pets are allowed” [1], “FAQ (http://x)” says “Pets are not allowed” [2]." in answer.text


def test_at_most_two_are_told() -> None:
    passages = [passage(n) for n in range(1, 6)]
    found = [days(second=n) for n in (1, 2, 3)]
    answer = told(verdict("You have 22 days [1].", passages), found, passages, "en")
    assert answer.text.count("The sources disagree") == 2
    assert [citation.n for citation in answer.citations] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("You have 22 days [1].", []),
        ("The documents contradict each other: 22 days [1], 30 days [2].", [days()]),
        ("You have 22 days.", [days()]),
    ],
)
def test_an_answer_is_left_alone(text: str, found: list[Disagreement]) -> None:
    passages = [passage(1), passage(2)]
    judged = verdict(text, passages)
    assert told(judged, found, passages, "en") == judged


@pytest.mark.parametrize("language", ["en", "pt"])
@pytest.mark.parametrize("document", ["d1", "d2"])
def test_what_is_told_is_no_claim_of_the_answer(language: Language, document: str) -> None:
    passages = [passage(1, document="d1", updated="2025-01-02"), passage(2, document=document, updated="2024-03-03")]
    answer = told(verdict("You have 22 days [1].", passages), [days()], passages, language)
    assert [claim.text for claim in split_claims(answer.text)] == ["You have 22 days."]
