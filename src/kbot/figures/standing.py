"""Do the figures that a claim names stand in a text?

Amounts, dates and times are compared as values, in their units and in either language; what is no value (a version, a
code, a telephone number) as it is written. Pure functions.
"""

import re

from kbot.figures.amounts import counted, measured
from kbot.figures.contents import UNCOUNTED, Contents, contents, stands, telephones
from kbot.figures.frequencies import misfrequent
from kbot.figures.moments import dated, lasting, on_the_hour, other_months, timed, weekday, written_as_time
from kbot.figures.notation import uniform
from kbot.figures.ranks import misranked
from kbot.figures.units import joined
from kbot.figures.values import Value, values_in

# A letter or two before a number are a part of it: plan A-17 is not B-17.
_CODE = re.compile(r"(?P<lead>(?<![^\W_])[A-Z]{1,2}-?)?(?P<number>\d+(?:[.,:/–-]\d+)*)")
_MOST_FIGURES = 60


def missing(claim: str, text: str) -> tuple[str, ...]:
    """The figures of a claim that a text does not hold, in their order and as the claim writes them; what can be
    written in several ways, as `uniform` has it.

    An amount needs one of the same number and unit, "22 days" also "22 working days"; a number without a unit that is
    known needs an equal one of whatever unit. What a text gives as a range holds its two ends, and not what lies
    between. A number in words counts where it is an amount: "one", which may be an article, and numbers of things that
    the text may have listed, only where the text has another number of the same. An ordinal in words, how often, and a
    month without a year count where the text names another. A claim of more than 60 figures is nobody's sentence, and
    none of them is looked for.
    """
    said, there = uniform(claim), contents(text)
    values = values_in(said)
    rest = list(said)
    for value in values:
        rest[value.start : value.end] = " " * (value.end - value.start)
    # What is said many times is looked for once: a model may repeat itself until it is stopped.
    amounts = {(value.unit, value.readings, value.written): value for value in reversed(values)}
    left = "".join(rest)
    codes = {code[0]: code for code in reversed(list(_CODE.finditer(left)))}
    if len(amounts) + len(codes) > _MOST_FIGURES:
        return tuple(value.written for value in values)
    whole = [value for value in joined(said, values) if _holds(there, value, said)]
    lacking = [
        (value.start, value.written)
        for value in amounts.values()
        if not _holds(there, value, said) and not any(each.start <= value.start < each.end for each in whole)
    ]
    called = [match.span() for match, digits in telephones(left) if digits in there.telephones]
    lacking += [
        (code.start(), code[0])
        for code in codes.values()
        if not stands(there, code["lead"] or "", code["number"])
        and not any(start <= code.start() < end for start, end in called)
    ]
    # "One" may be an article, and is the first of nothing.
    numbers = there.numbers if " 1 " in there.pieces else there.numbers - {1.0}
    lacking += misranked(said, there.ranks, numbers)
    lacking += misfrequent(said, there.text)
    lacking += other_months(left, there)
    return tuple(written for _, written in sorted(lacking))


def _holds(there: Contents, value: Value, said: str) -> bool:
    if value.unit in UNCOUNTED:
        return counted(there, value, said)
    match value.unit:
        case "day of week":
            return weekday(there, value)
        case "date":
            return any(dated(there, value, reading) for reading in value.readings)
        case "time of day":
            return timed(there, value) or lasting(there, value)
        case _:
            return measured(there, value, said) or on_the_hour(there, value) or written_as_time(there, value)
