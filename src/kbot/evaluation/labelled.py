"""Labelled questions and their passages, as files of JSON lines; docs/evaluation.md describes both shapes."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
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
        return LabelledPassage(str(row["id"]), row.get("title") or "", row["text"], row.get("lang") or "")

    return tuple(_distinct(path, _rows(path, _PASSAGE_KEYS, one)))


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
            text=row["question"],
            kind=row.get("type") or _pair(row.get("lang") or "", [languages.get(each, "") for each in relevant]),
            answerable=row["answerable"],
            relevant=relevant,
            e2e=bool(row.get("e2e")),
            answers=tuple(dict.fromkeys(answers)),
            history=tuple((asked, answered) for asked, answered in row.get("history") or ()),
        )

    questions = tuple(_distinct(path, (each for each in _rows(path, _QUESTION_KEYS, one) if each is not None)))
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


def _pair(asked: str, written: Sequence[str]) -> str:
    there = next((language for language in written if language), "")
    return f"{asked}->{there}" if asked and there else asked or "other"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_id(value: object) -> bool:
    return type(value) is int or (isinstance(value, str) and bool(value.strip()))


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_list(value: object, holds: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(holds, cast("list[object]", value)))


def _is_turn(value: object) -> bool:
    return _is_list(value, _is_text) and len(cast("list[object]", value)) == 2


_Keys = Mapping[str, tuple[Callable[[object], bool], str]]
"""What the value of a key must be, and the words for it. A key that may be left out may be null as well."""

_ID = (_is_id, "text or a whole number")
_TEXT = (_is_text, "text")
_TEXTS = (partial(_is_list, holds=_is_text), "a list of texts")

_PASSAGE_KEYS: _Keys = {"id": _ID, "text": _TEXT, "title": _TEXT, "lang": _TEXT}
_QUESTION_KEYS: _Keys = {
    "id": _ID,
    "question": _TEXT,
    "answerable": (lambda value: value is None or _is_bool(value), "true, false or null"),
    "relevant": (partial(_is_list, holds=_is_id), "a list of ids"),
    "answers": _TEXTS,
    "answers_doc_lang": _TEXTS,
    "type": (lambda value: _is_text(value) and value != "all", 'text, and not "all", which is every question'),
    "lang": _TEXT,
    "history": (partial(_is_list, holds=_is_turn), "a list of pairs of a question and its answer"),
    "e2e": (_is_bool, "true or false"),
}
_ALIKE = 0.8
_REQUIRED = {"id", "text", "question", "answerable"}


def _fault(row: Mapping[str, object], keys: _Keys) -> str:
    """What is wrong with the keys of a line; "" for nothing. Keys that are not known are nobody's business, unless they
    look like one that is missing."""
    for name in row.keys() - keys.keys():
        meant = get_close_matches(name, keys.keys() - row.keys(), n=1, cutoff=_ALIKE)
        if meant:
            return f'it has "{name}": did you mean "{meant[0]}"?'
    for name, (fits, words) in keys.items():
        if name in _REQUIRED and name not in row:
            return f'it lacks "{name}"; docs/evaluation.md lists the keys'
        value = row.get(name)
        if (value is not None or name in _REQUIRED) and not fits(value):
            return f'"{name}" must be {words}'
    return ""


def _rows(path: Path, keys: _Keys, read: Callable[[Mapping[str, Any]], _T]) -> Iterator[_T]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error.strerror}). Name a file of JSON lines in UTF-8.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not in UTF-8. Save it in that encoding.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            where = f", from column {error.colno} on" if isinstance(error, json.JSONDecodeError) else ""
            raise SettingsError(f"{path}:{number}: it is no JSON{where}. Correct the line.") from error
        except RecursionError as error:
            raise SettingsError(f"{path}:{number}: it is nested too deep. Correct the line.") from error
        if not isinstance(row, dict):
            raise SettingsError(f"{path}:{number}: it is no object. Correct the line.")
        fields = cast("dict[str, Any]", row)
        if fault := _fault(fields, keys):
            raise SettingsError(f"{path}:{number}: {fault}. Correct the line.")
        try:
            yield read(fields)
        except ValueError as error:
            raise SettingsError(f"{path}:{number}: {error}. Correct the line.") from error


def _distinct(path: Path, entries: Iterable[_Entry]) -> Iterator[_Entry]:
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            raise SettingsError(f"{path}: the id {entry.id!r} stands there twice. Give each line an id of its own.")
        seen.add(entry.id)
        yield entry
