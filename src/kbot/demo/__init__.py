"""The documents and the questions of `kbot demo`; NOTICE.md beside this file says where they come from."""

import json
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question to the demo documents.

    `source` is the file name that a grounded answer cites, None where the only right answer is the refusal;
    `expect` says in words, for people to compare, what the answer holds.
    """

    text: str
    source: str | None
    expect: str


def demo_documents() -> list[Path]:
    """The files to ingest, in order of name."""
    return sorted((_HERE / "documents").iterdir())


def demo_questions() -> list[DemoQuestion]:
    """The questions to ask about them, two of which they do not answer."""
    return [DemoQuestion(**entry) for entry in json.loads((_HERE / "questions.json").read_text("utf-8"))]


def twelve_questions() -> Path:
    """Twelve labelled questions about them for `kbot eval`, of which they answer eight."""
    return _HERE / "twelve.questions.jsonl"
