"""Whether a text has an amount of a claim: an equal number of the same unit, or of the same things."""

import re
from collections.abc import Iterable

from kbot.figures.contents import NEAR, UNCOUNTED, UNITS_OF, Contents, among, beside_unit, ends, stands
from kbot.figures.numerals import DIGITS, NUMERALS
from kbot.figures.units import dimension, multiple, per, size
from kbot.figures.values import ABOUT, Value
from kbot.figures.vocabulary import BOUNDS, UNITS
from kbot.grounding import plain
from kbot.language import stem

_WORKING = re.compile(r"\b(?:úteis|útil|working|business)\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|above|more than|upwards of|mais de|acima de|superior(?:es)? a)\W*\Z", re.IGNORECASE)
_UNDER = re.compile(r"\b(?:under|below|less than|fewer than|menos de|abaixo de|inferior(?:es)? a)\W*\Z", re.IGNORECASE)
_FROM = re.compile(rf"{BOUNDS['least']}\W*\Z", re.IGNORECASE)
_PASSED = 0.25  # by how much an amount may be beyond the round number that is said of it
_UP_TO = re.compile(rf"{BOUNDS['most']}\W*\Z", re.IGNORECASE)
_CALENDAR = re.compile(r"\b(?:calendar|corridos|consecutive|consecutivos)\b", re.IGNORECASE)


def counted(there: Contents, value: Value, said: str) -> bool:
    """A number of things: it may be any equal number of the text; in words it may sum up what the text lists."""
    slack = _slack(value)
    if any(all(among(end, there.numbers, slack) for end in reading[0]) for reading in value.readings):
        return True
    others = [other for other in there.values if other.unit in UNCOUNTED]
    if _passed(value, others, said, there.text):
        return True
    if any(character.isdigit() for character in value.written):
        return (
            not slack
            and multiple(value) == 1
            and all(stands(there, "", each) for each in re.findall(DIGITS, value.written))
        )
    noun = stem(plain(value.written).rpartition(" ")[2])
    return _is_one(value) or all(stem(plain(other.written).rpartition(" ")[2]) != noun for other in others)


def _is_one(value: Value) -> bool:
    """Whether an amount is "one" or "um", which stand for "a" as well."""
    return NUMERALS.get(value.written.partition(" ")[0].lower()) == 1 and set(ends(value)) == {size(value)}


def measured(there: Contents, value: Value, said: str) -> bool:
    """Whether the text has an amount of the same number and unit."""
    like = [other for other in there.values if _same_measure(value, other, said, there.text)]
    there_are = frozenset(end for other in like for end in ends(other))
    slack, unit = _slack(value), size(value)
    written_in = {unit, unit * multiple(value)}
    if any(
        all(
            among(end, there_are, slack) or any(beside_unit(there, end / each, value.unit) for each in written_in)
            for end in reading[0]
        )
        for reading in value.readings
    ):
        return True
    if _passed(value, like, said, there.text):
        return True
    if set(ends(value)) != {unit}:
        return False
    # "1 hour" is "an hour" of the text; "one day", which may be any day, is wrong only beside other days.
    words = "|".join(re.escape(word) for word in UNITS_OF[dimension(value)] if UNITS[word][1] == unit)
    article = re.search(rf"\b(?:an?|um|uma|per|por|each|cada)[ -](?:{words})(?![^\W\d_])", there.text, re.IGNORECASE)
    return bool(article) or (_is_one(value) and not like)


def _passed(value: Value, others: Iterable[Value], said: str, text: str) -> bool:
    """Whether a claim's "more than 3,000", or "less than", is a round number that an amount of the text passes, by a
    quarter at most."""
    before = (max(value.start - NEAR, 0), value.start)
    if _OVER.search(said, *before):
        least, most, otherwise = 1.0, 1 + _PASSED, _UP_TO
    elif _UNDER.search(said, *before):
        least, most, otherwise = 1 - _PASSED, 1.0, _FROM
    else:
        return False
    return any(
        _is_round(limit / size(value)) and limit * least <= end <= limit * most and end != limit
        for other in others
        if not otherwise.search(text, max(other.start - NEAR, 0), other.start)
        for end in ends(other)
        for limit in ends(value)
    )


def _is_round(number: float) -> bool:
    """Whether at most two digits of a number say something, and a nought follows them."""
    return number >= 10 and number % 10 == 0 and len(str(int(number)).rstrip("0")) <= 2


def _slack(value: Value) -> float:
    """The share by which a claim may be off: where it says "about", and not for the noughts at its end."""
    return value.slack if value.slack >= ABOUT else 0.0


def _same_measure(value: Value, other: Value, said: str, text: str) -> bool:
    if value.per and other.per and value.per != other.per and per(said, value).isdisjoint(per(text, other)):
        return False
    if value.unit == other.unit:
        return True
    if {value.unit, other.unit} != {"minute", "working day"}:
        return False
    if value.unit == "working day":
        return bool(_WORKING.search(text, other.end, other.end + NEAR))
    return not _CALENDAR.search(said, max(value.start - 1, 0), value.end + NEAR)
