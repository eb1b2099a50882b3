"""All that can be configured, read once from the environment and `.env`, and passed in."""

from pathlib import Path
from typing import Literal, Self

import platformdirs
from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


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
    cut: float | None = Field(
        default=None, description="nearness below which a question is refused unread; unset: the embedder's own"
    )
    history_turns: int = Field(default=6, ge=0)
    concurrency: int = Field(default=4, ge=1, description="answers written side by side in one process")

    chunk_characters: int = Field(default=1600, ge=200)
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
