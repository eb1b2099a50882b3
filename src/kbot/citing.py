"""Which sentence of a source an answer rests on: the quote that is shown with its citation. Pure functions."""

from collections.abc import Sequence
from dataclasses import replace

from kbot.chat import Citation, Passage
from kbot.confidence import roots
from kbot.figures.standing import missing
from kbot.grounding import Verdict
from kbot.outline import heading_at
from kbot.reflection.claims import split_claims
from kbot.sentences import sentences


def quoted(verdict: Verdict, passages: Sequence[Passage]) -> Verdict:
    """The verdict on an answer with that sentence of each cited passage as its quote that holds most words of the
    claims which cite it, and the heading that this stands under; it is the passage's own quote, which is the nearest to
    the question, where no other holds more."""
    known = {passage.id: passage for passage in passages}
    claims = split_claims(verdict.text) if verdict.citations else []
    citations = tuple(
        _resting_on(each, known[each.passage_id], [claim.text for claim in claims if each.n in claim.cites])
        for each in verdict.citations
    )
    return replace(verdict, citations=citations)


def _resting_on(citation: Citation, passage: Passage, claims: Sequence[str]) -> Citation:
    """The citation with the quote for these claims, and the heading that this stands under."""
    quote = _quote(passage, claims)
    place = passage.text.find(quote)
    heading = heading_at(passage.text, place, passage.heading) if quote and place >= 0 else passage.heading
    return replace(citation, quote=quote, heading=heading)


def _quote(passage: Passage, claims: Sequence[str]) -> str:
    said = " ".join(claims)
    wanted = roots(said)
    pieces = [passage.quote, *(passage.text[start:end] for start, end in sentences(passage.text))]
    shared = [len(wanted & roots(piece)) for piece in pieces]
    best = [piece for piece, count in zip(pieces, shared, strict=True) if count == max(shared)]
    if not any(shared):
        return passage.quote
    # Of two with as many words, the one with the figures, and then the one that says less beside them.
    return min(best, key=lambda piece: (len(missing(said, piece)), len(roots(piece))))
