"""The phrases of a question in Portuguese or English: where each begins and ends, told by the words of the closed
classes and by where the verb of a question stands. Pure functions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kbot.language import Language

_WORD = re.compile(r"\ba partir\b|\d{1,2}:\d\d\w*|[^\s?!.,;:()\"“”…]+", re.IGNORECASE)
_DIGIT = re.compile(r"\d")

_Tag = Literal["preposition", "determiner", "copula", "auxiliary", "pronoun", "asks", "other", "word"]

# Every form of a preposition, by the one that it is listed under.
_FORMS: dict[str, dict[str, str]] = {
    "pt": {
        "em": "em|no|na|nos|nas|num|numa",
        "de": "de|do|da|dos|das",
        "por": "por|pelo|pela|pelos|pelas",
        "a": "ao|aos|à|às",
        "para": "para|pra|pro|pras|pros",
        **{each: each for each in ("com", "sem", "sobre", "até", "desde", "entre", "durante", "após", "contra")},
        **{each: each for each in ("antes", "depois", "a partir")},  # and "de"
    },
    "en": {
        each: each
        for each in (
            *("in", "on", "at", "for", "of", "to", "with", "without", "from", "about", "by", "per", "during", "after"),
            *("before", "under", "over", "between"),
        )
    },
}
_PREPOSITIONS = {
    language: {form: name for name, each in forms.items() for form in each.split("|")}
    for language, forms in _FORMS.items()
}
_DETERMINERS = {
    "pt": re.compile(r"[oa]s?|uns|umas?|um|(?:me|te|se)us?|(?:minh|su)as?|noss[oa]s?|est[ea]s?"),
    "en": re.compile(r"the|an?|my|our|your"),
}
_CONTRACTED = re.compile(r"(?:n|d|pel|pr)([oa]s?)|n(uma?)|a(os?)|(às?)")  # with their article
_CLOSED: dict[str, dict[_Tag, re.Pattern[str]]] = {
    "pt": {
        "copula": re.compile(r"é|são|eram?|foi|foram|est(?:á|ão)|ficam?|t[eê]m|há"),
        "auxiliary": re.compile(r"posso|podem?|podemos|precis(?:o|am?)|devo|devem?"),
        "asks": re.compile(r"quem|qua(?:l|is)|quando|a?onde|como|quant[oa]s?|que|porque"),
        "pronoun": re.compile(r"eu|vocês?|el[ea]s?|nós|[sm]e"),
    },
    "en": {
        "copula": re.compile(r"is|are|was|were|(?:who|what|when|where|how)['’]s"),
        "auxiliary": re.compile(r"do|does|did|can|could|may|might|must|shall|should|will|would|have|has"),
        "asks": re.compile(r"who|whom|whose|which|what|when|where|why|how|many|much"),
        "pronoun": re.compile(r"i|you|s?he|it|we|they|there|me"),
    },
}
_COUNTED = {
    "pt": re.compile(r"quanta|quant[oa]s|que|qua(?:l|is)"),
    "en": re.compile(r"many|much|which|what|whose"),
}
_OTHER = re.compile(r"e|ou|and|or|não|not|mais|more")
# What is said of a subject after "is".
_PREDICATE = re.compile(
    r"\w{2,}(?:ed|[ai]d[ao]s?)|open|closed|free|available|due|valid|full|kept|paid|held|sent|given|made|taken|built|run|done"
    r"|up|mandatory|necessary|livres?|grátis|obrigatóri[oa]s?|abert[oa]s?"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word and where it stands in its text. `name` is whether a capital inside the text or a digit makes it one."""

    text: str
    start: int
    end: int
    name: bool

    @property
    def low(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words of a phrase with its preposition and determiner; `content` is what follows them.

    `preposition` is the form that it is listed under ("em" for "nos"), `determiner` as it is written; "" where there is
    none. `counted` is whether it belongs to a question word: "quantos dias", "which rooms"; in "quantos dias de férias"
    both "dias de férias" and "de férias" do.
    """

    words: tuple[Word, ...]
    content: tuple[Word, ...]
    preposition: str = ""
    determiner: str = ""
    counted: bool = False


def words_of(text: str, *, begins: bool = True) -> list[Word]:
    """The words of a text; where it begins no sentence, its first capital makes a name too."""
    return [
        Word(
            found[0],
            *found.span(),
            name=bool(_DIGIT.search(found[0]) or (found[0][0].isupper() and not (begins and found.start() == 0))),
        )
        for found in _WORD.finditer(text)
    ]


def content_words(phrase: Phrase) -> list[Word]:
    """What a phrase is about, without the prepositions within it."""
    return [word for word in phrase.content if word.low not in _PREPOSITIONS["pt"] | _PREPOSITIONS["en"]]


def phrases(text: str, language: Language, *, verbs: bool = True, begins: bool = True) -> list[Phrase]:
    """The phrases of a question in their order, without its verbs; none in no language. A text without `verbs` is less
    than a sentence, and one that does not begin a sentence has a name for its first capital."""
    if not language:
        return []
    pieces = _pieces(words_of(text, begins=begins), text, language)
    if not verbs:
        return [phrase for piece in pieces for phrase in _phrases_in(piece, piece.content)]
    found: list[Phrase] = []
    verb = subject = asks = False
    for place, piece in enumerate(pieces):
        verb = verb or piece.tag == "copula"
        asks = asks or piece.tag == "asks"
        if not piece.content:
            continue
        before = pieces[place - 1] if place else None
        after = pieces[place + 1] if place + 1 < len(pieces) else None
        of_counted = bool(before and found and found[-1].counted and before.content == found[-1].content)
        counted = _counts(before, piece, language) or (of_counted and piece.preposition in ("of", "de"))
        said, verb = _without_verb(piece, before, after, verb, subject, language, asks=asks)
        for content in said:
            found += _phrases_in(piece, content, counted=counted)
        subject = subject or bool(any(said) and not piece.preposition and not counted)
    return found


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word of a closed class, or words with their preposition and determiner before verbs are taken out of them."""

    tag: _Tag
    lead: tuple[Word, ...]
    content: tuple[Word, ...] = ()
    preposition: str = ""
    determiner: str = ""

    @property
    def low(self) -> str:
        return self.lead[-1].low if self.lead else ""


def _pieces(words: Sequence[Word], text: str, language: Literal["pt", "en"]) -> list[_Piece]:
    tags: list[_Tag] = [_tag(word, language) for word in words]
    pieces: list[_Piece] = []
    place = 0
    while place < len(words):
        start = place
        if tags[place] not in ("preposition", "determiner", "word"):
            pieces.append(_Piece(tags[place], (words[place],)))
            place += 1
            continue
        preposition = _PREPOSITIONS[language][words[place].low] if tags[place] == "preposition" else ""
        place += bool(preposition)
        while place < len(words) and (tags[place] == "determiner" or (preposition and tags[place] == "preposition")):
            place += 1
        inside = place
        while place < len(words) and (place == inside or not text[words[place - 1].end : words[place].start].strip()):
            within = place > inside and words[place].low == "de" and tags[place + 1 : place + 2] == ["word"]
            if tags[place] != "word" and not within:
                break
            place += 1
        lead, tag = tuple(words[start:inside]), tags[start]
        determiner = _determiner(lead, language)
        pieces.append(_Piece(tag, lead, tuple(words[inside:place]), preposition, determiner))
    return pieces


def _phrases_in(piece: _Piece, content: tuple[Word, ...], *, counted: bool = False) -> list[Phrase]:
    """The phrase of a piece, of which some words may have been verbs, and what "de" begins within it."""
    if not content:
        return []
    if content[0].low == "de":
        return [Phrase(content, content[1:], "de")] if content[1:] else []
    lead = piece.lead if content[0] == piece.content[0] else ()
    preposition, determiner = (piece.preposition, piece.determiner) if lead else ("", "")
    whole = Phrase((*lead, *content), content, preposition, determiner, counted)
    inner = [place for place, word in enumerate(content) if word.low == "de"]
    return [whole, *(Phrase(content[place:], content[place + 1 :], "de", counted=counted) for place in inner)]


def _without_verb(
    piece: _Piece,
    before: _Piece | None,
    after: _Piece | None,
    verb: bool,
    subject: bool,
    language: Language,
    *,
    asks: bool,
) -> tuple[list[tuple[Word, ...]], bool]:
    """The parts of a piece's content that are no verb, and whether the verb has come by now."""
    content = piece.content
    tag, word = (before.tag, before.low) if before and not before.content else ("", "")
    ahead = after.tag if after and not after.content else ""
    if piece.preposition:
        return [_without_predicate(content) if verb and language == "en" and content[1:] else content], verb
    if _counts(before, piece, language):
        noun = 3 if content[1:2] and content[1].low == "de" else 1
        if verb or ahead or not content[noun:]:
            return [content], verb
        return [content[:noun], content[noun + 1 :]], True
    if not piece.determiner:
        if word == "how":
            return [content[1:]], verb
        if tag in ("asks", "pronoun") or (tag == "auxiliary" and language == "pt"):
            return [_without_predicate(content[1:])], True
        if tag == "auxiliary":
            names = next((n for n, each in enumerate(content) if not each.name), len(content)) or 1
            return [content[:names], content[names + 1 :]], True
        if tag == "copula" and subject:
            return [], True
    if tag == "copula":
        return [_without_predicate(content)], True
    head = next((place for place, each in enumerate(content) if each.low == "de"), len(content))
    if verb or not piece.determiner or head < 2 or ahead in ("copula", "auxiliary") or word in ("qual", "quais"):
        return [content], verb
    if not asks and head > 2:  # "o plano cobre óculos", "does the plan cover glasses"
        place = 1 if language == "pt" else head - 2
        return [content[:place], content[place + 1 :]], True
    return [content[: head - 1], content[head:]], True


def _without_predicate(content: tuple[Word, ...]) -> tuple[Word, ...]:
    while content and not content[-1].name and _PREDICATE.fullmatch(content[-1].low):
        content = content[:-1]
    return content


def _counts(before: _Piece | None, piece: _Piece, language: Language) -> bool:
    if before is None or before.content or piece.lead or not language:
        return False
    time = before.low == "quanto" and piece.content[0].low == "tempo"
    return time or bool(_COUNTED[language].fullmatch(before.low))


def _determiner(lead: tuple[Word, ...], language: Language) -> str:
    """The determiner of some words before a noun, as it is written alone: "o" of "do"."""
    if not lead or not language:
        return ""
    contracted = _CONTRACTED.fullmatch(lead[-1].low) if language == "pt" else None
    if contracted:
        return next(each for each in contracted.groups() if each).replace("à", "a")
    return lead[-1].low if _DETERMINERS[language].fullmatch(lead[-1].low) else ""


def _tag(word: Word, language: Language) -> _Tag:
    if not language or (word.name and word.text != "I"):
        return "word"
    for tag, words in _CLOSED[language].items():
        if words.fullmatch(word.low):
            return tag
    if word.low in _PREPOSITIONS[language]:
        return "preposition"
    if _DETERMINERS[language].fullmatch(word.low):
        return "determiner"
    return "other" if _OTHER.fullmatch(word.low) else "word"
