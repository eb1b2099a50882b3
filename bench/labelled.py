"""Sets of labelled questions: `X.passages.jsonl` and `X.questions.jsonl` in one folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """A passage under the id that labels use; `language` is "pt" or "en"."""

    id: str
    title: str
    text: str
    language: str

    @property
    def file_name(self) -> str:
        """The name of its file, and so its source once ingested."""
        return f"{self.id}.md"

    @property
    def markdown(self) -> str:
        return f"# {self.title}\n\n{self.text}\n"


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, whether the passages answer it, and which of them do. `kind` is its subset of the set; `e2e`
    marks the ones that stand for whole answers."""

    id: str
    text: str
    kind: str
    answerable: bool
    relevant: tuple[str, ...]
    e2e: bool


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A set by its name, whole in memory."""

    name: str
    passages: tuple[LabelledPassage, ...]
    questions: tuple[LabelledQuestion, ...]


def read_set(folder: Path, name: str) -> LabelledSet:
    """Read a set. Raises FileNotFoundError, naming the option that says where sets are."""
    passages = [
        LabelledPassage(row["id"], row["title"], row["text"], row["lang"])
        for row in _rows(folder / f"{name}.passages.jsonl")
    ]
    questions = [
        LabelledQuestion(
            row["id"],
            row["question"],
            row.get("type") or row["lang"],
            row["answerable"],
            tuple(row["relevant"]),
            row.get("e2e", False),
        )
        for row in _rows(folder / f"{name}.questions.jsonl")
    ]
    return LabelledSet(name, tuple(passages), tuple(questions))


def write_files(labelled: LabelledSet, folder: Path) -> list[str]:
    """One Markdown file for each passage; returns their paths."""
    paths = [folder / passage.file_name for passage in labelled.passages]
    for path, passage in zip(paths, labelled.passages, strict=True):
        path.write_text(passage.markdown, encoding="utf-8")
    return [str(path) for path in paths]


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there. Name the folder of labelled sets with --eval.")
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
