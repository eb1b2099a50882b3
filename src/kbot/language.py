"""Which of the two languages that kbot speaks a text is in, by its commonest words."""

import re
import unicodedata
from typing import Literal

from kbot.characters import unaccented

Language = Literal["pt", "en", ""]

# Words that only one of the languages uses often. Those of Spanish, French, Italian and German only vote against.
_WORDS: dict[str, frozenset[str]] = {
    "pt": frozenset(
        [
            "o",
            "os",
            "um",
            "uma",
            "uns",
            "umas",
            "ao",
            "aos",
            "à",
            "às",
            "do",
            "da",
            "dos",
            "das",
            "no",
            "na",
            "nos",
            "nas",
            "num",
            "numa",
            "pelo",
            "pela",
            "pelos",
            "pelas",
            "e",
            "é",
            "são",
            "foi",
            "foram",
            "ser",
            "está",
            "estão",
            "não",
            "sim",
            "que",
            "quem",
            "qual",
            "quais",
            "quando",
            "onde",
            "como",
            "porque",
            "quanto",
            "quantos",
            "quantas",
            "com",
            "sem",
            "em",
            "para",
            "por",
            "até",
            "sobre",
            "também",
            "mais",
            "mas",
            "ou",
            "se",
            "eu",
            "você",
            "vocês",
            "ele",
            "ela",
            "eles",
            "elas",
            "nós",
            "meu",
            "minha",
            "seu",
            "sua",
            "seus",
            "suas",
            "isso",
            "isto",
            "esse",
            "essa",
            "este",
            "esta",
            "aquele",
            "há",
            "tem",
            "têm",
            "pode",
            "posso",
            "podem",
            "devo",
            "deve",
            "fazer",
            "faço",
            "já",
            "muito",
            "nao",
            "voce",
            "sao",
            "esta",
            "ate",
            "tambem",
            "ha",
        ]
    ),
    "en": frozenset(
        [
            "the",
            "an",
            "of",
            "to",
            "and",
            "or",
            "is",
            "are",
            "was",
            "were",
            "be",
            "been",
            "it",
            "its",
            "this",
            "that",
            "these",
            "those",
            "in",
            "on",
            "at",
            "by",
            "for",
            "from",
            "with",
            "without",
            "about",
            "what",
            "who",
            "which",
            "when",
            "where",
            "why",
            "how",
            "much",
            "many",
            "do",
            "does",
            "did",
            "can",
            "could",
            "should",
            "would",
            "will",
            "may",
            "must",
            "have",
            "has",
            "had",
            "not",
            "yes",
            "if",
            "than",
            "then",
            "i",
            "you",
            "he",
            "she",
            "we",
            "they",
            "my",
            "your",
            "our",
            "their",
            "his",
            "her",
            "me",
            "us",
            "there",
        ]
    ),
    "other": frozenset(
        [
            "el",
            "los",
            "las",
            "una",
            "y",
            "en",
            "del",
            "con",
            "por",
            "es",
            "son",
            "fue",
            "qué",
            "cómo",
            "cuándo",
            "dónde",
            "le",
            "les",
            "des",
            "du",
            "et",
            "est",
            "sont",
            "une",
            "dans",
            "pour",
            "avec",
            "sur",
            "der",
            "die",
            "das",
            "und",
            "ist",
            "nicht",
            "ein",
            "eine",
            "mit",
            "von",
            "zu",
            "il",
            "lo",
            "gli",
            "di",
            "che",
            "è",
            "sono",
            "per",
            "non",
            "della",
        ]
    ),
}
FUNCTION_WORDS = frozenset(unaccented(word) for word in _WORDS["pt"] | _WORDS["en"])
"""Words that say little of what a text is about, in both languages, without accents."""

_ROOT = 5

_TALK = {
    "pt": r"oi|olá|ola|bom dia|boa tarde|boa noite|obrigad[oa]|muito obrigad[oa]|valeu|tchau|até logo|tudo bem|blz|beleza"
    r"|ajuda|socorro|o que você (?:faz|sabe fazer)|como (?:você funciona|te uso)",
    "en": r"hi|hello|hey|hi there|hello there|good (?:morning|afternoon|evening)|thanks?|thank you|thanks a lot"
    r"|thank you very much|thx|bye|goodbye|how are you|cool|great|nice|help|what can you do|how do you work",
    "": r"ok|okay|opa|kbot",
}
_TALKS = {
    name: re.compile(rf"\W*(?:(?:{words}|{_TALK['']})\b\W*)+", re.IGNORECASE) for name, words in _TALK.items() if name
}
_SMALL_TALK = re.compile(rf"\W*(?:(?:{'|'.join(_TALK.values())})\b\W*)+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_PORTUGUESE_MARKS = re.compile(r"[ãõçâêô]|(?:inha|mente|agem|idade|ência)$")


def detect_language(text: str) -> Language:
    """The language of a text, or "" for one that is neither Portuguese nor English, or too short to tell."""
    words = _WORD.findall(unicodedata.normalize("NFC", text[:20_000]).lower())
    votes = {name: sum(word in vocabulary for word in words) for name, vocabulary in _WORDS.items()}
    votes["pt"] += sum(word not in _WORDS["pt"] and bool(_PORTUGUESE_MARKS.search(word)) for word in words)
    for name, talk in _TALKS.items():
        votes[name] += bool(talk.fullmatch(text))
    best = max(votes["pt"], votes["en"])
    if best == 0 or votes["pt"] == votes["en"] or votes["other"] > best:
        return ""
    return "pt" if votes["pt"] > votes["en"] else "en"


def stem(word: str) -> str:
    """The first letters of a word. Words count as one if they begin alike: a stemmer light enough for two languages at
    once, which takes cognates too."""
    return word[:_ROOT]


def is_small_talk(text: str) -> bool:
    """Whether a text is a greeting, thanks or a call for help and nothing more: no document answers it."""
    return bool(_SMALL_TALK.fullmatch(text))
