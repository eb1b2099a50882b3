"""Ordinals before what they number: "the third floor", "5º andar", "Q3"."""

import re
from collections.abc import Iterator

from kbot.figures.numerals import ORDINAL, read_ordinal, read_roman
from kbot.grounding import plain
from kbot.language import FUNCTION_WORDS, stem

_THINGS = {
    stem(plain(word)): words.split()[0]
    for words in (
        "floor andar piso",
        "quarter trimestre",
        "century século",
        "chapter capítulo",
        "edition edição",
        "article artigo",
        "semester semestre",
        "instalment installment parcela",
        "phase fase",
        "stage etapa",
    )
    for word in words.split()
}
_NUMBERED = frozenset(_THINGS.values())
_RANK = re.compile(
    rf"(?<![\w-])(?:(?P<word>{ORDINAL})|(?P<digits>\d{{1,2}})(?:st|nd|rd|th|[ºª°])) (?P<thing>[^\W\d_]{{3,}})"
    r"|\b(?-i:Q)(?P<quarter>[1-4])\b"
    r"|\b(?P<before>século|century|capítulo|chapter|semestre|trimestre|fase|phase|etapa|stage) "
    r"(?:(?-i:(?P<roman>[IVXLC]+))|(?P<after>\d{1,2}))\b",
    re.IGNORECASE,
)
# "In the second place" at its beginning says where in the answer something stands, and "30 second" how long it lasts.
_IN_PLACE = re.compile(r"(?:^|[.;:] )(?:and |e )?(?:in the|in|em) \Z", re.IGNORECASE)
_AT_MOST = 12  # characters of that


def ranks(text: str) -> Iterator[tuple[int, str, re.Match[str]]]:
    """The ordinals of a text with what they number, in one word for both languages where it is a common thing."""
    for match in _RANK.finditer(text):
        if match["quarter"]:
            yield int(match["quarter"]), "quarter", match
            continue
        if match["before"]:
            number = read_roman(match["roman"]) if match["roman"] else int(match["after"])
            if number:
                yield number, _THINGS[stem(plain(match["before"]))], match
            continue
        thing, before = plain(match["thing"]), text[max(match.start() - _AT_MOST, 0) : match.start()]
        structuring = thing in ("place", "lugar") and _IN_PLACE.search(before)
        if thing not in FUNCTION_WORDS and not structuring and not before.rstrip()[-1:].isdigit():
            number = read_ordinal(match["word"]) if match["word"] else int(match["digits"])
            yield number, _THINGS.get(stem(thing), stem(thing)), match


def misranked(said: str, there: frozenset[tuple[int, str]], numbers: frozenset[float]) -> list[tuple[int, str]]:
    """Where a claim numbers in a word, or as the Romans did, what a text of these ranks numbers otherwise, and how the
    claim writes it. "First" hardly ever numbers anything but floors and the like, and an ordinal in digits is looked
    for as any number."""
    wanted = {
        match[0]: (number, thing, match)
        for number, thing, match in ranks(said)
        if (match["word"] or match["roman"]) and (number > 1 or thing in _NUMBERED)
    }
    things = {thing for number, thing in there if number > 1 or thing in _NUMBERED}
    return [
        (match.start(), match[0])
        for number, thing, match in wanted.values()
        if (number, thing) not in there and number not in numbers and thing in things
    ]
