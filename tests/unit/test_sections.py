"""Sections: what is read where a small chunk was found, made of whole chunks, none of them twice."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbot.ingestion.chunk import Chunk, chunk, join_pages, numbered
from kbot.ingestion.kinds import clauses_of
from kbot.ingestion.load import Page
from kbot.ingestion.sections import with_sections

LINE = "The duty roster runs from Monday to Monday, and the second person takes over when the first is away. "
LINHA = "O plantão vai de segunda a segunda, e a segunda pessoa assume quando a primeira não pode atender. "
ROWS = "".join(f"| Maria {n} | {n} dias de férias |\n" for n in range(40))
TABLE = f"| Nome | Dias |\n| --- | --- |\n{ROWS}"


def sectioned(pages: Sequence[Page] | str, size: int, characters: int) -> tuple[str, list[Chunk]]:
    text, starts = join_pages([Page(None, pages)] if isinstance(pages, str) else pages)
    cut = list(chunk(text, starts, size=size))
    return text, with_sections(text, cut, characters, numbered=numbered(starts), clauses=clauses_of(text))


def spans(chunks: Sequence[Chunk]) -> list[tuple[int, int]]:
    return list(dict.fromkeys(piece.section or (piece.start, piece.end) for piece in chunks))


BLOCKS = st.sampled_from(["# Guide", "## Férias", "### Prazos", LINE * 3, LINHA * 2, TABLE, "- one\n- two", "x" * 700])
TEXTS = st.lists(BLOCKS | st.text(max_size=40), max_size=14).map("\n\n".join)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(TEXTS, min_size=1, max_size=3), st.booleans(), st.sampled_from([200, 400]), st.sampled_from([600, 1600])
)
def test_sections_hold_their_chunks_and_share_nothing(
    texts: list[str], paged: bool, size: int, characters: int
) -> None:
    pages = [Page(n if paged else None, each) for n, each in enumerate(texts, 1)]
    text, chunks = sectioned(pages, size, characters)
    starts = join_pages(pages)[1]
    last = 0
    for start, end in spans(chunks):
        assert last <= start < end <= len(text), "sections are apart, and in order"
        last = end
    for piece in chunks:
        if not piece.section:
            continue
        start, end = piece.section
        assert start <= piece.start < piece.end <= end
        assert piece.text in text[start:end]
        assert end - start <= characters
        assert len([other for other in chunks if start <= other.start < end]) <= 32
        assert not any(paged and start < page.start < end for page in starts), "a section is of one page"
        inside = [other for other in chunks if start <= other.start < end]
        assert all(other.section == piece.section for other in inside)
        assert piece.header in ("", inside[0].header) or piece.header in text[start:end]


def test_what_stands_under_a_heading_is_a_section() -> None:
    text, chunks = sectioned(f"# Guide\n\n## Leave\n\n{LINE * 10}\n\n## Férias\n\n{LINHA * 10}", 300, 1600)
    assert len(chunks) >= 6
    leave, ferias = spans(chunks)
    assert text[slice(*leave)].startswith("# Guide\n\n## Leave")
    assert text[slice(*ferias)].startswith("## Férias")
    assert text[slice(*ferias)].endswith("atender.")


def test_a_comment_in_code_begins_no_section() -> None:
    steps = "".join(f"# Passo {n}\nrun --the-step {n} --and --wait --for --its --end\n" for n in range(30))
    text, chunks = sectioned(f"# Guia\n\n```bash\n{steps}```\n\n## Férias\n\n{LINHA * 10}", 300, 1600)
    assert any(piece.text.startswith("# Passo") for piece in chunks), "so that it could be taken for a heading"
    assert any(text[slice(*span)].startswith("## Férias") for span in spans(chunks))


def test_all_of_it_is_a_section_where_it_fits() -> None:
    text, chunks = sectioned(f"# Guide\n\n## Leave\n\n{LINE * 5}\n\n## Férias\n\n{LINHA * 5}", 300, 3000)
    assert spans(chunks) == [(0, len(text.rstrip()))]


def test_a_long_part_without_headings_is_read_in_parts_that_fit() -> None:
    _, chunks = sectioned(LINE * 60, 300, 1000)
    found = spans(chunks)
    assert len(found) >= 6
    assert all(600 <= end - start <= 1000 for start, end in found[:-1])


def test_a_page_is_a_section() -> None:
    text, chunks = sectioned([Page(1, LINE * 8), Page(2, LINHA * 8)], 200, 4000)
    assert [text[slice(*span)] for span in spans(chunks)] == [(LINE * 8).strip(), (LINHA * 8).strip()]


@pytest.mark.parametrize(("heading", "line"), [("## Leave", LINE), ("## Férias", LINHA)])
def test_a_heading_that_ends_a_page_takes_the_next_into_no_section_of_it(heading: str, line: str) -> None:
    text, chunks = sectioned([Page(1, f"{line * 9}\n\n{heading}"), Page(2, line * 3)], 400, 4000)
    first, second = spans(chunks)
    assert text[slice(*first)] == (line * 9).strip()
    assert text[slice(*second)] == f"{heading}\n\n{(line * 3).strip()}"


def test_a_clause_is_a_section() -> None:
    parts = [f"{n}. DUTIES\n\n{n}.1 {LINE * 2}\n\n{n}.2 {LINHA * 2}" for n in range(1, 4)]
    text, chunks = sectioned("\n\n".join(parts), 250, 600)
    assert [text[slice(*span)].rstrip() for span in spans(chunks)] == [part.rstrip() for part in parts]


def test_a_chunk_that_is_its_section_has_none() -> None:
    _, chunks = sectioned(f"# Guide\n\n{LINE}\n\n# Férias\n\n{LINHA}", 160, 200)
    assert [piece.section for piece in chunks] == [None, None]


@pytest.mark.parametrize("characters", [600, 900])
def test_a_section_that_begins_within_a_table_ends_with_it(characters: int) -> None:
    text, chunks = sectioned(f"{LINE}\n\n{TABLE}\n{LINHA * 3}", 200, characters)
    for start, end in spans(chunks):
        if text[start:].startswith("| Maria"):
            assert all(line.startswith("| Maria") for line in text[start:end].splitlines())
