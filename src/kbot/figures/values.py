"""Amounts, dates and times as they are written in Portuguese and English, read so that two of them can be compared."""

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal

from kbot.figures.numerals import NUMBER, NUMERALS, places, read_number
from kbot.figures.vocabulary import (
    APPROXIMATE,
    BOUNDS,
    DAYS,
    LIMITS,
    MONTHS,
    MULTIPLES,
    PEOPLE,
    PER,
    SHORT_DAYS,
    UNITS,
)
from kbot.grounding import plain
from kbot.language import FUNCTION_WORDS

Kind = Literal["number", "date"]
Span = tuple[float, float]
# What a text may mean: one span for each of its components, (amount) or (year, month, day).
Reading = tuple[Span, ...]

_ANY: Span = (-math.inf, math.inf)
# "About 1.4 million" and a count with noughts at its end are rounded: so far from it is the same.
_ROUNDED = 0.05
ABOUT = 0.1

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = "|".join(sorted(DAYS, key=len, reverse=True))
_ANY_DAY = "|".join(sorted([*DAYS, *SHORT_DAYS], key=len, reverse=True))
_ORDINAL = r"(?:st|nd|rd|th|º|°|ª)?"
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_MONEY = r"R\$|US\$|\$|€|£"

_DATE = re.compile(
    rf"(?P<iso>\b\d{{4}}-\d{{2}}-\d{{2}}\b)"
    rf"|(?<![\d/.])(?P<slashed>\d{{1,2}}([/.-])\d{{1,2}}\3(?:\d{{4}}|\d{{2}}))(?![\d/])"
    rf"|\b(?P<day>\d{{1,2}}){_ORDINAL} (?:de |of )?(?P<month>{_MONTH})\b(?:,? (?:de |of )?(?P<year>\d{{4}})\b)?"
    rf"|\b(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}}){_ORDINAL}(?!\d)(?:,? (?P<year2>\d{{4}})\b)?"
    r"|(?<=\bdia )(?P<day3>\d{1,2})\b"
    r"|(?<=\bthe )(?P<day4>\d{1,2})(?:st|nd|rd|th)(?= of (?:each|every|the) month|[.,;]|\Z)"
    rf"|\b(?P<month3>{_MONTH})(?: de| of|,)? (?P<year3>[12]\d{{3}})\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-4])(?:"
    r":(?P<minute>[0-5]\d)(?: ?(?P<half>[ap]\.?m\b\.?))?(?: ?h\b| horas?\b)?"
    r"| ?(?P<half2>[ap]\.?m\b\.?)"
    r"|h(?P<minute2>[0-5]\d)(?:min)?\b"
    r")(?![\d:])|\b(?P<word>noon|midday|midnight|meio-dia|meia-noite)\b",
    re.IGNORECASE,
)
# "9h" is a time after "às", and a while after "takes".
_HOUR = re.compile(
    r"\b(?:[àa]s?|at|das?|from|to|until|till?|até|by|entre|between|and|e|a partir das) (?P<hour>[01]?\d|2[0-4])"
    r"(?: ?h(?:oras)?\b(?! por| de trabalho| depois)| o'clock)",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    rf"\b(?:(?P<from>{_ANY_DAY}) (?:to|through|until|a|à|até|-|–) (?P<to>{_ANY_DAY})"
    rf"|(?P<day>{_DAY})(?! de final))(?![\w-])"
    r"|\b(?P<week>weekdays|dias de semana|working days only)\b|\b(?P<end>weekends?|fins? de semana|finais de semana)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"\b(?:in|em|since|desde|de|of|by|until|até|from|during|durante|year|ano|for|no ano de|para) "
    rf"(?P<year>1[5-9]\d\d|20\d\d)\b(?!s\b|[.,]\d|-\d| (?:{_UNIT})\b)|\((?P<alone>1[5-9]\d\d|20\d\d)\)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"(?<![\w.,/-])(?P<money>(?:{_MONEY}|\b(?:EUR|USD|BRL|GBP)) ?)?(?P<low>{NUMBER})"
    rf"(?:(?: ?[-–] ?| (?:to|a|à|até|and|e|or|ou) )(?:{_MONEY})? ?(?P<high>{NUMBER}))?"
    rf"(?:[ -](?P<times>{'|'.join(MULTIPLES)})\b(?: de)?)?"
    rf"(?:[ -]?(?:(?P<before>working|business|calendar|consecutive) )?(?P<unit>{_UNIT})(?![^\W\d_])"
    rf"(?: (?P<after>úteis|uteis|útil|corridos|consecutivos))?|(?P<noun>(?! ?(?:{PER}))[ -][^\W\d_]{{3,}}))?"
    rf"(?P<per> ?(?:{PER}))?",
    re.IGNORECASE,
)
_BOUND = re.compile(rf"(?:{'|'.join(f'(?P<{name}>{words})' for name, words in BOUNDS.items())})\W*\Z", re.IGNORECASE)
_LIMIT = re.compile("|".join(rf"\b(?P<{name}>{words})\b" for name, words in LIMITS.items()), re.IGNORECASE)
_ABOUT_WORDS = re.compile(rf"(?:{APPROXIMATE})\W*\Z", re.IGNORECASE)
_MORE = re.compile(r"\W*(?:or more|ou mais|or older|and over)\b", re.IGNORECASE)
_LEAST_TO_BE_ROUND = 1000
# Without a digit or one of these words there is no value in a text.
_SPELLED = frozenset(
    part
    for word in (
        *NUMERALS,
        *DAYS,
        *SHORT_DAYS,
        "weekdays",
        "weekend",
        "weekends",
        "semana",
        "noon",
        "midday",
        "midnight",
    )
    for part in (word.partition("-")[0], word)
) | {"meio", "meia"}
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Value:
    """An amount with its unit, a date, a year, a weekday or a time of day, at `start` to `end` of a text.

    Two values are comparable if they have the same `unit` ("minute", "month", "%", "brl", "count", "day of week",
    …), which stands for its whole dimension: lengths of time come in minutes or months. `readings` are what the text
    may mean: 1.500 is fifteen hundred or one and a half, 01/04 a day in April or in January. `bound` is "least" or
    "most" for a limit; `slack` is the share by which a rounded amount may be off, `step` the size of its last place;
    `per` is what it is counted by.
    """

    kind: Kind
    unit: str
    readings: tuple[Reading, ...]
    start: int
    end: int
    written: str
    bound: str = ""
    slack: float = 0.0
    step: float = 0.0
    per: str = ""


