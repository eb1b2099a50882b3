"""Retrieve wide, then narrow: the candidates of a search in the reranker's order."""

from collections.abc import Sequence
from dataclasses import dataclass

from kbot.chat import Passage
from kbot.errors import ModelError
from kbot.logs import get_logger
from kbot.models import Reranker

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reranked:
    """The passages to read, best first; `failed` is why they are still in the search's own order, None where the
    reranker did its work."""

    passages: list[Passage]
    failed: ModelError | None = None


async def rerank(reranker: Reranker, question: str, passages: Sequence[Passage], *, k: int) -> Reranked:
    """The `k` best of the candidates by the reranker. One that fails costs its order, never the answer: the candidates
    stay as the search found them, and the failure is logged and returned."""
    try:
        return Reranked((await reranker.rerank(question, passages))[:k])
    except ModelError as error:
        log.warning("reranker_failed", reranker=reranker.name, error=type(error).__name__, next_step=error.next_step)
        return Reranked(list(passages[:k]), error)
