"""Small chunks are found, and their sections read: from the tables to what a model is shown."""

from dataclasses import replace

import numpy as np
import pytest
from knowledge import EVERYBODY, Watched, document, miscounted, rows

from kbot.database import Database
from kbot.ingestion.cutting import Cutting
from kbot.ingestion.index import index
from kbot.ingestion.load import Page
from kbot.models import Embedder
from kbot.prompts import fitting, format_passages, parse_passages, sections_once
from kbot.retrieval.search import search
from kbot.settings import Chunking

LEAVE = [
    "Every employee has twenty-five days of paid leave in a year.",
    "Leave is asked for in the portal, thirty days before it begins.",
    "Up to five days of leave may be carried over into the next year.",
    "Whoever is ill during their leave gets those days back.",
]
CAFE = [
    "A máquina de café fica na copa do segundo andar.",
    "O café é moído na hora e a máquina é limpa toda sexta-feira.",
    "Quem toma o último café põe água e grãos na máquina, seja quem for.",
    "Há também café descafeinado na prateleira de cima da copa.",
]
GUIDE = f"# Guide 🏝️\n\n## Leave\n\n{' '.join(LEAVE)}\n\n## Café\n\n{' '.join(CAFE)}"
SMALL = Cutting(120, 400)


def even(text: str) -> str:
    return " ".join(text.split())


async def test_a_small_chunk_is_found_and_its_section_read_once(database: Database, embedder: Embedder) -> None:
    await index(database, embedder, document("guide.md", GUIDE), cutting=SMALL)
    found = await search(database, embedder, "How many days of leave may be carried over?", EVERYBODY)
    assert len(found) >= 6
    assert "carried over" in found[0].text
    assert "thirty days" not in found[0].text, "it is small"
    leave, cafe = sorted({passage.section for passage in found}, key=lambda section: "Café" in section)
    assert even(leave) == even(f"# Guide 🏝️ ## Leave {' '.join(LEAVE)}")
    assert even(cafe) == even(f"## Café {' '.join(CAFE)}")
    assert leave.startswith("# Guide 🏝️\n\n## Leave\n\nEvery"), "paragraphs stay apart"
    assert all(passage.text in passage.section for passage in found)
    once = sections_once(found)
    assert [passage.section for passage in once] == [leave, cafe]
    assert once[0] == found[0], "the best piece stands for its section, with its own quote"
    assert once[0].quote == LEAVE[2]
    shown = parse_passages(format_passages(once))
    assert [text for _, text in shown] == [leave, cafe], "neighbours that are read anyway are not added"


async def test_a_section_is_that_of_the_quotes_page(database: Database, embedder: Embedder) -> None:
    pages = [Page(n, " ".join(each)) for n, each in ((4, LEAVE), (5, CAFE), (6, LEAVE[::-1]))]
    await index(database, embedder, document("guide.pdf", pages), cutting=Cutting(100, 400))
    found = await search(database, embedder, "Onde fica a máquina de café?", EVERYBODY)
    assert found[0].page == 5
    assert even(found[0].section) == " ".join(CAFE)
    sections = {(passage.page, even(passage.section)) for passage in found}
    assert sections == {(page.number, page.text) for page in pages}, "none of them holds two pages"


async def test_a_section_within_a_table_is_read_with_its_header(database: Database, embedder: Embedder) -> None:
    table = "| Nome | Ramal |\n| --- | --- |\n" + "".join(f"| Pessoa Numero{n} | {4000 + n} |\n" for n in range(60))
    await index(database, embedder, document("ramais.md", table), cutting=Cutting(120, 300))
    found = await search(database, embedder, "Qual é o ramal da Pessoa Numero47?", EVERYBODY)
    hit = next(passage for passage in found if "Numero47 " in passage.section)
    assert hit.section.startswith("| Nome | Ramal |\n| --- | --- |\n| Pessoa Numero")
    assert len(hit.section) > len(hit.text)


