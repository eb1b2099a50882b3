"""Runs as files: what was printed is the run again, and a gate that begins with an empty database."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from operators import Operator, write_rows
from program import Program, Run

from kbot.commands import evaluating
from kbot.database import Database
from kbot.errors import SettingsError
from kbot.evaluation import ledger
from kbot.evaluation.comparison import compare, differences
from kbot.evaluation.exported import read_run
from kbot.settings import Settings

DOCS = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")


async def test_what_is_printed_is_the_run_again(operator: Operator, database: Database) -> None:
    shape = await operator.measure(operator.asked(), "base")
    path = operator.folder / "base.json"
    path.write_text(json.dumps(shape), encoding="utf-8")
    kept, read = await ledger.find_run(database, "base"), read_run(path)
    assert (read.id, read.name, read.labelled, read.workspace) == (kept.id, "base", "own", kept.workspace)
    assert differences(kept, read) == ()
    assert [dict(each.found) for each in read.outcomes] == [dict(each.found) for each in kept.outcomes]
    assert compare(kept, read).changes == compare(kept, kept).changes
    assert "férias" not in path.read_text(encoding="utf-8"), "nobody's question is committed with it"
    with pytest.raises(SettingsError, match="would be judged by itself"):
        await operator.gate(str(path), "")


async def test_two_files_are_compared_without_a_database(operator: Operator, tmp_path: Path) -> None:
    shape = await operator.measure(operator.asked(), "base")
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(shape), encoding="utf-8")
    after.write_text(json.dumps({**shape, "id": "other", "name": "after"}), encoding="utf-8")
    nowhere = Settings.model_validate({"database_url": "postgresql://x@127.0.0.1:9/x"})
    assert await evaluating.compare(nowhere, str(before), str(after), as_json=True, out=operator.out) == 0
    assert operator.shape()["questions"] == 6


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, r"cannot be read \(No such file or directory\)\. `kbot eval run … --json > "),
        ("no JSON", r"holds no run\. `kbot eval run"),
        ("{}", r"holds no run, as its id shows\."),
        ('{"passed": true}', "holds no run"),
    ],
)
def test_another_file_is_told_apart(tmp_path: Path, content: str | None, told: str) -> None:
    path = tmp_path / "run.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match=told) as raised:
        read_run(path)
    assert "pydantic" not in str(raised.value)
    assert "Field" not in str(raised.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_as_any_shell_writes_it(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "run.json"
    outcome = {"question": "q1", "kind": "pt", "answerable": True, "found": {"refused": 0.0}}
    shape = {"id": "r", "name": "férias", "set": "s", "workspace": "w", "started_at": "2026-01-01T00:00:00Z"}
    path.write_text(
        json.dumps({**shape, "seconds": 1, "configuration": {}, "outcomes": [outcome]}, ensure_ascii=False),
        encoding=encoding,
    )
    assert read_run(path).name == "férias"
    path.write_text(path.read_text(encoding).replace("0.0", "NaN"), encoding)
    with pytest.raises(SettingsError, match="holds no run, as its outcomes"):
        read_run(path)


@pytest.mark.parametrize("seconds", ["1e300", "NaN"])
def test_a_run_of_impossible_length_is_told(tmp_path: Path, seconds: str) -> None:
    path = tmp_path / "run.json"
    shape = {"id": "r", "name": "r", "set": "s", "workspace": "w", "started_at": "2026-01-01T00:00:00Z", "seconds": 0}
    text = json.dumps({**shape, "configuration": {}, "outcomes": []})
    path.write_text(text.replace('"seconds": 0', f'"seconds": {seconds}'), encoding="utf-8")
    with pytest.raises(SettingsError, match="holds no run, as its seconds show"):
        read_run(path)


async def test_the_documented_gate_works_on_an_empty_database(kbot: Program, empty_database: str) -> None:
    (baseline,) = re.findall(r"^kbot eval run .* > baseline\.json$", DOCS, re.MULTILINE)
    steps = re.findall(r"^  - run: (kbot eval .*)$", DOCS, re.MULTILINE)
    assert len(steps) == 2
    folder = kbot.folder / "ci"
    (folder / "docs").mkdir(parents=True)
    for n in range(12):
        (folder / "docs" / f"{n}.md").write_text(f"# Setor {n}\n\nO código do setor {n} é {n * 7919}.\n")

    def label(shift: int) -> None:
        rows = [
            {"id": f"q{n}", "question": f"Qual é o código do setor {n}?", "answerable": True}
            | {"relevant": [f"{(n + shift) % 12}.md"]}
            for n in range(12)
        ]
        write_rows(folder / "ours.questions.jsonl", rows)

    async def does(line: str, program: Program) -> Run:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = await asyncio.to_thread(
            subprocess.run,
            ["bash", "-c", line],
            capture_output=True,
            timeout=180,
            cwd=folder,
            env={**program.environment, "PATH": path, "GITHUB_SHA": "c0ffee"},
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

    label(0)
    made = await does(baseline, kbot)
    assert made.code == 0, made.err
    ci = kbot.but(database_url=empty_database)
    first = await does(steps[1], ci)
    assert (first.code, "No run of ours was kept here yet: run `kbot eval run`" in first.err) == (2, True)
    done = first
    for step in steps:
        done = await does(step, ci)
        assert done.code == 0, done.err
    assert re.search(r"^c0ffee does not fall behind ours-.* \(12 questions\)\.$", done.out, re.MULTILINE)
    label(6)
    assert (await does(steps[0], ci)).code == 0
    worse = await does(steps[1], ci)
    assert worse.code == 1, worse.err
    assert "✗ mrr@10" in worse.out
    assert "not those that the baseline was measured on" in worse.err
