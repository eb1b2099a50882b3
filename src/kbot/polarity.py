"""Whether a sentence affirms or denies, in Portuguese and English: what is allowed, required, open, included, …"""

import re
from dataclasses import dataclass
from functools import lru_cache

from kbot.language import detect_language

# For each matter the words that affirm and those that deny it.
_MATTERS: dict[str, tuple[str, str]] = {
    "allowed": (
        r"allowed|permitted|may|can|permitid[oa]s?|autorizad[oa]s?|pode|podem|permits?|allows?|permite[m]?",
        r"forbidden|prohibited|banned|disallowed|cannot|can['’]t|proibid[oa]s?|vedad[oa]s?|proíbe[m]?|prohibits?|forbids?",
    ),
    "required": (
        r"mandatory|required|requires?|compulsory|obligatory|must|obrigatóri[oa]s?|exigid[oa]s?|exigem?|deve|devem",
        r"optional|voluntary|opcional|opcionais|facultativ[oa]s?|dispensad[oa]s?",
    ),
    "open": (r"opens?|abre|abrem|abert[oa]s?", r"closed?|closes|fecha|fecham|fechad[oa]s?"),
    "included": (r"included|includes?|incluíd[oa]s?|inclui|incluem", r"excluded|excludes?|excluíd[oa]s?|exclui"),
    "enabled": (
        r"enabled|activated|habilitad[oa]s?|ativad[oa]s?|ativ[oa]s?",
        r"disabled|deactivated|desabilitad[oa]s?|desativad[oa]s?|inativ[oa]s?",
    ),
    "available": (r"available|disponíve(?:l|is)", r"unavailable|indisponíve(?:l|is)"),
    "possible": (r"possible|possíve(?:l|is)", r"impossible|impossíve(?:l|is)"),
    "valid": (r"valid|válid[oa]s?", r"invalid|inválid[oa]s?"),
    "supported": (r"supported|supports?", r"unsupported"),
    "accepted": (r"accepted|accepts?|aceit[oa]s?|aceita|aceitam", r"rejected|refused|recusad[oa]s?|recusa[m]?"),
}
_WORD = re.compile(
    r"\b(?:"
    + "|".join(f"(?P<{name}>{affirm})|(?P<not_{name}>{deny})" for name, (affirm, deny) in _MATTERS.items())
    + r")\b(?!['’]t)"
)
_NOT = re.compile(
    r"\b(?:not|no longer|never|não|nunca|jamais|nenhum[a]?)\b|(?<!\bca)n['’]t\b|\bnem sempre\b|\bno (?=more\b)"
)
_NO = re.compile(r"\A(?:there (?:is|are) )?no\b|\bno (?=\w+ (?:is|are|may|can)\b)")
# How far before the word that it turns a "not" stands, and how far behind ("may not").
_BEFORE, _BEHIND = 22, 8


@dataclass(frozen=True, slots=True)
class Polarity:
    """`matters` are those that a sentence affirms (True) or denies (False); `denies` is whether it has a "not" that
    belongs to none of them. `spans` are where the words that say so stand. `clear` is False where a sentence
    affirms and denies at once, so that nothing can be said of it."""

    matters: tuple[tuple[str, bool], ...]
    denies: bool
    spans: tuple[tuple[int, int], ...]
    clear: bool


@lru_cache(maxsize=2048)
def polarity(sentence: str) -> Polarity:
    """What a sentence affirms and denies."""
    text = sentence.lower()
    nots = [match.span() for match in _NOT.finditer(text)]
    if detect_language(sentence) != "pt":  # where "no" means "in the"
        nots += [match.span() for match in _NO.finditer(text)]
    free = list(nots)
    spans = list(nots)
    matters: dict[str, set[bool]] = {}
    for match in _WORD.finditer(text):
        name = match.lastgroup or ""
        turned = [span for span in nots if _turns(span, match.span(), text)]
        matters.setdefault(name.removeprefix("not_"), set()).add(name.startswith("not_") == bool(turned))
        free = [span for span in free if span not in turned]
        spans.append(match.span())
    clear = len(nots) <= 1 and all(len(signs) == 1 for signs in matters.values())
    found = tuple((name, True in signs) for name, signs in matters.items() if len(signs) == 1)
    return Polarity(found, bool(free), tuple(sorted(spans)), clear)


def opposed(first: Polarity, second: Polarity) -> bool:
    """Whether one denies what the other affirms, and nothing else of it."""
    if not (first.clear and second.clear):
        return False
    beside = dict(second.matters)
    turned = [name for name, sign in first.matters if name in beside and beside[name] != sign]
    if first.denies != second.denies:
        return not turned and {name for name, _ in first.matters} == set(beside)
    return len(turned) == 1


def _turns(negation: tuple[int, int], word: tuple[int, int], text: str) -> bool:
    between = text[negation[1] : word[0]]
    if negation[1] <= word[0]:
        return len(between) <= _BEFORE and not re.search(r"[,;:]", between)
    behind = text[word[1] : negation[0]]
    modal = text[word[0] : word[1]] in ("may", "can", "must")
    return negation[0] >= word[1] and len(behind) <= _BEHIND and modal and not behind.strip()
