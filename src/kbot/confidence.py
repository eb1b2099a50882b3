"""How likely is it that the passages of a search hold the answer? Decided by the evidence, before any model reads them.
Pure functions."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kbot.answer_types import wanted
from kbot.chat import Passage
from kbot.grounding import plain
from kbot.language import FUNCTION_WORDS, detect_language, stem
from kbot.outline import header_at, tables
from kbot.sentences import sentences

# What a question calls its answer, and a sentence that holds one need not say.
_ASKED_FOR = frozenset(["name", "nome", "kind", "type", "tipo", "whom", "whose"])
_CONTACT = frozenset(["phone", "telep", "telef", "numbe", "numer", "email", "mail", "addre", "ender"])
# "SEI", "2010" or "Petrobras" inside a question; a capital at its beginning says nothing.
_NAME = re.compile(r"(?<=[\s(\"“'])[A-ZÀ-Ý0-9][\w'’.-]*")

_FIRST = 3
_READ = 5

# A logistic regression on some seven hundred labelled questions in both languages, rounded. A fifth more or less of any
# weight moves what is refused at a tenth wrongly refused by two points at most.
_BIAS = -5.5
_EVIDENCE = 6.0
_FOREIGN = 2.0
_FOREIGN_NEAR = 6.0
_WORDS = 5.0
_UNNAMED = -1.5
# A long question, or a statement, has more words than one sentence has room for.
_ENOUGH_WORDS = 6
# Of a question's words beside a name: with fewer of them in a sentence another name there says nothing.
_SAME_WORDS = 0.6

# On the same questions: 5.9 % instead of 2.9 % of the answerable ones are lost, and 58 % instead of 50 % of the others
# refused.
_STRICTER = 0.1


@dataclass(frozen=True, slots=True)
class Cut:
    """A question is refused unread where the confidence in its passages is less than `confidence`, and none of them is
    as near as `nearness`. Both belong to the embedder."""

    confidence: float
    nearness: float


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for and against an answer in the passages, each in [0, 1].

    `evidence` is the best passage's mean of both cosines and coverage, as in the search. `foreign` is the share of the
    first passages in another language than the question: it stands in for the words that they cannot show, the more so
    the nearer the nearest is, as `near` tells (see `nearness`). `words` is the share of the question's words, six of
    them if it has more, in one sentence under its heading, and `unnamed` that of its names and numbers which the first
    passage's best sentence lacks.
    """

    evidence: float
    foreign: float
    near: float
    words: float
    unnamed: float


def gate(question: str, passages: Sequence[Passage], cut: Cut) -> bool:
    """Whether the passages are worth a model's time."""
    return bool(passages) and reaches(confidence(question, passages), nearness(passages), cut)


def reaches(sure: float, near: float, cut: Cut) -> bool:
    """Whether a confidence and a nearness are let through by a cut."""
    return near >= cut.nearness or sure >= cut.confidence


def for_quoting(cut: Cut) -> Cut:
    """The cut before a model that only quotes: one that reads may still refuse by itself, so its cut is the milder."""
    return replace(cut, confidence=cut.confidence + _STRICTER)


def confidence(question: str, passages: Sequence[Passage]) -> float:
    """How likely the passages hold the answer to a question that stands alone: in [0, 1], and 0 without a passage."""
    if not passages:
        return 0.0
    found = signs(question, passages)
    odds = (
        _BIAS
        + _EVIDENCE * found.evidence
        + (_FOREIGN + _FOREIGN_NEAR * found.near) * found.foreign * (1 - found.words)
        + _WORDS * found.words
        + _UNNAMED * found.unnamed
    )
    return 1 / (1 + math.exp(-odds))


def nearness(passages: Sequence[Passage]) -> float:
    """The highest mean of a passage's cosine and its best sentence's, in [0, 1]; 0 without a passage."""
    return max(((passage.similarity + passage.sentence) / 2 for passage in passages), default=0.0)


