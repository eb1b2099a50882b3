"""`kbot eval` as an operator and a CI job have it."""

import json
from typing import Any

import pytest
from operators import Operator, write_rows, write_set
from program import Program
from test_cli_docs import documented_json, keys

from answering import UNKNOWN, ask
from kbot.chat import Place
from kbot.commands import evaluating
from kbot.engine import Engine
from kbot.errors import SettingsError

EXAMPLES = documented_json()
ASKED = ("--passages", "manual", "--questions", "own.questions.jsonl")


def short(shape: dict[str, Any]) -> dict[str, Any]:
    """A run or comparison with one measure, as the documentation shows it."""

    def one(measures: dict[str, Any]) -> dict[str, Any]:
        return {"hit@5": measures["hit@5"]}

    subsets: dict[str, Any] = {
        kind: {**found, "measures": one(found["measures"])} if "measures" in found else one(found)
        for kind, found in shape["subsets"].items()
    }
    shape = {**shape, "measures": one(shape["measures"]), "subsets": subsets}
    if "outcomes" in shape:
        first = shape["outcomes"][0]
        shape["outcomes"] = [{**first, "found": {name: first["found"][name] for name in ("hit@5", "retrieve_ms")}}]
    return shape


def test_the_program_measures_compares_and_gates(kbot: Program) -> None:
    write_set(kbot.folder)
    base = kbot("eval", "run", *ASKED, "--name", "base", "--json")
    assert base.code == 0, base.err
    (shape,) = base.lines
    assert keys(short(shape)) == keys(EXAMPLES["eval run"])
    assert shape["set"] == "own"
    assert shape["measures"]["hit@1"]["value"] == 1.0
    assert shape["measures"]["refused"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 2}
    later = kbot.but(chunk_characters="300")("eval", "run", *ASKED, "--name", "later", "--only", "retrieval")
    assert later.code == 0, later.err
    assert "ndcg@10" in later.out
    assert "Kept as later" in later.out
    compared = kbot("eval", "compare", "base", "later", "--json")
    assert compared.code == 0, compared.err
    (changes,) = compared.lines
    assert changes.pop("configuration") == {
        "measured": ["everything", "retrieval"],
        "chunk_characters": ["1600", "300"],
    }
    documented = {name: value for name, value in EXAMPLES["eval compare"].items() if name != "configuration"}
    assert keys(short(changes)) == keys(documented)
    assert {change["verdict"] for name, change in changes["measures"].items() if "_ms" not in name} == {"noise"}
    gated = kbot("eval", "gate", "--baseline", "base")
    assert (gated.code, gated.out) == (0, "later does not fall behind base (6 questions).\n")
    written = kbot("eval", "report", "--out", "page")
    assert written.code == 0, written.err
    assert "later" in (kbot.folder / "page" / "index.html").read_text(encoding="utf-8")


async def test_a_gate_ends_with_1_on_a_regression(operator: Operator) -> None:
    # The same search, and labels turned round: one that lost every passage.
    write_rows(
        operator.folder / "p.jsonl",
        [{"id": f"p{n}", "text": f"O código do setor {n} é {n * 7919}."} for n in range(16)],
    )
    for name, shift in (("right", 0), ("wrong", 5)):
        rows = [
            {"id": f"q{n}", "question": f"De que setor é {n * 7919}?", "relevant": [f"p{(n + shift) % 16}"]}
            for n in range(16)
        ]
        write_rows(operator.folder / "codes.jsonl", [{**row, "answerable": True} for row in rows])
        await operator.measure(operator.asked("codes.jsonl", "p.jsonl"), name)
    assert await operator.gate("right", "", as_json=True) == 1
    shape = operator.shape()
    assert keys(shape) == keys({**EXAMPLES["eval gate"], "regressions": shape["regressions"]})
    assert shape["passed"] is False
    assert {"mrr@10", "ndcg@10"} <= shape["regressions"].keys()
    assert keys(shape["regressions"]["mrr@10"]) == keys(EXAMPLES["eval gate"]["regressions"]["mrr@10"])
    assert await operator.gate("wrong", "right") == 0
    assert await operator.gate("right", "wrong", "hit@1") == 1
    assert "✗ hit@1" in operator.shown()
    assert "wrong is worse than right" in operator.shown()
    assert await evaluating.compare(operator.settings, "right", "wrong", as_json=False, out=operator.out) == 0
    assert "worse" in operator.shown()
    assert await evaluating.runs(operator.settings, as_json=True, out=operator.out) == 0
    assert [json.loads(line)["name"] for line in operator.printed.readouterr().out.splitlines()] == ["wrong", "right"]


async def test_what_cannot_be_done_is_told(operator: Operator) -> None:
    await operator.measure(operator.asked(limit=3), "base")
    with pytest.raises(SettingsError, match="kbot eval runs"):
        await operator.gate("base", "nobody")
    with pytest.raises(SettingsError, match="run `kbot eval run`"):
        await operator.gate("base", "")
    await operator.measure(operator.asked(limit=2), "later")
    with pytest.raises(SettingsError, match="There is no measure 'recall'"):
        await operator.gate("base", "later", "recall")
    with pytest.raises(SettingsError, match="did not both measure f1"):
        await operator.gate("base", "later", "f1")
    assert await operator.gate("base", "later") == 0
    assert "1 questions were put in one run alone" in operator.warned()
    with pytest.raises(SettingsError, match="both kinds of questions"):
        await operator.calibrate(limit=1)


async def test_a_team_exports_its_own_questions(operator: Operator) -> None:
    async with Engine.open(operator.settings) as engine:
        assert (await ask(engine, UNKNOWN, Place("team", "memory:general"))).refused
    path = operator.folder / "team.questions.jsonl"
    done = await evaluating.export(operator.settings, path, "team", private=False, console=operator.out)
    assert done == 0
    assert "1 question, 0 to be labelled by hand" in operator.shown()
    run = await operator.measure(operator.asked("team.questions.jsonl"), "team")
    assert run["measures"]["refused_unread"]["value"] == 1.0
