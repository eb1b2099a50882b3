"""What a document is: its format, and, told by its text, whether it is a transcript or a contract."""

import re
from collections import Counter
from itertools import pairwise

from kbot.grounding import plain
from kbot.ingestion.pages import CSV, DOCX, HTML, MAIL, MARKDOWN, PDF, PPTX, TEXT, XLSX

_FORMATS = {
    PDF: "pdf",
    DOCX: "docx",
    PPTX: "pptx",
    XLSX: "xlsx",
    HTML: "html",
    MARKDOWN: "md",
    CSV: "csv",
    MAIL: "eml",
    TEXT: "txt",
}

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
_BEGINNING = 100_000
_FEWEST_TURNS = 8
_TURNS_A_SPEAKER = 3
_TURN_CHARACTERS = 1200  # a transcript has turns all over: one in so many characters, at least
_MOST_SPEAKERS = 40
_SPOKEN = 40
_ENDS = (".", "!", "?", "…", '"', "”", "»")

_ORDINAL = (
    r"(?:PRIMEIR|SEGUND|TERCEIR|QUART|QUINT|SEXT|S[ÉE]TIM|OITAV|NON|D[ÉE]CIM|VIG[ÉE]SIM|TRIG[ÉE]SIM|[ÚU]NIC)[AO]S?"
)
_NUMBER = r"(?:\d{1,3}|[IVXLC]{1,7})"
_CLAUSE = re.compile(
    rf"^[ \t#*_]{{0,12}}(?:"
    rf"(?P<top>CL[ÁA]USULA[ \t]+(?:{_ORDINAL}|{_NUMBER}[ªº.]?)\b|(?:SECTION|ARTICLE|CLAUSE|ARTIGO)[ \t]+{_NUMBER}\b"
    rf"|ART\.[ \t]*\d{{1,3}}[ºo°.]?|WHEREAS\b|CONSIDERANDO\b|SCHEDULE[ \t]+[A-Z\d]\b|ANEXO[ \t]+{_NUMBER}\b)"
    rf"|(?P<sub>§[ \t]*\d{{1,2}}[ºo°.]?|PAR[ÁA]GRAFO[ \t]+(?:{_ORDINAL}|\d)|\d{{1,2}}(?:\.\d{{1,2}}){{1,3}}\.?[ \t]+\S)"
    rf"|(?P<plain>\d{{1,2}}[.)][ \t]+[A-ZÀ-Ý]))",
    re.MULTILINE | re.IGNORECASE,
)
# Each is said in contracts and hardly elsewhere; a document that says three of them, and numbers its clauses, is one.
_LEGAL = re.compile(
    r"\b(?P<parties>the parties|(?:each|either|other|neither) party|as partes|das partes)\b"
    r"|\b(?P<sides>contratante|contratad[ao]|locador|locat[áa]ri[ao]|licensor|licensee|lessor|lessee"
    r"|the (?:supplier|customer|client|contractor|tenant|landlord) shall)\b"
    r"|\b(?P<defined>hereinafter|hereby|herein|hereto|doravante|(?:o|a)ra denominad[ao]s?)\b"
    r"|\b(?P<duty>obriga(?:m)?-se|compromete(?:m)?-se|undertakes to|agrees to)\b"
    r"|\b(?P<law>governing law|governed by|jurisdiction of|foro da comarca|fica eleito o foro|in witness whereof)\b"
    r"|\b(?P<end>terminate this|termination of this|this agreement|the agreement|rescis[ãa]o|presente (?:contrato"
    r"|instrumento|acordo)|deste contrato)\b"
    r"|\b(?P<blame>indemnif\w+|liabilit\w+|inadimplemento|multa (?:contratual|de)|perdas e danos)\b",
    re.IGNORECASE,
)
_FEWEST_CLAUSES = 5
_FEWEST_WORDS = 3
# A contract has clauses all over: one in so many characters, at least.
_CLAUSE_CHARACTERS = 2500


def kinds_of(media_type: str, text: str) -> tuple[str, ...]:
    """The kinds of a document, as `KBOT_CHUNKING` names them, what it is before its format. Its beginning tells."""
    text = text[:_BEGINNING]
    said = "transcript" if is_transcript(text) else "contract" if is_contract(text) else ""
    return tuple(filter(None, (said, _FORMATS.get(media_type, ""))))


def is_transcript(text: str) -> bool:
    """Whether people take turns in it: subtitles with their times, or lines that begin with the names of those who
    speak, each several times, by turns, in sentences."""
    if len(_CUE.findall(text)) >= _FEWEST_TURNS:
        return True
    turns = [turn for turn in _TURN.finditer(text) if _may_speak(turn["name"])]
    names = [plain(turn["name"]) for turn in turns]
    speakers = Counter(names)
    if len(turns) < max(_FEWEST_TURNS, len(text) // _TURN_CHARACTERS) or not 2 <= len(speakers) <= _MOST_SPEAKERS:
        return False
    if len(turns) < _TURNS_A_SPEAKER * len(speakers) or sum(a != b for a, b in pairwise(names)) < len(turns) // 4:
        return False
    return 2 * sum(_speaks(text, turn) for turn in turns) >= len(turns)


def is_contract(text: str) -> bool:
    """Whether it is a contract, or reads like one: numbered clauses all over, and the words of contracts."""
    clauses = [clause for clause in _CLAUSE.finditer(text) if clause["plain"] is None]
    if len(clauses) < max(_FEWEST_CLAUSES, len(text) // _CLAUSE_CHARACTERS):
        return False
    return len({found.lastgroup for found in _LEGAL.finditer(text)}) >= _FEWEST_WORDS


def turn_starts(text: str) -> list[int]:
    """Where somebody begins to speak, or a subtitle begins."""
    if cues := [cue.start() for cue in _CUE.finditer(text)]:
        return cues
    return [turn.start() for turn in _TURN.finditer(text) if _may_speak(turn["name"])]


def clauses_of(text: str) -> dict[int, int]:
    """Where the clauses of a contract start, and at which level: 1 a clause with a name or a single number, 2 what
    belongs to one."""
    return {clause.start(): 2 if clause["sub"] else 1 for clause in _CLAUSE.finditer(text)}


def _may_speak(name: str) -> bool:
    return not _NO_SPEAKERS.search(plain(name))


def _speaks(text: str, turn: re.Match[str]) -> bool:
    """Whether what follows a name is a sentence, rather than an entry of a form."""
    end = text.find("\n", turn.end() + 1)
    said = text[turn.end() : end if end >= 0 else len(text)].strip()
    return len(said) >= _SPOKEN or (said.endswith(_ENDS) and " " in said)
