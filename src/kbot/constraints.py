"""The form of a cited answer, to which a small model that runs locally is held while it writes: the refusal alone, or
sentences that each end in the numbers of the passages that say it."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from kbot.sentences import ABBREVIATIONS
from kbot.thinking import UNSAID

Grammar = Literal["gbnf", "json", "none"]
"""How a model is held to a form: by a grammar of llama.cpp, by a JSON schema as Ollama takes it, or not at all."""

# Enough for an answer that is read in a chat; a small model that finds no end is brought to one.
_SENTENCES = 8
_WORDS = 60  # of a sentence
_CHARACTERS = 120  # of a word, which may be an address
_CITED = 3  # passages by one sentence

# Before a sentence: what it says by itself rests on what follows.
_YES = ("Sim", "Não", "Yes", "No")

_GBNF = r"""root ::= refusal | open? sentence more{0,%(more)d}
refusal ::= %(refusal)s
more ::= " " sentence | "\n" "\n"? open? sentence
open ::= item | text ":\n" "\n"? item
item ::= [-*•] " " | [0-9]{1,2} [.)] " "
sentence ::= text (cites [.;,]? | [.!?…] ["”’»)*_]{0,2} cites)
cites ::= " " mark (" "? mark){0,%(cited)d}
mark ::= "[" (%(numbers)s) "]"
text ::= ((%(yes)s) [.!] " ")? word (" " word){0,%(words)d}
word ::= letter{1,%(characters)d} | "("? short "."
letter ::= plain | within | code
within ::= "." [0-9a-zºª] | [!?] ["”’»),] | "?" [0-9A-Za-z_]{1,20} "="
code ::= "`" [^`\n[\]]{1,80} "`"
short ::= %(shortened)s | [A-Za-z] ("." [A-Za-z]){0,3}
plain ::= [^ \t\r\n[\]【】［］.!?…`]
"""

# The same as a regular expression, in the part of their language that llama.cpp's schemas know, for the inside of a
# JSON string: a line ends with \n as two characters, and a quotation mark has a backslash before it.
_LETTER = r'[^\x00- "\\\[\]【】［］.!?…`]'
_WITHIN = r'(\.[0-9a-zºª]|[!?](\\"|[”’»),])|\?[0-9A-Za-z_]{1,20}=)'
_CODE = r'`([^\x00-\x1f"\\\[\]`]|\\["\\]){1,80}`'
_SHORT = r"\(?(%(shortened)s|[A-Za-z](\.[A-Za-z]){0,3})\."
_WORD = rf'(({_LETTER}|\\["\\]|{_WITHIN}|{_CODE}){{1,%(characters)d}}|{_SHORT})'
_ANSWERED = r"((%(yes)s)[.!] )?"
_TEXT = rf"{_ANSWERED}{_WORD}( {_WORD}){{0,%(words)d}}"
_MARK = r"\[(%(numbers)s)\]"
_CITES = rf" {_MARK}( ?{_MARK}){{0,%(cited)d}}"
_SENTENCE = rf'{_TEXT}({_CITES}[.;,]?|[.!?…](\\"|[”’»)*_]){{0,2}}{_CITES})'
_ITEM = r"([-*•] |[0-9]{1,2}[.)] )"
_OPEN = rf"({_ITEM}|{_TEXT}:\\n(\\n)?{_ITEM})?"
_PATTERN = rf"^(%(refusal)s|{_OPEN}{_SENTENCE}( {_SENTENCE}|\\n(\\n)?{_OPEN}{_SENTENCE}){{0,%(more)d}})$"


_SPECIAL = re.compile(r"[\^$.\[\](){}|*+?]")
_INSIDE = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_UNFINISHED = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_FIRST_OF_A_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


@dataclass(frozen=True, slots=True)
class Constraint:
    """The form of one answer: how many passages were given, numbered from 1, and the sentence that refuses."""

    passages: int
    refusal: str


def request(grammar: Grammar, constraint: Constraint) -> dict[str, Any]:
    """What is asked of the model beside its messages: keyword arguments of the call."""
    match grammar:
        case "gbnf":
            # Where a template opens the thinking itself, all that the grammar lets through would be taken for thinking.
            return {"grammar": gbnf(constraint), "reasoning_format": "none"}
        case "json":
            return {"format": schema(constraint)}
        case "none":
            return {}


def gbnf(constraint: Constraint) -> str:
    """The form in the notation of llama.cpp (grammars/README.md of its repository)."""
    return _GBNF % _parts(
        _in_gbnf(constraint.refusal),
        lambda words: " | ".join(f'"{word}"' for word in words),
        constraint,
    )


def schema(constraint: Constraint) -> dict[str, Any]:
    """The form as the JSON schema of a single string, which holds the answer as it is shown: the prompt needs no word
    about JSON, and a server that heeds no schema answers as ever. Ollama turns a pattern into a grammar of llama.cpp.
    """
    within = json.dumps(constraint.refusal, ensure_ascii=False)[1:-1].replace("\\", "\\\\")
    pattern = _PATTERN % _parts(
        _SPECIAL.sub(r"\\\g<0>", within),
        lambda words: "|".join(_SPECIAL.sub(r"\\\g<0>", word) for word in words),
        constraint,
    )
    return {"type": "string", "pattern": pattern}


class QuotedText:
    """Reads the text in a JSON string while it is written.

    What turns out to be no JSON string is the answer itself, and shown as it came; `UNSAID` takes back what was
    already shown of it.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._raw = ""
        self._read = 0  # characters of `_raw`; 0 until the opening quotation mark has come
        self._closed = self._shown = self._plain = False

    def feed(self, piece: str) -> Iterator[str]:
        """The text that is certain after one more piece; `UNSAID` begins anew."""
        if piece == UNSAID:
            self._begin()
            yield UNSAID
            return
        self._raw += piece
        if self._plain:
            yield piece
            return
        if not self._read:
            start = self._raw.lstrip()
            if not start.startswith('"'):
                yield from self._give_up() if start else ()
                return
            self._read = len(self._raw) - len(start) + 1
        yield from self._inside()

    def _inside(self) -> Iterator[str]:
        found = _INSIDE.match(self._raw, self._read)
        end = found.end() if found and not self._closed else self._read
        rest = self._raw[end:]
        if not self._closed and rest.startswith('"'):
            self._closed, rest = True, rest[1:]
            yield from self._show(end)
            self._read += 1
        if self._closed:
            yield from self._give_up() if rest.strip() else ()
        elif rest and not _UNFINISHED.match(rest):
            yield from self._give_up()
        else:
            half = _FIRST_OF_A_PAIR.search(self._raw, self._read, end)
            yield from self._show(half.start() if half else end)

    def _show(self, end: int) -> Iterator[str]:
        written, self._read = self._raw[self._read : end], end
        if written:
            self._shown = True
            # Half of a pair that has no other half is no character that could be sent or stored.
            text: str = json.loads(f'"{written}"', strict=False)
            yield text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _give_up(self) -> Iterator[str]:
        self._plain = True
        if self._shown:
            yield UNSAID
        yield self._raw


def _parts(refusal: str, either: Callable[[Iterable[str]], str], constraint: Constraint) -> dict[str, str | int]:
    return {
        "refusal": refusal,
        "numbers": either(str(n) for n in range(1, constraint.passages + 1)),
        "shortened": either(ABBREVIATIONS),
        "yes": either(_YES),
        "more": _SENTENCES - 1,
        "words": _WORDS - 1,
        "characters": _CHARACTERS,
        "cited": _CITED - 1,
    }


def _in_gbnf(text: str) -> str:
    """A text as a literal of a grammar; what cannot be seen by its number."""
    written = re.sub(r'["\\]', r"\\\g<0>", text)
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in written) + '"'
