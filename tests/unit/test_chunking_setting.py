"""KBOT_CHUNKING as it is written and as it is meant."""

import pytest
from pydantic import ValidationError

from kbot.settings import Chunking, Settings


def chunking(value: str, monkeypatch: pytest.MonkeyPatch) -> Chunking:
    monkeypatch.setenv("KBOT_CHUNKING", value)
    return Settings().chunking


def test_one_strategy_for_all_or_by_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chunking("Semantic", monkeypatch) == Chunking("semantic")
    assert chunking("", monkeypatch) == Chunking()
    by_kind = chunking(" recursive,transcript = model , PDF=semantic,", monkeypatch)
    assert by_kind == Chunking("recursive", (("transcript", "model"), ("pdf", "semantic")))
    assert str(by_kind) == "recursive, transcript=model, pdf=semantic"
    assert chunking(str(by_kind), monkeypatch) == by_kind
    assert by_kind.asks_model
    assert not Chunking("semantic").asks_model
    assert Chunking("model").asks_model


def test_the_first_kind_that_is_named_decides() -> None:
    by_kind = Chunking("recursive", (("pdf", "semantic"), ("contract", "model")))
    assert by_kind.strategy_for(("contract", "pdf")) == "model"
    assert by_kind.strategy_for(("transcript", "pdf")) == "semantic"
    assert by_kind.strategy_for(("txt",)) == "recursive"
    assert by_kind.strategy_for(()) == "recursive"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("fixed", "'fixed' is no way of cutting; take one of recursive, semantic, model"),
        ("pdf=fixed", "'fixed' is no way of cutting"),
        ("zip=model", "'zip' is no kind of document; take one of transcript, contract, pdf"),
        ("=model", "'' is no kind of document"),
        ("pdf=", "'' is no way of cutting"),
        ("recursive, semantic", "it says twice how all other documents are cut"),
        ("pdf=model, pdf=semantic", "it says twice how pdf are cut"),
    ],
)
def test_a_wrong_value_is_told_with_what_to_write(value: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError) as raised:
        chunking(value, monkeypatch)
    assert told in str(raised.value)
