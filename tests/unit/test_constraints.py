"""The form of a cited answer as a pattern, and how a JSON string is read while it is written."""

import functools
import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbot.constraints import Constraint, QuotedText, gbnf, request, schema
from kbot.prompts import REFUSALS
from kbot.thinking import UNSAID, joined

REFUSAL = REFUSALS["pt"]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[a-z]+|\{[^}]*\}|[()|?*]')
_ESCAPED = re.compile(r"\\U([0-9A-F]{8})|\\(.)")


@functools.cache
def expression(grammar: str) -> re.Pattern[str]:
    """A grammar of llama.cpp without recursion, as a regular expression."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())

    def written(symbol: str) -> str:
        match symbol[0]:
            case '"':
                plain = _ESCAPED.sub(
                    lambda c: chr(int(c[1], 16)) if c[1] else {"n": "\n"}.get(c[2], c[2]), symbol[1:-1]
                )
                return f"(?:{re.escape(plain)})"
            case "[":
                return f"[{symbol[1:-1].replace('[', chr(92) + '[')}]"
            case "(":
                return "(?:"
            case letter if letter.isalpha():
                return f"(?:{''.join(map(written, _SYMBOL.findall(rules[symbol])))})"
            case _:
                return symbol

    return re.compile(written("root"))


def fits(text: str) -> bool:
    """Whether a text has the form, by the grammar and by the schema alike."""
    by_schema = fits_schema(text, REFUSAL)
    assert bool(expression(gbnf(Constraint(3, REFUSAL))).fullmatch(text)) is by_schema, "both say the same"
    return by_schema


def fits_schema(text: str, refusal: str) -> bool:
    pattern = schema(Constraint(3, refusal))["pattern"]
    return bool(re.fullmatch(pattern, json.dumps(text, ensure_ascii=False)[1:-1]))


def read(pieces: list[str]) -> str:
    reader = QuotedText()
    return joined(text for piece in pieces for text in reader.feed(piece))


@st.composite
def split(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> list[str]:
    """A text in pieces, none of them empty."""
    text = draw(texts)
    cuts = draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=8))
    return [piece for start, end in pairwise([0, *sorted(cuts), len(text)]) if (piece := text[start:end])]


@pytest.mark.parametrize(
    "text",
    [
        REFUSAL,
        "São 22 dias [1].",
        "São 22 dias. [1]",
        "22 days [1][3].",
        "Sim. São 22 dias. [1]",
        "Yes [1]. No! It is not [2].",
        "It takes 3.5 h, or 1.000,50 €, from 8:00 on [2].",
        "Dr. Silva e a Sra. Núñez decidem, p. ex. às 8h (cf. n.º 2) [1]. O art. 5 o diz [2].",
        "J. Smith of the U.S. Army writes to e.g. ann@example.com or https://example.com/a?b=c&d=1#e [3].",
        'It is called "the house" (see p. 3) [1].',
        "He said “no.” [1]",
        'The sirens of "Where art thou?" are three (really!) [1].',
        "Is it open? [1] Yes! [2]",
        'He said "no." [1]',
        "O subsídio é de R$ 1.500,00 por mês, e abre-se às 9h30 na sala nº 7 [1].",
        "Escreva para e-mail@x.pt, nos termos do n.º 2 do art. 7.º, de 2.ª a 6.ª [2]. Custa 5 €/mês. [1]",
        "A Silva & Filhos, Lda. vende pão, e a Acme Corp. makes it [1].",
        "A Exma. Sra. Dra. Ana e o Eng. Rui, da Silva, Lda. [1]. Veja o cap. 3, págs. 4-5 [2].",
        'Run `say "hi"` [1].',
        "- one [1]\n- two [2];\n\n* three. [3]",
        "Os passos são:\n\n1. abrir [1]\n2. fechar [1].",
        "Use `apt-get -y install kbot.deb` **now** [1].",
        "水, вода, água: C:\\temp [1].",
    ],
)
def test_cited_answers_and_the_refusal_have_the_form(text: str) -> None:
    assert fits(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        "It is 22 days.",
        "It is 22 days [4].",
        "It is 22 days [0].",
        "It is. So it is [1].",
        "It is [1]. So it is.",
        "It is [1] so.",
        "It is a_list[1].",
        "Is it?of course [1].",
        "It is so.[1]",
        "It is. É assim [1].",
        "It is so! and so [1].",
        "It is so [1][2][3][1].",
        f"{REFUSAL} [1] So.",
        f"It is [1]. {REFUSAL}",
        "See [the page](https://example.com) [1].",
        "see `a` and `b [1].",
        "It is\tso [1].",
        " ".join(["It is so [1]."] * 9),
        "word " * 61 + "[1].",
        "x" * 200 + " [1].",
    ],
)
def test_whatever_cites_nothing_or_never_ends_has_not(text: str) -> None:
    assert not fits(text)


@given(TEXTS.map(lambda text: " ".join(text.split())).filter(bool))
def test_any_sentence_of_the_operator_can_refuse(refusal: str) -> None:
    assert fits_schema(refusal, refusal)
    assert not fits_schema(refusal + "x", refusal)


def test_the_grammar_has_the_refusal_as_a_literal() -> None:
    text = gbnf(Constraint(2, 'Não "sei" \\ o que é [isso]. 🤷\x7f'))
    assert r'refusal ::= "Não \"sei\" \\ o que é [isso]. 🤷\U0000007F"' + "\n" in text
    assert '("1" | "2")' in text


def test_each_kind_of_model_is_asked_in_its_own_way() -> None:
    constraint = Constraint(2, REFUSAL)
    assert request("gbnf", constraint) == {"grammar": gbnf(constraint), "reasoning_format": "none"}
    assert request("json", constraint) == {"format": schema(constraint)}
    assert request("none", constraint) == {}


@given(split(TEXTS.map(json.dumps)), TEXTS)
def test_a_string_reads_the_same_however_it_is_cut(pieces: list[str], before: str) -> None:
    text = json.loads("".join(pieces))
    assert read(pieces) == text
    assert read([before, UNSAID, *pieces, "\n"]) == text


@given(split(TEXTS.map(lambda text: json.dumps(text, ensure_ascii=False))))
def test_a_string_grows_and_nothing_is_taken_back(pieces: list[str]) -> None:
    reader = QuotedText()
    shown = ""
    for piece in pieces:
        for text in reader.feed(piece):
            assert text != UNSAID
            shown += text
    assert shown == json.loads("".join(pieces))


@given(TEXTS, st.integers(1, 20))
def test_a_string_that_is_cut_off_is_shown_so_far(text: str, missing: int) -> None:
    written = json.dumps(text)[:-missing]
    shown = read(list(written))
    assert text.startswith(shown)
    assert len(text) - len(shown) <= missing


@given(split(TEXTS))
def test_what_is_no_string_is_shown_as_it_is(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        json.loads(text)
    except json.JSONDecodeError:
        told = read(pieces)
        assert told in {text, ""} if not text.lstrip().startswith('"') else text.endswith(told)


@pytest.mark.parametrize(
    "text",
    [
        "São 22 dias [1].",
        '"The house" is a bot [1].',
        '{"answer": "22 days [1]."}',
        r'"C:\x" is a path [1].',
        '```json\n"22 days [1]."\n```',
    ],
)
def test_plain_text_loses_nothing(text: str) -> None:
    assert read(list(text)) == read([text]) == text


def test_half_a_pair_is_waited_for_and_alone_is_no_character() -> None:
    reader = QuotedText()
    assert list(reader.feed(r'"a\ud83e')) == ["a"]
    assert list(reader.feed("\\")) == []
    assert list(reader.feed("udd37")) == ["🤷"]
    assert list(reader.feed(r'\ud83e b"')) == ["\ufffd b"]
