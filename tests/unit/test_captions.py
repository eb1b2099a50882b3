"""How sources are named to people, in their language."""

from dataclasses import fields
from datetime import UTC, date, datetime

import pytest

from kbot.chat import Answer, Citation, captions, labels_in, plain, sources
from kbot.chat.labels import age

TODAY = date(2025, 3, 1)
TOLD = datetime.now(UTC).date().isoformat()


def citation(source: str = "pdf/manual-de-rh.pdf", title: str = "Manual de RH", **more: str | int | None) -> Citation:
    given = {"page": None, "heading": "", "url": None, "updated": ""} | more
    return Citation(1, source, title, "quote", "p1", **given)  # pyright: ignore[reportArgumentType]  # by name


@pytest.mark.parametrize(
    ("updated", "english", "portuguese"),
    [
        ("", "", ""),
        ("2025-03-01", "from today", "de hoje"),
        ("2025-03-09", "from today", "de hoje"),
        ("2025-02-28", "1 day old", "de 1 dia atrás"),
        ("2025-01-30", "30 days old", "de 30 dias atrás"),
        ("2025-01-29", "1 month old", "de 1 mês atrás"),
        ("2024-12-30", "2 months old", "de 2 meses atrás"),
        ("2024-03-01", "11 months old", "de 11 meses atrás"),
        ("2024-02-29", "1 year old", "de 1 ano atrás"),
        ("2015-03-01", "10 years old", "de 10 anos atrás"),
    ],
)
def test_the_age_of_a_document_is_told_in_words(updated: str, english: str, portuguese: str) -> None:
    assert age(updated, labels_in("en"), TODAY) == english
    assert age(updated, labels_in("pt-BR"), TODAY) == portuguese


def test_labels_are_in_the_readers_language_and_all_there() -> None:
    english, portuguese = labels_in("en"), labels_in("PT-br")
    assert labels_in("") is labels_in("fr") is english
    assert portuguese is not english
    for field in fields(english):
        assert getattr(english, field.name)
        assert getattr(portuguese, field.name)


@pytest.mark.parametrize(
    ("cited", "caption"),
    [
        (citation(), "Manual de RH"),
        (
            citation(title="Férias", page=3, heading="Pedidos > Prazos"),
            "Férias (pdf/manual-de-rh.pdf) · p. 3 · Pedidos > Prazos",
        ),
        (citation(title=""), "pdf/manual-de-rh.pdf"),
        (citation(heading="MANUAL DE RH > Prazos"), "Manual de RH · Prazos"),
        (citation("https://ex.org/a", "Regras", url="https://ex.org/a"), "Regras"),
        (citation(updated=TOLD), "Manual de RH · from today"),
        (citation("a.md", "Um\x1b[31m\u202e título\r\nlongo"), "Um[31m título longo (a.md)"),
    ],
)
def test_a_source_is_named_by_what_tells_it_best(cited: Citation, caption: str) -> None:
    assert captions([cited]) == [caption]


def test_two_documents_of_one_title_are_told_apart() -> None:
    cited = [
        citation("2023/manual-de-rh.pdf", page=1),
        citation("2024/manual-de-rh.pdf", page=1),
        citation("b.md", "B"),
    ]
    assert captions(cited, "pt") == [
        "Manual de RH (2023/manual-de-rh.pdf) · p. 1",
        "Manual de RH (2024/manual-de-rh.pdf) · p. 1",
        "B",
    ]
    assert captions(cited[:1] * 2) == ["Manual de RH · p. 1"] * 2, "one document, cited twice"


def test_no_answer_but_a_grounded_one_has_sources() -> None:
    cited = (citation(),)
    assert sources(Answer("q", "a", grounded=True, refused=False, citations=cited)) == cited
    assert sources(Answer("q", "a", grounded=False, refused=True, citations=cited)) == ()
    assert sources(None) == ()


def test_control_characters_are_taken_out_of_what_is_shown() -> None:
    assert plain("a\x00b\x1b]0;c\x07\r\x9b\u202e\u2066d\te\nf 👩‍👩‍👧") == "ab]0;cd\te\nf 👩‍👩‍👧"
    assert plain("a\x1bb", "?") == "a?b"