@lru_cache(maxsize=2048)
def values_in(text: str) -> tuple[Value, ...]:
    """The values that a sentence names, in their order. A number that counts nothing (a version, a room) is none."""
    if not re.search(r"\d", text) and _SPELLED.isdisjoint(_LETTERS.findall(text.lower())):
        return ()
    taken = [False] * len(text)
    found: list[Value] = []
    limit = _LIMIT.search(text)
    sides = limit.lastgroup or "" if limit else ""
    for pattern, read in (
        (_DATE, _date),
        (_CLOCK, _clock),
        (_HOUR, _clock),
        (_WEEKDAY, _weekday),
        (_YEAR, _year),
        (_AMOUNT, _amount),
    ):
        for match in pattern.finditer(text):
            value = None if any(taken[match.start() : match.end()]) else read(match)
            if value:
                taken[value.start : value.end] = [True] * (value.end - value.start)
                bound = value.bound or (sides if value.kind == "number" else "")
                written = " ".join((value.written or text[value.start : value.end]).split())
                found.append(replace(value, bound=bound, written=written))
    return tuple(sorted(found, key=lambda value: value.start))


def comparable(first: Value, second: Value) -> bool:
    """Whether both measure the same: dimension, and what they are counted by where both say it."""
    return first.unit == second.unit and (first.per == second.per or not (first.per and second.per))


def agree(first: Value, second: Value) -> bool:
    """Whether two comparable values can both be true: some reading of each overlaps, within what they are rounded to.

    Limits of one kind are amounts themselves: "at most 5" and "at most 6" do not agree, "at least 5" and 6 do.
    """
    share = max(first.slack, second.slack)
    # One is written to more places: 10 % is 10.4 % in round figures, and not 10.5 %.
    half = 0.5 * max(first.step, second.step) * (1 - 1e-9) if first.step != second.step else 0.0
    return any(
        all(_overlap(one, other, share, half) for one, other in zip(a, b, strict=True))
        for a, b in product(_open(first, second), _open(second, first))
    )


def _overlap(one: Span, other: Span, share: float, half: float) -> bool:
    near = [abs(end) for end in (*one, *other) if math.isfinite(end)]
    slack = max(share * max(near, default=0.0), half)
    return one[0] - slack <= other[1] and other[0] - slack <= one[1]


def _open(value: Value, beside: Value) -> list[Reading]:
    if not value.bound or value.bound == beside.bound:
        return list(value.readings)
    least = value.bound == "least"
    return [
        tuple((low if least else -math.inf, math.inf if least else high) for low, high in r) for r in value.readings
    ]


