"""Chunks: exact pieces of a document's text, of a bounded size, under the headings, pages and table headers they
need."""

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbot.ingestion.chunk import Chunk, chunk, join_pages
from kbot.ingestion.load import Page

SIZE = 400
LINE = "The duty roster runs from Monday to Monday, and the second person takes over when the first is away. "
LINHA = "O plantão vai de segunda a segunda, e a segunda pessoa assume quando a primeira não pode atender. "


def chunks_of(pages: Sequence[Page] | str, size: int = SIZE) -> tuple[str, list[Chunk]]:
    text, starts = join_pages([Page(None, pages)] if isinstance(pages, str) else pages)
    return text, list(chunk(text, starts, size=size))


def holding(chunks: Sequence[Chunk], words: str) -> Chunk:
    return next(piece for piece in chunks if words in piece.text)


def check(text: str, chunks: Sequence[Chunk], size: int = SIZE) -> None:
    """What holds for the chunks of any text."""
    last = 0
    for position, piece in enumerate(chunks):
        assert piece.position == position
        assert piece.text == text[piece.start : piece.end]
        assert piece.text.strip()
        assert not text[last : piece.start].strip(), "between two chunks there is only white space"
        assert piece.start >= last
        last = piece.end
        end = 0
        for sentence in piece.sentences:
            assert end <= sentence.start < sentence.end <= len(piece.text)
            end = sentence.end
        assert piece.titles or piece.sentences, "something of a chunk is embedded besides itself"
    assert not text[last:].strip()
    headings = sum(len(line) + 1 for line in text.splitlines() if line.startswith("#"))
    assert all(len(piece.text) <= size * 2 + headings for piece in chunks)


BLOCKS = st.sampled_from(
    [
        "# A heading of the first level",
        "## Uma seção com acentuação",
        "### Third level",
        "#### # odd # heading #",
        LINE * 2,
        LINHA * 3,
        "- one item\n- another item\n  - below it\n",
        "| Name | Dias |\n| --- | --- |\n" + "| Maria de Souza | 25 dias de férias |\n" * 12,
        "```python\ndef f():\n    return 'some code here'\n\n# no heading\n```",
        "```\nnever closed",
        "> quoted words of somebody",
        "x" * 900,
        "   \t ",
        "年次有給休暇は二十五日あります。" * 20,
        "👩‍👩‍👧‍👦 emoji 🙂" * 10,
        "a\x0bb\x0cc\x85d\u2028e\r\nf",
    ]
)
TEXTS = st.lists(BLOCKS | st.text(max_size=80), max_size=12).map("\n\n".join)


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from([200, 400, 1600]))
def test_chunks_are_the_text_in_order(texts: list[str], size: int) -> None:
    text, chunks = chunks_of([Page(number, each) for number, each in enumerate(texts, 1)], size)
    check(text, chunks, size)
    starts = join_pages([Page(number, each) for number, each in enumerate(texts, 1)])[1]
    for piece in chunks:
        pages = [start.number for start in starts if start.start <= piece.start]
        assert piece.page == pages[-1]
        for sentence in piece.sentences:
            pages = [start.number for start in starts if start.start <= piece.start + sentence.start]
            assert sentence.page == pages[-1]


