"""Rerankers: a second, closer look at the candidates of a search, of which only the best are read."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from kbot.chat import Passage

Rerank = Callable[[str, Sequence[Passage]], Awaitable[list[Passage]]]
"""A question and its candidates in; the same passages out, best first, their `score` replaced by one in [0, 1]. Raises
`ModelError`."""


@dataclass(frozen=True, slots=True)
class Reranker:
    """A reranker under the name that the database records beside the embedder's ("embedded", "cohere:rerank-v3.5")."""

    name: str
    rerank: Rerank


def by_score(passages: Sequence[Passage], scores: Sequence[float]) -> list[Passage]:
    """The passages with these scores, best first; of equal ones the first stays first."""
    scored = [replace(passage, score=score) for passage, score in zip(passages, scores, strict=True)]
    return sorted(scored, key=lambda passage: -passage.score)


def titled(passage: Passage) -> str:
    """A passage as a model reads it: under its title, where its text does not say it."""
    return passage.text if passage.title in passage.text else f"{passage.title}\n{passage.text}"
