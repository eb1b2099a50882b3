"""The windows that kbot opens in Slack: one to ingest documents, and one that shows a report page by page."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from kbot.chat import Report, in_language, is_web, short, turns
from kbot_slack.blocks import button
from kbot_slack.markup import mrkdwn

INGEST = "kbot:ingest"
REPORT = "kbot:report"
BACK = "kbot:page:back"
NEXT = "kbot:page:next"
"""Callback ids of the windows, and action ids of the buttons that turn pages; a button's value is the page's number."""

FILES = "files"
URLS = "urls"
SCOPE = "scope"
"""The inputs of the ingest window, each both block id and action id."""

_TITLE, _OPTION, _SECTION = 24, 75, 3_000

Kind = Literal["ingest", "sources", "gaps", "read"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a window is about: kept in it by Slack, so that the process that takes a click needs no memory of it.
    `channel` and `thread` are Slack's own ids; `answer_id` belongs to "read"."""

    kind: Kind
    channel: str
    thread: str | None = None
    answer_id: str = ""


@dataclass(frozen=True, slots=True)
class _Texts:
    title: str
    submit: str
    cancel: str
    close: str
    into: str
    files: str
    urls: str
    urls_hint: str
    scope: str
    everybody: str
    channel: str
    conversation: str
    nothing: str
    not_web: str
    waiting: str
    empty: str


_ENGLISH = _Texts(
    title="Ingest documents",
    submit="Ingest",
    cancel="Cancel",
    close="Close",
    into="The receipt will appear here: {channel}",
    files="Files",
    urls="Web addresses",
    urls_hint="One a line, each with http:// or https://",
    scope="Who may see them",
    everybody="Everybody in the workspace",
    channel="Only this channel",
    conversation="Only this conversation",
    nothing="Choose a file above, or write the address of a page here.",
    not_web="Not a whole web address, write it with http:// or https://: {url}",
    waiting="One moment …",
    empty="Nothing here.",
)
_PORTUGUESE = _Texts(
    title="Ingerir documentos",
    submit="Ingerir",
    cancel="Cancelar",
    close="Fechar",
    into="O recibo vai aparecer aqui: {channel}",
    files="Arquivos",
    urls="Endereços da web",
    urls_hint="Um por linha, cada um com http:// ou https://",
    scope="Quem pode vê-los",
    everybody="Todos no workspace",
    channel="Só este canal",
    conversation="Só esta conversa",
    nothing="Escolha um arquivo acima, ou escreva aqui o endereço de uma página.",
    not_web="Não é um endereço completo, escreva-o com http:// ou https://: {url}",
    waiting="Um momento …",
    empty="Nada aqui.",
)


def pack(shown: Shown) -> str:
    """The metadata of a window."""
    return json.dumps(asdict(shown), separators=(",", ":"))


def unpack(metadata: str) -> Shown:
    """What `pack` packed. Raises ValueError for anything else, such as a window that an older kbot opened."""
    try:
        shown = Shown(**json.loads(metadata))
    except (TypeError, json.JSONDecodeError) as error:
        raise ValueError("a Slack window holds no metadata of this version of kbot: open it again") from error
    if shown.kind not in get_args(Kind) or not shown.channel:
        raise ValueError(
            f"a Slack window is about {shown.kind!r}, which this version of kbot does not know: open it again"
        )
    return shown


def ingest_view(channel_id: str, channel_label: str, private: bool, language: str, *, metadata: str) -> dict[str, Any]:
    """The window of `/ingest`: up to ten files, addresses of pages, and who may see the documents. `channel_label` is
    the channel's name, "" for a direct message."""
    texts = _texts(language)
    label = f"{texts.channel} (#{channel_label.removeprefix('#')})" if channel_label else texts.conversation
    everybody, channel = _option(texts.everybody, "shared"), _option(label, "channel")
    scope = {
        "type": "radio_buttons",
        "options": [everybody, channel],
        "initial_option": channel if private else everybody,
    }
    urls = {"type": "plain_text_input", "multiline": True}
    blocks = [
        *([_section(texts.into.format(channel=f"<#{channel_id}>"))] if channel_label else []),
        _input(FILES, texts.files, {"type": "file_input", "max_files": 10}, optional=True),
        _input(URLS, texts.urls, urls, optional=True, hint=texts.urls_hint),
        _input(SCOPE, texts.scope, scope),
    ]
    view = _modal(texts.title, INGEST, texts.cancel, blocks)
    return {**view, "submit": _plain(texts.submit), "private_metadata": metadata}


