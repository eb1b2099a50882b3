"""Sets of labelled questions: `X.passages.jsonl` and `X.questions.jsonl` in one folder."""

from pathlib import Path

from kbot.evaluation.labelled import LabelledPassage, LabelledQuestion, LabelledSet, read_passages, read_questions

__all__ = ["LabelledPassage", "LabelledQuestion", "LabelledSet", "read_set", "write_files"]


def read_set(folder: Path, name: str) -> LabelledSet:
    """Read a set. Raises FileNotFoundError, naming the option that says where sets are, and SettingsError."""
    passages, questions = (folder / f"{name}.{part}.jsonl" for part in ("passages", "questions"))
    if not (passages.is_file() and questions.is_file()):
        raise FileNotFoundError(f"{questions} is not there. Name the folder of labelled sets with --eval.")
    return read_questions(questions, read_passages(passages), name=name)


def write_files(labelled: LabelledSet, folder: Path) -> list[str]:
    """One Markdown file for each passage, named by its id; returns their paths."""
    paths = [folder / f"{passage.id}.md" for passage in labelled.passages]
    for path, passage in zip(paths, labelled.passages, strict=True):
        path.write_text(passage.markdown, encoding="utf-8")
    return [str(path) for path in paths]
