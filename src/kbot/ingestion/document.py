"""A document as it is stored."""

import hashlib
import json
import uuid
from dataclasses import asdict, dataclass

from kbot.ingestion.chunk import PageStart
from kbot.ingestion.cutting import Plan

_NAMESPACE = uuid.UUID("6f0f2c3e-8a55-4c53-9a0e-7b1d8f0e6d21")


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is stored: its text, where its pages start in it, and who may see it (`scope` '' is everybody
    in the workspace, else one channel)."""

    workspace: str
    source: str
    title: str
    media_type: str
    text: str
    pages: tuple[PageStart, ...]
    scope: str = ""
    url: str | None = None
    page_count: int | None = None
    pages_without_text: int = 0
    warnings: tuple[str, ...] = ()
    added_by: str = ""

    @property
    def id(self) -> uuid.UUID:
        """The same for the same source in the same workspace and scope, whatever its content."""
        return uuid.uuid5(_NAMESPACE, "\x1f".join((self.workspace, self.scope, self.source)))

    @property
    def layout(self) -> str:
        """Where the pages start, as JSON."""
        return json.dumps([asdict(page) for page in self.pages], ensure_ascii=False)

    def fingerprint(self, how: Plan) -> bytes:
        """SHA-256 of all that decides the chunks: equal for equal content under another name."""
        parts = (self.text, self.layout, self.url or "", how.key)
        return hashlib.sha256("\x1f".join(parts).encode()).digest()
