"""Lists of lines and addresses, as every platform has to lay them out."""

from collections.abc import Sequence
from urllib.parse import urlsplit


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


def is_web(url: str) -> bool:
    """Whether it is a whole http or https address."""
    try:
        parts = urlsplit(url.strip())
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and url.strip().isprintable()
    except ValueError:  # such as an IPv6 host without its bracket
        return False
