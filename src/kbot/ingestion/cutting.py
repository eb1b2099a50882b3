"""A document becomes chunks, by the strategy that the settings name for its kind."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pgvector.psycopg import HalfVector

from kbot.ingestion.chunk import Chunk, PageStart, chunks, numbered
from kbot.ingestion.kinds import clauses_of, kinds_of
from kbot.ingestion.proposed import cut_as_proposed
from kbot.ingestion.recursive import Span, cut_recursively
from kbot.ingestion.sections import with_sections
from kbot.ingestion.semantic import cut_by_subject
from kbot.models import ChatModel, Embedder
from kbot.settings import Chunking, Settings, Strategy

_NO_MODEL = (
    "It was cut by length, since KBOT_CHUNKING wants a model to propose where, and there is none that writes; set "
    "KBOT_CHAT_MODEL and run `kbot reindex`."
)
_UNPROPOSED = (
    "{left} of its {windows} parts were cut by length, since {model} proposed nothing of use for them; set another "
    "KBOT_CHAT_MODEL and run `kbot reindex` to have them cut by what they say."
)


@dataclass(frozen=True, slots=True)
class Cutting:
    """How documents are cut: by which strategies, into chunks of about so many `characters`, read in sections of at
    most so many (0: chunks are read)."""

    characters: int
    section_characters: int = 0
    chunking: Chunking = field(default_factory=Chunking)
    model_timeout: float = 120.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How one document is cut: the strategy for its `kind`, sizes as in `Cutting`, and what its sender should know of
    the choice."""

    strategy: Strategy
    kind: str
    characters: int
    section_characters: int
    warnings: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What of it decides the chunks; that of the recursive strategy alone is the size, as it always was."""
        strategy = () if self.strategy == "recursive" else (self.strategy,)
        section = (f"section={self.section_characters}",) if self.section_characters else ()
        return " ".join((str(self.characters), *strategy, *section))


@dataclass(frozen=True, slots=True)
class Pieces:
    """The chunks of a document, the vectors of sentences that were embedded to find them (by their text), and what its
    sender should know."""

    chunks: list[Chunk]
    vectors: Mapping[str, HalfVector] = field(default_factory=dict[str, HalfVector])
    warnings: tuple[str, ...] = ()


def cutting(settings: Settings) -> Cutting:
    """How the settings want documents to be cut."""
    return Cutting(settings.chunk_characters, settings.section_characters, settings.chunking, settings.model_timeout)


def plan(how: Cutting, media_type: str, text: str, chat: ChatModel | None) -> Plan:
    """How a document is cut. Where no chat model that writes is there, none can propose anything: then recursively."""
    kinds = kinds_of(media_type, text)
    strategy = how.chunking.strategy_for(kinds)
    warnings: tuple[str, ...] = ()
    if strategy == "model" and (chat is None or not chat.writes):
        strategy = "recursive"
        warnings = (_NO_MODEL,)
    return Plan(strategy, kinds[0] if kinds else "", how.characters, how.section_characters, warnings)


async def cut(
    embedder: Embedder,
    chat: ChatModel | None,
    text: str,
    pages: Sequence[PageStart],
    how: Plan,
    *,
    timeout: float,  # noqa: ASYNC109  # seconds without a sign of life of the chat model
) -> Pieces:
    """Cut a document's text. Raises `ModelError` where the embedder fails; a chat model that fails is told of in the
    warnings, and what it was to propose is cut recursively."""
    warnings = how.warnings
    vectors: Mapping[str, HalfVector] = {}
    starts = numbered(pages)
    if how.strategy == "semantic":
        tiles = await cut_by_subject(embedder, text, starts, how.characters)
        spans, vectors = tiles.spans, tiles.vectors
    elif how.strategy == "model" and chat is not None:
        proposed = await cut_as_proposed(chat, text, starts, how.characters, kind=how.kind, timeout=timeout)
        spans = proposed.spans
        if proposed.used < proposed.windows:
            left = proposed.windows - proposed.used
            warnings += (_UNPROPOSED.format(left=left, windows=proposed.windows, model=chat.name),)
    else:
        spans = await asyncio.to_thread(cut_recursively, text, starts, how.characters)
    found = await asyncio.to_thread(_chunks, text, pages, spans, how)
    return Pieces(found, vectors, warnings)


def _chunks(text: str, pages: Sequence[PageStart], spans: Sequence[Span], how: Plan) -> list[Chunk]:
    found = list(chunks(text, pages, spans))
    if not how.section_characters:
        return found
    clauses = clauses_of(text) if how.kind == "contract" else {}
    return with_sections(text, found, how.section_characters, numbered=numbered(pages), clauses=clauses)
