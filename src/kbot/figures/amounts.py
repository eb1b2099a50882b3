"""Whether a text has an amount of a claim: an equal number of the same unit, or of the same things."""

import re

from kbot.figures.contents import NEAR, UNCOUNTED, UNITS_OF, Contents, among, beside_unit, ends, stands
from kbot.figures.numerals import DIGITS, NUMERALS
from kbot.figures.values import ABOUT, Value
from kbot.figures.vocabulary import MULTIPLES, UNITS
from kbot.grounding import plain
from kbot.language import stem

_WORKING = re.compile(r"\b(?:úteis|útil|working|business)\b", re.IGNORECASE)
_CALENDAR = re.compile(r"\b(?:calendar|corridos|consecutive|consecutivos)\b", re.IGNORECASE)


def counted(there: Contents, value: Value) -> bool:
    """A number of things: it may be any equal number of the text; in words it may sum up what the text lists."""
    slack = _slack(value)
    if any(all(among(end, there.numbers, slack) for end in reading[0]) for reading in value.readings):
        return True
    if any(character.isdigit() for character in value.written):
        return (
            not slack
            and _factor(value) == 1
            and all(stands(there, "", each) for each in re.findall(DIGITS, value.written))
        )
    noun = stem(plain(value.written).rpartition(" ")[2])
    others = [other for other in there.values if other.unit in UNCOUNTED]
    return _is_one(value) or all(stem(plain(other.written).rpartition(" ")[2]) != noun for other in others)


def _is_one(value: Value) -> bool:
    """Whether an amount is "one" or "um", which stand for "a" as well."""
    return NUMERALS.get(value.written.partition(" ")[0].lower()) == 1 and len(set(ends(value))) <= 1


def measured(there: Contents, value: Value, said: str) -> bool:
    like = [other for other in there.values if _same_measure(value, other, said, there.text)]
    there_are = frozenset(end for other in like for end in ends(other))
    slack, factor = _slack(value), _factor(value)
    if any(
        all(among(end, there_are, slack) or beside_unit(there, end / factor, value.unit) for end in reading[0])
        for reading in value.readings
    ):
        return True
    if set(ends(value)) != {factor}:
        return False
    # "1 hour" is "an hour" of the text; "one day", which may be any day, is wrong only beside other days.
    words = "|".join(re.escape(word) for word in UNITS_OF[_dimension(value)] if UNITS[word][1] == factor)
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
        return bool(_WORKING.search(text, other.end, other.end + NEAR))
    return not _CALENDAR.search(said, max(value.start - 1, 0), value.end + NEAR)
