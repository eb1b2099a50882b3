"""The bot's own words."""

import dataclasses
import re
import string
from pathlib import Path

import pytest

from kbot.chat import Decision
from kbot.errors import (
    DatabaseUnreachable,
    EmbedderMismatch,
    KbotError,
    ModelFailed,
    ModelMissing,
    ModelTimeout,
    ModelUnreachable,
    StreamCut,
)
from kbot.language import detect_language
from kbot.words import SPOKEN, Words, words_in

MODEL = ("ollama:llama3.2", "Ollama said <secret words of the provider>.", "English next step for the log.")
ERRORS: list[tuple[Exception, str]] = [
    (ModelUnreachable(*MODEL), "ollama serve"),
    (ModelMissing(*MODEL), "ollama pull llama3.2"),
    (ModelTimeout(*MODEL), "KBOT_MODEL_TIMEOUT"),
    (StreamCut(*MODEL), "KBOT_ANSWER_TOKENS"),
    (ModelFailed(*MODEL), "kbot doctor"),
    (DatabaseUnreachable("postgresql://user:secret words@host cannot be used"), "kbot doctor"),
    (EmbedderMismatch("w", "a", "b"), "kbot reindex"),
    (KbotError("secret words"), "kbot doctor"),
    (OSError("secret words"), "kbot doctor"),
]


DOCS = (Path(__file__).parents[2] / "docs" / "reflection.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| `(?P<step>[a-z-]+)` \| (?P<outcomes>(?:`[^`]+`(?:, )?)+) \|", re.MULTILINE)
DECISIONS = [
    (row["step"], outcome) for row in _ROW.finditer(DOCS) for outcome in re.findall(r"`([^`]+)`", row["outcomes"])
]


@pytest.mark.parametrize(("step", "outcome"), DECISIONS)
def test_each_decision_that_the_docs_name_has_its_own_words(step: str, outcome: str) -> None:
    english, portuguese = (words.of_decision(Decision(step, outcome, "")) for words in SPOKEN)
    assert len(english.split()) > 2
    assert len(portuguese.split()) > 2
    assert english != portuguese


def test_the_docs_name_the_steps_of_a_reflection() -> None:
    assert {"follow-up", "gate", "passages", "claims", "draft", "answer", "sources"} <= {step for step, _ in DECISIONS}


@pytest.mark.parametrize("words", SPOKEN, ids=["en", "pt"])
def test_each_failure_has_its_own_words_with_the_next_step(words: Words) -> None:
    told = [words.of(error) for error, _ in ERRORS]
    assert len(set(told)) == len(ERRORS) - 1, "only the two unexpected ones are the same"
    for text, (error, step) in zip(told, ERRORS, strict=True):
        assert step in text, error
        assert "secret words" not in text
        assert "English next step" not in text
        assert "{" not in text
        assert "\n" not in text


def test_both_languages_say_everything_each_in_its_own_language() -> None:
    for field in dataclasses.fields(Words):
        here, there = (said_as(getattr(words, field.name)) for words in SPOKEN)
        assert here != there, field.name
        assert fields_of(here) == fields_of(there), field.name
        assert detect_language(here) in ("en", *[""] * (len(here.split()) < 8)), here
        assert detect_language(there) in ("pt", *[""] * (len(there.split()) < 8)), there


def said_as(text: str | tuple[str, ...] | dict[str, str]) -> str:
    return text if isinstance(text, str) else " ".join(text.values() if isinstance(text, dict) else text)


def fields_of(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_who_speaks_neither_is_told_in_english() -> None:
    assert words_in("") is words_in("en")
    assert words_in("pt") is SPOKEN[1]
