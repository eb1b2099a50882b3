"""Runs as files: what `kbot eval run --json` prints, read again as the run that it was."""

import codecs
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from kbot.errors import SettingsError
from kbot.evaluation.run import Run
from kbot.evaluation.trial import Outcome

SUFFIX = ".json"
"""What the name of such a file ends in, where a run is named."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    question: str
    kind: str
    answerable: bool
    found: dict[str, FiniteFloat]


@dataclass(frozen=True, slots=True)
class _Exported:
    id: str
    name: str
    set: str
    workspace: str
    started_at: datetime
    seconds: FiniteFloat
    configuration: dict[str, str | int | float]
    outcomes: list[_Outcome]


_EXPORTED = TypeAdapter(_Exported)


def read_run(path: Path) -> Run:
    """The run of a file, with the figures of each question and without texts. Raises SettingsError where there is no
    such file, or something else in it."""
    again = f"`kbot eval run … --json > {path}` writes one."
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error.strerror}). {again}") from error
    # As the `>` of PowerShell writes it.
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16", "replace").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        found = _EXPORTED.validate_json(content)
    except ValidationError as error:
        at = ".".join(map(str, error.errors(include_url=False)[0]["loc"]))
        raise SettingsError(f"{path} holds no run{f', as its {at} shows' if at else ''}. {again}") from None
    try:
        finished = found.started_at + timedelta(seconds=found.seconds)
    except (OverflowError, ValueError) as error:
        raise SettingsError(f"{path} holds no run, as its seconds show. {again}") from error
    outcomes = tuple(Outcome(each.question, "", each.kind, each.answerable, each.found) for each in found.outcomes)
    return Run(
        found.id,
        found.workspace,
        found.name,
        found.set,
        found.configuration,
        found.started_at,
        finished,
        outcomes,
    )
