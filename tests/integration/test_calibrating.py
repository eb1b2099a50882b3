"""`kbot eval calibrate`: a cut is chosen, kept where that is sound, shown with where it comes from, and taken back."""

import json
from pathlib import Path
from typing import Any

import pytest
from operators import Operator, write_rows
from program import Program
from test_cli_docs import documented_json, keys

from answering import FERIAS, Desk, ask
from kbot.commands import calibrating, operating
from kbot.confidence import Cut, for_quoting
from kbot.database import Database
from kbot.engine import Engine
from kbot.errors import SettingsError
from kbot.models import CUTS
from kbot.retrieval.cuts import calibrated_cuts, forget_cut, store_cut

OWN = for_quoting(CUTS["embedded:use-multilingual-v3"])
"""That of a model which only quotes."""


def write_many(folder: Path, *, answerable: int, unanswerable: int) -> dict[str, Any]:
    """Questions on passages of a code each, in both languages, half of which are not there."""
    there = [("O código do setor", n) if n % 2 else ("The code of sector", n) for n in range(answerable)]
    write_rows(folder / "p.jsonl", [{"id": f"p{n}", "text": f"{what} {n} é {n * 7919}."} for what, n in there])
    rows = [{"id": f"a{n}", "question": f"{what} {n}?", "answerable": True, "relevant": [f"p{n}"]} for what, n in there]
    rows += [
        {"id": f"u{n}", "question": f"Who painted the portrait of baroness {n} in Vienna?", "answerable": False}
        for n in range(unanswerable)
    ]
    write_rows(folder / "many.jsonl", rows)
    return {"questions": "many.jsonl", "passages": "p.jsonl"}


async def in_force(operator: Operator, workspace: str = "") -> Cut:
    async with Engine.open(operator.settings) as engine:
        return await engine.cut_in(workspace)


async def test_few_questions_are_shown_and_not_kept(operator: Operator) -> None:
    dry = await operator.calibrate()
    assert keys(dry) == keys(documented_json()["eval calibrate"])
    assert (dry["stored"], dry["chosen"]["rightly"], dry["chosen"]["wrongly"]) == (False, 1.0, 0.0)
    assert "4 answerable and 2 unanswerable questions are too few" in dry["objection"]
    assert "It would not be kept: 4 answerable and 2 unanswerable" in operator.warned()
    with pytest.raises(SettingsError, match=r"not kept: 4 answerable and 2 unan.*it takes 30 and 20.*--force"):
        await operator.calibrate(store=True)
    assert operator.shape() == dry, "the figures are shown all the same"
    assert await in_force(operator) == OWN


async def test_an_operator_who_insists_gets_the_cut_and_takes_it_back(operator: Operator) -> None:
    kept = await operator.calibrate(workspace="team", store=True, force=True)
    assert kept["stored"] is True
    assert kept["before"]["origin"] == "the embedder's own, for a model that only quotes"
    after = (await operator.calibrate(workspace="team"))["before"]
    assert after == {**kept["chosen"], "origin": after["origin"]}
    assert after["origin"].startswith("calibrated on own (6 questions, 20")
    assert after["origin"].endswith("for workspace team")
    assert (await operator.calibrate(workspace="other"))["before"] == kept["before"]

    async def reset(workspace: str) -> dict[str, Any]:
        assert await calibrating.reset(operator.settings, workspace, as_json=True, out=operator.out) == 0
        return operator.shape()

    nothing = await reset("")
    assert (nothing["reset"], nothing["workspace"], nothing["now"]["origin"]) == (False, None, kept["before"]["origin"])
    assert await calibrating.reset(operator.settings, "", as_json=False, out=operator.out) == 0
    assert "There was no calibrated cut for all workspaces." in operator.shown()
    assert "`kbot eval calibrate --reset --workspace team`" in operator.shown()
    gone = await reset("team")
    assert (gone["reset"], gone["now"]["confidence"]) == (True, OWN.confidence)
    assert await in_force(operator, "team") == OWN


