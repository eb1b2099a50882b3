"""Whether a text has a date, a weekday or a time of day of a claim."""

import math
import re
from functools import lru_cache

from kbot.figures.contents import Contents, among, beside_unit, ends
from kbot.figures.values import Reading, Value
from kbot.figures.vocabulary import DAYS, MONTHS, SHORT_DAYS

_DAYS = (
    SHORT_DAYS
    | DAYS
    | {
        short: day
        for day, shorts in enumerate(
            (
                "mon seg 2ª 2a",
                "tue tues ter 3ª 3a",
                "wed qua 4ª 4a",
                "thu thurs qui 5ª 5a",
                "fri sex 6ª 6a",
                "sat sáb",
                "sun dom",
            )
        )
        for short in shorts.split()
    }
)
_DAY = "|".join(sorted(_DAYS, key=len, reverse=True))
# Weekdays in all their forms, values or none: short, numbered, or said of all or of those with work.
_DAYS_NAMED = re.compile(
    rf"(?<!\w)(?:(?P<day>{_DAY})(?!\w)"
    r"|(?P<work>(?<!\d )(?:dias? (?:úteis|útil)|(?:working|business) (?:days?|week))|working days only|weekdays"
    r"|dias de semana)\b"
    r"|(?P<weekend>weekends?|fins? de semana|finais de semana)\b"
    r"|(?:daily|diariamente|todos os dias|(?:todo|qualquer) dia|(?:any|every) ?day|(?:7|seven) days a week"
    r"|(?:7|sete) dias (?:por|da) semana)\b)",
    re.IGNORECASE,
)
_THROUGH = re.compile(
    r"(?:-feira)?(?:\.(?! ?(?-i:[A-Z])))? ?(?:to|thru|through|until|till|a|à|às|até(?: [aà]s?)?|[-–—]) ?", re.IGNORECASE
)
_HOURS = re.compile(r"(?P<hour>\d{1,2}) ?h(?:oras?|ours?|rs)?(?:(?P<minute>[0-5]\d)(?:min)?)?", re.IGNORECASE)
_IN_HOURS = re.compile(r"(?:\b|\d)h(?:oras?|ours?|rs?)?\Z", re.IGNORECASE)
_ENGLISH = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_PORTUGUESE = (
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
)
_MONTH = rf"(?:(?-i:{'|'.join(_ENGLISH)})|{'|'.join(_PORTUGUESE)})"
# Without one of these before it "May" may be a name, "March" a walk.
_MONTH_ALONE = re.compile(
    r"\b(?:in|since|until|till|by|from|of|during|every|each|next|last|through|to|between|and|before|after"
    rf"|em|de|desde|até|a|e|durante|entre|todo) (?P<month>{_MONTH})\b",
    re.IGNORECASE,
)
_MONTHS_BETWEEN = re.compile(
    rf"\b(?P<first>{_MONTH})(?:,? (?:de )?\d{{4}})? ?(?:to|through|until|and|a|até|e|-|–) ?(?P<last>{_MONTH})\b",
    re.IGNORECASE,
)
# What names no month, and may be of any.
_SEASON = re.compile(
    r"\b(?:Q[1-4]|quarters?|trimestres?|semest(?:er|re)s?|bimestres?|spring|summer|autumn|fall|winter|primavera|verão"
    r"|outono|inverno)\b",
    re.IGNORECASE,
)
_IN_DIGITS = re.compile(r"(?<![\d/-])(?:(\d{1,2})/(\d{1,2}|\d{4})|\d{4}-(\d{2}))(?![\d/-])")
_DAY_MINUTES = 24 * 60
_HALF_DAY = 12 * 60


def weekday(there: Contents, value: Value) -> bool:
    ((low, high),) = value.readings[0]
    return set(range(int(low), int(high) + 1)) <= weekdays(there.text)


@lru_cache(maxsize=512)
def weekdays(text: str) -> frozenset[int]:
    """The days of the week that a text names, from 0 for Monday, also between two of them: "Fri-Sun"."""
    named: set[int] = set()
    last = None
    for match in _DAYS_NAMED.finditer(text):
        if match["day"]:
            day = _DAYS[match["day"].lower()]
            if last and last["day"] and _THROUGH.fullmatch(text, last.end(), match.start()):
                first = _DAYS[last["day"].lower()]
                named |= {(first + after) % 7 for after in range((day - first) % 7)}
            named.add(day)
        else:
            named |= set(range(5) if match["work"] else (5, 6) if match["weekend"] else range(7))
        last = match
    return frozenset(named)


