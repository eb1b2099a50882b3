"""Bytes to text: encodings found or guessed, text repaired, and what nobody sees dropped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.errors import Rejected
from kbot.ingestion.text import clean, decode, plain

PORTUGUESE = "Não há “ações” na região: é a 1ª opção – ou não é?\nO coração põe à prova.\n"
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей же чаю. Документы хранятся пять лет.\n" * 5
POLISH = "Zażółć gęślą jaźń. Książka leży na półce, a źrebię pędzi przez łąkę; wszyscy są już zmęczeni.\n" * 5


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co"]), min_size=1))
def test_utf8_is_kept(text: str) -> None:
    assert decode(text.encode()).text == clean(text) or "encoded twice" in decode(text.encode()).warnings[0]


@given(st.binary(max_size=400))
def test_any_bytes_are_text_fit_for_a_database_or_rejected(data: bytes) -> None:
    try:
        text = decode(data).text
    except Rejected:
        return
    assert "\0" not in text
    text.encode("utf-8")


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_unicode_with_and_without_marks(encoding: str) -> None:
    assert decode(PORTUGUESE.encode(encoding)).text == PORTUGUESE


@pytest.mark.parametrize(
    ("text", "encoding"), [(PORTUGUESE, "cp1252"), (RUSSIAN, "cp1251"), (POLISH, "cp1250"), (RUSSIAN, "koi8-r")]
)
def test_one_byte_encodings_are_guessed_and_said_so(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert "was guessed as" in decoded.warnings[0]


def test_short_portuguese_is_not_taken_for_central_european() -> None:
    decoded = decode("Preço; Situação; Indisponível".encode("cp1252"))
    assert (decoded.text, len(decoded.warnings)) == ("Preço; Situação; Indisponível", 1)


def test_lines_of_two_encodings() -> None:
    decoded = decode("é útil\n".encode() * 5 + "não é\n".encode("latin-1") * 5)
    assert decoded.text == "é útil\n" * 5 + "não é\n" * 5
    assert "line by line" in decoded.warnings[0]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_text_encoded_twice_is_repaired(encoding: str) -> None:
    twice = "É ação, não é? Não há acentuação.".encode().decode(encoding, errors="ignore")
    decoded = decode(twice.encode())
    assert "ação, não é? Não há acentuação." in decoded.text
    assert "encoded twice" in decoded.warnings[0]


@pytest.mark.parametrize("text", ["“A IRMÃ” e a MANHÃ…", "IRMÃ – MANHÃ", "CHÂTEAU «Â»", "Ã, Â e â"])
def test_capital_letters_before_quotes_are_left_alone(text: str) -> None:
    assert decode(text.encode()) == decode(text.encode("utf-16"))
    assert decode(text.encode()).text == text


def test_what_nobody_sees_is_dropped() -> None:
    assert (
        clean("in\u00advi\u200bsi\ufeffble\0 e\u0301\r\nline\xa0end\u2028next\ud800")
        == "invisible é\nline end\nnext\ufffd"
    )


def test_prompts_are_no_headings() -> None:
    assert plain("# apt update\n#!/bin/sh\n## x") == "    # apt update\n#!/bin/sh\n    ## x"
