"""Which of the sentences that were read cannot both hold, as far as their words tell. Pure functions.

The work is bounded whatever was read: of a long price list only what shares most with the answer is looked at, a
sentence of the answer rests on a few, and each two that can clash are compared once.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import Literal

from kbot.chat import Passage
from kbot.disagreement.saying import Said, around, differences, names_in, said, siblings, token_roots, unmatched
from kbot.figures.values import Value, agree, comparable
from kbot.grounding import Verdict, strip_citations
from kbot.language import detect_language
from kbot.polarity import opposed
from kbot.sentences import sentences

# Sentences that are compared: so many in the answer's language, and so many in others.
_MOST_READ = 100
# Sentences that one of the answer can rest on.
_MOST_FOLLOWED = 8
_LONGEST = 400
_SHORT = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_])")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•▪–]|\d{1,3}[.)])[ \t]")

Kind = Literal["number", "date", "negation"]


@dataclass(frozen=True, slots=True)
class Clash:
    """Two sentences that cannot both hold if they are about the same thing.

    `values` are the pairs that do not agree, none where one denies what the other affirms; `unmatched` the words of
    either whose like in the other only an embedder can tell.
    """

    kind: Kind
    first: Said
    second: Said
    values: tuple[tuple[Value, Value], ...]
    unmatched: tuple[tuple[str, ...], tuple[str, ...]]


def clashes(question: str, verdict: Verdict, passages: Sequence[Passage]) -> list[Clash]:
    """What contradicts what a grounded answer says, those first that leave the fewest words to an embedder. The `first`
    of each is a sentence that the answer follows, of a cited passage where there is one."""
    claims = claims_of(verdict)
    read = read_for(claims, passages)
    followed = followed_by(claims, read)
    cited = {citation.passage_id for citation in verdict.citations}
    names = names_in(question)
    found: dict[frozenset[str], Clash] = {}
    for one, other in pairs(sorted(followed, key=lambda place: passages[read[place].n].id not in cited), read):
        clash = _clash(read[one], read[other])
        if clash is None or _related(clash.first, clash.second, passages, names):
            continue
        for place, each in ((one, clash), (other, _turned(clash))):
            if any(_rests_on(claim, each) for claim in followed.get(place, ())):
                found.setdefault(frozenset((clash.first.text, clash.second.text)), each)
    return sorted(found.values(), key=lambda clash: sum(map(len, clash.unmatched)))


def claims_of(verdict: Verdict) -> list[Said]:
    """The sentences of an answer."""
    told = _sentences(strip_citations(verdict.text))
    return [said(0, claim, "", "", item=False) for claim, _ in told if len(claim) <= _LONGEST]


def read_for(claims: Sequence[Said], passages: Sequence[Passage]) -> list[Said]:
    """The sentences of the passages that can be about what one of the claims says, in their order: they share a third
    of its words, or are in another language. At most 100 of either kind, those that share most."""
    wanted = [(detect_language(claim.text), claim.roots | claim.named) for claim in claims]
    shares: dict[bool, dict[int, float]] = {True: {}, False: {}}
    found: list[tuple[int, str, bool]] = []
    for n, sentence, item in _read(passages):
        there = token_roots(sentence)
        share = max((len(there & words) / len(words) if words else 1.0 for _, words in wanted), default=0.0)
        foreign = any(language != passages[n].language for language, _ in wanted)
        if foreign or share >= 1 / 3:
            shares[foreign][len(found)] = share
            found.append((n, sentence, item))
    kept = sorted(place for kind in shares.values() for place in nlargest(_MOST_READ, kind, key=kind.__getitem__))
    return [
        said(n, sentence, passages[n].title, passages[n].heading, item=item)
        for n, sentence, item in (found[place] for place in kept)
    ]


def followed_by(claims: Sequence[Said], read: Sequence[Said]) -> dict[int, list[Said]]:
    """The sentences that an answer rests on, by their places among those that were read, each with the claims that
    follow it: of those that say what a claim says, as far as values and negation go, the 8 that share most with it.
    One is left out where another shares all of its words and more: that has the claim's value for something else."""
    followed: defaultdict[int, list[Said]] = defaultdict(list)
    for claim in claims:
        shared = {place: claim.roots & one.roots for place, one in enumerate(read) if _follows(claim, one)}
        most = [place for place, words in shared.items() if not any(words < others for others in shared.values())]
        for place in nlargest(_MOST_FOLLOWED, most, key=lambda place: len(shared[place])):
            followed[place].append(claim)
    return dict(followed)


