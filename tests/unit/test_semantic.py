"""Cutting where the subject changes: the depth of gaps, and the chunks that come of it."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kbot.ingestion.semantic import cut_by_subject, edges_by_depth, gap_depths
from kbot.ingestion.units import Unit, sentence_units, turn_units
from kbot.models import Embedder

LEAVE = [
    "Every employee has twenty-five days of paid leave in a year.",
    "Leave is asked for in the portal, thirty days before it begins.",
    "Up to five days of leave may be carried over into the next year.",
    "Whoever is ill during their leave gets those days back.",
]
COFFEE = [
    "A máquina de café fica na copa do segundo andar.",
    "O café é moído na hora e a máquina é limpa toda sexta-feira.",
    "Quem toma o último café põe água e grãos na máquina.",
    "Há também café descafeinado na prateleira de cima da copa.",
]
SERVERS = [
    "The servers are backed up every night at three.",
    "A backup of a server is kept for ninety days.",
    "To restore a server from its backup, write to the operators.",
    "The backups of the servers are encrypted with a key of their own.",
]


async def test_a_text_is_cut_where_its_subject_changes(embedder: Embedder) -> None:
    text = " ".join(LEAVE + COFFEE + SERVERS)
    tiles = await cut_by_subject(embedder, text, [], 400)
    assert [text[low:high].strip() for low, high in tiles.spans] == [
        " ".join(LEAVE),
        " ".join(COFFEE),
        " ".join(SERVERS),
    ]
    assert set(tiles.vectors) == {*LEAVE, *COFFEE, *SERVERS}, "each sentence was embedded, once"


async def test_pages_are_kept_apart_and_nothing_comes_of_nothing(embedder: Embedder) -> None:
    text = "\n\n".join((" ".join(LEAVE), " ".join(LEAVE)))
    second = text.index("\n\n") + 2
    assert (await cut_by_subject(embedder, text, [0, second], 2000)).spans == [(0, second), (second, len(text))]
    assert (await cut_by_subject(embedder, "", [], 400)).spans == []
    assert (await cut_by_subject(embedder, " \n ", [0], 400)).spans == []


def test_the_depth_of_a_gap_is_its_distance_to_the_peaks_around_it() -> None:
    one, other = np.eye(2, dtype=np.float32)
    depths = gap_depths(np.array([one] * 6 + [other] * 6))
    assert len(depths) == 12
    assert depths.argmax() == 6
    assert depths[6] == 2.0
    assert depths[0] == depths[1] == 0.0
    assert gap_depths(np.array([one])).tolist() == [0.0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 500), min_size=1, max_size=60),
    st.sets(st.integers(1, 59), max_size=4),
    st.integers(0, 1000),
    st.sampled_from([200, 400, 800]),
)
def test_chunks_are_neither_short_nor_long_where_units_allow(
    lengths: list[int], page_units: set[int], seed: int, size: int
) -> None:
    starts = [0, *np.cumsum(lengths).tolist()]
    units = [Unit(start, "") for start in starts[:-1]]
    numbered = [starts[n] for n in page_units if n < len(lengths)]
    vectors = np.random.default_rng(seed).normal(size=(len(units), 4)).astype(np.float32)
    edges = sorted({0, *edges_by_depth(units, vectors, starts[-1], numbered, size), starts[-1]})
    assert {*numbered} <= {*edges} <= {*starts}
    for low, high in pairwise(edges):
        inside = [start for start in starts if low < start < high]
        assert high - low >= size // 4 or high in numbered or high == starts[-1] or low == 0 or low in numbered
        if high - low > size:
            fit = [start for start in inside if low + size // 4 <= start]
            assert not fit, "what is too long could not be cut"


def test_units_keep_headings_tables_and_code_whole() -> None:
    rows = ["| Nome completo da pessoa | Dias |", "| --- | --- |", "| Maria de Souza e Silva | 25 dias |"]
    table = "\n".join([*rows, "| João Batista Nogueira | 22 dias |"])
    code = "```python\nprint('this is a line of code')\nprint('this is another line of code')\n```"
    text = f"# Guide\n\n## Leave\n\n{LEAVE[0]} {LEAVE[1]}\n\n{table}\n\nPrazos\n{LEAVE[2]}\n\n{code}\n\n- {LEAVE[3]}"
    units = sentence_units(text, [])
    pieces = [text[a.start : b] for a, b in zip(units, [*(unit.start for unit in units[1:]), len(text)], strict=True)]
    assert "".join(pieces) == text
    assert [piece.strip() for piece in pieces] == [
        f"# Guide\n\n## Leave\n\n{LEAVE[0]}",
        LEAVE[1],
        table,
        f"Prazos\n{LEAVE[2]}",
        code,
        f"- {LEAVE[3]}",
    ]


def test_units_of_a_talk_are_its_turns() -> None:
    said = [
        f"{name}: This is what I say, and I say it for the time number {n}. Is it not?"
        for n, name in enumerate(["Ana", "Leo"] * 4)
    ]
    text = "The meeting\n\n" + "\n".join(said)
    assert [unit.text for unit in turn_units(text, [])] == ["The meeting", *said]
    cues = "WEBVTT\n\n" + "\n\n".join(f"00:0{n}.000 --> 00:0{n}.900\nSentence {n}" for n in range(9))
    units = turn_units(cues, [])
    assert [unit.text for unit in units] == ["WEBVTT", *(f"Sentence {n}" for n in range(9))]
    assert cues[units[3].start :].startswith("00:02.000 -->")
