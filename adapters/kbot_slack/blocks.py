"""The messages that kbot shows in Slack, as blocks."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from kbot.chat import Answer, Citation, Content, Labels, Opinion, captions, labels_in, packed, short, sources
from kbot_slack.markup import count, escape, escape_block, link

TEXT = 3_900
"""Characters of one message, measured by `markup.count`, posted or edited. `chat.postMessage` would take 40,000, but
`chat.update` refuses a text over 4,000, and every message of a reply is edited."""

RATE = "kbot:rate"
READ = "kbot:read"
REPORT = "kbot:report"
"""Action ids. The value of the last two is the answer's id; that of `RATE` is read by `rating`."""

_FENCE = "\n```\n"
_ELEMENT = 3_000
_MESSAGE = 13_200
# From the captions as they are to a few letters of each, before a source loses its link or is left out.
_WIDTHS = (300, 120, 60, 24)

Block = dict[str, Any]


def message(content: Content, block_id: str) -> dict[str, Any]:
    """`text` and `blocks` for `chat.postMessage` and `chat.update`: the text as a markdown block, and under a finished
    answer its sources and buttons. `text` is what notifications, the search and screen readers have of it.

    `block_id` must be new for every version of a message. A text over `TEXT`, which the core does not send, is cut and
    ends with an ellipsis.
    """
    text = _fitting(content.text)
    blocks: list[Block] = [{"type": "markdown", "block_id": block_id, "text": escape_block(text)}]
    if content.stage == "final" and content.answer:
        buttons = _buttons(content.answer, block_id)
        room = _MESSAGE - _size([*blocks, *buttons])
        blocks += [*_sources(content.answer, block_id, room), *buttons]
    return {"text": escape(text), "blocks": blocks}


def ephemeral(text: str, cut: str = "") -> dict[str, Any]:
    """`text` and `blocks` for `chat.postEphemeral` and the answer to a command, from a text in Markdown. A text that
    does not fit ends with what `cut` says of that."""
    text = _fitting(text, cut)
    return {"text": escape(text), "blocks": [{"type": "markdown", "text": escape_block(text)}]}


def rating(value: str) -> tuple[str, Opinion]:
    """The answer's id and the opinion in the value of a `RATE` button. Raises ValueError if it is not one."""
    opinion, _, answer_id = value.partition(":")
    if opinion not in {"helpful", "unhelpful"} or not answer_id:
        raise ValueError("the value of a feedback button must be 'helpful:ID' or 'unhelpful:ID'")
    return answer_id, "helpful" if opinion == "helpful" else "unhelpful"


def button(label: str, action_id: str, value: str) -> dict[str, Any]:
    """A button element. `label` may have 75 characters."""
    text = {"type": "plain_text", "text": label, "emoji": True}
    return {"type": "button", "text": text, "action_id": action_id, "value": value}


def _buttons(answer: Answer, block_id: str) -> list[Block]:
    if not answer.id:
        return []
    labels = labels_in(answer.language)
    report, read = button(labels.report, REPORT, answer.id), button(labels.read, READ, answer.id)
    if answer.refused:
        return [_actions(report, block_id)]
    more = [_actions(read, block_id)] if answer.grounded and answer.read else []
    return [_feedback(answer.id, labels, block_id), *more]


def _actions(element: dict[str, Any], block_id: str) -> Block:
    return {"type": "actions", "block_id": f"{block_id}.more", "elements": [element]}


def _feedback(answer_id: str, labels: Labels, block_id: str) -> Block:
    def side(sign: str, opinion: Opinion, label: str) -> dict[str, Any]:
        text = {"type": "plain_text", "text": sign, "emoji": True}
        return {"text": text, "value": f"{opinion}:{answer_id}", "accessibility_label": label}

    element = {
        "type": "feedback_buttons",
        "action_id": RATE,
        "positive_button": side("👍", "helpful", labels.helpful),
        "negative_button": side("👎", "unhelpful", labels.unhelpful),
    }
    return {"type": "context_actions", "block_id": f"{block_id}.rate", "elements": [element]}


def _sources(answer: Answer, block_id: str, room: int) -> list[Block]:
    """One context block: 3,000 characters an element and 13,200 a message leave fewer than its ten elements."""
    if not sources(answer):
        return []
    header = f"*{labels_in(answer.language).sources}*"
    for lines in _lists(sources(answer), answer.language):
        elements = [{"type": "mrkdwn", "text": text, "verbatim": True} for text in packed([header, *lines], _ELEMENT)]
        block: Block = {"type": "context", "block_id": f"{block_id}.sources", "elements": elements}
        if _size([block]) <= room:
            return [block]
    return []


def _lists(cited: Sequence[Citation], language: str) -> Iterator[list[str]]:
    """The list of sources, ever shorter."""
    names = captions(cited, language)
    lines: list[str] = []
    for linked in (True, False):
        for width in _WIDTHS:
            lines = [_line(place, short(name, width), linked=linked) for place, name in zip(cited, names, strict=True)]
            yield lines
    for kept in range(len(lines) - 1, 0, -1):
        yield [*lines[:kept], f"… +{len(lines) - kept}"]


def _line(place: Citation, caption: str, *, linked: bool) -> str:
    line = f"[{place.n}] {link(place.url if linked else None, caption)}"
    return line if len(line) <= _ELEMENT else f"[{place.n}] {escape(caption)}"


def _fitting(text: str, cut: str = "") -> str:
    if count(text) <= TEXT:
        return text
    end = f"…\n\n{cut}" if cut else "…"
    room = TEXT - count(end) - (len(_FENCE) if cut else 0)
    kept = text[: bisect_right(range(len(text) + 1), room, key=lambda end: count(text[:end])) - 1]
    return f"{kept}{_FENCE if cut and kept.count('```') % 2 else ''}{end}"


def _size(blocks: Sequence[Block]) -> int:
    return len(json.dumps(blocks, ensure_ascii=False))
