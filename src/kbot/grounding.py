"""Is an answer one from the documents? Decided by its text, once it is finished. Pure functions."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kbot.chat import Citation, Passage

_FAR_WORSE = 0.65
_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`)", re.DOTALL)
_NUMBERS = r"\d{1,3}(?:\s*[-–—]\s*\d{1,3})?"
_LABEL = (
    r"(?:(?:passages?|sources?|trechos?|fontes?|documentos?|documents?|docs?|refs?|cite|n[º°.]?)[\s.]*:?\s*|[\^#]\s*)?"
)
_AND = r"(?:[,;&]|\band\b|\be\b)"
# "[1]", "[1, 2]", "[1-3]", "[Source 1 and 2]", "【1†source】", "\\[1\\]", "[1](address)", …
_MARK = re.compile(
    rf"([ \t]*)\\?[\[【［]\s*{_LABEL}({_NUMBERS}(?:\s*{_AND}\s*{_LABEL}{_NUMBERS})*)\s*(?:†[^\]】］]*)?"
    r"\\?[\]】］](?:\([^)\s]*\))?",
    re.IGNORECASE,
)
# `a[1]`, `my_list[2]`, `word[0]`: an element of a list, not a passage.
_INDEXED = re.compile(r"(?<!\w)(?:[a-z]|[A-Za-z]\w*_\w*[A-Za-z0-9])\Z")
# "[1]: https://…" is invisible in Markdown, and makes a link to anywhere out of every [1].
_DEFINITION = re.compile(
    r"""^(?:[ \t]|>|[-*+]|\d+[.)])*\[\^?\d{1,3}\]:[ \t]*\S+[ \t]*(?:["'(].*)?(?:\n|\Z)""", re.MULTILINE
)
_RANGE = re.compile(r"(\d{1,3})(?:\s*[-–—]\s*(\d{1,3}))?")
# A model's own list of sources at the end: kbot's list follows the verdict, and this one may be invented.
_FILE = r"(?:\.[a-z]{2,4}\b|\b(?:p\.|pp\.|pages?\b|páginas?\b|https?:))"
_OWN_SOURCES = re.compile(
    rf"(?:\A|\n)[\s#>*_-]*(?:sources?|references?|citations?|fontes?|refer[êe]ncias?)\b[\s*_]*:[*_]*"
    rf"(?:[^\n]*{_FILE}[^\n]*|[ \t]*(?:\[\d+\][\s,;]*)*)(?:\n+[ \t]*(?:[-*•]|\\?\[?\d+[\].)])[^\n]*)*\s*\Z"
    rf"|(?:\n[ \t]*\[\d+\]:?[ \t]+[^\n]*{_FILE}[^\n]{{0,60}})+\s*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a finished text is: `text` with its citations renumbered by first use, and the sources they name.

    `reason` is "" when grounded, "refused" or "uncited" otherwise; `citations` is empty then.
    """

    text: str
    grounded: bool
    refused: bool
    reason: str
    citations: tuple[Citation, ...]


def worth_reading(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that are not far worse than the best: a model reads, and a person waits for, only these.

    On labelled questions in both languages the share whose passage is among them is that of all eight (.984), at five
    on average.
    """
    return [passage for passage in passages if passage.score >= _FAR_WORSE * passages[0].score]


def classify(text: str, passages: Sequence[Passage], *, refusal: str, refusals: Sequence[str]) -> Verdict:
    """Judge a finished answer once.

    A refusal sentence anywhere in it makes it a refusal, whose text is `refusal` alone; so does an answer without a
    word. A list of sources that the model wrote itself is cut off. Every `[n]` outside code must name one of the
    passages; others are dropped and the rest renumbered by first use. Without a valid one the answer is not grounded.
    """
    text = _OWN_SOURCES.sub("", _outside_code(text, lambda part: _DEFINITION.sub("", part)))
    words = strip_citations(text)
    if not plain(words) or any(_says(words, sentence) for sentence in refusals):
        return Verdict(refusal, grounded=False, refused=True, reason="refused", citations=())
    order: dict[int, int] = {}

    def renumber(mark: re.Match[str]) -> str:
        if _is_index(mark):
            return mark[0]
        kept: list[int] = []
        for low, high in _RANGE.findall(mark[2]):
            first, last = sorted((int(low), int(high or low)))
            kept.extend(n for n in range(first, last + 1) if 1 <= n <= len(passages) and n not in kept)
        numbers = sorted(order.setdefault(n, len(order) + 1) for n in kept)
        return mark[1] + "".join(f"[{n}]" for n in numbers) if numbers else ""

    renumbered = _outside_code(text, lambda part: _MARK.sub(renumber, part))
    citations = tuple(citation(n, passages[old - 1]) for old, n in order.items())
    grounded = bool(citations)
    return Verdict(
        renumbered.strip(), grounded=grounded, refused=False, reason="" if grounded else "uncited", citations=citations
    )


def strip_citations(text: str) -> str:
    """The text without its citation marks, as it is remembered."""
    return _outside_code(text, lambda part: _MARK.sub(lambda mark: mark[0] if _is_index(mark) else "", part))


def plain(text: str) -> str:
    """Letters and digits of a text, without case and accents: how a sentence is recognised however it is dressed."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in decomposed if not unicodedata.combining(c))))


def _says(text: str, sentence: str) -> bool:
    wanted = plain(sentence)
    return f" {wanted} " in f" {plain(text)} " if wanted else sentence in text


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if index % 2 else change(part) for index, part in enumerate(_CODE.split(text)))


def _is_index(mark: re.Match[str]) -> bool:
    if mark[0] != f"[{mark[2]}]" or not mark[2].isdigit() or mark.start() == 0:
        return False
    before = mark.string[max(mark.start() - 80, 0) : mark.start()]
    return bool(_INDEXED.search(before)) or (mark[2] == "0" and before[-1].isalnum())


def citation(n: int, passage: Passage) -> Citation:
    """A passage as the source of a number."""
    return Citation(
        n=n,
        source=passage.source,
        title=passage.title,
        quote=passage.quote,
        passage_id=passage.id,
        page=passage.page,
        heading=passage.heading,
        url=passage.url,
        updated=passage.updated,
    )
