"""Is an answer one from the documents? Decided by its text, once it is finished. Pure functions."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kbot.characters import unaccented
from kbot.chat import Citation, Passage

_FAR_WORSE = 0.65
# Every pattern here takes time in proportion to its text: a model may repeat itself until it is stopped. So no run is
# tried again from within (the lookbehinds), nor given back where that cannot help (`*+`).
_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]++`)", re.DOTALL)
_NUMBERS = r"\d{1,3}(?:\s*[-–—]\s*\d{1,3})?"
_LABEL = (
    r"(?:(?:passages?|sources?|trechos?|fontes?|documentos?|documents?|docs?|refs?|cite|n[º°.]?)[\s.]*+(?::\s*+)?"
    r"|[\^#]\s*)?"
)
_AND = r"(?:[,;&]|\band\b|\be\b)"
# "[1]", "[1, 2]", "[1-3]", "[Source 1 and 2]", "【1†source】", "\\[1\\]", "[1](address)", …
_MARK = re.compile(
    rf"(?<![ \t])([ \t]*+)\\?[\[【［]\s*{_LABEL}({_NUMBERS}(?:\s*{_AND}\s*{_LABEL}{_NUMBERS})*)\s*"
    r"(?:†[^\]】］]{0,200})?\\?[\]】］](?:\([^()\s]*+\))?",
    re.IGNORECASE,
)
_LONGEST_NAME = 80
# "[1]: https://…" is invisible in Markdown, and makes a link to anywhere out of every [1].
_DEFINITION = re.compile(
    r"""^(?:[ \t]|>|[-*+]|\d+[.)])*+\[\^?\d{1,3}\]:[ \t]*\S+[ \t]*(?:["'(].*)?(?:\n|\Z)""", re.MULTILINE
)
_RANGE = re.compile(r"(\d{1,3})(?:\s*[-–—]\s*(\d{1,3}))?")
# A model's own list of sources at the end: kbot's list follows the verdict, and this one may be invented.
_FILE = re.compile(r"\.[a-z]{2,4}\b|\b(?:p\.|pp\.|pages?\b|páginas?\b|https?:)", re.IGNORECASE)
_SOURCES = re.compile(
    r"[\s#>*_-]*+(?:sources?|references?|citations?|fontes?|refer[êe]ncias?)\b[\s*_]*+:[*_]*+", re.IGNORECASE
)
_MARKS_ALONE = re.compile(r"[ \t]*+(?:\[\d+\][\s,;]*+)*+")
_ITEM = re.compile(r"[ \t]*+(?:[-*•]|\\?\[?\d++[\].)])")
_LISTED_FILE = re.compile(r"[ \t]*+\[\d++\]:?[ \t]+\S")
_FRAME = "#>*_- \t\r\n"
_LONGEST_END = 60


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


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark from `start` to `end` of a text, white space before it included, and the `numbers` it names."""

    start: int
    end: int
    gap: str
    numbers: tuple[int, ...]


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
    text = without_sources(text)
    words = strip_citations(text)
    if not plain(words) or any(_says(words, sentence) for sentence in refusals):
        return Verdict(refusal, grounded=False, refused=True, reason="refused", citations=())
    order: dict[int, int] = {}

    def renumber(mark: Mark) -> str:
        kept = [n for n in mark.numbers if 1 <= n <= len(passages)]
        numbers = sorted(order.setdefault(n, len(order) + 1) for n in kept)
        return mark.gap + "".join(f"[{n}]" for n in numbers) if numbers else ""

    renumbered = _replaced(text, renumber)
    citations = tuple(citation(n, passages[old - 1]) for old, n in order.items())
    grounded = bool(citations)
    return Verdict(
        renumbered.strip(), grounded=grounded, refused=False, reason="" if grounded else "uncited", citations=citations
    )


def without_sources(text: str) -> str:
    """The text without a list of sources at its end, and without definitions of links: what a model wrote of its
    sources itself."""
    text = "".join(part if code else _DEFINITION.sub("", part) for part, code in _parts(text))
    lines = text.rstrip().split("\n")
    kept = len(lines)
    while kept > 1 and _LISTED_FILE.match(lines[kept - 1]) and _FILE.search(lines[kept - 1][-_LONGEST_END:]):
        kept -= 1
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        head = _SOURCES.match(line)
        if head and (_FILE.search(line, head.end()) or _MARKS_ALONE.fullmatch(line, head.end())):
            kept = min(kept, at)
        elif line.strip() and not _ITEM.match(line):
            break
    if kept == len(lines):
        return text
    while kept and not lines[kept - 1].strip(_FRAME):
        kept -= 1
    return "\n".join(lines[:kept])


def marks(text: str) -> list[Mark]:
    """The citation marks of a text in every form that models write, in their order: `[1]`, `[1, 2]`, `[1-3]`,
    `[Source 2]`, `【2†source】`, …; none in code, and not the index of `a[1]`."""
    return [
        Mark(*found.span(), found[1], _numbers(found[2]))
        for start, end in _prose(text)
        for found in _MARK.finditer(text, start, end)
        if not _is_index(found)
    ]


def code_blocks(text: str) -> list[tuple[int, int]]:
    """Where the blocks of code of a text begin and end, their fences included."""
    return [found.span() for found in _CODE.finditer(text) if found[0].startswith(("```", "~~~"))]


def strip_citations(text: str) -> str:
    """The text without its citation marks, as it is remembered."""
    return _replaced(text, lambda _: "")


def plain(text: str) -> str:
    """Letters and digits of a text, without case and accents: how a sentence is recognised however it is dressed."""
    return " ".join(re.findall(r"[^\W_]+", unaccented(text.casefold())))


def _says(text: str, sentence: str) -> bool:
    wanted = plain(sentence)
    return f" {wanted} " in f" {plain(text)} " if wanted else sentence in text


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a text, and whether each is code."""
    return ((part, bool(index % 2)) for index, part in enumerate(_CODE.split(text)))


def _prose(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for code in _CODE.finditer(text):
        yield start, code.start()
        start = code.end()
    yield start, len(text)


def _replaced(text: str, change: Callable[[Mark], str]) -> str:
    pieces: list[str] = []
    at = 0
    for mark in marks(text):
        pieces += [text[at : mark.start], change(mark)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def _numbers(written: str) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for low, high in dict.fromkeys(_RANGE.findall(written)):
        first, last = sorted((int(low), int(high or low)))
        found |= dict.fromkeys(range(first, last + 1))
    return tuple(found)


def _is_index(mark: re.Match[str]) -> bool:
    """Whether it is an element of a list, as in `a[1]`, `my_list[2]` and `word[0]`, and names no passage."""
    if mark[0] != f"[{mark[2]}]" or not mark[2].isdigit() or mark.start() == 0:
        return False
    start = at = mark.start()
    while at and start - at < _LONGEST_NAME and (mark.string[at - 1].isalnum() or mark.string[at - 1] == "_"):
        at -= 1
    name = mark.string[at:start]
    if mark[2] == "0" and name[-1:].isalnum():
        return True
    one = len(name) == 1 and "a" <= name <= "z"
    return one or (name.isascii() and name[:1].isalpha() and name[-1:].isalnum() and "_" in name)


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
