"""Passages by the hundred thousand, from real sentences: made alike at every run, with vectors that cost little.

The sentences are those of the labelled sets and of the documents beside them. The first passages are the real ones;
each further one takes a real passage and exchanges about half of its sentences for neighbouring ones of two other
passages in its language, so that words keep their frequencies and passages keep two or three topics. A sentence's
vector is the embedder's own; a passage's is the mean of its sentences' with a little noise, of length one.
"""

import asyncio
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bench.labelled import read_set
from kbot.errors import Rejected
from kbot.ingestion.chunk import chunk, join_pages
from kbot.ingestion.load import Parser, parse_limits
from kbot.language import detect_language
from kbot.models import Embedder
from kbot.sentences import sentences
from kbot.settings import Settings

_SETS = ("dev", "scifact_mini", "contoso")
_SEED = 20_260
_NOISE = 0.15  # length of the noise beside a mean of length one


@dataclass(frozen=True, slots=True)
class SplicedPassage:
    """A passage as rows of `Corpus.sentences`."""

    language: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """`vectors[i]` belongs to `passages[i]`, `sentence_vectors[j]` to `sentences[j]`; both are half floats in
    network order, as Postgres takes them, of length one."""

    sentences: tuple[str, ...]
    sentence_vectors: NDArray[np.float16]
    passages: tuple[SplicedPassage, ...]
    vectors: NDArray[np.float16]

    @property
    def key(self) -> str:
        """Equal for equal corpora."""
        digest = hashlib.sha256(self.vectors.tobytes())
        digest.update("\x1f".join(self.sentences).encode())
        return digest.hexdigest()[:12]


async def make_corpus(folder: Path, cache: Path, embedder: Embedder, size: int) -> Corpus:
    """A corpus of `size` passages from the sets in `folder` and the documents in `../docs` of it; the sentences'
    vectors are kept in `cache`."""
    texts, real = await _real(folder)
    vectors = await _sentence_vectors(texts, cache, embedder)
    random = np.random.default_rng(_SEED)
    order = cast(list[int], random.permutation(len(real)).tolist())
    passages = [real[i] for i in order[:size]]
    of_language = {
        language: [p for p in real if p.language == language and len(p.rows) > 1]
        for language in sorted({p.language for p in real})
    }
    while len(passages) < size:
        first = real[int(random.integers(len(real)))]
        others = of_language[first.language]
        second, third = (others[int(random.integers(len(others)))] for _ in range(2)) if others else (first, first)
        passages.append(_spliced(first, second, third, random))
    means = _unit(np.stack([vectors[list(p.rows)].mean(axis=0) for p in passages]))
    noise = random.standard_normal(means.shape, dtype=np.float32)
    noise *= np.float32(_NOISE / math.sqrt(embedder.dimensions))
    return Corpus(tuple(texts), _half(vectors), tuple(passages), _half(_unit(means + noise)))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _half(vectors: NDArray[np.float32]) -> NDArray[np.float16]:
    return cast(NDArray[np.float16], vectors.astype(">f2"))


def _spliced(
    first: SplicedPassage, second: SplicedPassage, third: SplicedPassage, random: np.random.Generator
) -> SplicedPassage:
    kept = max(1, (len(first.rows) + 1) // 2)
    start = int(random.integers(len(first.rows) - kept + 1))
    rows = list(first.rows[start : start + kept])
    for other in (second, third):
        length = int(random.integers(1, 3))
        at = int(random.integers(max(1, len(other.rows) - length + 1)))
        rows.extend(other.rows[at : at + length])
    return SplicedPassage(first.language, tuple(dict.fromkeys(rows)))


async def _real(folder: Path) -> tuple[list[str], list[SplicedPassage]]:
    rows: dict[str, int] = {}
    passages: list[SplicedPassage] = []

    def add(language: str, pieces: list[str]) -> None:
        found = dict.fromkeys(rows.setdefault(" ".join(piece.split()), len(rows)) for piece in pieces)
        passages.append(SplicedPassage(language, tuple(found)))

    for name in _SETS:
        for passage in read_set(folder, name).passages:
            add(passage.language, [passage.text[low:high] for low, high in sentences(passage.text)])
    settings = Settings()
    documents = sorted((folder.parent / "docs").glob("*"))
    async with Parser(parse_limits(settings)) as parser:
        for path in documents:
            try:
                text, pages = join_pages((await parser.load(path)).pages)
            except Rejected as rejection:
                raise RuntimeError(f"{path} cannot be read: {rejection}") from rejection
            language = detect_language(text)
            for piece in chunk(text, pages, size=settings.chunk_characters):
                if piece.sentences:
                    add(language, [piece.text[s.start : s.end] for s in piece.sentences])
    return list(rows), [p for p in passages if p.rows]


async def _sentence_vectors(texts: list[str], cache: Path, embedder: Embedder) -> NDArray[np.float32]:
    key = hashlib.sha256("\x1f".join([embedder.name, *texts]).encode()).hexdigest()[:12]
    path = cache / f"sentences-{key}.npy"
    kept = await asyncio.to_thread(_load, path)
    if kept is None:
        kept = np.asarray(await embedder.embeddings.aembed_documents(texts), dtype=np.float32)
        await asyncio.to_thread(np.save, path, kept)
    return kept


def _load(path: Path) -> NDArray[np.float32] | None:
    path.parent.mkdir(parents=True, exist_ok=True)
    return cast(NDArray[np.float32], np.load(path)) if path.exists() else None
