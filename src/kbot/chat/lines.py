"""Lines and addresses, as every platform has to read and to lay them out."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from kbot.chat.messages import Attachment
from kbot.errors import Rejected

_PUNCTUATION = ".,;:!?)"


def packed(lines: Sequence[str], limit: int) -> list[str]:
    """The lines joined into as few texts of at most `limit` characters as their order allows; a longer line stands
    alone."""
    texts: list[str] = []
    for line in lines:
        if texts and len(texts[-1]) + 1 + len(line) <= limit:
            texts[-1] += f"\n{line}"
        else:
            texts.append(line)
    return texts


def short(text: str, width: int) -> str:
    """The text, cut to at most `width` characters, of which the last is then an ellipsis."""
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def without_mentions(text: str, mention: str) -> str:
    """The text without what matches `mention`, line by line. "@kbot: how …" and "@kbot, how …" address the bot: the
    mark belongs to the mention."""
    return "\n".join(_without(line, mention) for line in text.split("\n"))


def check_home(attachment: Attachment, hosts: Sequence[str], api_url: str) -> None:
    """Raises Rejected for a file that lies neither with the platform, by https at one of its hosts or below them, nor
    at the server of its interface, which may be another one than the platform's own."""
    address, api = urlsplit(attachment.url if is_web(attachment.url) else ""), urlsplit(api_url)
    host = address.hostname or ""
    own = address.scheme == "https" and any(host == one or host.endswith(f".{one}") for one in hosts)
    if not own and address[:2] != api[:2]:
        raise Rejected(
            f"{attachment.name} lies with another service, for which kbot has no key: download it and attach it here. "
            "· Está em outro serviço, do qual o kbot não tem a chave: baixe-o e anexe-o aqui."
        )


def is_web(url: str) -> bool:
    """Whether it is a whole http or https address."""
    try:
        parts = urlsplit(url.strip())
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and url.strip().isprintable()
    except ValueError:  # such as an IPv6 host without its bracket
        return False


def _without(line: str, mention: str) -> str:
    pieces = re.split(mention, line)
    if len(pieces) == 1:
        return line
    pieces[1:] = [re.sub(r"^[,:;](?=\s|$)", "", piece) if not pieces[0].strip() else piece for piece in pieces[1:]]
    written = ""
    for piece in filter(None, (piece.strip() for piece in pieces)):
        written += piece if not written or piece[0] in _PUNCTUATION else f" {piece}"
    return written
