"""The messages that kbot shows in Discord, as bodies of its REST interface."""

import re
from typing import Any

from kbot.chat import Answer, Citation, Content, Opinion, captions, is_web, labels_in, packed, short, sources

TEXT = 2000
"""Characters of one message, counted as code points."""

Body = dict[str, Any]

SUPPRESS_EMBEDS, EPHEMERAL = 1 << 2, 1 << 6
BUTTON = r"kbot:(?P<act>helpful|unhelpful|reported|read):(?P<answer_id>[0-9A-Za-z-]{1,64})"
"""The custom ids of an answer's buttons."""

_ROW, _PRESS, _GREY = 1, 2, 2
_CAPTION, _URL = 160, 500
_MARKUP = re.compile(r"([\\`*_~|<>\[\]])")


def plain(text: str, *, ephemeral: bool = False) -> Body:
    """A message of a text alone. Nothing in it calls anybody, and no link unfolds."""
    flags = SUPPRESS_EMBEDS | (EPHEMERAL if ephemeral else 0)
    return {"content": short(text, TEXT), "flags": flags, "allowed_mentions": {"parse": []}}


def bodies(content: Content, *, ephemeral: bool = False) -> list[Body]:
    """The message for a content, and after a finished answer its sources and buttons: in the same message if they fit
    into its 2,000 characters, else in messages of their own to be posted below. A message always says which buttons it
    has, so that an edit takes away those of an earlier text."""
    answer = content.answer if content.stage == "final" else None
    texts = [content.text]
    if answer and (lines := source_lines(answer)):
        listed = "\n".join([f"**{labels_in(answer.language).sources}**", *lines])
        if len(content.text.rstrip()) + 2 + len(listed) <= TEXT:
            texts = [f"{content.text.rstrip()}\n\n{listed}"]
        else:
            texts += packed(listed.split("\n"), TEXT)
    shown: list[Body] = [plain(text, ephemeral=ephemeral) | {"components": []} for text in texts]
    shown[-1]["components"] = buttons(answer) if answer else []
    return shown


def source_lines(answer: Answer) -> list[str]:
    """A line for each source: its number, caption and address, in small print."""
    cited = sources(answer)
    return [_line(place, caption) for place, caption in zip(cited, captions(cited, answer.language), strict=True)]


def buttons(answer: Answer) -> list[dict[str, Any]]:
    """The row below an answer: opinions, and everything that was read; below a refusal the way to the admins."""
    if not answer.id:
        return []
    labels = labels_in(answer.language)
    if answer.refused:
        return [_row([_button(answer.id, "reported", labels.report, "📮")])]
    row = [_button(answer.id, "helpful", "", "👍"), _button(answer.id, "unhelpful", "", "👎")]
    if answer.grounded and answer.read:
        row.append(_button(answer.id, "read", labels.read))
    return [_row(row)]


def opinion(act: str) -> Opinion | None:
    """The opinion that a button gives; None for the one that shows what was read."""
    for one in ("helpful", "unhelpful", "reported"):
        if act == one:
            return one
    return None


def escape(text: str) -> str:
    """The text with nothing in it that acts as Markdown, a mention or a link; for one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split())).replace("://", ":\u200b//")


def _line(place: Citation, caption: str) -> str:
    name = escape(short(caption, _CAPTION))
    url = (place.url or "").strip()
    for unsafe in "<>() \\":
        url = url.replace(unsafe, f"%{ord(unsafe):02X}")
    linked = is_web(url) and len(url) <= _URL
    return f"-# [{place.n}] {f'[{name}](<{url}>)' if linked else name}"


def _row(row: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": _ROW, "components": row}


def _button(answer_id: str, act: str, label: str, emoji: str = "") -> dict[str, Any]:
    shown = ({"label": label} if label else {}) | ({"emoji": {"name": emoji}} if emoji else {})
    return {"type": _PRESS, "style": _GREY, "custom_id": f"kbot:{act}:{answer_id}", **shown}
