"""Labelled questions and their passages, as files of JSON lines; docs/evaluation.md describes both shapes."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from kbot.errors import SettingsError

_T = TypeVar("_T")
_Entry = TypeVar("_Entry", "LabelledPassage", "LabelledQuestion")


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """A passage under the id that labels use; `language` is "pt", "en" or ""."""

    id: str
    title: str
    text: str
    language: str

    @property
    def markdown(self) -> str:
        return f"# {self.title}\n\n{self.text}\n" if self.title else f"{self.text}\n"


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, whether the passages answer it, and which of them do: by their ids, or by `source` or `source#page`.

    `answers` are texts that a right answer holds, in its own language or in the documents'. `kind` is its subset of the
    set; `e2e` marks the ones that stand for whole answers. `history` are the questions asked before it with their
    answers, oldest first.
    """

    id: str
    text: str
    kind: str
    answerable: bool
    relevant: tuple[str, ...]
    e2e: bool = False
    answers: tuple[str, ...] = ()
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Questions by the name of their file. `unlabelled` counts those that nobody has said of yet whether they can be
    answered: they are left out."""

    name: str
    passages: tuple[LabelledPassage, ...]
    questions: tuple[LabelledQuestion, ...]
    unlabelled: int = 0

    def sample(self, limit: int | None) -> tuple[LabelledQuestion, ...]:
        """At most `limit` questions, in their order: always the same, and spread over all subsets."""
        if limit is None or limit >= len(self.questions):
            return self.questions
        drawn = sorted(self.questions, key=lambda each: hashlib.sha256(each.id.encode()).digest())[:limit]
        kept = {each.id for each in drawn}
        return tuple(each for each in self.questions if each.id in kept)

    def end_to_end(self) -> "LabelledSet":
        """The questions that stand for whole answers. Raises SettingsError where none does."""
        marked = tuple(each for each in self.questions if each.e2e)
        if not marked:
            raise SettingsError(f"No question of {self.name} is marked `e2e`. Leave --e2e out, or mark some.")
        return replace(self, questions=marked)


def read_passages(path: Path) -> tuple[LabelledPassage, ...]:
    """The passages of a file. Raises SettingsError, naming file, line and what is wrong there."""

    def one(row: Mapping[str, Any]) -> LabelledPassage:
        return LabelledPassage(row["id"], row.get("title") or "", row["text"], row.get("lang") or "")

    return tuple(_distinct(path, _rows(path, one)))


def read_questions(path: Path, passages: Sequence[LabelledPassage] = (), *, name: str = "") -> LabelledSet:
    """The questions of a file, with the passages that they are asked of, if those are not documents.

    A question without a `type` is of the subset "question's language->passage's language". Raises SettingsError, naming
    file, line and what is wrong there.
    """
    languages = {passage.id: passage.language for passage in passages}
    unlabelled = 0

    def one(row: Mapping[str, Any]) -> LabelledQuestion | None:
        nonlocal unlabelled
        if row["answerable"] is None:
            unlabelled += 1
            return None
        relevant = tuple(map(str, row.get("relevant") or ()))
        answers = (*(row.get("answers") or ()), *(row.get("answers_doc_lang") or ()))
        unknown = next((each for each in relevant if languages and each not in languages), None)
        if unknown is not None:
            raise ValueError(f"its relevant passage {unknown!r} is not among the passages")
        if not row["answerable"] and relevant:
            raise ValueError("it is not answerable, but names relevant passages")
        return LabelledQuestion(
            id=str(row["id"]),
            text=str(row["question"]),
            kind=row.get("type") or _pair(row.get("lang") or "", [languages.get(each, "") for each in relevant]),
            answerable=bool(row["answerable"]),
            relevant=relevant,
            e2e=bool(row.get("e2e", False)),
            answers=tuple(dict.fromkeys(map(str, answers))),
            history=_turns(row.get("history") or ()),
        )

    questions = tuple(_distinct(path, (each for each in _rows(path, one) if each is not None)))
    if not questions:
        raise SettingsError(f"{path} holds no labelled question. docs/evaluation.md shows what one looks like.")
    return LabelledSet(name or path.name.partition(".")[0], tuple(passages), questions, unlabelled)


def write_questions(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write questions in the shape that `read_questions` reads; returns how many. Raises SettingsError."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}). Name another file with --out.") from error
    return len(lines)


def _turns(history: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    turns: list[tuple[str, str]] = []
    for turn in history:
        match turn:
            case [str(asked), str(answered)]:
                turns.append((asked, answered))
            case _:
                raise ValueError("`history` holds pairs of a question and its answer")
    return tuple(turns)


def _pair(asked: str, written: Sequence[str]) -> str:
    there = next((language for language in written if language), "")
    return f"{asked}->{there}" if asked and there else asked or "other"


def _rows(path: Path, read: Callable[[Mapping[str, Any]], _T]) -> Iterator[_T]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read ({error}). Name a file of JSON lines in UTF-8.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise TypeError("it is no object")
            yield read(cast("dict[str, Any]", row))
        except KeyError as error:
            raise SettingsError(
                f"{path}, line {number}: it lacks {error}. docs/evaluation.md lists the keys."
            ) from None
        except (ValueError, TypeError) as error:
            raise SettingsError(f"{path}, line {number}: {error}. Correct the line.") from error


def _distinct(path: Path, entries: Iterable[_Entry]) -> Iterator[_Entry]:
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            raise SettingsError(f"{path}: the id {entry.id!r} stands there twice. Give each line an id of its own.")
        seen.add(entry.id)
        yield entry
