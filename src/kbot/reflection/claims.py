"""An answer as claims: its sentences, each with the citations that it rests on. Pure functions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kbot.grounding import plain, strip_citations
from kbot.sentences import sentences

_MARKS = re.compile(r"\[(\d{1,3})\]")
# "It opens at 8. [1] It closes at 9." cites the first sentence, as "It opens at 8 [1]." does.
_AFTER_THE_STOP = re.compile(r"([.!?…;]+[\"'”’»)]*)((?:[ \t]*\[\d{1,3}\])+)")
_FEWEST_WORDS = 3
_BARE_MARK = re.compile(r"^[ \t]*(?:[-*+•▪–]|\d{1,3}[.)])[ \t]*(?:\n|\Z)", re.MULTILINE)
_NUMBERED = re.compile(r"^\d{1,3}[.)]\s+")
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
# What an answer says of the passages, not of the world.
_LACK = re.compile(
    r"\b(?:passages?|documents?|sources?|trechos?|documentos?|fontes?)\b[^.]{0,20}"
    r"\b(?:do(?:es)? not|don't|doesn't|não|nada|no information|sem informaç)[^.]{0,20}?"
    r"(?:mention|say|state|contain|specif|tell|give|provide|answer|explain|address|information"
    r"|mencion|di[zg]|inform|cont[eéê]m|especific|respond|tra[zt]|fala|explic)"
    r"|\bthere (?:is|are) no (?:passages?|documents?|information)\b|\bnot in the (?:passages?|documents?)\b"
    r"|\b(?:não há|nenhum) (?:trechos?|documentos?|informaç)|\bnão há nos (?:trechos|documentos)\b"
    r"|^The sources? disagrees?\b|^As fontes discordam\b|^A fonte se contradiz\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer that says something of the world, without its marks, and the numbers it cites."""

    text: str
    cites: tuple[int, ...]


def split_claims(answer: str) -> list[Claim]:
    """The claims of an answer, in order. Questions, headings, what leads in a list, and what says that the passages do
    not tell are no claims."""
    return [claim for _, _, claim in _located(_marks_within(answer))]


def without(answer: str, dropped: Sequence[Claim]) -> str:
    """The answer without these of its claims, and without the list marks that are left bare by that."""
    text = _marks_within(answer)
    for start, end, claim in reversed(_located(text)):
        if claim in dropped:
            text = text[:start] + text[end:].lstrip(" \t")
    return _BLANK_LINES.sub("\n\n", _BARE_MARK.sub("", text)).strip()


def attributed(answer: str, found: Mapping[Claim, int]) -> str:
    """The answer with the citations of each of these claims replaced by the one given, or put there."""
    text = _marks_within(answer)
    for start, end, claim in reversed(_located(text)):
        if claim in found:
            said = strip_citations(text[start:end])
            stop = said[len(said.rstrip(".!…;")) :]
            text = f"{text[:start]}{said.removesuffix(stop)} [{found[claim]}]{stop}{text[end:]}"
    return text


def _marks_within(answer: str) -> str:
    return _AFTER_THE_STOP.sub(lambda found: f"{found[2]}{found[1]}", answer)


def _located(text: str) -> list[tuple[int, int, Claim]]:
    """Start, end and claim of each sentence that is one."""
    found: list[tuple[int, int, Claim]] = []
    for start, end in sentences(text):
        sentence = text[start:end]
        said = _NUMBERED.sub("", " ".join(strip_citations(sentence).split()).lstrip("#*-•> "))
        heading = text[text.rfind("\n", 0, start) + 1 : end].lstrip().startswith("#")
        if heading or not said or _LACK.search(said):
            continue
        whole = not said.endswith(("?", ":")) and len(plain(said).split()) >= _FEWEST_WORDS
        if whole or _MARKS.search(sentence):  # "8 days [1]" is short, and yet an answer
            found.append((start, end, Claim(said, _cites(sentence))))
    return found


def _cites(sentence: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(number) for number in _MARKS.findall(sentence)))
