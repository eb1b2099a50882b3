"""A sentence as far as it can be compared with another: its values, what it affirms, and the words it is about."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kbot.disagreement.vocabulary import CONDITIONS, CONTRASTS, DOCUMENTS, EFFECTIVE, LIGHT, PERIODS
from kbot.figures.values import Value, agree, comparable, values_in
from kbot.grounding import plain
from kbot.language import FUNCTION_WORDS, stem
from kbot.polarity import Polarity, polarity

_TOKEN = re.compile(r"[^\W_]+(?:\.\d+)*")
_CONDITION = re.compile("|".join(rf"\b(?P<{name}>{words})\b" for name, words in CONDITIONS.items()), re.IGNORECASE)
# What lies outside of something is not what lies in it; a word before a hyphen says so, and is near to nothing.
_OUTSIDE = re.compile(r"\b(?:(?:out[- ]of|outside|fora d[aeo]s?)\b|(?:off|non|não)-(?=\w))", re.IGNORECASE)
_EFFECTIVE = re.compile(rf"\b(?:{EFFECTIVE}) $", re.IGNORECASE)
# What follows is another statement: "22 days, of which…".
_ASIDE = re.compile(r"[,;] (?:which|and|but|while|so|que|e|mas|enquanto|portanto|o que|os quais|as quais)\b.*\Z|;.*\Z")
_ARTICLES = "AEOÀÉ"
_LIGHT = frozenset(plain(word) for word in LIGHT)
_DOCUMENTS = frozenset(stem(plain(word)) for word in DOCUMENTS)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of passage `n`, as far as it can be compared. `words` carry its meaning beside its values and what it
    affirms, `roots` are theirs; `named` are the roots of names, which only an equal one matches; `conditions` and
    `periods` those that it names. `title` and `heading` are the roots of the words above it."""

    n: int
    text: str
    values: tuple[Value, ...]
    polarity: Polarity
    words: tuple[str, ...]
    roots: frozenset[str]
    named: frozenset[str]
    conditions: frozenset[str]
    periods: frozenset[str]
    title: frozenset[str]
    heading: frozenset[str]
    item: bool


def said(n: int, sentence: str, title: str, heading: str, *, item: bool) -> Said:
    """A sentence of passage `n` under a title and a heading ("A > B"), read; `item` if it is one of a list."""
    told = _ASIDE.sub("", sentence)
    values = tuple(value for value in values_in(told) if not _takes_effect(told, value))
    meaning = polarity(told)
    spans = [(value.start, value.end) for value in values_in(told)] + list(meaning.spans)
    words = words_in(told, spans)
    conditions = frozenset(match.lastgroup or "" for match in _CONDITION.finditer(told))
    above = " ".join(part for part in heading.split(" > ") if plain(part) != plain(title))
    return Said(
        n,
        sentence,
        values,
        meaning,
        tuple(word for word, name in words if not name),
        frozenset(root(word) for word, name in words if not name),
        frozenset(root(word) for word, name in words if name),
        conditions | {"outside"} if _OUTSIDE.search(told) else conditions,
        frozenset(PERIODS[word] for word in map(_bare, _TOKEN.findall(_without(told, spans))) if word in PERIODS),
        token_roots(title),
        token_roots(above),
        item,
    )


def _takes_effect(text: str, value: Value) -> bool:
    return value.unit == "date" and bool(_EFFECTIVE.search(text[: value.start]))


def words_in(text: str, without: Iterable[tuple[int, int]]) -> list[tuple[str, bool]]:
    """The words that carry meaning, outside some spans, and whether each is a name: a number, a capital amid a
    sentence, a letter alone."""
    text = _without(text, without)
    found: list[tuple[str, bool]] = []
    for place, match in enumerate(_TOKEN.finditer(text)):
        word = match[0]
        rest, initial = word[1:], word[0].isupper()
        name = (
            not word.isalpha()
            or rest != rest.lower()
            or (initial and (place > 0 or (not rest and word not in _ARTICLES)))
        )
        bare = _bare(word)
        if name or (bare not in PERIODS and len(bare) > 2 and bare not in FUNCTION_WORDS and root(word) not in _LIGHT):
            found.append((word if name else word.lower(), name))
    return found


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@lru_cache(maxsize=2048)
def token_roots(text: str) -> frozenset[str]:
    """The roots of all words of a text but those that carry no meaning; the A of "Plan A" does."""
    words = _TOKEN.findall(text)
    return frozenset(
        root(word)
        for place, word in enumerate(words)
        if _bare(word) not in FUNCTION_WORDS or (place > 0 and len(word) == 1 and word.isupper())
    )


def names_in(text: str) -> frozenset[str]:
    """The roots of the names in a text; a month or a day of the week is none."""
    spans = [(value.start, value.end) for value in values_in(text)]
    return frozenset(root(word) for word, name in words_in(text, spans) if name)


def around(one: Said) -> frozenset[str]:
    """The roots of a sentence and of what stands above it."""
    return token_roots(one.text) | one.title | one.heading


def siblings(one: Said, other: Said, *, same_document: bool) -> bool:
    """Whether titles or headings say that two sentences are on different things: of two that have a word in common
    ("Plan A", "Plan B"), and of any two headings of one document, each has a word that the other has not. Years,
    numbers and words for kinds of documents do not count."""
    pairs = [(one.heading, other.heading, same_document), (one.title, other.title, False)]
    for ours, theirs, apart in pairs:
        left, right = (
            {word for word in a - b if not word.isdigit() and word not in _DOCUMENTS}
            for a, b in ((ours, theirs), (theirs, ours))
        )
        if left and right and (apart or ours & theirs):
            return True
    return False


@lru_cache(maxsize=4096)
def _bare(word: str) -> str:
    return plain(word)


def root(word: str) -> str:
    """The first letters of a word, without case and accents."""
    return stem(_bare(word))


def differences(first: Sequence[Value], second: Sequence[Value]) -> list[tuple[Value, Value]] | None:
    """The pair of values that does not agree, or both ends of the hours of a day; [] if all agree. None if two
    sentences name different things: another number of values of a kind, or more than one that differs."""
    units = {value.unit for value in (*first, *second)}
    found: list[tuple[Value, Value]] = []
    for unit in units:
        ours, theirs = ([value for value in values if value.unit == unit] for values in (first, second))
        if len(ours) != len(theirs):
            return None
        for a, b in zip(ours, theirs, strict=True):
            if not comparable(a, b):
                return None
            if not agree(a, b):
                found.append((a, b))
    hours = len(found) == 2 and all(value.unit == "time of day" for value, _ in found)
    return found if len(found) <= 1 or hours else None


def unmatched(one: Said, other: Said) -> tuple[str, ...] | None:
    """The words of one sentence without an equal in the other or above it; None if a name is among them."""
    there = other.roots | other.named | other.title | other.heading
    if not one.named <= there:
        return None
    return tuple(dict.fromkeys(word for word in one.words if root(word) not in there))


def contrast(word: str, other: str) -> bool:
    """Whether two words that are near to an encoder are opposites, or kinds of one thing."""
    a, b = plain(word), plain(other)
    return any(
        any(a.startswith(w) for w in here) and any(b.startswith(w) for w in there)
        for left, right in CONTRASTS
        for here, there in ((left, right), (right, left))
    )
