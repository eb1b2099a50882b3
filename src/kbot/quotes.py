"""What can be quoted from a passage and stand by itself: whole sentences, list items under what leads them in, rows
under their header, and what somebody says in a talk under their name. Pure functions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from typing import Literal

from kbot.dialogue import Turn, talk
from kbot.sentences import BINDS, FENCE, TABLE_RULE, sentences

_HEADING = re.compile(r"#{1,6}[ \t]+(?=\S)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•▪–][ \t]+|\(?(?:\d{1,3}|[a-z])[.)][ \t]+)(?=\S)")
_QUOTED = re.compile(r"[ \t]*>[ \t]?")
_DOTS = re.compile(r"(?:\.\s?){5}")  # a line of a table of contents
_EMPHASIS = re.compile(r"(?<![\w*_])(\*\*|__)(?=\S)(.+?)(?<=\S)\1(?![\w*_])")
# A short lead is part of the sentence before it to whoever counts sentences, but not to whoever quotes.
_LEADS_IN = re.compile(r"(?<=[.!?…])\s+(?=[^.!?…]*:\Z)")
# A last line too short to be a sentence leads in the list below it.
_SHORT_LEAD = re.compile(r"(?<=[.!?…])[ \t]*\n(?=[^\n]{1,20}\Z)")
# What is said below turns into its opposite without this.
_DENIES = re.compile(
    r"\b(?:not|never|without|except|exclu\w+|prohibit\w+|forbidden|unless|cannot|\w+n['’]t|don['’]?ts?|n[ãa]o|nunca|sem"
    r"|exceto|salvo|proibid\w+|vedad\w+|nenhum\w*)\b",
    re.IGNORECASE,
)
_POINTS_AHEAD = re.compile(
    r"\b(?:the following(?!\s+(?:day|night|week|month|year|morning)\b)|as follows|below(?!\s+(?:\d|the\b|an?\b))"
    r"|abaixo(?!\s+d[aeo]s?\b)|seguintes|a seguir)\b",
    re.IGNORECASE,
)
_BROKEN_OFF = re.compile(r"(?:(?<=[.!?…])\s+|\A)[^.!?…]*\Z")
_LONGEST_ITEM = 400
_LONGEST_TITLE = 10  # words
_BINDING_WORD = 3  # characters of a word that titles leave small
# "These include:" says what only with the sentence before it.
_POINTS_BACK = re.compile(
    r"(?:th(?:is|ese|ose|ey)|such|some of (?:these|them)|isso|isto|est[ae]s?|ess[ae]s?|tais|el[ae]s|entre el[ae]s)\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"(?:sim|n[ãa]o|yes|no|yeah|yep|nope|claro|exato|exatamente|exactly|certo|isso|correto|of course|nunca|never)"
    r"(?:[.,;!]|$)",
    re.IGNORECASE,
)
_FEW_WORDS = 4
_SHORTEST_QUESTION = 3  # words
_LONGEST_LINE = 200  # characters

# "Q: …? A: …", in one line or more, however it is emphasised or numbered.
_MARKED = r"[ \t]{{0,8}}(?:[-*+•][ \t]+)?[*_]{{0,3}}(?:{0})[ \t]?\d{{0,3}}[:.][*_]{{0,3}}[ \t]+"
_ASKS = _MARKED.format("[QP]|Question|Pergunta|QUESTION|PERGUNTA")
_ANSWERS = _MARKED.format("[AR]|Answer|Resposta|ANSWER|RESPOSTA")
_ASKED = re.compile(
    rf"^{_ASKS}(?P<question>[^\n]+?(?:\n(?!{_ASKS})[^\n]+?){{0,2}}?\?)[*_]{{0,3}}\s+{_ANSWERS}(?=\S)", re.MULTILINE
)

Form = Literal["sentence", "item", "row", "heading", "question", "lead"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a passage.

    A heading, a question and a lead ("as follows:") are not quoted by themselves: they name what comes next. Titles
    that no mark tells from a paragraph are headings too. `lead` is what an item stands under, or "" for what is whole
    without it; `group` numbers the lists of the passage and is None outside of one. `whole` is False for what the
    border of the passage seems to have cut off.

    In a talk the lead is the speaker's name, and `before` the lead of a reply that needs what was said before it: "" if
    that is not there, None outside of talks. A few words, or a yes or no, below a question, as lists of them have it,
    are a reply; "Q:" marks a question as "###" does.
    """

    form: Form
    text: str
    lead: str = ""
    group: int | None = None
    whole: bool = True
    before: str | None = None

    @property
    def said(self) -> str:
        """The text under its lead."""
        return f"{self.lead} {self.text}" if self.lead else self.text


