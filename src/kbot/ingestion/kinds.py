"""What a document is: its format, and, told by its text, whether it is a transcript or a contract."""

import re
from collections import Counter
from itertools import pairwise

from kbot.dialogue import cues, speaks, turns
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

_BEGINNING = 100_000
_FEWEST_TURNS = 8
_TURNS_A_SPEAKER = 3
_TURN_CHARACTERS = 1200  # a transcript has turns all over: one in so many characters, at least
_MOST_SPEAKERS = 40

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
    if len(cues(text)) >= _FEWEST_TURNS:
        return True
    found = turns(text)
    names = [plain(turn.name) for turn in found]
    speakers = Counter(names)
    if len(found) < max(_FEWEST_TURNS, len(text) // _TURN_CHARACTERS) or not 2 <= len(speakers) <= _MOST_SPEAKERS:
        return False
    if len(found) < _TURNS_A_SPEAKER * len(speakers) or sum(a != b for a, b in pairwise(names)) < len(found) // 4:
        return False
    return 2 * sum(speaks(text, turn) for turn in found) >= len(found)


def is_contract(text: str) -> bool:
    """Whether it is a contract, or reads like one: numbered clauses all over, and the words of contracts."""
    clauses = [clause for clause in _CLAUSE.finditer(text) if clause["plain"] is None]
    if len(clauses) < max(_FEWEST_CLAUSES, len(text) // _CLAUSE_CHARACTERS):
        return False
    return len({found.lastgroup for found in _LEGAL.finditer(text)}) >= _FEWEST_WORDS


def turn_starts(text: str) -> list[int]:
    """Where somebody begins to speak, or a subtitle begins."""
    return cues(text) or [turn.start for turn in turns(text)]


def clauses_of(text: str) -> dict[int, int]:
    """Where the clauses of a contract start, and at which level: 1 a clause with a name or a single number, 2 what
    belongs to one."""
    return {clause.start(): 2 if clause["sub"] else 1 for clause in _CLAUSE.finditer(text)}
