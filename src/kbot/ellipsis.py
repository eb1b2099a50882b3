"""A follow-up that is no sentence, put in the place of what it stands for: "e em Lisboa?" after "Quanto custa a vaga em
Braga?" asks "Quanto custa a vaga em Lisboa?". Pure functions.

Such a follow-up leaves out all of the earlier question but for one phrase, and takes the place of the phrase of its own
form: the same preposition, the same kind of thing (a day, a name, people), else the subject or the object. What is a
phrase is told by the words of the closed classes (`kbot.phrases`). Rules instead of a grammar, so they may put a phrase
where nobody would say it; the words that are searched for are right even then.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from kbot.grounding import plain
from kbot.language import Language, stem
from kbot.phrase_kinds import (
    head_of,
    moment_of,
    says_measure,
    says_people,
    says_property,
    says_today,
    stands_in,
)
from kbot.phrases import Phrase, content_words, phrases, words_of

_OPENS = re.compile(
    r"^\W*(?:(?:e|mas|ou|então|que tal|and|but|or|also|so|what about|how about)\b(?!-)[\s,]*)+", re.IGNORECASE
)
_LONGEST = 7  # words
_AND = frozenset(["e", "ou", "and", "or"])  # "curso ou certificação" is one
# With one of these a text is a sentence, or points at something.
_NO_FRAGMENT = {
    "pt": re.compile(
        r"se|quem|qua(?:l|is)|quando|onde|como|quant[oa]s?|qu[eê]|porque|é|são|era|foi|foram|est(?:á|ão)|t[eê]m|há|posso"
        r"|podem?|podemos|precis(?:o|am?)|devo|devem?|vale|eu|vocês?|el[ea]s?|nós|não|sim|também|isso|isto|[dn]el[ea]s?|lá"
    ),
    "en": re.compile(
        r"if|who|whom|whose|which|what|when|where|why|how|is|are|was|were|be|been|do|does|did|can|could|may|might|must"
        r"|shall|should|will|would|have|has|had|i|you|s?he|it|we|they|them|not|no|yes|too|there|this|that|these|those"
    ),
}
_INFINITIVE = re.compile(r"\w{2,}[aei]r")
_WITH_ARTICLE = {
    "em": {"o": "no", "a": "na", "os": "nos", "as": "nas"},
    "de": {"o": "do", "a": "da", "os": "dos", "as": "das"},
    "por": {"o": "pelo", "a": "pela", "os": "pelos", "as": "pelas"},
    "a": {"o": "ao", "a": "à", "os": "aos", "as": "às"},
}
_FOR = {"pt": "para", "en": "for"}
_AT = {"pt": {"period": "em"}, "en": {"day": "on", "hour": "at", "period": "in"}}
_RELATIVE = ("last", "next")
# What is asked of oneself is not so for others: "quantos dias tenho para estagiários".
_OURS = re.compile(r"\b(?:eu|nós|i|we|tenho|temos|posso|podemos|precis(?:o|amos)|devo|devemos)\b", re.IGNORECASE)
_QUANTIFIER = re.compile(r"\b(?:quant([oa])s?|many|much)\s+\Z", re.IGNORECASE)
_IRREGULAR = re.compile(r"people|children|(?:wo)?men|staff")
_SINGULAR = re.compile(r"\w*(?:[sui]s|mês|país)")
_FEMININE = re.compile(r"\w+(?:as?|[çs]ão|[çs]ões|dades?|gem|gens)")
_MASCULINE = re.compile(r"\w+(?:os?|ora?es|or|al|ais)")
_OF = ("de", "of")
_LEAST = -1.5
_LEAST_WITH_PREPOSITION = 1.0


def opens(question: str) -> bool:
    """Whether a question begins as one that goes on with another: "and …", "e …", "what about …"."""
    return bool(_OPENS.match(question))


def without_opening(question: str) -> str:
    """The question without what goes on with another, as a sentence begins; as it is where nothing else is said."""
    rest = _OPENS.sub("", question)
    return rest[:1].upper() + rest[1:] if re.search(r"\w", rest) else question


def fragment(question: str, language: Language) -> str:
    """What a follow-up says in place of a sentence, without what opens it: "em Lisboa"; empty if it is a sentence of
    its own, or leans on the earlier one by a pronoun."""
    said = _OPENS.sub("", question).strip().rstrip("?!.… ")
    words = words_of(said, begins=_begins(question))
    if not language or not words or len(words) > _LONGEST or re.search(r"[,;?!]|:(?!\d)", said):
        return ""
    if any(_NO_FRAGMENT[language].fullmatch(word.low) and not word.name for word in words):
        return ""
    return "" if len(words) == 1 and language == "pt" and _INFINITIVE.fullmatch(words[0].text) else said


def filled(question: str, asked: str, language: Language) -> str | None:
    """The earlier question with the follow-up's phrase in it: in the place of one of the same form, or added where it
    has a preposition that nothing there has, or is people for whom it may be so, or says when. None if the
    follow-up is no phrase, has no noun, or has no place there. `language` is that of both."""
    said = fragment(question, language)
    found = phrases(said, language, verbs=False, begins=_begins(question)) if said else []
    if not language or not found or re.search(r"\w", said[: found[0].words[0].start]):  # "a de Braga", "mais barato"
        return None
    new = found[0]
    when = moment_of(new)
    if not when and not new.preposition and stands_in(new, language):
        return None
    sites = _sites(asked, new, language)
    scores = [_alike(new, site, place) for place, site in enumerate(sites)]
    best = max(range(len(sites)), key=scores.__getitem__, default=None)
    if best is not None and scores[best] >= (_LEAST_WITH_PREPOSITION if new.preposition else _LEAST):
        return _put(said, found, asked, sites, best, language)
    bare = new.preposition or says_today(new) or new.content[0].low in _RELATIVE
    at = "" if bare else _AT[language].get(when, "")
    if new.preposition or when:
        return _added(f"{at} {said}".strip(), asked)
    if says_people(new):
        return None if _OURS.search(asked) else _added(f"{_FOR[language]} {said}", asked)
    return None


def _begins(question: str) -> bool:
    """Whether a follow-up's first capital is that of a sentence, and no name's: "Na hora do almoço?", but "Lisboa?"."""
    return not opens(question) and len(words_of(question)) > 1


def _sites(asked: str, new: Phrase, language: Literal["pt", "en"]) -> list[Phrase]:
    """The phrases of the earlier question that a new one may replace: only a moment where that is one, and of "dias de
    férias" and "vacation days" not the days, unless it says such itself."""
    found: list[Phrase] = []
    for site in phrases(asked, language):
        if moment_of(new) != moment_of(site) and moment_of(new):
            continue
        measured = site.counted and not site.preposition and says_measure(site) and not says_measure(new)
        if not measured:
            found += [site] if new.preposition or site.counted else _beside_property(site, new, language)
        elif language == "en" and site.content[1:]:
            found.append(site if _plural(new) else replace(site, words=site.words[:-1], content=site.content[:-1]))
    return found


