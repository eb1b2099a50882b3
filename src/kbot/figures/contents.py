"""What figures a text has, whichever way it writes them, as a claim is compared with them."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from kbot.figures.frequencies import TIMES
from kbot.figures.notation import uniform
from kbot.figures.numerals import NUMBER, ORDINAL, read_number, read_ordinal, read_roman
from kbot.figures.ranks import ranks
from kbot.figures.units import joined, per, seconds
from kbot.figures.values import Value, values_in
from kbot.figures.vocabulary import MONTHS, UNITS
from kbot.wording import thousands_joined

_NUMBER = re.compile(rf"(?<![^\W_]){NUMBER}", re.IGNORECASE)
_ORDINAL = re.compile(rf"(?<![^\W_]){ORDINAL}", re.IGNORECASE)
_PIECE = re.compile(r"\d+|[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
_WHOLE = re.compile(r"\d+|\d{1,3}(?:[.,\u00a0\u202f]\d{3})+")
_RANGE = re.compile(r"(\d+)[-–/](\d+)")
NEAR = 24  # characters between a number and what tells its unit: "10, 15 or 20 days", "Price in R$: 15"
_STOP = re.compile(r"[.;!?] ")
UNCOUNTED = ("count", "person")  # what is no measure, but a noun
UNITS_OF: dict[str, frozenset[str]] = {
    unit: frozenset(word for word, (own, _) in UNITS.items() if own == unit) for unit, _ in UNITS.values()
}
# What tells the unit of a number and is none itself: an age is in years.
_TOLD_BY = {
    "month": frozenset(("age", "aged", "idade")),
    "°c": frozenset(("degrees", "graus")),
    "°f": frozenset(("degrees", "graus")),
}
# "24/7" may be the 24th of July as well.
_ALWAYS = re.compile(r"(?<![\d/.,-])24/7(?![\d/-])")
_TELEPHONE = re.compile(r"(?<![\w.,])\+?\(?\d[\d ().–-]{6,18}\d(?!\w)")
_LEAST_OF_A_TELEPHONE = 8  # digits


@dataclass(frozen=True, slots=True)
class Contents:
    """A text read: its `values`, each once, and where `all` of them stand; every number in `numbers`, whatever it
    counts; those beside which no unit stands in `bare`, by where they are, and in `unmeasured` without it; its letters
    and digits as `pieces`, in their order; the digits of its `telephones`, also without their codes; the `months` that
    it names, and in `ranks` what it numbers with ordinals."""

    text: str
    values: tuple[Value, ...]
    all: tuple[Value, ...]
    numbers: frozenset[float]
    bare: tuple[tuple[int, int, frozenset[float]], ...]
    unmeasured: frozenset[float]
    pieces: str
    telephones: frozenset[str]
    months: frozenset[int]
    ranks: frozenset[tuple[int, str]]


@lru_cache(maxsize=512)
def contents(text: str) -> Contents:
    """The figures of a text."""
    text = _ALWAYS.sub("24/7 (24 hours a day, 7 days a week)", uniform(text))
    values = values_in(text)
    measured = [False] * (len(text) + 1)
    for value in values:
        if value.unit not in UNCOUNTED:
            measured[value.start : value.end] = [True] * (value.end - value.start)
    numbers = {end for value in values if value.kind == "number" for end in ends(value)}
    distinct = {
        (value.unit, value.readings, value.written, *(sorted(per(text, value)) if value.per else ())): value
        for value in (*values, *joined(text, values), *seconds(text))
    }
    bare: list[tuple[int, int, frozenset[float]]] = []
    for match in _NUMBER.finditer(text):
        readings = frozenset(read_number(match[0]))
        numbers |= readings
        if not measured[match.start()]:
            bare.append((match.start(), match.end(), readings))
    words = _WORD.findall(text)
    numbers |= {float(read_ordinal(each[0])) for each in _ORDINAL.finditer(text)}
    numbers |= {float(read_roman(word)) for word in words if word.isupper() and read_roman(word)}
    ranked = frozenset((number, thing) for number, thing, _ in ranks(text))
    numbers |= {float(number) for number, _ in ranked}
    numbers |= {TIMES[word.lower()] for word in words if word.lower() in TIMES}
    return Contents(
        text,
        tuple(distinct.values()),
        values,
        frozenset(numbers),
        tuple(bare),
        frozenset(number for _, _, readings in bare for number in readings),
        _pieces(text),
        frozenset(
            digits[start:] for _, digits in telephones(text) for start in range(len(digits) - _LEAST_OF_A_TELEPHONE + 1)
        ),
        frozenset(MONTHS[word.lower()] for word in words if word.lower() in MONTHS),
        ranked,
    )


def telephones(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """What may be a telephone number, and its digits."""
    for match in _TELEPHONE.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) >= _LEAST_OF_A_TELEPHONE:
            yield match, digits


def _pieces(text: str) -> str:
    return f" {' '.join(_PIECE.findall(thousands_joined(text).casefold()))} "


def beside_unit(there: Contents, number: float, unit: str) -> bool:
    """Whether the text has this number where something near it tells the unit: another amount ("10, 15 or 20 days"),
    the unit's name ("Price in R$: 15"), or, above a table's column, its head."""
    return any(
        any(math.isclose(number, each) for each in readings) and _unit_near(there, start, end, unit)
        for start, end, readings in there.bare
    )


def _unit_near(there: Contents, start: int, end: int, unit: str) -> bool:
    before, after = there.text[max(start - NEAR, 0) : start], there.text[end : end + NEAR]
    if "|" in before and "|" in after:
        return True
    before, after = _STOP.split(before)[-1], _STOP.split(after)[0]
    first, last = start - len(before), end + len(after)
    place = bisect_left(there.all, first, key=lambda other: other.end)
    if any(
        other.unit == unit for other in takewhile(lambda other: other.start <= last, there.all[place : place + NEAR])
    ):
        return True
    names = UNITS_OF.get("minute" if unit == "working day" else unit, frozenset()) | _TOLD_BY.get(unit, frozenset())
    return any(word.lower() in names for word in re.findall(r"[^\W\d_]+\$?|[%$€£]", f"{before} {after}"))


def ends(value: Value) -> Iterator[float]:
    return (end for reading in value.readings for end in reading[0])


def among(number: float, others: frozenset[float], slack: float = 0.0) -> bool:
    return number in others or any(math.isclose(number, other, rel_tol=max(slack, 1e-9)) for other in others)


def stands(there: Contents, lead: str, number: str) -> bool:
    """Whether a number that measures nothing, or a code, stands in the text: as it is, whatever parts its groups of
    digits; a whole number also in words, or with its thousands parted, and a range by its ends."""
    if _pieces(lead + number) in there.pieces:
        return True
    if lead:
        return lead == "Q" and number.isdecimal() and (int(number), "quarter") in there.ranks
    if _WHOLE.fullmatch(number):
        return any(each in there.numbers for each in read_number(number))
    both = _RANGE.fullmatch(number)
    return bool(both) and all(float(end) in there.numbers for end in (both[1], both[2]))