def dated(there: Contents, value: Value, reading: Reading) -> bool:
    """Whether the text has each part of a date: in one of its dates that can be the same, or, where it writes dates in
    another way, by itself."""
    dates = [
        other
        for date in there.values
        if date.unit == "date"
        for other in date.readings
        if all(a[0] <= b[1] and b[0] <= a[1] for a, b in zip(reading, other, strict=True))
    ]
    for place, (wanted, _) in enumerate(reading):
        if not math.isfinite(wanted) or any(date[place][0] == wanted for date in dates):
            continue
        elsewhere = there.numbers if place == 0 else there.unmeasured
        if not (wanted in elsewhere or (place == 1 and wanted in there.months)):
            return False
    return True


def other_months(rest: str, there: Contents) -> list[tuple[int, str]]:
    """The months that a claim names without day and year, `rest` being what is no value of it, where the text names
    others and not these."""
    wanted = {MONTHS[match["month"].lower()]: match for match in _MONTH_ALONE.finditer(rest)}
    if not wanted or _SEASON.search(there.text):
        return []
    dated = {
        int(reading[1][0])
        for value in there.values
        if value.unit == "date"
        for reading in value.readings
        if math.isfinite(reading[1][0])
    }
    named = dated | {MONTHS[match["month"].lower()] for match in _MONTH_ALONE.finditer(there.text)}
    held = dated | there.months | {int(part) for parts in _IN_DIGITS.findall(there.text) for part in parts if part}
    for match in _MONTHS_BETWEEN.finditer(there.text):
        first, last = MONTHS[match["first"].lower()], MONTHS[match["last"].lower()]
        held |= {(first + after - 1) % 12 + 1 for after in range((last - first) % 12)}
    return [(match.start("month"), match["month"]) for month, match in wanted.items() if named and month not in held]


def timed(there: Contents, value: Value) -> bool:
    """Whether the text has this time of day, also as an hour alone beside another time: "8 to 10 pm"."""
    clocks = {reading[0][0] % _DAY_MINUTES for other in there.values for reading in _clocks(other)}
    minutes = {reading[0][0] % _DAY_MINUTES for reading in value.readings}
    if minutes & clocks:
        return True
    hours = {minute / 60 for minute in minutes if not minute % 60}
    return any(beside_unit(there, hour, "time of day") for each in hours for hour in (each, each % 12, each % 12 + 12))


def _clocks(value: Value) -> tuple[Reading, ...]:
    """The times of day that a value can be: "9h" is one as well as a while."""
    if value.unit == "time of day":
        return value.readings
    hours = next(ends(value)) / 60
    if value.unit == "minute" and _IN_HOURS.search(value.written) and hours <= 24 and hours.is_integer():
        start = hours * 60
        return tuple(((at, at),) for at in ((start, start + _HALF_DAY) if start < _HALF_DAY else (start,)))
    return ()


def on_the_hour(there: Contents, value: Value) -> bool:
    clocks = {reading[0][0] % _DAY_MINUTES for reading in _clocks(value)}
    return any(reading[0][0] % _DAY_MINUTES in clocks for other in there.values for reading in _clocks(other))


def lasting(there: Contents, value: Value) -> bool:
    """Whether what looks like a time ("1h30") is a while that the text has."""
    lasts = _while(value)
    return any(other.unit == "minute" and among(lasts, frozenset(ends(other))) for other in there.values)


def written_as_time(there: Contents, value: Value) -> bool:
    whiles = frozenset(_while(other) for other in there.values if other.unit == "time of day")
    return value.unit == "minute" and any(among(end, whiles) for end in ends(value))


def _while(value: Value) -> float:
    """The minutes that "1h30" lasts; infinitely many of what is written in another way."""
    written = _HOURS.fullmatch(value.written)
    return int(written["hour"]) * 60.0 + int(written["minute"] or 0) if written else math.inf
