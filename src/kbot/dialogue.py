"""Who speaks in a text: subtitles with their times, and lines that begin with the name of somebody. Pure functions."""

import re
from dataclasses import dataclass
from itertools import pairwise

from kbot.grounding import plain

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
# WebVTT and SubRip: "00:01:02.000 --> 00:01:04.500", after a line with the cue's number or name, if it has one.
_CUE = re.compile(rf"^(?:[^\n]{{1,40}}\n)?{_CLOCK}[ \t]+-->[ \t]+{_CLOCK}[^\n]*$", re.MULTILINE)
_NAME = r"[A-ZÀ-Ý][\w.'’-]*(?:[ \t]+(?:d[aeo]s?[ \t]+)?[A-ZÀ-Ý\d][\w.'’-]*){0,3}"
_ROLE = r"(?:[ \t]{0,8}\([^()\n]{1,30}\))?"
# "Ana Souza: …", "[00:12] Ana:", "**Ana** (10:02): …", "Ana Souza  0:03" on a line of its own.
_TIME = rf"[\[(]?{_CLOCK}[\])]?"
_TURN = re.compile(
    rf"^[ \t]{{0,12}}[*_]{{0,3}}(?:{_TIME}[ \t]{{0,8}}[-–—]?[ \t]{{0,8}})?[*_]{{0,3}}(?:<v[ \t]+)?"
    rf"(?P<name>{_NAME}){_ROLE}[*_]{{0,3}}"
    rf"(?:[ \t]{{0,8}}:[*_]{{0,3}}(?:[ \t]{{1,8}}(?=\S)|[ \t]{{0,8}}$)|[ \t]{{1,8}}{_TIME}[ \t]{{0,8}}$)",
    re.MULTILINE,
)
# What stands before a colon in forms, notes and lists of questions, and is nobody who speaks.
_NO_SPEAKERS = re.compile(
    r"\b(?:notes?|notas?|warning|aviso|atencao|important|importante|tip|dica|examples?|exemplos?|caution|cuidado"
    r"|questions?|perguntas?|answers?|respostas?|[qapr]|name|nome|phone|telefone|tel|e ?mail|dat[ae]|time|horas?"
    r"|subject|assunto|from|de|to|para|cc|address|endereco|titles?|titulos?|status|version|versao|author|autor|steps?"
    r"|passos?|summary|resumo|description|descricao|input|output|entrada|saida|see|veja|figur[ea]|tab(?:le|ela)"
    r"|source|fonte|location|local|department|departamento|duration|duracao|responsibilities|requirements|company"
    r"|empresa|job|cargo|role|position|salary|salario|qualifications|benefits|total|price|preco)\b"
)
_VOICE = re.compile(r"<v[ \t]+([^<>\n]{1,60})>")
_MARKUP = re.compile(r"</?[a-z][^<>\n]{0,20}>")
_SPOKEN = 40
_ENDS = (".", "!", "?", "…", '"', "”", "»")
_FEWEST_TURNS = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a talk: `start` is where its line begins in the text, `words` where what is said begins."""

    name: str
    start: int
    words: int


def cues(text: str) -> list[int]:
    """Where the subtitles of a text start."""
    return [cue.start() for cue in _CUE.finditer(text)]


def turns(text: str) -> list[Turn]:
    """Every line that begins with a name as somebody's who speaks does, and is no entry of a form."""
    return [Turn(turn["name"], turn.start(), turn.end()) for turn in _TURN.finditer(text) if _may_speak(turn["name"])]


def speaks(text: str, turn: Turn) -> bool:
    """Whether what follows a name is a sentence, rather than an entry of a form."""
    end = text.find("\n", turn.words + 1)
    said = text[turn.words : end if end >= 0 else len(text)].strip()
    return len(said) >= _SPOKEN or (said.endswith(_ENDS) and " " in said)


def talk(text: str) -> tuple[str, list[Turn]]:
    """A passage as a talk: its text without the times of subtitles, and its turns there; none where it is no talk.

    A passage holds a few turns of a whole transcript, so it is one where two people answer each other: one asks and
    another goes on, or somebody speaks again after another.
    """
    if _CUE.search(text):
        text = _MARKUP.sub("", _VOICE.sub(r"\1: ", _CUE.sub("", text)))
    found = turns(text)
    names = [plain(turn.name) for turn in found]
    if len(set(names)) < 2 or 2 * sum(speaks(text, turn) for turn in found) < len(found):
        return text, []
    returns = len(found) >= _FEWEST_TURNS and any(a != b and a in names[:n] for n, (b, a) in enumerate(pairwise(names)))
    asks = any(
        names[n] != names[n + 1] and text[turn.words : after.start].rstrip().endswith("?")
        for n, (turn, after) in enumerate(pairwise(found))
    )
    return text, found if returns or asks else []


def _may_speak(name: str) -> bool:
    return not _NO_SPEAKERS.search(plain(name))
