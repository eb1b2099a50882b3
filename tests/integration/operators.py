"""An operator of `kbot eval`, with a labelled set of their own."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from answering import DOCUMENTS, FERIAS, UNKNOWN, UNKNOWN_EN
from kbot.commands import calibrating, evaluating
from kbot.commands.asked import Asked
from kbot.settings import Settings

QUESTIONS: list[dict[str, Any]] = [
    {"id": "f", "question": FERIAS, "relevant": ["ferias.md"], "type": "pt->pt", "answers": ["22"]},
    {"id": "b", "question": "A biblioteca abre aos domingos?", "relevant": ["biblioteca.md"], "type": "pt->pt"},
    {"id": "g", "question": "When is the gym open?", "relevant": ["gym.md"], "type": "en->en", "e2e": True},
    {"id": "l", "question": "What does a lost badge cost?", "relevant": ["badge.pdf#2"], "type": "en->en"},
    {"id": "u", "question": UNKNOWN, "type": "pt->pt"},
    {"id": "e", "question": UNKNOWN_EN, "type": "en->en"},
]


def write_set(folder: Path) -> None:
    (folder / "manual").mkdir()
    for name, content in DOCUMENTS.items():
        (folder / "manual" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    write_rows(folder / "own.questions.jsonl", [{**each, "answerable": "relevant" in each} for each in QUESTIONS])


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


@dataclass
class Operator:
    """Calls the commands in this process, and keeps what they print."""

    settings: Settings
    folder: Path
    printed: pytest.CaptureFixture[str]
    out: Console = field(default_factory=lambda: Console(file=io.StringIO(), width=200))
    err: Console = field(default_factory=lambda: Console(file=io.StringIO(), width=200))

    def asked(self, questions: str = "own.questions.jsonl", passages: str = "manual", **more: Any) -> Asked:
        chosen: dict[str, Any] = {"limit": None, "fresh": False, "e2e": False, **more}
        return Asked(self.folder / passages, self.folder / questions, **chosen)

    async def measure(self, asked: Asked, name: str) -> dict[str, Any]:
        code = await evaluating.run(
            self.settings, asked, name=name, only="retrieval", as_json=True, out=self.out, err=self.err
        )
        assert code == 0
        return self.shape()

    async def gate(self, baseline: str, run: str, *metrics: str, as_json: bool = False) -> int:
        return await evaluating.gate(self.settings, baseline, run, metrics, as_json=as_json, out=self.out, err=self.err)

    async def calibrate(
        self, *, workspace: str = "", store: bool = False, force: bool = False, **more: Any
    ) -> dict[str, Any]:
        code = await calibrating.calibrate(
            self.settings,
            self.asked(**more),
            most=0.05,
            workspace=workspace,
            store=store,
            force=force,
            as_json=True,
            out=self.out,
            err=self.err,
        )
        assert code == 0
        return self.shape()

    def shape(self) -> dict[str, Any]:
        return json.loads(self.printed.readouterr().out)

    def shown(self) -> str:
        assert isinstance(self.out.file, io.StringIO)
        return self.out.file.getvalue()

    def warned(self) -> str:
        assert isinstance(self.err.file, io.StringIO)
        return self.err.file.getvalue()
