"""Do the passages that were read contradict each other on what the answer says?

No model is asked. Two sentences about the same thing disagree if they name another amount, date or time for it, or one
denies what the other affirms. They are about the same thing if every word of the one that carries meaning has its
like in the other, equal or near to the embedder, which knows words of both languages: a plan, a place, a condition that
only one of them names makes them different things. That misses disagreements, and hardly ever invents one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kbot.chat import Passage
from kbot.disagreement.polarity import opposed
from kbot.disagreement.saying import (
    Said,
    around,
    contrast,
    differences,
    names_in,
    said,
    siblings,
    token_roots,
    unmatched,
)
from kbot.disagreement.values import Value, agree, comparable
from kbot.embedders import EMBEDDED
from kbot.grounding import Verdict, strip_citations
from kbot.language import detect_language
from kbot.models import Embedder
from kbot.sentences import sentences

# Cosines of the embedded encoder. Words that translate each other, or mean the same, lie above .7 (.73 to .97), others
# below (.26 to .7); two sentences on one thing above .5, in two languages as well.
_WORD_NEAR = 0.7
_SENTENCE_NEAR = 0.5
_MOST_PAIRS = 12
_LONGEST = 400
_SHORT = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_])")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•▪–]|\d{1,3}[.)])[ \t]")

Kind = Literal["number", "date", "negation"]


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


@dataclass(frozen=True, slots=True)
class _Clash:
    kind: Kind
    first: Said
    second: Said
    values: tuple[str, str]
    # Words of either side whose like in the other only the embedder can tell.
    unmatched: tuple[tuple[str, ...], tuple[str, ...]]


async def disagreements(
    embedder: Embedder, question: str, verdict: Verdict, passages: Sequence[Passage]
) -> list[Disagreement]:
    """Where passages that were read contradict each other on what a grounded answer says; one for each pair of
    passages at most.

    The answer's side is a sentence of a cited passage where there is one; the other may be of any passage that was
    read, or of another part of the same document. Embeds only pairs that differ in a value or a negation, and nothing
    where there is none. Another encoder than the embedded one, whose cosines mean something else, is not asked: there
    words have to be equal. Raises `ModelError` where an embedder does not answer.
    """
    if not verdict.grounded:
        return []
    cited = {citation.passage_id for citation in verdict.citations}
    names = names_in(question)
    claims = [
        said(0, claim, "", "", item=False)
        for claim, _ in _sentences(strip_citations(verdict.text))
        if len(claim) <= _LONGEST
    ]
    read = list(_read(passages, claims))
    followed = sorted(read, key=lambda each: passages[each.n].id not in cited)
    clashes: dict[frozenset[str], _Clash] = {}
    for claim in claims:
        for one in followed:
            if not _follows(claim, one):
                continue
            for other in read:
                clash = _clash(claim, one, other)
                if clash and not _related(one, other, passages, names):
                    clashes.setdefault(frozenset((one.text, other.text)), clash)
    return await _near(embedder, list(clashes.values())[:_MOST_PAIRS])


def _read(passages: Sequence[Passage], claims: Sequence[Said]) -> Iterator[Said]:
    """The sentences of the passages that can be about what one of the claims says: they share some of its words, or
    are in another language."""
    seen: set[tuple[str, str]] = set()
    wanted = [(detect_language(claim.text), token_roots(" ".join((*claim.words, *claim.names)))) for claim in claims]
    for n, passage in enumerate(passages):
        for sentence, line in _sentences(passage.section or passage.text):
            key = (passage.document_id, sentence)
            if (
                line.lstrip().startswith(("|", "#"))
                or len(sentence) > _LONGEST
                or sentence.endswith("?")
                or key in seen
            ):
                continue
            seen.add(key)
            there = token_roots(sentence)
            if any(language != passage.language or 3 * len(there & words) >= len(words) for language, words in wanted):
                yield said(n, sentence, passage.title, passage.heading, item=bool(_LIST_ITEM.match(line)))


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of a text, short ones as well, each with its line up to there."""
    for start, end in sentences(text):
        line = text[text.rfind("\n", 0, start) + 1 : end]
        for sentence in _SHORT.split(text[start:end]):
            yield " ".join(sentence.split()), line


