"""What an operator wants measured: read, and ingested where it is asked of."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from kbot.commands.documents import receipt_line
from kbot.commands.printing import shown
from kbot.engine import Engine
from kbot.evaluation.corpus import Corpus, check_labels, read_corpus, shelve
from kbot.evaluation.labelled import LabelledQuestion, LabelledSet, read_questions
from kbot.ingestion.jobs import Receipt


@dataclass(frozen=True, slots=True)
class Asked:
    """What an operator wants measured: what is asked of which passages, at most how many questions (None: all), whether
    to ingest anew, and whether only questions for whole answers are meant."""

    passages: Path
    questions: Path
    limit: int | None
    fresh: bool
    e2e: bool


def read_asked(asked: Asked, err: Console) -> tuple[Corpus, LabelledSet, tuple[LabelledQuestion, ...]]:
    corpus = read_corpus(asked.passages)
    labelled = read_questions(asked.questions, corpus.passages)
    if labelled.unlabelled:
        err.print(shown(f"{labelled.unlabelled} questions are not labelled yet, and left out.", "yellow"))
    if asked.e2e:
        labelled = labelled.end_to_end()
    return corpus, labelled, labelled.sample(asked.limit)


async def shelve_asked(
    engine: Engine, corpus: Corpus, questions: Sequence[LabelledQuestion], bar: Progress, *, fresh: bool
) -> str:
    task = bar.add_task("documents", total=len(corpus.passages or corpus.files))

    def tell(receipt: Receipt) -> None:
        bar.advance(task)
        if receipt.status in ("rejected", "duplicate"):
            bar.console.print(receipt_line(receipt))

    workspace = await shelve(engine, corpus, tell, fresh=fresh)
    bar.update(task, completed=len(corpus.passages or corpus.files))
    await check_labels(engine, workspace, questions)
    return workspace


def progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
