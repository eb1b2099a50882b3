"""How often: "twice a week", "três vezes por mês"."""

import re

from kbot.figures.numerals import NUMBER, read_number
from kbot.figures.vocabulary import DAYS, MONTHS

_SPANS = {
    word: words.split()[0]
    for words in (
        "minute minuto",
        "hour hora",
        "day dia",
        "night noite",
        "week semana",
        "month mês",
        "quarter trimestre",
        "year ano",
    )
    for word in words.split()
}
_ONCE = {
    word: words.split()[0]
    for words in (
        "hour hourly",
        "day daily diário diária diariamente",
        "night nightly",
        "week weekly semanal semanais semanalmente",
        "month monthly mensal mensais mensalmente",
        "quarter quarterly trimestral trimestrais trimestralmente",
        "year yearly annual annually anual anuais anualmente",
    )
    for word in words.split()[1:]
}
# In other words than its own a text may say what comes once in a span.
_ALLUDING = {
    "hour": frozenset(("hours", "horas")),
    "day": frozenset(("days", "dias")),
    "night": frozenset(("nights", "noites")),
    "week": frozenset(("weeks", "semanas", *DAYS)),
    "month": frozenset(("months", "meses")),
    "quarter": frozenset(("quarters", "trimestres")),
    "year": frozenset(("years", "anos", *MONTHS)),
}
TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_SPAN = rf"(?P<span>{'|'.join(sorted(_SPANS, key=len, reverse=True))})"
_OFTEN = re.compile(
    rf"(?<![\w-])(?:(?P<times>once|twice|thrice)|(?P<number>{NUMBER}) (?:times|vez(?:es)?)) "
    rf"(?:(?:in )?(?:an?|each|every)|per|por|a cada|em cada|cada|ao|à) {_SPAN}(?!\w)",
    re.IGNORECASE,
)
_EVERY = re.compile(rf"\b(?:every|each|tod[oa]|cada|todos os|todas as) {_SPAN}s?\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


def misfrequent(said: str, text: str) -> list[tuple[int, str]]:
    """Where a claim says how often, and the text says otherwise, and how the claim writes it: another number in the
    same span, or the same number in a span that the text does not name. "Weekly" is once a week: it is wrong where
    the text has "monthly" or the like, and nothing of weeks or their days."""
    wanted = {often: match for match in _OFTEN.finditer(said) for often in [_read(match)]}
    adverbs = {
        _ONCE[match[0].lower()]: match for match in reversed(list(_WORD.finditer(said))) if match[0].lower() in _ONCE
    }
    if not wanted and not adverbs:
        return []
    otherwise, once = {_read(match) for match in _OFTEN.finditer(text)}, spans(text)
    held = otherwise | {(1.0, span) for span in once}
    words = set(map(str.lower, _WORD.findall(text)))
    named = once | {_SPANS[word] for word in words if word in _SPANS}
    alluded = named | {span for span, others in _ALLUDING.items() if not words.isdisjoint(others)}
    unsaid = [(match.start(), match[0]) for span, match in adverbs.items() if once and span not in alluded]
    return unsaid + [
        (match.start(), match[0])
        for (number, span), match in wanted.items()
        if (number, span) not in held
        and any(span == other or (number == often and span not in named) for often, other in otherwise)
    ]


def spans(text: str) -> set[str]:
    """The spans by which a text says that something comes once in each: "monthly", "every day"."""
    adverbs = {_ONCE[word] for word in map(str.lower, _WORD.findall(text)) if word in _ONCE}
    return adverbs | {_SPANS[match["span"].lower()] for match in _EVERY.finditer(text)}


def _read(match: re.Match[str]) -> tuple[float, str]:
    """How many times in which span."""
    number = TIMES[match["times"].lower()] if match["times"] else read_number(match["number"])[0]
    return number, _SPANS[match["span"].lower()]
