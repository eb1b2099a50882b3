"""All that can be configured, read once from the environment and `.env`, and passed in."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

import platformdirs
from pydantic import BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

Strategy = Literal["recursive", "semantic", "model"]

KINDS = ("transcript", "contract", "pdf", "docx", "pptx", "xlsx", "html", "md", "csv", "eml", "txt")
"""What a document can be: by what it says, or by its format."""


@dataclass(frozen=True, slots=True)
class Chunking:
    """By which strategy documents are cut, and which kinds of them by another."""

    strategy: Strategy = "recursive"
    by_kind: tuple[tuple[str, Strategy], ...] = ()

    def strategy_for(self, kinds: Sequence[str]) -> Strategy:
        """The strategy for a document that is of all these kinds; the first that is named decides."""
        named = dict(self.by_kind)
        for kind in kinds:
            if kind in named:
                return named[kind]
        return self.strategy

    @property
    def asks_model(self) -> bool:
        """Whether some documents are cut where a chat model proposes it."""
        return "model" in (self.strategy, *(strategy for _, strategy in self.by_kind))

    def __str__(self) -> str:
        return ", ".join([self.strategy, *(f"{kind}={strategy}" for kind, strategy in self.by_kind)])


def read_chunking(value: object) -> object:
    """A chunking as it is written, `recursive, contract=model, pdf=semantic`. Raises ValueError, naming what to
    correct."""
    if not isinstance(value, str):
        return value
    known: dict[str, Strategy] = {name: name for name in get_args(Strategy)}
    strategies: dict[str, Strategy] = {}
    for part in filter(None, (part.strip().lower() for part in value.split(","))):
        kind, named, strategy = (each.strip() for each in part.rpartition("="))
        if strategy not in known:
            raise ValueError(f"{strategy!r} is no way of cutting; take one of {', '.join(known)}")
        if named and kind not in KINDS:
            raise ValueError(f"{kind!r} is no kind of document; take one of {', '.join(KINDS)}")
        if kind in strategies:
            raise ValueError(f"it says twice how {kind or 'all other documents'} are cut; leave one of the two")
        strategies[kind] = known[strategy]
    default = strategies.pop("", "recursive")
    return Chunking(default, tuple(strategies.items()))


class Settings(BaseSettings):
    """kbot's settings: `KBOT_` and the field's name in the environment or in `.env`."""

    model_config = SettingsConfigDict(
        env_prefix="KBOT_", env_file=".env", env_file_encoding="utf-8", frozen=True, extra="ignore"
    )

    home: Path = Field(default_factory=lambda: platformdirs.user_data_path("kbot"))
    database_url: SecretStr | None = None
    pool_size: int = Field(default=8, ge=2)
    tenancy: Literal["single", "per-team"] = "single"

    chat_model: str | None = None
    embedding_model: str = "embedded"
    ollama_url: str = "http://127.0.0.1:11434"
    model_timeout: float = Field(
        default=120.0, gt=0, description="seconds without a token before a model counts as stuck"
    )
    context_tokens: int = Field(
        default=8192, ge=1024, description="tokens that a local model can hold, prompt and answer together"
    )
    answer_tokens: int = Field(
        default=2048, ge=16, description="tokens after which a model must end its answer, thinking included"
    )

    persona: str = "You are kbot, a careful assistant that knows only the team's documents."
    rules: str = ""
    refusal: str | None = None

    fusion: Literal["sum", "rrf"] = "sum"
    passages: int = Field(default=8, ge=1, le=40, description="passages read for an answer")
    candidates: int = Field(default=40, ge=1, le=200, description="candidates of each kind, dense and lexical")
    reranker: str = "embedded"
    cut: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="confidence below which a question is refused unread; unset: the embedder's own",
    )
    history_turns: int = Field(default=6, ge=0)
    reflection: Literal["off", "check", "full"] | None = Field(
        default=None, description="what kbot checks of its own answers; unset: check with a model that writes, else off"
    )
    reflection_attempts: int = Field(
        default=2, ge=0, le=5, description="how often a question is searched for anew in other words"
    )
    constrain: Literal["auto", "always", "never"] = Field(
        default="auto", description="whether a local model is held to the form of a cited answer; auto: small ones are"
    )
    concurrency: int = Field(default=4, ge=1, description="answers written side by side in one process")

    chunking: Annotated[Chunking, NoDecode, BeforeValidator(read_chunking)] = Field(
        default=Chunking(), description="how documents are cut, for all or by kind"
    )
    chunk_characters: int = Field(default=1600, ge=200)
    section_characters: int = Field(
        default=0, ge=0, description="length of the sections that are read where a chunk was found; 0: chunks are read"
    )
    max_file_megabytes: float = Field(default=50.0, gt=0)
    parse_seconds: float = Field(default=120.0, gt=0)
    parse_megabytes: int = Field(default=1024, ge=256)
    allow_private_urls: bool = Field(default=False, description="whether addresses in private networks may be ingested")

    @model_validator(mode="after")
    def _room_for_passages(self) -> Self:
        if self.context_tokens < self.answer_tokens + 1500:
            raise ValueError(
                f"KBOT_CONTEXT_TOKENS={self.context_tokens} leaves no room for passages beside "
                f"KBOT_ANSWER_TOKENS={self.answer_tokens}: it takes at least {self.answer_tokens + 1500}"
            )
        return self
