"""Do the figures that a claim names stand in a text?

Amounts, dates and times are compared as values, in their units and in either language; what is no value (a version, a
code, a telephone number) as it is written. Pure functions.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from kbot.figures.numerals import DIGITS, NUMBER, NUMERALS, ORDINALS, read_number, read_roman
from kbot.figures.values import ABOUT, Reading, Value, values_in
from kbot.figures.vocabulary import MONTHS, MULTIPLES, UNITS
from kbot.grounding import plain
from kbot.language import stem
from kbot.wording import thousands_joined

_EMPHASIS = re.compile(r"\*+|__+|`+")
# Contracts and laws say a number twice: "15 (quinze) dias".
_TWICE = re.compile(rf"(?<=\d) ?\((?!\d)(?:{NUMBER})\)", re.IGNORECASE)
_HALF_HOUR = re.compile(r"\b(?:half an hour|meia hora)\b", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<![^\W_]){NUMBER}", re.IGNORECASE)
# A letter or two before a number are a part of it: plan A-17 is not B-17.
_CODE = re.compile(r"(?P<lead>(?<![^\W_])[A-Z]{1,2}-?)?(?P<number>\d+(?:[.,:/–-]\d+)*)")
_WHOLE = re.compile(r"\d+|\d{1,3}(?:[.,\u00a0\u202f]\d{3})+")
_RANGE = re.compile(r"(\d+)[-–/](\d+)")
_PIECE = re.compile(r"\d+|[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
# Weekdays in forms that are no values: short, numbered, or said of all or of those with work.
_DAYS_OTHERWISE = re.compile(
    r"\b(?:mon|tue|tues|wed|thu|thurs|fri|sat|sun|seg|ter|qua|qui|sex|sáb|dom|segunda|terça|quarta|quinta|sexta)\b"
    r"(?!-feira)|[2-6][ªa]\b|(?<!\d )\b(?:dias? (?:úteis|útil)|(?:working|business) (?:days?|week))\b"
    r"|\b(?:daily|diariamente|todos os dias|every day)\b",
    re.IGNORECASE,
)
_WORKING = re.compile(r"\b(?:úteis|útil|working|business)\b", re.IGNORECASE)
_CALENDAR = re.compile(r"\b(?:calendar|corridos|consecutive|consecutivos)\b", re.IGNORECASE)
_HOURS = re.compile(r"(?P<hour>\d{1,2}) ?h(?:oras?|ours?|rs)?(?P<minute>[0-5]\d)?", re.IGNORECASE)
_NEAR = 24  # characters between a number and what tells its unit: "10, 15 or 20 days", "Price in R$: 15"
_STOP = re.compile(r"[.;!?] ")
_DAY_MINUTES = 24 * 60
_MOST_FIGURES = 60
_HALF_DAY = 12 * 60
_UNCOUNTED = ("count", "person")  # what is no measure, but a noun

_UNITS_OF: dict[str, frozenset[str]] = {
    unit: frozenset(word for word, (own, _) in UNITS.items() if own == unit) for unit, _ in UNITS.values()
}


@dataclass(frozen=True, slots=True)
class _Figures:
    """A text read: its `values`, each once, and where `all` of them stand; every number in `numbers`, whatever it
    counts; those beside which no unit stands in `bare`, by where they are; and its letters and digits as `pieces`, in
    their order."""

    text: str
    values: tuple[Value, ...]
    all: tuple[Value, ...]
    numbers: frozenset[float]
    bare: tuple[tuple[int, int, frozenset[float]], ...]
    pieces: str
    months: frozenset[int]


def missing(claim: str, text: str) -> tuple[str, ...]:
    """The figures of a claim that a text does not hold, as the claim writes them, in their order.

    An amount needs one of the same number and unit, "22 days" also "22 working days"; a number without a unit that is
    known needs an equal one of whatever unit. What a text gives as a range holds its two ends, and not what lies
    between. A number in words counts where it is an amount: "one", which may be an article, and numbers of things that
    the text may have listed, only where the text has another number of the same. A claim of more than 60 figures is
    nobody's sentence, and none of them is looked for.
    """
    said, there = _clean(claim), _read(_clean(text))
    values = values_in(said)
    rest = list(said)
    for value in values:
        rest[value.start : value.end] = " " * (value.end - value.start)
    # What is said many times is looked for once: a model may repeat itself until it is stopped.
    amounts = {(value.unit, value.readings, value.written): value for value in reversed(values)}
    codes = {code[0]: code for code in reversed(list(_CODE.finditer("".join(rest))))}
    if len(amounts) + len(codes) > _MOST_FIGURES:
        return tuple(value.written for value in values)
    lacking = [(value.start, value.written) for value in amounts.values() if not _holds(there, value, said)]
    lacking += [
        (code.start(), code[0]) for code in codes.values() if not _stands(there, code["lead"] or "", code["number"])
    ]
    return tuple(written for _, written in sorted(lacking))


def _clean(text: str) -> str:
    text = _TWICE.sub("", _EMPHASIS.sub("", " ".join(text.split())))
    return _HALF_HOUR.sub("30 minutes", text)


@lru_cache(maxsize=512)
def _read(text: str) -> _Figures:
    values = values_in(text)
    measured = [False] * (len(text) + 1)
    for value in values:
        if value.unit not in _UNCOUNTED:
            measured[value.start : value.end] = [True] * (value.end - value.start)
    numbers = {end for value in values if value.kind == "number" for end in _ends(value)}
    distinct = tuple({(value.unit, value.readings, value.written, value.per): value for value in values}.values())
    bare: list[tuple[int, int, frozenset[float]]] = []
    for match in _NUMBER.finditer(text):
        readings = frozenset(read_number(match[0]))
        numbers |= readings
        if not measured[match.start()]:
            bare.append((match.start(), match.end(), readings))
    words = _WORD.findall(text)
    numbers |= {float(ORDINALS[word.lower()]) for word in words if word.lower() in ORDINALS}
    numbers |= {float(read_roman(word)) for word in words if word.isupper() and read_roman(word)}
    months = frozenset(MONTHS[word.lower()] for word in words if word.lower() in MONTHS)
    return _Figures(text, distinct, values, frozenset(numbers), tuple(bare), _pieces(text), months)


def _pieces(text: str) -> str:
    return f" {' '.join(_PIECE.findall(thousands_joined(text).casefold()))} "


def _holds(there: _Figures, value: Value, said: str) -> bool:
    if value.unit in _UNCOUNTED:
        return _counted(there, value)
    match value.unit:
        case "day of week":
            return _weekday(there, value)
        case "date":
            return any(_dated(there, value, reading) for reading in value.readings)
        case "time of day":
            return _timed(there, value) or _lasting(there, value)
        case _:
            return _measured(there, value, said) or _on_the_hour(there, value) or _written_as_time(there, value)


def _counted(there: _Figures, value: Value) -> bool:
    """A number of things: it may be any equal number of the text; in words it may sum up what the text lists."""
    slack = _slack(value)
    if any(all(_among(end, there.numbers, slack) for end in reading[0]) for reading in value.readings):
        return True
    if any(character.isdigit() for character in value.written):
        return (
            not slack
            and _factor(value) == 1
            and all(_stands(there, "", each) for each in re.findall(DIGITS, value.written))
        )
    noun = stem(plain(value.written).rpartition(" ")[2])
    others = [other for other in there.values if other.unit in _UNCOUNTED]
    return _is_one(value) or all(stem(plain(other.written).rpartition(" ")[2]) != noun for other in others)


def _is_one(value: Value) -> bool:
    """Whether an amount is "one" or "um", which stand for "a" as well."""
    return NUMERALS.get(value.written.partition(" ")[0].lower()) == 1 and len(set(_ends(value))) <= 1


def _measured(there: _Figures, value: Value, said: str) -> bool:
    like = [other for other in there.values if _same_measure(value, other, said, there.text)]
    ends = frozenset(end for other in like for end in _ends(other))
    slack, factor = _slack(value), _factor(value)
    if any(
        all(_among(end, ends, slack) or _unmeasured(there, end / factor, value.unit) for end in reading[0])
        for reading in value.readings
    ):
        return True
    if set(_ends(value)) != {factor}:
        return False
    # "1 hour" is "an hour" of the text; "one day", which may be any day, is wrong only beside other days.
    words = "|".join(re.escape(word) for word in _UNITS_OF[_dimension(value)] if UNITS[word][1] == factor)
    article = re.search(rf"\b(?:an?|um|uma|per|por|each|cada)[ -](?:{words})(?![^\W\d_])", there.text, re.IGNORECASE)
    return bool(article) or (_is_one(value) and not like)


def _slack(value: Value) -> float:
    """The share by which a claim may be off: where it says "about", and not for the noughts at its end."""
    return value.slack if value.slack >= ABOUT else 0.0


def _dimension(value: Value) -> str:
    return "minute" if value.unit == "working day" else value.unit


def _factor(value: Value) -> float:
    """What one of the unit that an amount is written in counts, its multiple included."""
    words = re.findall(r"[^\W\d_]+|[%$€£°]\w?", value.written.lower())
    written = [UNITS[word][1] for word in words if word in UNITS and UNITS[word][0] == _dimension(value)]
    times = [MULTIPLES[word] for word in words if word in MULTIPLES]
    return (written[0] if written else 1.0) * (times[0] if times else 1.0)


def _same_measure(value: Value, other: Value, said: str, text: str) -> bool:
    if value.per and other.per and value.per != other.per:
        return False
    if value.unit == other.unit:
        return True
    if {value.unit, other.unit} != {"minute", "working day"}:
        return False
    if value.unit == "working day":
        return bool(_WORKING.search(text, other.end, other.end + _NEAR))
    return not _CALENDAR.search(said, max(value.start - 1, 0), value.end + _NEAR)


def _unmeasured(there: _Figures, number: float, unit: str) -> bool:
    """Whether the text has this number where something near it tells the unit: another amount ("10, 15 or 20 days"),
    the unit's name ("Price in R$: 15"), or, above a table's column, its head."""
    return any(
        any(math.isclose(number, each) for each in readings) and _unit_near(there, start, end, unit)
        for start, end, readings in there.bare
    )


def _unit_near(there: _Figures, start: int, end: int, unit: str) -> bool:
    before, after = there.text[max(start - _NEAR, 0) : start], there.text[end : end + _NEAR]
    if "|" in before and "|" in after:
        return True
    before, after = _STOP.split(before)[-1], _STOP.split(after)[0]
    first, last = start - len(before), end + len(after)
    place = bisect_left(there.all, first, key=lambda other: other.end)
    if any(
        other.unit == unit for other in takewhile(lambda other: other.start <= last, there.all[place : place + _NEAR])
    ):
        return True
    names = _UNITS_OF.get("minute" if unit == "working day" else unit, frozenset())
    return any(word.lower() in names for word in re.findall(r"[^\W\d_]+\$?|[%$€£]", f"{before} {after}"))


def _ends(value: Value) -> Iterator[float]:
    return (end for reading in value.readings for end in reading[0])


def _among(number: float, others: frozenset[float], slack: float = 0.0) -> bool:
    return number in others or any(math.isclose(number, other, rel_tol=max(slack, 1e-9)) for other in others)


def _weekday(there: _Figures, value: Value) -> bool:
    ((low, high),) = value.readings[0]
    days = {
        day
        for other in there.values
        if other.unit == "day of week"
        for day in range(int(other.readings[0][0][0]), int(other.readings[0][0][1]) + 1)
    }
    return set(range(int(low), int(high) + 1)) <= days or bool(_DAYS_OTHERWISE.search(there.text))


def _dated(there: _Figures, value: Value, reading: Reading) -> bool:
    """Whether the text has each part of a date: in one of its dates that can be the same, or, where it writes dates in
    another way, by itself."""
    dates = [
        other
        for date in there.values
        if date.unit == "date"
        for other in date.readings
        if all(a[0] <= b[1] and b[0] <= a[1] for a, b in zip(reading, other, strict=True))
    ]
    bare = frozenset(number for _, _, readings in there.bare for number in readings)
    for place, (wanted, _) in enumerate(reading):
        if not math.isfinite(wanted) or any(date[place][0] == wanted for date in dates):
            continue
        elsewhere = there.numbers if place == 0 else bare
        if not (wanted in elsewhere or (place == 1 and wanted in there.months)):
            return False
    return True


def _timed(there: _Figures, value: Value) -> bool:
    """Whether the text has this time of day, also as an hour alone beside another time: "8 to 10 pm"."""
    clocks = {reading[0][0] % _DAY_MINUTES for other in there.values for reading in _clocks(other)}
    minutes = {reading[0][0] % _DAY_MINUTES for reading in value.readings}
    if minutes & clocks:
        return True
    hours = {minute / 60 for minute in minutes if not minute % 60}
    return any(_unmeasured(there, hour, "time of day") for each in hours for hour in (each, each % 12, each % 12 + 12))


def _clocks(value: Value) -> tuple[Reading, ...]:
    """The times of day that a value can be: "9h" is one as well as a while."""
    if value.unit == "time of day":
        return value.readings
    if value.unit == "minute" and (written := _HOURS.fullmatch(value.written)) and int(written["hour"]) <= 24:
        start = int(written["hour"]) * 60.0
        return tuple(((at, at),) for at in ((start, start + _HALF_DAY) if start < _HALF_DAY else (start,)))
    return ()


def _on_the_hour(there: _Figures, value: Value) -> bool:
    clocks = {reading[0][0] % _DAY_MINUTES for reading in _clocks(value)}
    return any(reading[0][0] % _DAY_MINUTES in clocks for other in there.values for reading in _clocks(other))


def _lasting(there: _Figures, value: Value) -> bool:
    """Whether what looks like a time ("1h30") is a while that the text has."""
    lasts = _while(value)
    return any(other.unit == "minute" and _among(lasts, frozenset(_ends(other))) for other in there.values)


def _written_as_time(there: _Figures, value: Value) -> bool:
    whiles = frozenset(_while(other) for other in there.values if other.unit == "time of day")
    return value.unit == "minute" and any(_among(end, whiles) for end in _ends(value))


def _while(value: Value) -> float:
    """The minutes that "1h30" lasts; infinitely many of what is written in another way."""
    written = _HOURS.fullmatch(value.written)
    return int(written["hour"]) * 60.0 + int(written["minute"] or 0) if written else math.inf


def _stands(there: _Figures, lead: str, number: str) -> bool:
    """Whether a number that measures nothing, or a code, stands in the text: as it is, whatever parts its groups of
    digits; a whole number also in words, or with its thousands parted, and a range by its ends."""
    if _pieces(lead + number) in there.pieces:
        return True
    if lead:
        return False
    if _WHOLE.fullmatch(number):
        return any(each in there.numbers for each in read_number(number))
    ends = _RANGE.fullmatch(number)
    return bool(ends) and all(float(end) in there.numbers for end in (ends[1], ends[2]))
