"""docs/commands.md says what the program takes and prints."""

import dataclasses
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import typer.main
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from kbot.chat import Answer, Citation, Decision, Passage
from kbot.cli import app
from kbot.commands.operating import Check
from kbot.errors import KbotError
from kbot.ingestion.jobs import Receipt
from kbot.library import Gap, Source
from kbot.shapes import answer_shape, failed_shape, gap_shape, passage_shape, receipt_shape, source_shape

TEXT = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
NOW = datetime(2026, 11, 29, tzinfo=UTC)
PASSAGE = Passage("c", "d", "s", "t", "x", 0.1, 0.2, 0.3, 0.4)
ANSWER = Answer(
    "q",
    "a",
    True,
    False,
    citations=(Citation(1, "s", "t", "q", "c"),),
    read=(PASSAGE,),
    decisions=(Decision("gate", "near", "0.9"),),
)


def sections() -> dict[str, tuple[list[str], str]]:
    """The documented commands: their arguments and their text."""
    parts = re.split(r"^##+ `kbot (.*)`$", TEXT, flags=re.MULTILINE)[1:]
    heads = [(re.findall(r"\b[a-z]+\b", head), re.findall(r"[A-Z.]{2,}", head)) for head in parts[::2]]
    return {" ".join(name): (taken, body) for (name, taken), body in zip(heads, parts[1::2], strict=True)}


def program() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def commands(group: TyperGroup, above: str = "") -> Iterator[tuple[str, TyperCommand | TyperGroup]]:
    """Every command by its whole name, a group's own after it."""
    for name, command in group.commands.items():
        assert isinstance(command, TyperCommand | TyperGroup)
        yield f"{above}{name}", command
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{above}{name} ")


def test_the_commands_and_their_options_are_those_of_the_program() -> None:
    documented = sections()
    there = dict(commands(program()))
    assert list(documented) == list(there)
    for name, command in there.items():
        arguments, body = documented[name]
        rows = [[cell.strip() for cell in row.split("|")] for row in re.findall(r"^\| (`-.*) \|$", body, re.MULTILINE)]
        shown = {tuple(re.findall(r"`(.*?)`", names)): default.strip("`") for names, default, _ in rows}
        options = [each for each in command.params if isinstance(each, TyperOption) and each.name != "help"]
        assert shown == {(*each.opts, *each.secondary_opts): default_of(each) for each in options}, name
        taken = [
            (each.name or "").upper() + "..." * (each.nargs == -1)
            for each in command.params
            if isinstance(each, TyperArgument)
        ]
        assert arguments == taken, name


def default_of(option: TyperOption) -> str:
    if option.secondary_opts:
        return (option.opts if option.default else option.secondary_opts)[0]
    unset = option.is_flag or option.required or option.multiple or option.default is None
    return "" if unset else str(option.default)


def test_the_json_has_the_documented_keys() -> None:
    source = Source("s", "t", None, "", "pt", 1, 0, 1, [], "cli", NOW, NOW)
    printed: dict[str, dict[str, Any]] = {
        "ask": answer_shape(ANSWER),
        "ingest": receipt_shape(Receipt("s", "added")),
        "sources": source_shape(source),
        "gaps": gap_shape(Gap("q", 1, 1, NOW, 0, 0)),
        "doctor": dataclasses.asdict(Check("n", True, "f")),
    }
    examples = {name: shape for name, shape in documented_json().items() if not name.startswith("eval ")}
    assert {name: keys(shape) for name, shape in examples.items()} == {
        name: keys(shape) for name, shape in printed.items()
    }
    assert keys(passage_shape(PASSAGE)) == keys(examples["ask"]["read"][0])
    failed = failed_shape("q", "a", KbotError("why"), "m")
    assert list(failed) == [*examples["ask"], "error"]
    assert (failed["citations"], failed["read"]) == ([], [])


def documented_json() -> dict[str, Any]:
    """The first JSON value of each command that shows one; those of `eval` are tested with the program's own."""
    return {
        name: json.loads(found[1])
        for name, (_, body) in sections().items()
        if (found := re.search(r"```json\n(.*?)```", body, re.DOTALL))
    }


def keys(shape: Any) -> Any:
    """The keys of a JSON value, in order, at every depth."""
    if isinstance(shape, dict):
        return {name: keys(value) for name, value in cast(dict[str, Any], shape).items()}
    return [keys(shape[0])] if isinstance(shape, list) and shape else None


def test_the_reasons_and_statuses_are_documented() -> None:
    for word in (
        "nothing_near",
        "refused",
        "uncited",
        "irrelevant",
        "unsupported",
        "no_question",
        "error",
        "added",
        "replaced",
        "duplicate",
        "rejected",
    ):
        assert f"`{word}`" in TEXT
