"""A chat model without a language model: it answers by quoting the sentences that carry the answer."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import ConfigDict

from kbot.grounding import plain
from kbot.language import FUNCTION_WORDS, detect_language
from kbot.prompts import parse_passages, question_of, refusal_of
from kbot.sentences import sentences

_DOTS = re.compile(r"(?:\.\s?){5}")  # a line of a table of contents
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*(?:\n|\Z)")

# Measured on labelled questions in both languages: a sentence's score is its cosine with the question plus its own
# and its passage's share of the question's rare words, less a little for each place that the passage stands below the
# first. A passage in another language than the question has few of its words to show, and a table's row is no
# sentence to an encoder: both are given what they lack.
_WORDS_WEIGHT = 0.2
_FOREIGN = 0.16
_ROW = 0.1
_PER_PLACE = 0.02
_NEAR_ENOUGH = 0.51
_MARGIN = 0.07
_MOST_SENTENCES = 3
# Words count as one if they begin alike: a stemmer light enough for two languages at once.
_ROOT = 5


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence of passage `n`; `handicap` is what its score lacks. One that `leads` (a heading, a question, "as
    follows:") names what the next one says."""

    n: int
    order: int
    text: str
    leads: bool
    handicap: float


class ExtractiveChatModel(BaseChatModel):
    """Quotes, out of the numbered passages of a prompt, the sentences nearest to its question, each with its
    citation; or repeats the refusal sentence of the prompt when none is near.

    `embeddings` measures nearness by cosine. Like any chat model it answers messages and streams.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    embeddings: Embeddings

    @property
    def _llm_type(self) -> str:
        return "extractive"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        question, candidates = _read(messages)
        vectors = self.embeddings.embed_documents([c.text for c in candidates]) if candidates else []
        text = _quote(question, candidates, self.embeddings.embed_query(question), vectors) or refusal_of(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        question, candidates = _read(messages)
        vectors = await self.embeddings.aembed_documents([c.text for c in candidates]) if candidates else []
        asked = await self.embeddings.aembed_query(question)
        text = _quote(question, candidates, asked, vectors) or refusal_of(messages)
        for word in re.findall(r"\s*\S+\s*$|\s*\S+", text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            await asyncio.sleep(0)
        yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata={"finish_reason": "stop"}))


def _read(messages: Sequence[BaseMessage]) -> tuple[str, list[_Candidate]]:
    candidates: list[_Candidate] = []
    question = question_of(messages)
    asked_in = detect_language(question)
    for n, text in parse_passages(messages[-1].text):
        header: list[str] = []
        written_in = detect_language(text)
        foreign = _FOREIGN if asked_in and written_in and asked_in != written_in else 0.0
        for start, end in sentences(text):
            line = text[text.rfind("\n", 0, start) + 1 : end]
            quoted = " ".join(text[start:end].split())
            if line.startswith("|"):
                cells = _cells(line)
                if _RULE.match(text[end:].lstrip("\n")):
                    header = cells
                    continue
                quoted = "; ".join(f"{name}: {cell}" for name, cell in zip_longest(header, cells, fillvalue="") if cell)
            if _DOTS.search(quoted):
                continue
            handicap = foreign + (_ROW if line.startswith("|") else 0.0)
            leads = line.startswith("#") or quoted.endswith(("?", ":"))
            candidates.append(_Candidate(n, len(candidates), quoted.removeprefix(": "), leads, handicap))
    return question, candidates


def _quote(
    asked: str, candidates: Sequence[_Candidate], question: Sequence[float], vectors: Sequence[Sequence[float]]
) -> str:
    """The best sentences in the order of their passages; empty when none is good enough."""
    if not candidates:
        return ""
    cosines = np.asarray(vectors) @ np.asarray(question)
    shares = _shares(asked, candidates)
    scores: dict[int, float] = {}
    for candidate, cosine, share in zip(candidates, cosines.tolist(), shares, strict=True):
        at = candidate.order + candidate.leads
        if at < len(candidates) and candidates[at].n == candidate.n and not candidates[at].leads:
            score = cosine + _WORDS_WEIGHT * share + candidate.handicap - _PER_PLACE * (candidate.n - 1)
            scores[at] = max(score, scores.get(at, -1.0))
    best = sorted(scores, key=lambda order: -scores[order])[:_MOST_SENTENCES]
    if not best or scores[best[0]] < _NEAR_ENOUGH:
        return ""
    kept = [candidates[order] for order in best if scores[order] >= scores[best[0]] - _MARGIN]
    texts = {candidate.text: candidate for candidate in reversed(kept)}
    chosen = sorted(texts.values(), key=lambda candidate: candidate.order)
    return "\n\n".join(f"{candidate.text} [{candidate.n}]" for candidate in chosen)


def _shares(question: str, candidates: Sequence[_Candidate]) -> list[float]:
    """For each sentence its own and its passage's share of the question's words, added up. Words are weighed by how
    few of the sentences hold them."""
    words = [_roots(candidate.text) for candidate in candidates]
    counts = Counter(root for roots in words for root in roots)
    weights = {
        root: math.log(1 + (len(words) - counts[root] + 0.5) / (counts[root] + 0.5)) for root in _roots(question)
    }
    total = sum(weights.values()) or 1.0
    passages: dict[int, set[str]] = {}
    for candidate, roots in zip(candidates, words, strict=True):
        passages.setdefault(candidate.n, set()).update(roots)

    def share(roots: set[str]) -> float:
        return sum(weight for root, weight in weights.items() if root in roots) / total

    return [share(roots) + share(passages[c.n]) for c, roots in zip(candidates, words, strict=True)]


def _roots(text: str) -> set[str]:
    words = plain(text).split()
    return {word[:_ROOT] for word in words if word.isdigit() or (len(word) > 2 and word not in FUNCTION_WORDS)}


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
