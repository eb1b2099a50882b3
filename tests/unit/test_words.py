"""The bot's own words."""

import dataclasses
import string

import pytest

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
