"""The units that amounts are written in: their size, one amount in several of them, and what it is counted by."""

import re
from collections.abc import Sequence
from dataclasses import replace

from kbot.figures.frequencies import spans
from kbot.figures.values import Value, counted_by
from kbot.figures.vocabulary import MULTIPLES, PER, UNITS

_UNIT = re.compile(r"[^\W\d_]+|[%$€£°]\w?")
_BETWEEN_PARTS = re.compile(r" ?|,? (?:e |and )?")
_SECONDS = re.compile(r"(?<![\w.,-])(?P<seconds>\d{1,3})s\b")
_PER = re.compile(PER, re.IGNORECASE)
_PART_END = re.compile(r"[.;!?|\d]")
_NEAR = 60  # characters around an amount in which it may be said what it is counted by


def dimension(value: Value) -> str:
    """The unit of an amount as `UNITS` has it: working days are days there."""
    return "minute" if value.unit == "working day" else value.unit


def size(value: Value) -> float:
    """How much one of the unit that an amount is written in is: 60 minutes for "2 hours"."""
    words = _UNIT.findall(value.written.lower())
    return next((UNITS[word][1] for word in words if word in UNITS and UNITS[word][0] == dimension(value)), 1.0)


def multiple(value: Value) -> float:
    """The multiple that an amount is written in: 1000 for "2 mil reais"."""
    return next((MULTIPLES[word] for word in _UNIT.findall(value.written.lower()) if word in MULTIPLES), 1.0)


def joined(text: str, values: Sequence[Value]) -> list[Value]:
    """Lengths of time in units of decreasing size, as one: "2 hours and 30 minutes" is 150 minutes."""
    found: list[Value] = []
    last = None
    for value in values:
        if last and found and found[-1].end == last.end and _continues(text, last, value):
            found[-1] = _sum(text, found[-1], value)
        elif last and _continues(text, last, value):
            found.append(_sum(text, last, value))
        last = value
    return found


def _continues(text: str, value: Value, after: Value) -> bool:
    """Whether an amount goes on in another, which is less than one of the first's unit."""
    return (
        value.unit == after.unit
        and value.unit in ("minute", "month")
        and not value.per
        and all(low == high for each in (value, after) for ((low, high),) in each.readings)
        and bool(_BETWEEN_PARTS.fullmatch(text, value.end, after.start))
        and after.readings[0][0][1] < size(value)
    )


def _sum(text: str, value: Value, after: Value) -> Value:
    total = value.readings[0][0][0] + after.readings[0][0][0]
    written = text[value.start : after.end]
    return replace(value, readings=(((total, total),),), end=after.end, written=written, per=after.per)


def seconds(text: str) -> list[Value]:
    """What a text may mean by "30s": a while, or the thirties."""
    return [
        Value("number", "minute", (((lasts, lasts),),), match.start(), match.end(), match[0])
        for match in _SECONDS.finditer(text)
        for lasts in [int(match["seconds"]) / 60]
    ]


def per(text: str, value: Value) -> set[str]:
    """All that an amount of a text is counted by: "$10 per user per month", "monthly price per user: $10"."""
    before = _PART_END.split(text[max(value.start - _NEAR, 0) : value.start])[-1]
    after = _PART_END.split(text[value.end : value.end + _NEAR])[0]
    around = f"{before} | {after}"
    return {value.per, *map(counted_by, [*_PER.findall(around), *spans(around)])} - {""}