async def test_enough_questions_are_kept_if_the_cut_is_better_than_the_one_so_far(
    operator: Operator, database: Database
) -> None:
    many = write_many(operator.folder, answerable=30, unanswerable=20)
    embedder = "embedded:use-multilingual-v3"
    mild = Cut(0.0, 0.0)  # refuses nothing: any sound cut is better
    await store_cut(database, embedder, mild, workspace="", labelled="older", questions=99)
    kept = await operator.calibrate(store=True, **many)
    assert (kept["stored"], kept["objection"], kept["before"]["rightly"]) == (True, "", 0.0)
    assert kept["held_out"]["rightly"] > 0.5
    again = await operator.calibrate(store=True, **many)
    assert (again["stored"], again["objection"]) == (True, ""), "the same cut is no worse than itself"
    write_many(operator.folder, answerable=30, unanswerable=19)
    with pytest.raises(SettingsError, match="30 answerable and 19 unanswerable questions are too few"):
        await operator.calibrate(store=True, **many)


async def test_doctor_shows_the_cut_and_where_it_comes_from(operator: Operator, database: Database) -> None:
    async def cuts() -> list[str]:
        assert await operating.doctor(operator.settings, quick=True, as_json=True, out=operator.out) == 0
        lines = [json.loads(line) for line in operator.printed.readouterr().out.splitlines()]
        return [line["found"] for line in lines if line["name"] == "cut"]

    own = "confidence 0.35, nearness 0.42: the embedder's own, for a model that only quotes"
    assert await cuts() == [own]
    embedder = "embedded:use-multilingual-v3"
    await store_cut(database, embedder, Cut(0.3, 0.21), workspace="team", labelled="ours", questions=80)
    day = f"{(await calibrated_cuts(database, embedder))[0].chosen_at:%Y-%m-%d}"
    team = f"calibrated on ours (80 questions, {day}) for workspace team"
    assert await cuts() == [own, f"workspace team: confidence 0.3, nearness 0.21: {team}"]
    operator.settings = operator.settings.model_copy(update={"cut": 0.5})
    said = "confidence as KBOT_CUT says; nearness"
    assert await cuts() == [
        f"confidence 0.5, nearness 0.42: {said} the embedder's own, for a model that only quotes",
        f"workspace team: confidence 0.5, nearness 0.21: {said} {team}",
    ]


async def test_a_calibrated_cut_refuses_until_the_operator_says_otherwise(desk: Desk) -> None:
    engine = await desk.engine()
    name = engine.embedder.name
    assert await engine.cut_in("default") == OWN
    try:
        await store_cut(engine.database, name, Cut(2.0, 2.0), workspace="default", labelled="s", questions=9)
        assert (await ask(engine, FERIAS)).reason == "nothing_near"
        assert await engine.cut_in("another team") == OWN
        cut = Cut(0.1, 0.2)
        await store_cut(engine.database, name, cut, workspace="", labelled="s", questions=9)
        assert await engine.cut_in("another team") == cut
        assert await engine.cut_in("default") == Cut(2.0, 2.0), "a workspace's own goes first"
        said = await desk.engine(cut=0.3)
        assert await said.cut_in("default") == Cut(0.3, 2.0), "KBOT_CUT is the confidence, and nothing else"
        assert (await ask(said, FERIAS)).grounded
        await store_cut(engine.database, "another embedder", Cut(3.0, 3.0), workspace="", labelled="s", questions=9)
        assert await engine.cut_in("another team") == cut
    finally:
        for workspace, embedder in (("default", name), ("", name), ("", "another embedder")):
            await forget_cut(engine.database, embedder, workspace)
    assert (await ask(engine, FERIAS)).grounded


def test_the_program_asks_for_questions_unless_it_takes_a_cut_back(kbot: Program) -> None:
    run = kbot("eval", "calibrate", "--passages", "x")
    assert run.code == 2
    assert "--questions" in run.err
    run = kbot("eval", "calibrate", "--reset", "--json")
    assert run.code == 0, run.err
    assert run.lines[0]["reset"] is False
