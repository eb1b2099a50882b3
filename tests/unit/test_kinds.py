"""What a document is, told by its text: transcripts and contracts in both languages, and what only looks like one."""

import json
from pathlib import Path

import pytest

from kbot.ingestion.kinds import clauses_of, kinds_of, turn_starts
from kbot.ingestion.pages import CSV, DOCX, HTML, MAIL, MARKDOWN, PDF, PPTX, TEXT, XLSX

HERE = Path(__file__).parents[1]

ENGLISH_TALK = """Product meeting, Monday

Anna: Let us begin with the release. Where do we stand?
Ben Carter: The build has been green since Friday, and the notes are written.
Anna: Good. Who tells the customers about it?
Ben Carter: Dora does, she has the list of all addresses.
Dora: I will send it out on Tuesday, after the last test.
Anna: What about the server that broke down?
Ben Carter: It has been replaced, and nobody noticed a thing.
Dora: I noticed, but it was over in a minute.
Anna: Then we are done for today.
"""
CUES = "WEBVTT\n\n" + "\n\n".join(
    f"{n}\n00:0{n}:01.000 --> 00:0{n}:04.500\n<v Ana Souza>Frase número {n} da conversa." for n in range(9)
)
SUBRIP = "\n\n".join(f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\nAnd this is sentence {n}." for n in range(1, 12))
TEAMS = "\n".join(
    f"{name}  0:{n:02}\nThis is what was said about the budget at that moment, number {n}."
    for n, name in enumerate(["João da Silva", "Érica Prado"] * 6)
)
BOLD = "\n\n".join(
    f"**{name}:** I would rather talk about the plan, number {n}." for n, name in enumerate(["Ana", "Leo"] * 6)
)

CLAUSULAS = """CONTRATO DE PRESTAÇÃO DE SERVIÇOS

Pelo presente instrumento, Padaria Estrela, doravante denominada CONTRATANTE, e Oficina Norte, CONTRATADA, ajustam:

CLÁUSULA PRIMEIRA – DO OBJETO
A CONTRATADA obriga-se a manter os fornos da CONTRATANTE.

CLÁUSULA SEGUNDA – DO PRAZO
O prazo é de doze meses.
Parágrafo único. A rescisão exige aviso de trinta dias.

CLÁUSULA TERCEIRA – DO PREÇO
O preço é de R$ 900 por mês.

Cláusula 4ª – DAS MULTAS
A multa contratual é de dois por cento.

CLÁUSULA QUINTA – DO FORO
Fica eleito o foro da comarca de Recife.
"""


@pytest.mark.parametrize("text", [ENGLISH_TALK, CUES, SUBRIP, TEAMS, BOLD])
def test_a_talk_is_a_transcript(text: str) -> None:
    assert kinds_of(TEXT, text) == ("transcript", "txt")
    assert 8 <= len(turn_starts(text)) <= 12
    assert all(text[:start].endswith("\n") or start == 0 for start in turn_starts(text))


def test_the_labelled_talk_and_agreement_are_known() -> None:
    talk = (HERE / "chunking" / "reuniao-de-operacoes.txt").read_text(encoding="utf-8")
    agreement = (HERE / "chunking" / "supply-agreement.txt").read_text(encoding="utf-8")
    assert kinds_of(PDF, talk) == ("transcript", "pdf")
    assert kinds_of(DOCX, agreement) == ("contract", "docx")
    assert len(turn_starts(talk)) == 49


def test_a_contract_has_clauses_at_two_levels() -> None:
    assert kinds_of(TEXT, CLAUSULAS) == ("contract", "txt")
    clauses = {CLAUSULAS[start:].split("\n")[0][:14]: level for start, level in clauses_of(CLAUSULAS).items()}
    assert clauses == {
        "CLÁUSULA PRIME": 1,
        "CLÁUSULA SEGUN": 1,
        "Parágrafo únic": 2,
        "CLÁUSULA TERCE": 1,
        "Cláusula 4ª – ": 1,
        "CLÁUSULA QUINT": 1,
    }


FAQ = "\n".join(f"Question: How do I do thing number {n}?\nAnswer: You ask the team, and it is done." for n in range(9))
FORMS = "\n\n".join(f"Nome: Maria {n}\nTelefone: 47{n}1\nCargo: Analista\nSetor: Financeiro" for n in range(9))
SETTINGS = "\n".join(f"Timeout: {n}\nRetries: {n}\nServer: example{n}" for n in range(9))
MANUAL = "\n\n".join(f"{n}.{m} Install the package\nThe parties of users run it." for n in range(5) for m in range(3))
ONE_VOICE = "\n".join(f"Note: this is an important sentence, and it has number {n}." for n in range(20))


@pytest.mark.parametrize(
    "text", [FAQ, FORMS, SETTINGS, MANUAL, ONE_VOICE, "", "Ana: yes.", ENGLISH_TALK + "word " * 9000]
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert kinds_of(TEXT, text) == ("txt",)


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        (PDF, "pdf"),
        (DOCX, "docx"),
        (PPTX, "pptx"),
        (XLSX, "xlsx"),
        (HTML, "html"),
        (MARKDOWN, "md"),
        (CSV, "csv"),
        (MAIL, "eml"),
        (TEXT, "txt"),
    ],
)
def test_each_format_is_a_kind(media_type: str, kind: str) -> None:
    assert kinds_of(media_type, "Just a text.") == (kind,)


def test_no_real_passage_is_mistaken(shared: Path) -> None:
    for name in ("dev", "contoso", "scifact_mini"):
        for line in (shared / "eval" / f"{name}.passages.jsonl").read_text(encoding="utf-8").splitlines():
            passage = json.loads(line)
            assert kinds_of(TEXT, passage["text"]) == ("txt",), passage["id"]
