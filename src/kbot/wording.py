"""Answers compared word by word: the normalisation and token F1 of SQuAD (Rajpurkar et al., 2016), in two languages."""

import re
from collections import Counter
from collections.abc import Sequence

from kbot.grounding import plain

_ARTICLES = {"a", "an", "the", "o", "os", "as", "um", "uma", "uns", "umas"}
# "R$ 1.500", "1,500" and "1500" are one number; "1.5" is another.
_THOUSANDS = re.compile(r"(?<=\d)[.,\u00a0\u202f](?=\d{3}(?!\d))")


def words(text: str) -> list[str]:
    """The words of a text without case, accents, punctuation and articles."""
    return [word for word in plain(thousands_joined(text)).split() if word not in _ARTICLES]


def thousands_joined(text: str) -> str:
    """The text with each number of thousands in one: "1.500" and "1,500" as "1500"."""
    return _THOUSANDS.sub("", text)


def exact(answer: str, given: Sequence[str]) -> bool:
    """Whether an answer is one of those given, word for word."""
    return any(words(answer) == words(each) for each in given)


def contains(text: str, given: Sequence[str]) -> bool:
    """Whether a text holds one of the given answers, as whole words."""
    there = f" {' '.join(words(text))} "
    return any(bool(wanted := " ".join(words(each))) and f" {wanted} " in there for each in given)


def f1(answer: str, given: Sequence[str]) -> float:
    """The harmonic mean of precision and recall in words, against the nearest of the given answers; 0 without any."""
    return max((_f1(words(answer), words(each)) for each in given), default=0.0)


def _f1(said: Sequence[str], wanted: Sequence[str]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    shared = sum((Counter(said) & Counter(wanted)).values())
    return 2 * shared / (len(said) + len(wanted))