def pairs(followed: Iterable[int], read: Sequence[Said]) -> Iterator[tuple[int, int]]:
    """Each two sentences of which the first is followed and that can clash, once, by their places: those that name as
    many values of each kind, under the same conditions."""
    alike: defaultdict[object, list[int]] = defaultdict(list)
    for place, one in enumerate(read):
        alike[_shape(one)].append(place)
    done: set[int] = set()
    for one in followed:
        done.add(one)
        yield from ((one, other) for other in alike[_shape(read[one])] if other not in done)


def _read(passages: Sequence[Passage]) -> Iterator[tuple[int, str, bool]]:
    """The sentences of the passages that state something, each once a document: with the passage's place, and whether
    it is an item of a list."""
    seen: set[tuple[str, str]] = set()
    for n, passage in enumerate(passages):
        for sentence, line in _sentences(passage.section or passage.text):
            key = (passage.document_id, sentence)
            layout = line.lstrip().startswith(("|", "#"))
            if layout or len(sentence) > _LONGEST or sentence.endswith("?") or key in seen:
                continue
            seen.add(key)
            yield n, sentence, bool(_LIST_ITEM.match(line))


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of a text, short ones as well, each with its line up to there."""
    for start, end in sentences(text):
        line = text[text.rfind("\n", 0, start) + 1 : end]
        for sentence in _SHORT.split(text[start:end]):
            yield " ".join(sentence.split()), line


def _follows(claim: Said, one: Said) -> bool:
    if claim.text == one.text:
        return True
    if any(comparable(a, b) and agree(a, b) and a.bound == b.bound for a in claim.values for b in one.values):
        return True
    shared = len(claim.roots & one.roots)
    return 0 < len(claim.roots) <= 2 * shared and not opposed(claim.polarity, one.polarity)


def _shape(one: Said) -> tuple[tuple[str, ...], frozenset[str]]:
    return tuple(sorted(value.unit for value in one.values)), one.conditions


def _clash(one: Said, other: Said) -> Clash | None:
    if one.conditions != other.conditions or (one.periods and other.periods and one.periods.isdisjoint(other.periods)):
        return None
    ours, theirs = unmatched(one, other), unmatched(other, one)
    if ours is None or theirs is None:
        return None
    turned = opposed(one.polarity, other.polarity)
    differing = differences(one.values, other.values)
    if differing is None or bool(differing) == turned:
        return None
    if turned and [value.bound for value in one.values] != [value.bound for value in other.values]:
        return None
    if _exchanged(one, other, ours, theirs):
        return None
    kind = differing[0][0].kind if differing else "negation"
    return Clash(kind, one, other, tuple(differing), (ours, theirs))


def _exchanged(one: Said, other: Said, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one word has been put in another's place, in one language: lunch and dinner are near to an encoder, and
    sentences that are else alike mean them apart."""
    if len(ours) != 1 or len(theirs) != 1 or len(one.words) < 2:
        return False
    left, right = (
        ["" if word in words else word for word in each.words] for each, words in ((one, ours), (other, theirs))
    )
    return left == right and detect_language(one.text) == detect_language(other.text)


def _turned(clash: Clash) -> Clash:
    values = tuple((theirs, ours) for ours, theirs in clash.values)
    ours, theirs = clash.unmatched
    return replace(clash, first=clash.second, second=clash.first, values=values, unmatched=(theirs, ours))


def _rests_on(claim: Said, clash: Clash) -> bool:
    """Whether a claim that follows the first sentence of a clash says the very thing that the second contradicts."""
    if not clash.values:
        return not opposed(claim.polarity, clash.first.polarity)
    return any(comparable(ours, told) and agree(ours, told) for ours, _ in clash.values for told in claim.values)


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