def read_ingest(
    view: dict[str, Any], language: str = ""
) -> tuple[list[dict[str, Any]], list[str], bool, dict[str, str]]:
    """What was chosen in the window: the files as Slack describes them, the addresses, whether everybody may see the
    documents, and what is wrong, by block id, for `ack(response_action="errors", errors=…)`."""
    values: dict[str, dict[str, dict[str, Any]]] = view["state"]["values"]
    files: list[dict[str, Any]] = _value(values, FILES).get("files") or []
    written: str = _value(values, URLS).get("value") or ""
    choice: dict[str, Any] = _value(values, SCOPE).get("selected_option") or {}
    urls = list(dict.fromkeys(written.split()))
    texts = _texts(language)
    wrong = [url for url in urls if not is_web(url)]
    errors: dict[str, str] = {}
    if wrong:
        errors[URLS] = texts.not_web.format(url=short(wrong[0], 80))
    elif not files and not urls:
        errors[URLS] = texts.nothing
    return files, urls, choice.get("value") == "shared", errors


def report_view(report: Report, page: int, metadata: str, language: str) -> dict[str, Any]:
    """A page of a report, counted from 0 and moved into what there is, with buttons to the pages beside it. Windows
    take no markdown block, so its text is converted."""
    texts = _texts(language)
    text, page = report.page(page)
    blocks = [_section(part) for part in _sections(text.strip() or texts.empty)]
    if beside := turns(report, page, language):
        number = {"type": "mrkdwn", "text": f"{page + 1}/{len(report.pages)}"}
        buttons = [button(label, BACK if to < page else NEXT, str(to)) for label, to in beside]
        blocks += [{"type": "context", "elements": [number]}, {"type": "actions", "elements": buttons}]
    return {**_modal(report.title, REPORT, texts.close, blocks), "private_metadata": metadata}


def waiting_view(title: str, language: str) -> dict[str, Any]:
    """The window to open at once, while the report is looked up: a trigger is good for three seconds."""
    texts = _texts(language)
    return _modal(title, REPORT, texts.close, [_section(texts.waiting)])


def _texts(language: str) -> _Texts:
    return in_language(language, _ENGLISH, _PORTUGUESE)


def _modal(title: str, callback_id: str, close: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": _plain(short(title, _TITLE)),
        "close": _plain(close),
        "blocks": blocks,
    }


def _sections(markdown: str) -> list[str]:
    """The text as mrkdwn, halved at a line or a word until each part fits: escaping can make it five times as long."""
    text = mrkdwn(markdown)
    if len(text) <= _SECTION:
        return [text] if text.strip() else []
    half = len(markdown) // 2
    cut = max(markdown.rfind("\n", 1, half), 0) or max(markdown.rfind(" ", 1, half), 0) or half
    return [*_sections(markdown[:cut]), *_sections(markdown[cut:])]


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _input(name: str, label: str, element: dict[str, Any], *, optional: bool = False, hint: str = "") -> dict[str, Any]:
    block = {
        "type": "input",
        "block_id": name,
        "label": _plain(label),
        "optional": optional,
        "element": {**element, "action_id": name},
    }
    return {**block, "hint": _plain(hint)} if hint else block


def _option(label: str, value: str) -> dict[str, Any]:
    return {"text": _plain(short(label, _OPTION)), "value": value}


def _value(values: dict[str, dict[str, dict[str, Any]]], name: str) -> dict[str, Any]:
    return values.get(name, {}).get(name, {})


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}