def signs(question: str, passages: Sequence[Passage]) -> Signs:
    """What the confidence in the passages rests on: those of the best evidence, whatever has ordered them."""
    passages = sorted(passages, key=_evidence, reverse=True)
    language = detect_language(question)
    first = passages[:_FIRST]
    foreign = [bool(language and passage.language and language != passage.language) for passage in first]
    return Signs(
        evidence=_evidence(passages[0]) if passages else 0.0,
        foreign=sum(foreign) / len(foreign) if foreign else 0.0,
        near=nearness(passages),
        words=max((_words(question, passage) for passage in passages[:_READ]), default=0.0),
        unnamed=unnamed(question, _said(passages[0])) if passages else 1.0,
    )


def roots(text: str) -> set[str]:
    """The first letters of each word that says what a text is about, without case and accents."""
    return {stem(word) for word in plain(text).split() if _says_something(word)}


def unnamed(question: str, text: str) -> float:
    """The share of a question's names and numbers that a text does not hold; 0 for a question without any."""
    names = [stem(word) for name in _NAME.findall(question) for word in plain(name).split() if _names(word)]
    there = {stem(word) for word in plain(text).split()}
    return sum(name not in there for name in names) / len(names) if names else 0.0


def rivals(question: str, text: str, said: str, *, foreign: bool = False) -> bool:
    """Whether what is said in a text is about another of the kind that the question asks about: the question names what
    the text does not hold, and in its place is another code ("SEV1" for "SEV5"), or, among the most of the question's
    other words, another name. In another language names are other words, too: there only codes tell."""
    there = {stem(word) for word in plain(text).split()}
    asked = {stem(word) for word in plain(question).split()}
    lacking = [name for name in _NAME.findall(question) if _lacks(name, there)]
    codes = [word for word in said.split()[:1] if any(c.isdigit() for c in word)]  # they say what they are anywhere
    others = {_kind_of(name) for name in [*codes, *_NAME.findall(said)] if _lacks(name, asked)}
    kinds = {_kind_of(name) for name in lacking} & others - {"number"}
    if kinds - {"name"}:
        return True
    rest = roots(question) - {stem(word) for name in lacking for word in plain(name).split()}
    return bool(kinds) and not foreign and len(rest & roots(said)) >= _SAME_WORDS * len(rest)


def _lacks(name: str, there: set[str]) -> bool:
    words = [word for word in plain(name).split() if _names(word)]
    return bool(words) and not any(stem(word) in there for word in words)


def _kind_of(name: str) -> str:
    """ "name", "number", or the letters before the number of a code."""
    letters = plain(name).rstrip("0123456789")
    return (letters or "number") if letters != plain(name) else "name"


def _evidence(passage: Passage) -> float:
    """The score that the search gives before any reranking."""
    return (passage.similarity + passage.sentence + 0.8 * passage.coverage) / 2.8


def _words(question: str, passage: Passage) -> float:
    asked = roots(question) - (_CONTACT | _ASKED_FOR if wanted(question).kind == "contact" else _ASKED_FOR)
    if not asked:
        return 0.0
    heading = roots(_heading(passage))
    grid = tables(passage.text)
    heads = {table.header: roots(table.header) for table in grid}  # a row says what its table's head names
    shared = [
        len(asked & (roots(passage.text[a:b]) | heading | heads.get(header_at(grid, a), set())))
        for a, b in sentences(passage.text)
    ]
    return min(max(shared, default=0) / min(len(asked), _ENOUGH_WORDS), 1.0)


def _said(passage: Passage) -> str:
    # Of a table the best line is often its head, which names no row.
    line = passage.quote if passage.quote and not passage.quote.startswith("|") else passage.text
    return f"{_heading(passage)} {line}"


def _heading(passage: Passage) -> str:
    return f"{passage.title} {passage.heading}".replace("_", " ")


def _says_something(word: str) -> bool:
    return word.isdigit() or (len(word) > 2 and word not in FUNCTION_WORDS)


def _names(word: str) -> bool:
    return (len(word) > 1 or word.isdigit()) and word not in FUNCTION_WORDS
