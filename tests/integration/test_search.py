"""The search: its evidence, what people type, and what a place may not see."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from knowledge import add, ask, fill

from kbot.chat import Passage
from kbot.database import Database
from kbot.ingestion.jobs import Shelf, Upload, ingest
from kbot.ingestion.load import Page
from kbot.models import Embedder
from kbot.retrieval.statement import SCORES
from kbot.settings import Settings

FUSIONS = sorted(SCORES)


@pytest.fixture
async def corpus(database: Database, embedder: Embedder) -> Database:
    """Documents that everybody may see, in both languages."""
    await fill(database, embedder)
    return database


def bounded(found: Sequence[Passage]) -> bool:
    return all(
        0 <= number <= 1
        for passage in found
        for number in (passage.similarity, passage.sentence, passage.coverage, passage.score)
    )


async def test_evidence_is_bounded_and_the_score_orders(corpus: Database, embedder: Embedder) -> None:
    parts = {"dense": "similarity", "sentence": "sentence", "lexical": "coverage"}
    questions = ("How many days of paid leave?", "prazo das férias", "zebra quantum 🦓", "Zoraide Quintanilha")
    for fusion, question in product(FUSIONS, questions):
        found = await ask(corpus, embedder, question, fusion=fusion, k=40)
        assert found
        assert bounded(found)
        scores = [passage.score for passage in found]
        assert scores == sorted(scores, reverse=True)
        assert len({passage.id for passage in found}) == len(found)
        if part := parts.get(fusion):
            assert scores == [getattr(passage, part) for passage in found]


async def test_a_fusion_that_is_none_is_refused(corpus: Database, embedder: Embedder) -> None:
    with pytest.raises(ValueError, match=r"fusion is one of .*, not 'best'"):
        await ask(corpus, embedder, "leave", fusion="best")


async def test_k_and_the_vector_of_a_question(corpus: Database, embedder: Embedder) -> None:
    every = await ask(corpus, embedder, "How many days of leave?", k=40)
    assert len(every) == 8
    for k in (1, 3):
        assert await ask(corpus, embedder, "How many days of leave?", k=k) == every[:k]
    vector = await embedder.embeddings.aembed_query("How many days of leave?")
    assert await ask(corpus, embedder, "How many days of leave?", k=40, vector=vector) == every


async def test_a_passage_tells_where_it_stands(corpus: Database, embedder: Embedder) -> None:
    first, *_ = await ask(corpus, embedder, "How many days of paid leave does an employee have?")
    assert first.source == "leave.md"
    assert first.title == "Leave policy"
    assert first.quote == "Every employee has 25 days of paid leave in a year."
    assert first.quote in first.text
    assert first.heading == "Leave"
    assert first.language == "en"
    assert (first.page, first.url, first.cited) == (None, None, False)
    assert first.before == ""
    assert first.after.startswith("## Carrying over")
    second = next(p for p in await ask(corpus, embedder, "carried over") if "carried over" in p.text)
    assert second.before == first.text
    assert second.after == ""
    assert second.heading == "Leave > Carrying over"


async def test_the_page_is_that_of_the_quote(database: Database, embedder: Embedder) -> None:
    pages = [Page(n, f"Rule {n} speaks of {what}.") for n, what in enumerate(("badges", "parking", "lunch", "keys"), 7)]
    await add(database, embedder, "rules.pdf", pages, size=2000)
    for n, question in ((8, "where may I park my car, is there parking"), (9, "what does the rule say of lunch")):
        first, *_ = await ask(database, embedder, question)
        assert first.page == n
        assert first.quote.startswith(f"Rule {n}")


async def test_a_citation_of_a_pdf_names_the_page_of_its_quote(
    database: Database, embedder: Embedder, settings: Settings, shared: Path
) -> None:
    asked = {
        "Benefit_Options.pdf": "What is the difference between Northwind Health Plus and Northwind Standard?",
        "PerksPlus.pdf": "Which activities does PerksPlus reimburse?",
    }
    items = [Upload(name, shared / "docs" / name) for name in asked]
    receipts = [receipt async for receipt in ingest(database, embedder, settings, items, Shelf("default"))]
    assert [receipt.status for receipt in receipts] == ["added", "added"]
    for name, question in asked.items():
        with pypdfium2.PdfDocument(shared / "docs" / name) as pdf:
            pages = [letters(page.get_textpage().get_text_range()) for page in pdf]
        found = await ask(database, embedder, question)
        assert found[0].source == name
        for passage in found:
            if passage.source == name:
                assert passage.page
                assert letters(passage.quote)[:40] in pages[passage.page - 1]
                assert len(letters(passage.quote)) >= 15


def letters(text: str) -> str:
    """The letters and digits of a text: what its page and a quote of it have in common."""
    return "".join(character for character in text if character.isalnum())


async def test_accents_case_and_number_do_not_matter(corpus: Database, embedder: Embedder) -> None:
    asked = [
        ("FÉRIAS", "ferias.md"),
        ("ferias", "ferias.md"),
        ("FERIAS", "ferias.md"),
        ("Fe\u0301rias", "ferias.md"),
        ("acumulo", "ferias.md"),
        ("antecedencia", "ferias.md"),
        ("dia", "ferias.md"),
        ("trimestres", "ferias.md"),
        ("pedida", "ferias.md"),
        ("coordenações", "ferias.md"),
        ("dias", "ferias.md"),
        ("anos", "ferias.md"),
        ("LEAVE", "leave.md"),
        ("employees", "leave.md"),
        ("year", "leave.md"),
        ("quarters", "leave.md"),
        ("visitor", "office.pdf"),
        ("fároL", "office.pdf"),
        ("quintanilha", "phones.md"),
        ("4712", "phones.md"),
    ]
    for question, source in asked:
        found = await ask(corpus, embedder, question, fusion="lexical")
        assert source in {passage.source for passage in found if passage.coverage > 0.3}, question
        others = {passage.source for passage in found if passage.coverage > 0}
        assert others <= {source, "office.pdf", "leave.md"}, question


async def test_accents_in_the_question_alone_do_not_matter(database: Database, embedder: Embedder) -> None:
    await add(database, embedder, "plain.md", "A reuniao de politica de privacidade e na sexta, com a direcao.")
    for question in ("reunião", "POLÍTICA", "direção"):
        (found,) = await ask(database, embedder, question)
        assert found.coverage > 0.3, question


async def test_a_question_finds_the_passage_in_the_other_language(corpus: Database, embedder: Embedder) -> None:
    asked = [
        ("Qual é o telefone do Bartholomew Fitch?", "phones.md"),
        ("Onde assinam os visitantes da Farol Pagamentos?", "office.pdf"),
        ("Quantos dias de folga remunerada um empregado tem por ano?", "leave.md"),
        ("How long before must vacation be requested from the coordination?", "ferias.md"),
        ("Which floor is Zoraide Quintanilha on?", "phones.md"),
    ]
    for question, source in asked:
        assert (await ask(corpus, embedder, question))[0].source == source, question


async def test_a_rare_name_weighs_more_than_common_words(database: Database, embedder: Embedder) -> None:
    for n in range(12):
        await add(database, embedder, f"{n}.md", f"The contract number {n} was signed by the board in the office.")
    await add(database, embedder, "rare.md", "Zoraide Quintanilha was there.")
    for fusion in ("sum", "lexical"):
        found = await ask(database, embedder, "Which contract was signed by Zoraide Quintanilha?", fusion=fusion)
        assert "rare.md" in {passage.source for passage in found[:2]}, fusion
    assert (await ask(database, embedder, "Zoraide Quintanilha", fusion="lexical"))[0].coverage > 0.6


async def test_a_table_row_brings_its_header(database: Database, embedder: Embedder) -> None:
    header = "| Nome | Ramal | Andar |\n| --- | --- | --- |"
    body = "\n".join(f"| Pessoa Numero{n} | {4000 + n} | {n} |" for n in range(60))
    await add(database, embedder, "ramais.csv", f"{header}\n{body}", size=300)
    found = await ask(database, embedder, "Qual é o ramal da Pessoa Numero57?")
    hit = next(passage for passage in found if "Numero57" in passage.text)
    assert hit.text.startswith(f"{header}\n| Pessoa ")
    assert hit.quote in hit.text
    assert hit.quote.startswith("| Pessoa")


NASTY = [
    "",
    " ",
    "?",
    "o a de que the of is",
    "what's the \"leave\" policy's 'name'?",
    "C:\\temp\\new\\leave \\' \\\\",
    "leave & !days | (paid <-> employee):* 'x",
    "a' OR 1=1; DROP TABLE chunks; --",
    "%s %(workspace)s {} {0} $1 :name",
    "🙂👩‍👩‍👧‍👦 férias 🏖️",
    "leave\0days",
    "half a pair \ud800 of leave",
    "leave " * 2000,
    "é" * 10_000,
    "字" * 3000,
    "https://example.com/leave?days=25&x=/y/ user@example.com 10.0.0.1 /etc/leave.conf",
    "-25 2.5e10 1/2 3.11.2 v1.0-rc.1",
    "<b>leave</b> &amp; <script>",
    "leave\u202edays\u200b\ufeff",
    "well-known-days-of-leave",
]


async def test_whatever_people_type_is_searched(corpus: Database, embedder: Embedder) -> None:
    for question in NASTY:
        vector = await embedder.embeddings.aembed_query(question)
        assert len(await ask(corpus, embedder, question, k=40)) == 8
        for fusion in FUSIONS:
            found = await ask(corpus, embedder, question, fusion=fusion, k=40, vector=vector)
            assert len(found) == 8, question
            assert bounded(found), question


async def test_words_are_found_among_signs(corpus: Database, embedder: Embedder) -> None:
    asked = [
        ("leave & !days | (paid <-> employee):* 'x", "leave.md"),
        ("what's the \"carrying\" rule's 'name'?", "leave.md"),
        ("C:\\temp\\Quintanilha", "phones.md"),
        ("🙂 Quintanilha 🏖️", "phones.md"),
        ("Quintanilha/Zoraide", "phones.md"),
        ("quintanilha\0zoraide", "phones.md"),
    ]
    for question, source in asked:
        first, *_ = await ask(corpus, embedder, question, fusion="lexical")
        assert first.source == source, question
        assert first.coverage > 0.1, question


async def test_words_that_say_nothing_cover_nothing(corpus: Database, embedder: Embedder) -> None:
    for question in ("", "o a de que", "is it the", "🙂", "?!"):
        assert all(passage.coverage == 0 for passage in await ask(corpus, embedder, question, k=40))


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=60))
async def test_any_text_is_a_question(corpus: Database, embedder: Embedder, question: str) -> None:
    assert bounded(await ask(corpus, embedder, question))


async def test_an_empty_workspace_has_nothing(database: Database, embedder: Embedder) -> None:
    assert await ask(database, embedder, "leave") == []


async def test_a_passage_stands_under_the_heading_of_its_best_sentence(database: Database, embedder: Embedder) -> None:
    text = """# Guia da equipe

## Plantão

Cada semana de plantão dá direito a um dia de folga.

## Férias

Ninguém sai de férias em dezembro por causa da Black Friday.

### Exceções

A diretoria pode liberar casos de saúde na família."""
    await add(database, embedder, "guia.md", text, size=1000)
    for question, heading in (
        ("Quanta folga dá uma semana de plantão?", "Guia da equipe > Plantão"),
        ("Posso tirar férias na Black Friday?", "Guia da equipe > Férias"),
        ("Quem libera casos de saúde na família?", "Guia da equipe > Férias > Exceções"),
    ):
        (found,) = await ask(database, embedder, question)
        assert found.heading == heading