@pytest.mark.parametrize("line", [LINE, LINHA])
def test_prose_is_cut_at_its_sentences_into_chunks_of_even_size(line: str) -> None:
    text, chunks = chunks_of(line * 60)
    check(text, chunks)
    assert all(piece.text.endswith(".") for piece in chunks)
    assert all(len(piece.text) >= SIZE // 3 for piece in chunks[:-1])


def test_nothing_comes_of_nothing() -> None:
    assert chunks_of("")[1] == []
    assert chunks_of([])[1] == []
    assert chunks_of(" \n\n\t\n")[1] == []


@pytest.mark.parametrize("unit", ["x", "é", "字", "-", "#", "|", "`", "🙂", "=" * 3 + "."])
def test_a_long_run_without_white_space_is_cut_in_time(unit: str) -> None:
    started = time.process_time()
    text, chunks = chunks_of(LINE + unit * 100_000 + " " + LINE, 1600)
    assert time.process_time() - started < 3
    check(text, chunks, 1600)


def test_a_large_text_is_cut_in_time() -> None:
    text = "\n\n".join(
        f"## Section {n}\n\n{LINE * 8}\n\n| a | b |\n| --- | --- |\n" + "| 1 | 2 |\n" * 20 for n in range(400)
    )
    started = time.process_time()
    text, chunks = chunks_of(text, 1600)
    assert time.process_time() - started < 3
    assert len(chunks) >= 400


def test_a_large_table_is_cut_in_time_and_each_chunk_knows_its_header() -> None:
    header = "| Name | Cargo | Days |\n| --- | --- | --- |"
    rows = [f"| Person {n} | Analista | {n} days of leave |" for n in range(10_000)]
    started = time.process_time()
    text, chunks = chunks_of("# Leave\n\n" + "\n".join([header, *rows]), 1600)
    assert time.process_time() - started < 5
    check(text, chunks, 1600)
    assert chunks[0].header == ""
    assert chunks[0].text.startswith("# Leave\n\n| Name | Cargo | Days |")
    for piece in chunks[1:]:
        assert piece.header == header
        assert piece.context == "Leave"
        assert piece.passage.startswith(f"Leave\n{header}\n| Person ")
        assert all(line.startswith("| Person ") and line.endswith(" |") for line in piece.text.splitlines())


def test_two_tables_have_each_their_own_header() -> None:
    first = "| Nome | Dias |\n| --- | --- |\n" + "".join(f"| Maria {n} | {n} dias de férias |\n" for n in range(30))
    second = "| Room | Seats |\n| :-- | --: |\n" + "".join(
        f"| Room {n} | {n} seats by the window |\n" for n in range(30)
    )
    text, chunks = chunks_of(f"{first}\n{second}")
    check(text, chunks)
    for piece in chunks:
        if piece.text.startswith("| Maria"):
            assert piece.header == "| Nome | Dias |\n| --- | --- |"
        elif piece.text.startswith("| Room "):
            assert piece.header in ("| Room | Seats |\n| :-- | --: |", "")
            assert piece.header or piece.text.startswith("| Room | Seats")
    assert sum(piece.header.startswith("| Nome") for piece in chunks) >= 2
    assert sum(piece.header.startswith("| Room") for piece in chunks) >= 2


def test_code_stays_whole_and_is_no_heading() -> None:
    comment = "# This is not a heading, but it is long enough for one."
    code = f"```python\n{comment}\ndef leave():\n    return 25\n\n\nprint(leave())\n```"
    text, chunks = chunks_of(f"# Guide\n\n{LINE * 6}\n\n{code}\n\n## After\n\n{LINHA * 6}")
    check(text, chunks)
    assert code in holding(chunks, "def leave").text
    assert holding(chunks, "def leave").heading == "Guide"
    assert holding(chunks, LINHA.strip()).heading == "Guide > After"
    assert all("not a heading" not in title for piece in chunks for title in piece.titles)
    held = holding(chunks, comment)
    assert comment.removeprefix("# ") in [held.text[each.start : each.end] for each in held.sentences]


def test_a_heading_stays_with_what_follows_it() -> None:
    text, chunks = chunks_of(f"# Guide\n\n## Férias\n\n### Prazos\n\n{LINHA * 12}\n\n## Leave\n\n{LINE * 12}")
    check(text, chunks)
    assert chunks[0].text.startswith("# Guide\n\n## Férias\n\n### Prazos\n\nO plantão")
    assert holding(chunks, "## Leave").text.startswith("## Leave\n\nThe duty")
    assert not any(piece.text.splitlines()[-1].startswith("#") for piece in chunks)


def test_the_path_of_headings_is_that_in_force() -> None:
    parts = [
        "# Guide",
        LINE * 4,
        "## Férias",
        LINHA * 8,
        "### Prazos",
        LINE * 8,
        "## Leave",
        LINHA * 8,
        "# Other",
        LINE * 8,
    ]
    _, chunks = chunks_of("\n\n".join(parts))
    paths = list(dict.fromkeys(piece.heading for piece in chunks))
    assert paths == ["Guide", "Guide > Férias", "Guide > Férias > Prazos", "Guide > Leave", "Other"]
    for piece in chunks:
        held = [line.lstrip("# ") for line in piece.text.splitlines() if line.startswith("#")]
        assert [name for name in piece.context.split(" > ") if name] + held == piece.heading.split(" > ")
        assert list(piece.titles) == ([piece.context] if piece.context else [])
        assert piece.passage == (f"{piece.context}\n{piece.text}" if piece.context else piece.text)


def test_pages_are_right_across_their_joins() -> None:
    pages = [
        Page(3, f"{LINE * 20}\nPage three ends here, in a sentence that goes"),
        Page(4, f"on in page four, and ends there. {LINHA * 2}"),
        Page(7, "\n\n  Page seven is short, and begins with white space.\n"),
    ]
    text, chunks = chunks_of(pages)
    check(text, chunks)
    assert list(dict.fromkeys(piece.page for piece in chunks)) == [3, 4, 7]
    for piece in chunks:
        assert all(sentence.page == piece.page for sentence in piece.sentences)
    assert holding(chunks, "on in page four").text.startswith("on in page four")
    assert holding(chunks, "Page seven").page == 7


def test_unnumbered_pages_are_one_text() -> None:
    text, chunks = chunks_of(
        [Page(None, "The first sheet is short."), Page(None, "A segunda planilha também é curta.")]
    )
    check(text, chunks)
    assert [piece.page for piece in chunks] == [None]


def test_a_page_that_is_little_longer_than_a_chunk_stays_whole() -> None:
    pages = [Page(1, LINE * 5), Page(2, LINHA * 5), Page(3, LINE * 20)]
    text, chunks = chunks_of(pages)
    check(text, chunks)
    assert [piece.page for piece in chunks][:2] == [1, 2]
    assert [piece.page for piece in chunks].count(3) > 1


def test_bookmarks_are_the_headings_of_a_paged_document() -> None:
    pages = [
        Page(1, f"Benefits\n\n{LINE * 6}", heading="Benefits"),
        Page(2, LINHA * 6, heading="Benefits > Leave"),
        Page(3, f"{LINE * 6}", heading="Benefits > Health"),
    ]
    text, chunks = chunks_of(pages)
    check(text, chunks)
    for piece in chunks:
        assert piece.heading == pages[(piece.page or 0) - 1].heading
    assert chunks[0].context == "", "it begins with its bookmark's own words"
    last = chunks[-1]
    assert last.context == "Benefits > Health"
    assert last.titles == ("Benefits > Health",)


def test_the_same_text_gives_the_same_chunks() -> None:
    text = f"# Guide\n\n{LINE * 20}\n\n## Férias\n\n{LINHA * 20}"
    assert chunks_of(text) == chunks_of(text)