async def test_a_section_is_the_documents_text_whatever_stands_between_its_chunks(
    database: Database, embedder: Embedder
) -> None:
    lines = [f"- the item of the list with the number {n}" for n in range(30)]
    word = "x" * 300
    await index(database, embedder, document("list.md", "\n".join(lines)), cutting=Cutting(100, 2000))
    await index(database, embedder, document("word.md", f"{word} {word}"), cutting=Cutting(100, 2000))
    found = await search(database, embedder, "What is the item with the number 7?", EVERYBODY, k=40)
    assert {passage.section for passage in found if passage.source == "list.md"} == {"\n".join(lines)}
    assert {even(passage.section) for passage in found if passage.source == "word.md"} == {f"{word} {word}"}
    spans = await rows(
        database,
        """
        SELECT substr(d.text, c.section_start + 1, c.section_end - c.section_start) = d.text,
          strpos(substr(d.text, c.section_start + 1, c.section_end - c.section_start), c.text) > 0
        FROM chunks c JOIN documents d ON d.id = c.document_id
        """,
    )
    assert set(spans) == {(True, True)}


async def test_without_sections_nothing_changes(database: Database, embedder: Embedder) -> None:
    await index(database, embedder, document("guide.md", GUIDE), cutting=Cutting(120))
    found = await search(database, embedder, "How many days of leave may be carried over?", EVERYBODY)
    assert {passage.section for passage in found} == {""}
    assert sections_once(found) == found
    assert await rows(database, "SELECT FROM chunks WHERE section_start IS NOT NULL OR section_end IS NOT NULL") == []


async def test_another_way_of_cutting_replaces_and_the_same_does_not(database: Database, embedder: Embedder) -> None:
    made = document("guide.md", GUIDE)
    ways = [Cutting(120), Cutting(200), Cutting(200, 400), Cutting(200, 600), Cutting(200, 400, Chunking("semantic"))]
    ways.append(Cutting(200, 400, Chunking("recursive", (("txt", "semantic"), ("pdf", "model")))))
    statuses = [(await index(database, embedder, made, cutting=way)).status for way in ways for _ in range(2)]
    assert statuses == ["added", "duplicate", *["replaced", "duplicate"] * 4, "duplicate", "duplicate"]
    assert await miscounted(database) == []


class Counting(Watched):
    """The real encoder, which keeps what it was asked to embed."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder.embeddings)
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return super().embed_documents(texts)


async def test_cutting_by_subject_embeds_no_sentence_twice(database: Database, embedder: Embedder) -> None:
    counting = Counting(embedder)
    watched = replace(embedder, embeddings=counting)
    way = Cutting(400, 0, Chunking("semantic"))
    done = await index(database, watched, document("guide.md", GUIDE), cutting=way)
    assert done.chunks == 2
    assert sorted(text for text in counting.texts if text in LEAVE + CAFE) == sorted(LEAVE + CAFE)
    (lengths,) = await rows(
        database, "SELECT bool_and(cardinality(spans) = 3 * (cardinality(sentences) - title_sentences)) FROM chunks"
    )
    assert lengths == (True,)
    asked, said = await embedder.embeddings.aembed_documents(["Onde fica a máquina de café?", CAFE[0]])
    found = await search(database, embedder, "Onde fica a máquina de café?", EVERYBODY)
    assert found[0].quote == CAFE[0]
    assert found[0].sentence == pytest.approx(np.dot(asked, said), abs=1e-3), "each sentence has its own vector"


@pytest.mark.parametrize("room", [100, 500, 900, 1500, 6000])
async def test_a_section_that_does_not_fit_gives_way_to_its_chunk(
    database: Database, embedder: Embedder, room: int
) -> None:
    await index(database, embedder, document("guide.md", GUIDE), cutting=Cutting(120, 400))
    once = sections_once(await search(database, embedder, "How much leave may be carried over?", EVERYBODY))
    kept = fitting(once, room)
    assert kept
    assert [passage.id for passage in kept] == [passage.id for passage in once[: len(kept)]]
    if room >= 500:
        assert len(format_passages(kept)) <= room
    if room == 6000:
        assert kept == once
    if room == 500:
        assert kept[0].section == ""
        assert kept[0].text == once[0].text
