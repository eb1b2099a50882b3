"""What questions are asked of: passages or documents, ingested into a workspace of their own."""

import asyncio
import hashlib
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbot import library
from kbot.chat import Place
from kbot.engine import Engine
from kbot.errors import SettingsError
from kbot.evaluation.labelled import LabelledPassage, LabelledQuestion, read_passages
from kbot.ingestion.jobs import Receipt, Shelf, Upload, ingest, uploads
from kbot.settings import Chunking
from kbot.workspaces import evaluation_workspace

ADDED_BY = "eval"
_UNSAFE = re.compile(r"[^\w.-]")

Told = Callable[[Receipt], None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Labelled passages, or the files of a folder (then `passages` is empty). `fingerprint` is that of the content, in
    hex."""

    passages: tuple[LabelledPassage, ...]
    files: tuple[Upload, ...]
    fingerprint: str


def read_corpus(path: Path) -> Corpus:
    """A file of passages (`.jsonl`), or any other file or folder as documents. Raises SettingsError."""
    if path.suffix == ".jsonl":
        return of_passages(read_passages(path))
    if not path.exists():
        raise SettingsError(f"There is no {path}. Name a file of passages or a folder of documents with --passages.")
    files = tuple(uploads([str(path)]))
    if not files:
        raise SettingsError(f"{path} holds no file. Name a file of passages or a folder of documents with --passages.")
    digest = hashlib.sha256()
    try:
        for file in files:
            assert file.path is not None
            digest.update(f"{file.source}\0".encode())
            digest.update(hashlib.sha256(file.path.read_bytes()).digest())
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error}). Name a folder whose files can be.") from error
    return Corpus((), files, digest.hexdigest())


def of_passages(passages: Sequence[LabelledPassage]) -> Corpus:
    """The corpus of passages that are in memory."""
    digest = hashlib.sha256()
    for passage in passages:
        digest.update(f"{passage.id}\0{passage.markdown}\0".encode())
    return Corpus(tuple(passages), (), digest.hexdigest())


def workspace_of(corpus: Corpus, engine: Engine) -> str:
    """The workspace in which a corpus stands as this engine indexes it. No team's is called that."""
    settings = engine.settings
    parts = [corpus.fingerprint, engine.embedder.name, str(settings.chunk_characters)]
    if settings.section_characters:
        parts.append(f"section={settings.section_characters}")
    if settings.chunking != Chunking():
        parts.append(chunking_of(engine))
    return evaluation_workspace(hashlib.sha256("\0".join(parts).encode()).hexdigest())


def chunking_of(engine: Engine) -> str:
    """How documents are cut; where a model proposes it, also by which."""
    chunking = engine.settings.chunking
    return f"{chunking} ({engine.chat.name})" if chunking.asks_model else str(chunking)


async def shelve(engine: Engine, corpus: Corpus, tell: Told, *, fresh: bool = False) -> str:
    """Ingest what is not yet in the corpus's workspace (`fresh`: all of it, anew); returns its name. A receipt is told
    for each document. Raises `ModelError`, `DatabaseError`."""
    workspace = workspace_of(corpus, engine)
    place = Place(workspace, "")
    if fresh:
        for source in await library.sources(engine.database, place):
            await library.forget(engine.database, place, source.source)
    there = {source.source for source in await library.sources(engine.database, place)}
    with tempfile.TemporaryDirectory(prefix="kbot-") as folder:
        items = corpus.files or await asyncio.to_thread(_written, corpus.passages, Path(folder))
        missing = [item for item in items if item.source not in there]
        shelf = Shelf(workspace, added_by=ADDED_BY)
        async for receipt in ingest(
            engine.database, engine.embedder, engine.settings, missing, shelf, chat=engine.chat
        ):
            tell(receipt)
    return workspace


async def check_labels(engine: Engine, workspace: str, questions: Sequence[LabelledQuestion]) -> None:
    """Raises SettingsError where a question names a document that the workspace does not hold."""
    known = {source.source for source in await library.sources(engine.database, Place(workspace, ""))}
    for question in questions:
        for label in question.relevant:
            if label not in known and label.rpartition("#")[0] not in known:
                raise SettingsError(
                    f"The question {question.id!r} names {label!r} as relevant, and no such document was ingested. "
                    "Correct its `relevant`, or add the document."
                )


def _written(passages: Sequence[LabelledPassage], folder: Path) -> tuple[Upload, ...]:
    """A file for each passage, whose source is its id, whatever characters that has."""
    items: list[Upload] = []
    for number, passage in enumerate(passages):
        name = _UNSAFE.sub("_", passage.id)[:100]
        path = folder / str(number) / f"{name}.md"
        path.parent.mkdir()
        path.write_text(passage.markdown, encoding="utf-8")
        items.append(Upload(passage.id, path))
    return tuple(items)
