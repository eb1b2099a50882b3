"""Letters without their accents, in whatever form and script they come."""

import sys
import unicodedata

import pytest

from kbot.characters import unaccented


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Plain ASCII stays: 100%, [1]\n", "Plain ASCII stays: 100%, [1]\n"),
        ("licença-paternidade às 9h é não", "licenca-paternidade as 9h e nao"),
        (unicodedata.normalize("NFD", "férias"), "ferias"),
        ("ﬁnance № ½ 10²", "finance No 1⁄2 102"),
        ("Ελλάδα Москва й 日本", "Ελλαδα Москва и 日本"),
        ("é́̃", "e"),
        ("", ""),
    ],
)
def test_accents_are_taken_off_and_nothing_else(text: str, bare: str) -> None:
    assert unaccented(text) == bare


def test_every_character_is_as_its_decomposition_says() -> None:
    everything = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    expected = [c for c in unicodedata.normalize("NFKD", everything) if not unicodedata.combining(c)]
    assert unaccented(everything) == "".join(expected)
