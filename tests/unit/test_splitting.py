"""A cut text: nothing lost, nothing torn, every part within the limit and readable by itself."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from wcwidth import iter_graphemes

from kbot.splitting import Piece, closing, next_piece, outline, settled, split

WORDS = [
    "a",
    "férias",
    "política",
    "onboarding",
    "não",
    "e\u0301",
    "🇧🇷",
    "👨‍👩‍👧‍👦",
    "日本語の文章",
    "한국어",
    "x_y",
    "https://ex.org/a",
]
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
sentences = st.lists(words.map(lambda line: f"{line}. "), min_size=1, max_size=3).map(lambda parts: "".join(parts))
code_lines = st.sampled_from(
    ["", "    x = 1", "\treturn {'a': 2}", "| not | a table |", "``", "# no heading", "~~", "fim  "]
)


@st.composite
def fences(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["```", "````", "~~~", "~~~~"]))
    other = "~~~" if mark[0] == "`" else "```"
    lines = draw(st.lists(code_lines | st.just(other), max_size=12))
    return "\n".join([mark + draw(st.sampled_from(["", "python", "sh"])), *lines, mark])


@st.composite
def tables(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.tuples(st.integers(0, 9999), st.sampled_from(WORDS)), min_size=1, max_size=12))
    return "\n".join(["| n | palavra |", "|---|---|", *(f"| {n} | {word} |" for n, word in rows)])


documents = st.lists(sentences | fences() | tables() | words.map(lambda line: f"## {line}"), max_size=8).map(
    "\n\n".join
)


def units(text: str) -> int:
    """UTF-16 units, as some platforms count."""
    return len(text.encode("utf-16-le")) // 2


def pieces(text: str, limit: int) -> list[Piece]:
    read, start, found = outline(text), 0, list[Piece]()
    while piece := next_piece(read, start, limit):
        found.append(piece)
        start = piece.after
    return found


def clusters(text: str) -> set[int]:
    """The positions between grapheme clusters."""
    ends, position = {0}, 0
    for cluster in iter_graphemes(text):
        position += len(cluster)
        ends.add(position)
    return ends


@given(documents | st.text(), st.integers(1, 200))
@settings(max_examples=150, deadline=None)
def test_the_parts_without_their_repairs_are_the_text(text: str, limit: int):
    found = pieces(text, limit)
    position = 0
    for piece in found:
        assert not text[position : piece.start].strip()
        assert text.startswith(piece.body, piece.start)
        position = piece.start + len(piece.body)
    assert not text[position:].strip()
    assert split(text, limit) == [piece.shown for piece in found]


@given(documents | st.text(), st.integers(2, 200), st.integers(2, 200))
@settings(max_examples=150, deadline=None)
def test_no_part_is_blank_or_too_long_as_the_platform_counts(text: str, limit: int, first: int):
    parts = split(text, limit, first_limit=first, count=units)
    assert all(part.strip() for part in parts)
    assert all(units(part) <= (limit if i else first) for i, part in enumerate(parts))


@given(documents | st.text(), st.integers(30, 200))
@settings(max_examples=150, deadline=None)
def test_no_cut_falls_inside_a_grapheme_cluster(text: str, limit: int):
    between = clusters(text)
    for piece in pieces(text, limit):
        if max(map(len, iter_graphemes(piece.body)), default=0) < limit // 2:
            assert piece.start in between
            assert piece.start + len(piece.body) in between


@given(documents, st.integers(60, 300))
@settings(max_examples=150, deadline=None)
def test_every_fence_is_closed_in_its_part_and_code_stays_code(text: str, limit: int):
    parser = MarkdownIt().enable("table")
    code: list[str] = []
    for part in split(text, limit):
        tokens = parser.parse(f"{part}\n\nafter the part")
        assert (tokens[-2].content, tokens[-2].level) == ("after the part", 1)
        code += [line for token in tokens if token.type == "fence" for line in token.content.splitlines()]
    whole = [token.content for token in parser.parse(text) if token.type == "fence"]
    assert code == "".join(whole).splitlines()


@given(tables(), st.integers(70, 200))
@settings(max_examples=100, deadline=None)
def test_a_cut_table_keeps_its_rows_whole_and_repeats_its_header(table: str, limit: int):
    parser = MarkdownIt().enable("table")
    rows: list[str] = []
    for part in split(table, limit):
        tokens = parser.parse(part)
        assert tokens[0].type == "table_open"
        assert tokens[-1].type == "table_close"
        rows += part.splitlines()[2:]
    assert rows == table.splitlines()[2:]


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("Primeiro parágrafo.\n\nSegundo. Com frase.", 30, ["Primeiro parágrafo.", "Segundo. Com frase."]),
        ("- one item\n- two items\n- three items", 26, ["- one item\n- two items", "- three items"]),
        ("One sentence here. And a second one.", 30, ["One sentence here.", "And a second one."]),
        ("words without any full stop", 20, ["words without any", "full stop"]),
        ("日本語の文章、とても長い文章", 10, ["日本語の文章、", "とても長い文章"]),
        ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 13, ["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]),
        ("日本語、\u0301文章です", 6, ["日本語、\u0301文", "章です"]),
        ("intro\n```python\nx = 1\n```", 21, ["intro", "```python\nx = 1\n```"]),
        ("some intro\n## A title\nbodyofit", 22, ["some intro", "## A title\nbodyofit"]),
        ("intro\n| a | b |\n|---|---|\n| 1 | 2 |", 30, ["intro", "| a | b |\n|---|---|\n| 1 | 2 |"]),
        ("🇧🇷🇵🇹🇦🇴", 5, ["🇧🇷🇵🇹", "🇦🇴"]),
        (
            "see the page [the travel policy](https://x.org/a) now",
            44,
            ["see the page", "[the travel policy](https://x.org/a) now"],
        ),
        ("intro text here\n\n# A title\n\nbody of it", 30, ["intro text here", "# A title\n\nbody of it"]),
    ],
)
def test_where_a_cut_falls(text: str, limit: int, parts: list[str]):
    assert split(text, limit) == parts


def test_an_open_fence_is_reopened_with_its_language_and_white_space():
    text = "````markdown\n```python\n    a = 1\n```\n\n    b = 2\n````\nend"
    parts = split(text, 42)
    assert parts == ["````markdown\n```python\n    a = 1\n```\n\n````", "````markdown\n    b = 2\n````\nend"]


def test_a_fence_inside_a_list_is_reopened_under_it():
    parts = split("1. ```sh\n   one --flag\n   two --flag\n   ```", 34)
    assert parts == ["1. ```sh\n   one --flag\n   ```", "   ```sh\n   two --flag\n   ```"]


def test_a_row_that_does_not_fit_with_the_header_goes_without_it():
    header = "| a | b |\n|---|---|"
    long = f"| {'x' * 30} | {'y' * 30} |"
    assert split(f"{header}\n| 1 | 2 |\n{long}", 70) == [f"{header}\n| 1 | 2 |", long]


def test_a_cluster_longer_than_a_message_is_cut_not_lost():
    zalgo = "e" + "\u0301" * 50
    assert "".join(split(zalgo, 20)) == zalgo


def test_a_limit_without_room_for_one_character_is_an_error():
    with pytest.raises(ValueError, match="limit of 1"):
        split("👍", 1, count=units)


def test_a_blank_text_has_no_parts():
    assert split(" \n\n\t", 10) == []


@pytest.mark.parametrize(
    ("growing", "shown"),
    [
        ("um **negri", "um **negri|**"),
        ("um **negrito*", "um **negrito|**"),
        ("um **negrito**", "um **negrito**|"),
        ("run `kbot in", "run `kbot in|`"),
        ("**see `kbot", "**see `kbot|`**"),
        ("a ~~b c", "a ~~b c|~~"),
        ("snake_case and __init__ stay", "snake_case and __init__ stay|"),
        ("2 * 3 and 2 ** 8", "2 * 3 and 2 ** 8|"),
        ("see [the pol", "see |"),
        ("see [the policy](https://x.org/tra", "see |"),
        ("see [the policy](https://x.org) now", "see [the policy](https://x.org) now|"),
        ("it is so [1", "it is so |"),
        ("it is so [1].", "it is so [1].|"),
        ("```pyth", "|"),
        ("```python\nx = [1", "```python\nx = [1|\n```"),
        ("```python\nx\n``", "```python\nx\n|\n```"),
        ("~~~~\n**x", "~~~~\n**x|\n~~~~"),
        ("an **old one\n\nnew", "an **old one\n\nnew|"),
    ],
)
def test_growing_markup_is_closed_for_display(growing: str, shown: str):
    assert closing(growing, "|") == shown
    assert settled(growing) in {growing, growing[: growing.rfind("[")]}


def test_no_prefix_of_a_text_shows_raw_markup():
    text = (
        "# Férias\n\nSão **22 dias** por `ano` [1], ver [a **política**](https://x.org/p) e ~~30~~.\n\n"
        "```python\ndias = {'a': 22}\n```\n\n- **um** item\n- `dois` itens\n\nfim"
    )
    parser = MarkdownIt().enable("strikethrough")
    for end in range(len(text) + 1):
        html = parser.render(closing(text[:end]))
        assert not re.search(r"\*\*|~~|`|\]\(", html), (text[:end], html)