@dataclass(slots=True)
class _Reader:
    """Where in a passage the reading stands."""

    heading: str
    lead: str = ""
    last: str = ""
    group: int = 0
    header: list[str] = field(default_factory=list[str])

    def item(self, text: str) -> Quote:
        return Quote("item", text, self._lead_for(text, in_list=True), self.group)

    def row(self, cells: list[str]) -> Quote:
        pairs = zip_longest(self.header, cells, fillvalue="")
        return Quote("row", "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell))

    def sentence(self, text: str, *, leads: bool) -> Quote:
        last, self.last = self.last, text
        if text.endswith("?"):
            self.lead = text if leads and _DENIES.search(text) else self.lead
            return Quote("question", text)
        if text.endswith(":") or leads:
            text = f"{text.rstrip('.:;,')}:"
            self.lead, self.group = text, self.group + 1
            if last and _POINTS_BACK.match(text):
                self.lead = f"{last} {text}"
            return Quote("lead", text, group=self.group)
        said = Quote("sentence", text, self._lead_for(text, in_list=False))
        self.lead = ""
        return said

    def _lead_for(self, text: str, *, in_list: bool) -> str:
        """What the text needs before it: it stands in a list, is no whole sentence, or would be turned round without
        it."""
        ends = _ends(text)
        if self.lead and (in_list or not ends or _DENIES.search(self.lead)):
            return self.lead
        if self.heading and not self.heading.endswith("?") and (not ends or _DENIES.search(self.heading)):
            return f"{self.heading.rstrip('.:')}:"
        return ""


def quotes(text: str, heading: str = "") -> list[Quote]:
    """The pieces of a passage in their order; `heading` is the one that it stands under."""
    text, turns = talk(_ASKED.sub(_as_heading, text))
    if not turns:
        return _written(text, heading)
    found = _written(text[: turns[0].start], heading)
    last = ""
    for turn, after in zip_longest(turns, turns[1:]):
        said, _, rest = text[turn.words : after.start if after else len(text)].strip("\n").partition("\n\n")
        spoken = _spoken(turn, said, last)
        found += spoken
        if spoken:
            last = _line_of(spoken)
        found += _written(rest, heading)
    return found


def _as_heading(asked: re.Match[str]) -> str:
    return f"\n### {' '.join(asked['question'].split())}\n\n"


def leans(text: str) -> bool:
    """Whether a reply says nothing without what it replies to: it is a few words, or begins with yes or no."""
    return len(text.split()) <= _FEW_WORDS or bool(_YES_OR_NO.match(text))


def _spoken(turn: Turn, said: str, last: str) -> list[Quote]:
    """What somebody says, sentence by sentence, after the line that was said last."""
    lead = f"{turn.name}:"
    found: list[Quote] = []
    before = f"{last}\n{lead}" if last else ""
    for sentence in map(_plain, _whole(said)):
        found.append(Quote("question" if sentence.endswith("?") else "sentence", sentence, lead, before=before))
        before = "" if leans(sentence) else f"{lead} {sentence}"
    return found


def _line_of(spoken: Sequence[Quote]) -> str:
    """What a reply leans on: all of a short turn, else its last sentence; nothing if that says little itself."""
    line = " ".join(quote.text for quote in spoken)
    line = line if len(line) <= _LONGEST_LINE else spoken[-1].text
    little = len(line.split()) < _SHORTEST_QUESTION if line.endswith("?") else leans(line)
    return "" if little else f"{spoken[-1].lead} {line}"


def _written(text: str, heading: str) -> list[Quote]:
    reader = _Reader(heading)
    found: list[Quote] = []
    blocks = list(_blocks(text))
    for place, (form, block) in enumerate(blocks):
        following_form, following_block = blocks[place + 1] if place + 1 < len(blocks) else ("text", "")
        leads, below = following_form == "item", _plain(following_block)
        if form == "row":
            cells = [_plain(cell) for cell in block.strip().strip("|").split("|")]
            if TABLE_RULE.match(following_block):
                reader.header = cells
            elif not TABLE_RULE.match(block):
                found.append(reader.row(cells))
            continue
        reader.header = []
        if form != "item" and found and found[-1].form == "item":
            reader.lead = ""
        if form == "heading" or (form == "item" and _is_numbered_title(blocks, place)):
            reader.heading, reader.lead = _plain(block), ""
            reader.group += 1
            asks = reader.heading.endswith("?")
            found.append(reader.sentence(reader.heading, leads=leads) if asks else Quote("heading", reader.heading))
        elif form == "item":
            pieces = [block] if len(block) <= _LONGEST_ITEM else [block[a:b] for a, b in sentences(block)]
            found += [reader.item(_plain(piece)) for piece in pieces]
        else:
            parts = _SHORT_LEAD.split(block) if leads else [block]
            wholes = [piece for part in parts for piece in _whole(part, leads=leads)]
            pieces = [_plain(each) for piece in wholes for each in _LEADS_IN.split(piece, 1)]
            for number, (piece, following) in enumerate(zip_longest(pieces, pieces[1:], fillvalue=below), 1):
                if not reader.lead and _is_title(piece, following):
                    reader.heading = piece
                    found.append(Quote("heading", piece))
                else:
                    found.append(reader.sentence(piece, leads=leads and number == len(pieces) and _leads(piece)))
    found = [quote for quote in found if quote.text and not _DOTS.search(quote.text)]
    for place, (asked, said) in enumerate(pairwise(found), 1):
        if asked.form == "question" and said.form == "sentence" and leans(said.text):
            found[place] = replace(said, before=f"{asked.text}\n")
    if found and found[0].form == "sentence" and found[0].text[0].islower():
        found[0] = replace(found[0], whole=False)
    return found


def _is_numbered_title(blocks: Sequence[tuple[str, str]], place: int) -> bool:
    """Whether a single item ("1. Warehouse move") stands over a paragraph as its title."""
    forms = [form for form, _ in blocks[max(place - 1, 0) : place + 2]]
    alone = forms.count("item") == 1 and forms[-1] == "text"
    return alone and _is_title(_plain(blocks[place][1]), _plain(blocks[place + 1][1]))


def _leads(text: str) -> bool:
    """Whether a sentence directly before a list leads it in without a colon: it points at it, would be taken back by an
    item alone, or does not end."""
    return bool(_POINTS_AHEAD.search(text) or _DENIES.search(text)) or not _ends(text)


def _ends(text: str) -> bool:
    return text.rstrip("\"'”’»)]")[-1:] in (".", "!", "…")


def _is_title(text: str, following: str) -> bool:
    """Whether a line is what stands above the next: a few words without a number or the end of a sentence, in capitals
    throughout or over a whole sentence."""
    words = text.split()
    if len(words) > _LONGEST_TITLE or not text or text[-1] in ".!?…:;,|" or any(c.isdigit() or c == "," for c in text):
        return False
    capitals = [word[0].isupper() for word in words if len(word) > _BINDING_WORD]
    return (len(capitals) > 1 and all(capitals)) or following.endswith((".", "!", "…", ":"))


def _whole(block: str, *, leads: bool = False) -> list[str]:
    """The sentences of a paragraph. One that begins small goes on with what stands before it: the line broke within an
    address or after an abbreviation."""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(block):
        if spans and block[start].islower():
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    # What breaks off before a noun says nothing, whatever cut it off, unless it is what forbids the list below.
    pieces = [block[start:end] for start, end in spans]
    broken = [bool(BINDS.search(piece)) and not (leads and _DENIES.search(piece)) for piece in pieces]
    wholes = [_BROKEN_OFF.sub("", piece) if cut else piece for piece, cut in zip(pieces, broken, strict=True)]
    return [whole for whole in wholes if whole]


def _blocks(text: str) -> Iterator[tuple[Literal["heading", "item", "row", "text"], str]]:
    """Headings, items, rows and paragraphs; a line that goes on with an item belongs to it."""
    form: Literal["item", "text"] = "text"
    lines: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        fence = bool(FENCE.match(line))
        fenced ^= fence
        bare = _QUOTED.sub("", line, count=1)
        marker = None if fenced or fence else _ITEM.match(bare)
        starts = bool(marker) or bare.startswith("|") or bool(_HEADING.match(bare))
        if lines and (starts or fence or not bare.strip() or (form == "item" and not _goes_on(bare))):
            yield form, "\n".join(lines)
            lines = []
        if fence or not bare.strip():
            form = "text" if fence else form
        elif marker:
            form, lines = "item", [bare[marker.end() :]]
        elif bare.startswith("|"):
            yield "row", bare
        elif heading := _HEADING.match(bare):
            yield "heading", bare[heading.end() :]
        else:
            form = form if lines else "text"
            lines.append(bare)
            if form == "text" and bare.rstrip().endswith(":"):
                yield form, "\n".join(lines)
                lines = []


def _goes_on(line: str) -> bool:
    return line[:1] in " \t" or line[:1].islower()


def _plain(text: str) -> str:
    """One line, without the marks of emphasis."""
    return " ".join(_EMPHASIS.sub(r"\2", text).split())
