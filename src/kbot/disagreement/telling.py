"""How an answer tells that its sources disagree: one sentence, which cites both. Pure functions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from kbot.chat import Citation, Passage, in_language
from kbot.disagreement.search import Disagreement, Side
from kbot.grounding import Verdict, citation, plain, strip_citations
from kbot.language import Language

_MOST = 2
_LONGEST_QUOTE = 160
_LONGEST_TITLE = 60
_MARKUP = re.compile(r"[\[\]{}*_`|<>#\\~]+")


@dataclass(frozen=True, slots=True)
class _Words:
    already: re.Pattern[str]
    sources: str
    one_source: str
    older: str
    quoted: str
    months: tuple[str, ...]
    day: str


_ENGLISH = _Words(
    re.compile(r"\b(?:disagree|contradict|conflict|inconsisten|differ from each other|discrepan)", re.IGNORECASE),
    "The sources disagree: {first} says {one} {a}, {second} says {other} {b}.",
    "The source disagrees with itself: {first} says {one} {a} and, elsewhere, {other} {b}.",
    "{name} (older, {day})",
    "“{text}”",
    (
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    "{day} {month} {year}",
)
_PORTUGUESE = _Words(
    re.compile(r"\b(?:discord|diverg|contradi|conflit|inconsist|discrep)", re.IGNORECASE),
    "As fontes discordam: {first} diz {one} {a}, {second} diz {other} {b}.",
    "A fonte se contradiz: {first} diz {one} {a} e, em outro ponto, {other} {b}.",
    "{name} (mais antiga, {day})",
    "“{text}”",
    (
        *("janeiro", "fevereiro", "março", "abril", "maio", "junho"),
        *("julho", "agosto", "setembro", "outubro", "novembro", "dezembro"),
    ),
    "{day} de {month} de {year}",
)


def told(verdict: Verdict, found: Sequence[Disagreement], passages: Sequence[Passage], language: Language) -> Verdict:
    """The verdict on an answer with a sentence for each disagreement, at most two, and the citations that it adds.

    `passages` are those that were read, which the disagreements count; the sentence names the older document where the
    days differ. An answer that tells of a contradiction itself, or is not grounded, is left as it is.
    """
    words = in_language(language, _ENGLISH, _PORTUGUESE)
    if not (verdict.grounded and found) or words.already.search(verdict.text):
        return verdict
    citations = list(verdict.citations)
    lines: list[str] = []
    for each in found[:_MOST]:
        one, other = passages[each.first.passage], passages[each.second.passage]
        names = _names(one, other)
        days = (one.updated[:10], other.updated[:10])
        first, second = (
            _dated(name, day, words, older=bool(day and beside and day < beside))
            for name, day, beside in zip(names, days, reversed(days), strict=True)
        )
        template = words.one_source if one.document_id == other.document_id else words.sources
        lines.append(
            template.format(
                first=first,
                second=second,
                one=_says(each.first, words),
                other=_says(each.second, words),
                a=_mark(citations, one, each.first.sentence),
                b=_mark(citations, other, each.second.sentence),
            )
        )
    return replace(verdict, text="\n\n".join([verdict.text, *lines]), citations=tuple(citations))


def _mark(citations: list[Citation], passage: Passage, sentence: str) -> str:
    """The mark of a passage in the answer; one that it does not cite yet is added."""
    for known in citations:
        if known.passage_id == passage.id:
            return f"[{known.n}]"
    n = max((known.n for known in citations), default=0) + 1
    citations.append(replace(citation(n, passage), quote=sentence))
    return f"[{n}]"


def _names(one: Passage, other: Passage) -> tuple[str, str]:
    """What two documents are called: by their titles, or by their files where the titles are alike."""
    same = one.document_id != other.document_id and plain(one.title) == plain(other.title)
    first, second = (passage.source if same else passage.title or passage.source for passage in (one, other))
    return _short(first, _LONGEST_TITLE), _short(second, _LONGEST_TITLE)


def _dated(name: str, day: str, words: _Words, *, older: bool) -> str:
    if not older:
        return f"“{name}”"
    when = date.fromisoformat(day)
    said = words.day.format(day=when.day, month=words.months[when.month - 1], year=when.year)
    return words.older.format(name=f"“{name}”", day=said)


def _says(side: Side, words: _Words) -> str:
    return _short(side.value, _LONGEST_QUOTE) or words.quoted.format(
        text=_short(side.sentence, _LONGEST_QUOTE).rstrip(". ")
    )


def _short(text: str, longest: int) -> str:
    """The text in one line, without what would be markup or a citation in an answer."""
    text = " ".join(_MARKUP.sub(" ", strip_citations(text)).split())
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
