"""Do the passages that were read contradict each other on what the answer says?

No model is asked. Two sentences about the same thing disagree if they name another amount, date or time for it, or one
denies what the other affirms. They are about the same thing if every word of the one that carries meaning has its
like in the other, equal or near to the embedder, which knows words of both languages: a plan, a place, a condition that
only one of them names makes them different things. That misses disagreements, and hardly ever invents one.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kbot.chat import Passage
from kbot.disagreement.clashes import Clash, Kind, clashes
from kbot.disagreement.saying import contrast
from kbot.embedders import EMBEDDED
from kbot.grounding import Verdict
from kbot.models import Embedder

# Cosines of the embedded encoder. Words that translate each other, or mean the same, lie above .7 (.73 to .97), others
# below (.26 to .7); two sentences on one thing above .5, in two languages as well.
_WORD_NEAR = 0.7
_SENTENCE_NEAR = 0.5
_MOST_PAIRS = 12


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a disagreement: the passage (its place among those that were read), its sentence, and the value as
    written there, "" where the two differ in what they deny."""

    passage: int
    sentence: str
    value: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two sentences that cannot both hold; `first` is the one that the answer follows."""

    kind: Kind
    first: Side
    second: Side


async def disagreements(
    embedder: Embedder, question: str, verdict: Verdict, passages: Sequence[Passage]
) -> list[Disagreement]:
    """Where passages that were read contradict each other on what a grounded answer says; one for each pair of
    passages at most.

    The answer's side is a sentence of a cited passage where there is one; the other may be of any passage that was
    read, or of another part of the same document. The sentences are compared in a thread. Embeds only pairs that differ
    in a value or a negation, at most 12, and nothing where there is none. Another encoder than the embedded one, whose
    cosines mean something else, is not asked: there words have to be equal. Raises `ModelError` where an embedder does
    not answer.
    """
    if not verdict.grounded:
        return []
    found = await asyncio.to_thread(clashes, question, verdict, passages)
    return await _near(embedder, found)


async def _near(embedder: Embedder, found: Sequence[Clash]) -> list[Disagreement]:
    """Those whose sentences are near each other, and whose every word has its like in the other."""
    if embedder.name != EMBEDDED:
        return _distinct([clash for clash in found if not any(clash.unmatched)])
    found = found[:_MOST_PAIRS]
    texts = {text: None for clash in found for text in _texts(clash)}
    vectors = dict(zip(texts, np.asarray(await embedder.embeddings.aembed_documents(list(texts))), strict=True))

    def likes(words: Sequence[str], there: Sequence[str]) -> bool:
        return all(
            any(float(vectors[a] @ vectors[b]) >= _WORD_NEAR and not contrast(a, b) for b in there) for a in words
        )

    def same(clash: Clash) -> bool:
        one, other = clash.first, clash.second
        ours, theirs = clash.unmatched
        near = float(vectors[one.text] @ vectors[other.text]) >= _SENTENCE_NEAR
        return near and likes(ours, other.words) and likes(theirs, one.words)

    return _distinct([clash for clash in found if same(clash)])


def _texts(clash: Clash) -> Iterator[str]:
    ours, theirs = clash.unmatched
    yield from (clash.first.text, clash.second.text, *ours, *theirs)
    yield from clash.second.words if ours else ()
    yield from clash.first.words if theirs else ()


def _distinct(found: Sequence[Clash]) -> list[Disagreement]:
    """The first for each two passages."""
    distinct: dict[frozenset[int], Disagreement] = {}
    for clash in found:
        first, second = (
            Side(each.n, each.text, "–".join(pair[side].written for pair in clash.values))
            for side, each in enumerate((clash.first, clash.second))
        )
        distinct.setdefault(frozenset((first.passage, second.passage)), Disagreement(clash.kind, first, second))
    return list(distinct.values())