def _beside_property(site: Phrase, new: Phrase, language: Literal["pt", "en"]) -> list[Phrase]:
    """What a phrase may take the place of where one tells what a thing has: of "o prazo de reembolso de viagens" and
    "the wifi password" another property that of the prazo alone, and a thing that of the viagens and the wifi alone."""
    owned = says_property(site, language)
    if _heads(new) & _heads(site) or not (owned or says_property(new, language)):
        return [site]
    if not owned:
        return []
    cut = 0
    if not says_property(new, language):
        cut = len(site.content) - 1 if language == "en" else 0
    elif language == "pt":
        cut = len(site.content if len(head_of(new)) < len(new.content) else head_of(site))
    elif not site.content[1:]:
        cut = 1
    without = len(site.content) - cut
    return [replace(site, words=site.words[: len(site.words) - without], content=site.content[:cut])] if cut else []


def _alike(new: Phrase, site: Phrase, place: int) -> float:
    """How well a phrase of the earlier question would be replaced; of two alike the later one."""
    moments, names = (moment_of(new), moment_of(site)), (_name(new), _name(site))
    head = bool(_heads(new) & _heads(site))
    score = 0.1 * place + 4.0 * head
    if any(moments):
        score += 4.0 if all(moments) else -4.0
    elif any(names):
        score += 3.0 if all(names) else -2.0 + 1.5 * head
    if site.counted and says_measure(new) and says_measure(site):
        score += 3.0
    people = (says_people(new), says_people(site))
    if all(people):
        score += 3.0
    if new.preposition:
        same = new.preposition == site.preposition
        return score + (2.0 if same else -2.0) + 0.5 * (new.words[0].low == site.words[0].low)
    if any(people) and not all(people):
        score -= 4.0
    if site.preposition and not site.counted and not all(names) and not all(moments):
        score -= 0.5 if site.preposition in _OF else 2.0
    if site.counted:
        score -= 2.0 if new.determiner else 0.5
    if not new.determiner:
        score += all(names) or _plural(new) == _plural(site)
    return score + 1.0 * (bool(new.determiner) == bool(site.determiner)) + 0.5 * (new.determiner == site.determiner)