def _date(match: re.Match[str]) -> Value | None:
    groups = match.groupdict()
    if groups["iso"]:
        readings = [tuple(map(int, groups["iso"].split("-")))]
    elif groups["slashed"]:
        a, b, year = (int(part) for part in re.split(r"[/.-]", groups["slashed"]))
        year += 2000 if year < 100 else 0
        readings = [(year, month, day) for day, month in ((a, b), (b, a))]
    else:
        month = MONTHS.get((groups["month"] or groups["month2"] or groups["month3"] or "").lower(), 0)
        year = groups["year"] or groups["year2"] or groups["year3"]
        days = (groups[name] for name in ("day", "day2", "day3", "day4"))
        readings = [(int(year or 0), month, int(next(filter(None, days), 0)))]
    spans = tuple(_spans(*r) for r in readings if r[1] <= 12 and r[2] <= 31)
    return Value("date", "date", spans, match.start(), match.end(), "") if spans else None


def _spans(*components: int) -> Reading:
    return tuple((number, number) if number else _ANY for number in components)


def _year(match: re.Match[str]) -> Value:
    group = "year" if match["year"] else "alone"
    return Value("date", "date", (_spans(int(match[group]), 0, 0),), match.start(group), match.end(group), "")


def _clock(match: re.Match[str]) -> Value | None:
    groups = match.groupdict()
    if groups.get("word"):
        minutes = [0 if groups["word"].lower() in ("midnight", "meia-noite") else 720]
    else:
        hour, minute = int(groups["hour"]), int(groups.get("minute") or groups.get("minute2") or 0)
        half = (groups.get("half") or groups.get("half2") or "").lower().replace(".", "")
        if half:
            hour = hour % 12 + (12 if half == "pm" else 0)
        minutes = [hour * 60 + minute]
        if not half and groups.get("minute") and 0 < hour < 12:
            minutes.append(minutes[0] + 720)
    readings = tuple(((float(m), float(m)),) for m in minutes)
    start = match.start("hour") if groups.get("hour") else match.start()
    return Value("date", "time of day", readings, start, match.end(), "")


def _weekday(match: re.Match[str]) -> Value:
    days = DAYS | SHORT_DAYS
    if match["from"] or match["day"]:
        first = days[(match["from"] or match["day"]).lower()]
        last = days[(match["to"] or match["day"]).lower()]
    else:
        first, last = (0, 4) if match["week"] else (5, 6)
    return Value("date", "day of week", (((first, max(first, last)),),), match.start(), match.end(), "")


def _amount(match: re.Match[str]) -> Value | None:
    unit, factor = UNITS.get((match["unit"] or "").lower(), ("", 1.0))
    money = (match["money"] or "").strip().lower()
    if money:
        unit = UNITS[money][0]
    elif not unit:
        noun = plain(match["noun"] or "")
        if (
            not noun
            or noun in FUNCTION_WORDS
            or not (match["low"].isdigit() or NUMERALS.get(match["low"].lower()) != 1)
        ):
            return None
        unit = "count"
    days = (match["before"] or match["after"] or "").lower()
    if days in ("working", "business", "úteis", "uteis", "útil"):
        unit = "working day"
    factor *= MULTIPLES.get((match["times"] or "").lower(), 1.0)
    # Money has two decimals at most: what three digits follow is thousands.
    lows = read_number(match["low"])[: 1 if money else None]
    highs = read_number(match["high"])[: 1 if money else None] if match["high"] else lows
    readings = tuple(((low * factor, max(low, high) * factor),) for low, high in zip(lows, highs, strict=False))
    largest = max(reading[0][1] for reading in readings)
    before = match.string[max(match.start() - 24, 0) : match.start()]
    bound = _BOUND.search(before)
    end = match.start("noun") if match["noun"] else match.end("per") if match["per"] else match.end()
    step = factor * 10.0 ** -places(match["low"])
    noughts = len(match["low"]) - len(match["low"].rstrip("0.,\u00a0 ")) if not money else 0
    rounded = largest >= _LEAST_TO_BE_ROUND and noughts and match["low"][0].isdigit()
    return Value(
        "number",
        unit,
        readings,
        match.start(),
        end,
        match[0] if unit == "count" else match.string[match.start() : end],
        bound=(bound.lastgroup or "") if bound else "least" if _MORE.match(match.string, end) else "",
        slack=ABOUT if _ABOUT_WORDS.search(before) else _ROUNDED if rounded else 0.0,
        step=step,
        per=counted_by(match["per"]),
    )


def counted_by(text: str | None) -> str:
    """What "per month" or "por mês" counts by, in one word for both languages; "" for nothing."""
    words = _LETTERS.findall((text or "").lower())
    if not words:
        return ""
    unit, factor = UNITS.get("person" if words[-1] in PEOPLE else words[-1], (words[-1], 1.0))
    return f"{unit}{factor}"
