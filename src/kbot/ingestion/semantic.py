"""Cut where the subject changes: where the sentences before a gap and those after it are least alike.

The depth of a gap is how far its similarity lies below the nearest peaks to both sides, as in TextTiling (Hearst,
"TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages", 1997), with the embedder's vectors of sentences in
place of counted words.
"""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pgvector.psycopg import HalfVector

from kbot.ingestion.recursive import Span, cut_at
from kbot.ingestion.units import Unit, sentence_units
from kbot.models import Embedder

_BLOCK = 3  # sentences to each side of a gap that are compared
_SHORTEST = 4  # a chunk is no shorter than its size divided by this, pages aside
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Tiles:
    """The spans of a text, and the vectors of the sentences that had to be embedded to find them, by their text."""

    spans: list[Span]
    vectors: dict[str, HalfVector]


async def cut_by_subject(embedder: Embedder, text: str, numbered: Sequence[int], size: int) -> Tiles:
    """Spans of about a quarter of `size` characters to `size`, each on one subject. A numbered page begins a new one.

    Raises `ModelError` where the embedder fails.
    """
    units = await asyncio.to_thread(sentence_units, text, numbered)
    vectors: dict[str, HalfVector] = {}
    texts = list(dict.fromkeys(unit.text for unit in units))
    for at in range(0, len(texts), _BATCH):
        batch = texts[at : at + _BATCH]
        embedded = await embedder.embeddings.aembed_documents(batch)
        vectors.update(zip(batch, map(HalfVector, embedded), strict=True))
    return Tiles(await asyncio.to_thread(_spans, units, vectors, text, numbered, size), vectors)


def _spans(
    units: Sequence[Unit], vectors: Mapping[str, HalfVector], text: str, numbered: Sequence[int], size: int
) -> list[Span]:
    rows = np.array([vectors[unit.text].to_list() for unit in units], dtype=np.float32)
    return cut_at(text, edges_by_depth(units, rows, len(text), numbered, size), size)


def edges_by_depth(
    units: Sequence[Unit], vectors: NDArray[np.float32], length: int, numbered: Sequence[int], size: int
) -> list[int]:
    """Where to cut a text of `length` characters, made of units with vectors, one a row, of length one."""
    if not units:
        return []
    depths = gap_depths(vectors)
    deep = float(depths[1:].mean() + depths[1:].std()) if len(units) > 1 else 0.0
    starts = [unit.start for unit in units]
    edges = list(numbered)
    for begin, end in pairwise(sorted({0, *numbered, length})):
        low, high = bisect_left(starts, begin), bisect_left(starts, end)
        if low < high:
            edges += _edges(starts, depths, low, high, end, size, deep)
    return edges


def gap_depths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The depth of the gap before each row; 0 before the first."""
    count = len(vectors)
    sums = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), np.cumsum(vectors, axis=0, dtype=np.float64)])
    gaps = np.arange(1, count)
    before = sums[gaps] - sums[np.maximum(gaps - _BLOCK, 0)]
    after = sums[np.minimum(gaps + _BLOCK, count)] - sums[gaps]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    alike = (before * after).sum(axis=1) / np.maximum(norms, 1e-9)
    left, right = _peaks(alike), _peaks(alike[::-1])[::-1]
    return np.concatenate([[0.0], left + right - 2 * alike]).astype(np.float32)


def _peaks(alike: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each gap the top of the slope that leads up from it to the left."""
    tops = alike.copy()
    for at in range(1, len(alike)):
        if alike[at - 1] >= alike[at]:
            tops[at] = tops[at - 1]
    return tops


def _edges(
    starts: Sequence[int], depths: NDArray[np.float32], low: int, high: int, end: int, size: int, deep: float
) -> list[int]:
    """Where the units from `low` to `high`, which end at `end`, are cut: while they are longer than `size`, at the
    deepest gap within it; then at those deeper than `deep` that leave nothing too short."""
    least = size // _SHORTEST
    edges: list[int] = []
    rest = [(low, high, end)]
    while rest:
        low, high, end = rest.pop()
        first = bisect_left(starts, starts[low] + least, low + 1, high)
        last = bisect_right(starts, min(starts[low] + size, end - least), first, high)
        best = max(range(first, last), key=lambda gap: depths[gap], default=None)
        if end - starts[low] > size:
            best = first if best is None and first < high else best  # a unit that is too long is cut by its length
        elif best is not None and depths[best] < deep:
            best = None
        if best is not None:
            edges.append(starts[best])
            rest += [(low, best, starts[best]), (best, high, end)]
    return edges