def _related(one: Said, other: Said, passages: Sequence[Passage], names: frozenset[str]) -> bool:
    """Whether two sentences are meant to differ, or are one: items of a list, parts on different things, and what
    stands under a name that the question asks for beside what does not."""
    same = passages[one.n].document_id == passages[other.n].document_id
    return (
        one.text == other.text
        or (same and one.item and other.item)
        or siblings(one, other, same_document=same)
        or (names & around(one)) != (names & around(other))
    )


def _follows(claim: Said, one: Said) -> bool:
    """Whether the answer's sentence says what a read one says, as far as values and negation go."""
    if claim.text == one.text:
        return True
    if any(comparable(a, b) and agree(a, b) and a.bound == b.bound for a in claim.values for b in one.values):
        return True
    words = token_roots(" ".join(claim.words))
    shared = words & token_roots(" ".join(one.words))
    return bool(shared) and not opposed(claim.polarity, one.polarity) and 2 * len(shared) >= len(words)


def _clash(claim: Said, one: Said, other: Said) -> _Clash | None:
    if one.conditions != other.conditions or (one.periods and other.periods and one.periods.isdisjoint(other.periods)):
        return None
    turned = opposed(one.polarity, other.polarity)
    pairs = differences(one.values, other.values) if one.values or other.values else []
    if pairs is None or bool(pairs) == turned:
        return None
    if pairs and not any(_claims(claim, value) for value, _ in pairs):
        return None
    bounds = [[value.bound for value in each.values] for each in (one, other)]
    if turned and (bounds[0] != bounds[1] or opposed(claim.polarity, one.polarity)):
        return None
    ours, theirs = unmatched(one, other), unmatched(other, one)
    if ours is None or theirs is None:
        return None
    first, second = ("–".join(pair[side].written for pair in pairs) for side in (0, 1))
    return _Clash(pairs[0][0].kind if pairs else "negation", one, other, (first, second), (ours, theirs))


def _claims(claim: Said, value: Value) -> bool:
    return any(comparable(value, said) and agree(value, said) for said in claim.values)


async def _near(embedder: Embedder, clashes: Sequence[_Clash]) -> list[Disagreement]:
    """Those whose sentences are near each other, and whose every word has its like in the other."""
    if embedder.name != EMBEDDED:
        clashes = [clash for clash in clashes if not any(clash.unmatched)]
        return _distinct(clashes)
    texts = {text: None for clash in clashes for text in _texts(clash)}
    vectors = dict(zip(texts, np.asarray(await embedder.embeddings.aembed_documents(list(texts))), strict=True))

    def likes(words: Sequence[str], there: Sequence[str]) -> bool:
        return all(
            any(float(vectors[a] @ vectors[b]) >= _WORD_NEAR and not contrast(a, b) for b in there) for a in words
        )

    def same(clash: _Clash) -> bool:
        one, other = clash.first, clash.second
        ours, theirs = clash.unmatched
        near = float(vectors[one.text] @ vectors[other.text]) >= _SENTENCE_NEAR and not _exchanged(clash)
        return near and likes(ours, other.words) and likes(theirs, one.words)

    return _distinct([clash for clash in clashes if same(clash)])


def _exchanged(clash: _Clash) -> bool:
    """Whether one word has been put in another's place, in one language: lunch and dinner are near to an encoder, and
    sentences that are else alike mean them apart."""
    if detect_language(clash.first.text) != detect_language(clash.second.text):
        return False
    left = [
        tuple("" if word in words else word for word in each.words)
        for each, words in zip((clash.first, clash.second), clash.unmatched, strict=True)
    ]
    return all(len(words) == 1 for words in clash.unmatched) and left[0] == left[1] and len(left[0]) > 1


def _texts(clash: _Clash) -> Iterator[str]:
    ours, theirs = clash.unmatched
    yield from (clash.first.text, clash.second.text, *ours, *theirs)
    yield from clash.second.words if ours else ()
    yield from clash.first.words if theirs else ()


def _distinct(clashes: Sequence[_Clash]) -> list[Disagreement]:
    """The first for each two passages."""
    found: dict[frozenset[int], Disagreement] = {}
    for clash in clashes:
        one, other = (
            Side(each.n, each.text, value)
            for each, value in zip((clash.first, clash.second), clash.values, strict=True)
        )
        found.setdefault(frozenset((one.passage, other.passage)), Disagreement(clash.kind, one, other))
    return list(found.values())