def _put(
    said: str, found: Sequence[Phrase], asked: str, sites: Sequence[Phrase], best: int, language: Literal["pt", "en"]
) -> str:
    """The earlier question with what is said in the place of one of its phrases."""
    new, site = found[0], sites[best]
    start, end = site.words[0].start, _end(new, found, asked, sites, best, language)
    if moment_of(new):  # for which all sites are such, and "de segunda a sexta" is one
        while best and asked[sites[best - 1].words[-1].end : start].isspace():
            best -= 1
            start = sites[best].words[0].start
        kept = not new.preposition and not says_today(new) and (moment_of(new) != "day" or site.preposition == "on")
        if kept and sites[best] is site and site.preposition:
            start = site.content[0].start
            said = said[new.content[0].start :] if site.determiner else said
    elif new.preposition and new.preposition != site.preposition:
        said, start = said[new.content[0].start :], site.content[0].start
    elif site.preposition and not new.preposition:
        article = _WITH_ARTICLE.get(site.preposition, {}).get(new.determiner, "")
        if article:
            said = f"{article} {said[new.content[0].start :]}"
        elif new.determiner:
            said = f"{site.preposition} {said}"
        else:
            start = site.content[0].start
    if site.counted and not site.preposition:
        return _counted(asked[:start], said, asked[end:], new, site)
    if not asked[:start].strip("¿¡\"'“ "):
        said = said[:1].upper() + said[1:]
    return asked[:start] + said + asked[end:]


def _counted(before: str, said: str, after: str, new: Phrase, site: Phrase) -> str:
    """The earlier question with what is said after its "how many" where both agree, else before it: "Equipamento:
    quantos posso levar?"."""
    quantifier = _QUANTIFIER.search(before)
    word = head_of(new)[0].low
    gender = "a" if _FEMININE.fullmatch(word) else "o" if _MASCULINE.fullmatch(word) else ""
    if quantifier and (_plural(new) != _plural(site) or (quantifier[1] and not gender)):
        return f"{said[:1].upper()}{said[1:]}: {before[:1].lower()}{before[1:].rstrip()}{after}"
    if quantifier and quantifier[1]:
        before = before[: quantifier.start(1)] + gender + before[quantifier.end(1) :]
    return before + said + after


def _end(
    new: Phrase,
    found: Sequence[Phrase],
    asked: str,
    sites: Sequence[Phrase],
    best: int,
    language: Literal["pt", "en"],
) -> int:
    """Where the replaced phrase ends: with what belongs to it, where the new one brings its own."""
    end = sites[best].words[-1].end
    more = any(phrase.words[0].start > new.words[-1].end for phrase in found)
    described = len(new.content) > 1 and not (new.preposition or says_property(new, language))
    for later in sites[best + 1 :]:
        its_own = more or (described and later.preposition in _OF and not _name(later))
        brought = bool(moment_of(new) or (later.preposition and its_own))
        between = asked[end : later.words[0].start]
        if between.strip() not in _AND and not (brought and between.isspace()):
            break
        end = later.words[-1].end
    return end


def _added(said: str, asked: str) -> str:
    bare = asked.rstrip()
    end = len(bare.rstrip("?!.… "))
    return f"{bare[:end]} {said}{bare[end:] or '?'}"


def _plural(phrase: Phrase) -> bool:
    """Whether one of the words that may be a phrase's noun, the first in Portuguese, the last in English, is many."""
    head = head_of(phrase)
    ends = (head[0].low, head[-1].low)
    return any(_IRREGULAR.fullmatch(low) or (low[-1] == "s" and not _SINGULAR.fullmatch(low)) for low in ends)


def _name(phrase: Phrase) -> bool:
    return any(word.name for word in phrase.content)


def _heads(phrase: Phrase) -> set[str]:
    """The words of a phrase by their roots, and a name with a number ("SEV1") without it."""
    return {stem(plain(word.low).rstrip("0123456789") or word.low) for word in content_words(phrase)}
