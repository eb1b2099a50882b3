"""The errors of kbot: each names its cause and the next step for the person who can act.

KbotError
├── SettingsError                a setting is missing or cannot be used
├── DatabaseError                Postgres cannot be used
│   ├── DatabaseUnreachable
│   └── MigrationError
├── EmbedderMismatch             the index was built by another embedder
├── RerankerMismatch             the index goes with another reranker
├── ModelError                   a chat or embedding model did not answer
│   ├── ModelUnreachable
│   ├── ModelMissing
│   ├── ModelTimeout
│   ├── ModelFailed
│   └── StreamCut                the model stopped in the middle; the text so far is kept
├── Rejected                     a file or address cannot be ingested
├── Forbidden                    the person may not do that
└── DeliveryError                the platform did not take a message
    ├── RateLimited
    └── MessageGone
"""


class KbotError(Exception):
    """Base of all errors that kbot raises on purpose; `str(error)` is one sentence or two for an operator."""


class SettingsError(KbotError):
    """A setting is missing or cannot be used."""


class DatabaseError(KbotError):
    """Postgres cannot be used as it is."""


class DatabaseUnreachable(DatabaseError):
    """Nothing answers where Postgres should be."""


class MigrationError(DatabaseError):
    """A migration failed, or the database is newer than this kbot."""


class EmbedderMismatch(KbotError):
    """The workspace's vectors were made by another embedder than the one configured."""

    def __init__(self, workspace: str, stored: str, configured: str) -> None:
        super().__init__(
            f"The index of workspace {workspace!r} was built with the embedder {stored}, but kbot is configured "
            f"for {configured}. Run `kbot reindex` to rebuild it, or set KBOT_EMBEDDING_MODEL={stored}."
        )
        self.workspace = workspace
        self.stored = stored
        self.configured = configured


class RerankerMismatch(KbotError):
    """The workspace's index is recorded with another reranker than the one configured."""

    def __init__(self, workspace: str, stored: str, configured: str) -> None:
        super().__init__(
            f"The index of workspace {workspace!r} goes with the reranker {stored}, but kbot is configured for "
            f"{configured}. Run `kbot reindex` to record {configured}, which embeds nothing anew, or set "
            f"KBOT_RERANKER={stored}."
        )
        self.workspace = workspace
        self.stored = stored
        self.configured = configured


class ModelError(KbotError):
    """A model did not do its work. `model` is its name as configured, `next_step` what to do about it."""

    def __init__(self, model: str, cause: str, next_step: str) -> None:
        super().__init__(f"{cause} {next_step}")
        self.model = model
        self.cause = cause
        self.next_step = next_step


class ModelUnreachable(ModelError):
    """The model's server does not answer."""


class ModelMissing(ModelError):
    """The server answers but does not have the model, or the library that runs it is not installed."""


class ModelTimeout(ModelError):
    """The model took longer than KBOT_MODEL_TIMEOUT."""


class ModelFailed(ModelError):
    """The model answered with an error."""


class StreamCut(ModelError):
    """The model's stream ended before its answer did."""


class Rejected(KbotError):
    """A file or address cannot be ingested; the message says why in words for the person who sent it."""


class Forbidden(KbotError):
    """A person asked for what only admins may do, or may see; the message is for that person, in their language."""


class DeliveryError(KbotError):
    """The platform refused a message for good."""


class RateLimited(DeliveryError):
    """The platform asks to wait `retry_after` seconds before the next call."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"The platform asks to wait {retry_after:g} s.")
        self.retry_after = retry_after


class MessageGone(DeliveryError):
    """The message, or the place that held it, no longer exists; there is nothing left to write to."""
