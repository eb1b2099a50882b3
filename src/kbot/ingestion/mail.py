"""E-mail files: a block of headers, then the text that a person wrote."""

import re
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from typing import cast

from bs4 import BeautifulSoup

from kbot.errors import Rejected
from kbot.ingestion.markup import to_markdown
from kbot.ingestion.pages import MAIL, Loaded, Page
from kbot.ingestion.text import clean, decode

_SHOWN = ("Subject", "From", "To", "Cc", "Date")
_DEPTH = 20


def read_mail(data: bytes) -> Loaded:
    """An e-mail as one page: subject, sender, receivers and date, then its body, plain text before HTML. Attached
    files and forwarded messages are named in a warning, not read.

    Raises Rejected when it has no body.
    """
    try:
        message = message_from_bytes(data)
    except RecursionError as error:
        raise Rejected("The e-mail is nested too deep to be read; save its text as a file and ingest that.") from error
    body = _Body()
    text = body.read(message, _DEPTH).strip()
    warnings = list(dict.fromkeys(body.warnings))
    if body.attached:
        names = ", ".join(body.attached)
        warnings.append(f"Files attached to the e-mail were not read: {names}; ingest them on their own.")
    if not text:
        raise Rejected(" ".join(("The e-mail is empty: it has no text body.", *warnings)))
    subject = _words(message.get("Subject"))
    headers = "\n".join(f"{name}: {value}" for name in _SHOWN if (value := _words(message.get(name))))
    return Loaded(subject, MAIL, (Page(None, f"{headers}\n\n{text}".strip()),), warnings=tuple(warnings))


class _Body:
    """The walk through a message's parts, with what it finds beside the text."""

    def __init__(self) -> None:
        self.attached: list[str] = []
        self.warnings: list[str] = []

    def read(self, part: "Message[str, str]", depth: int) -> str:
        kind = part.get_content_maintype()
        if depth and kind == "multipart":
            children = _parts(part)
            if part.get_content_subtype() == "alternative":
                children.sort(key=lambda child: child.get_content_type() != "text/plain")
                return next((text for child in children if (text := self.read(child, depth - 1)).strip()), "")
            return "\n\n".join(text for child in children if (text := self.read(child, depth - 1)).strip())
        if kind == "text" and part.get_content_disposition() != "attachment":
            try:
                return self._text(part)
            except Rejected:  # binary under the name of text: it is named like any other attachment
                pass
        self.attached.append(_words(part.get_filename()) or part.get_content_type())
        return ""

    def _text(self, part: "Message[str, str]") -> str:
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes):
            return ""
        declared = part.get_param("charset")
        decoded = decode(payload, declared if isinstance(declared, str) else None)
        self.warnings.extend(decoded.warnings)
        if part.get_content_subtype() != "html":
            return decoded.text
        markdown, warnings = to_markdown(BeautifulSoup(decoded.text, "html.parser"))
        self.warnings.extend(warnings)
        return markdown


def _parts(part: "Message[str, str]") -> "list[Message[str, str]]":
    payload = part.get_payload()
    # a list holds messages always, as the standard library says nowhere in its types
    return cast("list[Message[str, str]]", payload) if isinstance(payload, list) else []


def _words(value: object) -> str:
    """A header as text: encoded words decoded, folding undone."""
    if value is None:
        return ""
    raw = str(value)
    try:
        pieces = decode_header(raw)
    except (HeaderParseError, ValueError):
        pieces = [(raw, None)]
    text = "".join(piece if isinstance(piece, str) else _piece(piece, charset) for piece, charset in pieces)
    return re.sub(r"\s+", " ", clean(text)).strip()


def _piece(piece: bytes, charset: str | None) -> str:
    try:
        return piece.decode(charset or "ascii")
    except (LookupError, UnicodeError):
        return piece.decode("utf-8", errors="replace")
