"""Votes in what a chat model writes: where a yes or a no stands as one, and how sure the model was of it.

A yes or a no anywhere in a text is no vote: "No problem!", "not sure: no numbers", "não diz". A vote that was asked for
with a number is a line of nothing but that number and the word; one without is the first word of the reply, set off
from what follows, or a line of its own. Whatever else a model writes says nothing.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.messages import AIMessageChunk, BaseMessage
from pydantic import BaseModel

from kbot.models import ChatModel
from kbot.streaming import chunks, ending_of, require_end
from kbot.thinking import UNSAID, ThinkFilter

_YES = frozenset({"yes", "sim", "true"})
_NO = frozenset({"no", "não", "nao", "nã", "false"})
_ALTERNATIVES = 20
_ROUNDED = 1e-3  # above 0, the logarithm of a probability is one that a server rounded; further above it is none

_LINE_CHARACTERS = 40  # a vote is "12: yes"
# Explained, or thought without a tag, beside the votes: a model that writes more has not understood, and is left.
_MORE_CHARACTERS = 1000

# Possessive throughout, since a model may write a line of a thousand asterisks.
_MARKUP = r"[ \t\r*_`~\"'“”‘’()\[\]|>#]*+"
# "No. 7" is a number.
_VOTE = r"(?:(?P<yes>yes|sim|true)|no(?!\.[ \t]*\d)|n(?:ã|a\u0303|a)o|false)(?!\w)"
_NAMED = r"(?:(?:passagem|passage|texto|text|statement|claim|line|trecho|afirmação|linha)(?:[ \t]+n[.º°]*+)?)?+"
_NUMBERED = re.compile(
    rf"^{_MARKUP}(?:[-•+]{_MARKUP})?+{_NAMED}{_MARKUP}(?P<n>\d{{1,3}}+){_MARKUP}(?:[:.=→–—-]{_MARKUP})*+"
    rf"(?P<vote>{_VOTE}){_MARKUP}[.,;!]?{_MARKUP}$",
    re.IGNORECASE | re.MULTILINE,
)
_SAID = rf"(?:(?:final[ \t]+)?(?:answer|reply|resposta)(?:[ \t]+final)?{_MARKUP}:{_MARKUP})?+"
_ALONE = re.compile(
    rf"^{_MARKUP}(?:[-•+]{_MARKUP})?+{_SAID}(?P<vote>{_VOTE}){_MARKUP}[.,;!]?{_MARKUP}$", re.IGNORECASE | re.MULTILINE
)
# "No information is given" and "Não sei" begin with the word too, and vote nothing.
_FIRST = re.compile(
    rf"\A\s*+{_MARKUP}{_SAID}(?P<vote>{_VOTE})[*_`\"'”’)\]]*+(?:[ \t]*[,;:.!]|[ \t]+[–—(-]|\s*\Z|[ \t\r]*\n)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Grade:
    """`share` is the model's probability of yes against that of no, in [0, 1], where `basis` is "odds"; 1 or 0 by its
    `word`; and the grader's safe default where it said `nothing` that can be read."""

    share: float
    basis: Literal["odds", "word", "nothing"]


async def votes(
    chat: ChatModel,
    messages: Sequence[BaseMessage],
    count: int,
    *,
    numbered: bool,
    odds: bool,
    timeout: float,  # noqa: ASYNC109  # seconds without a sign of life
) -> dict[int, Grade]:
    """The votes of one reply by their numbers, of which there are `count`, from 1; without numbers the one vote is 1.
    Those that are missing were not made in a way that can be read. `odds` asks how probable each was.

    A model that is held by a grammar has voted with its last word, and is left. Any other is read to its end: a prompt
    template may have opened thinking, so that only a closing tag tells what was thought aloud. Raises a `ModelError`
    where the model does not answer, and `StreamCut` where it breaks off, or is cut while it may be thinking.
    """
    wanted: dict[str, Any] = {"logprobs": True, "top_logprobs": _ALTERNATIVES} if odds else {}
    held = chat.grammar == "gbnf"
    if held:
        # Where a template opens thinking, all that the grammar lets through would be taken for it.
        wanted |= {"grammar": _grammar(count), "reasoning_format": "none"}
    reply = _Reply()
    ending = ""
    async with aclosing(chunks(chat, messages, timeout=timeout, **wanted)) as arriving:
        async for chunk in arriving:
            ending = ending_of(chunk) or ending
            reply.add(chunk)
            if held and len(made := reply.votes(count, numbered=numbered)) == count:
                return made
            if len(reply.text) > _MORE_CHARACTERS + _LINE_CHARACTERS * count:
                return {}
    require_end(chat, ending)
    reply.end()
    return reply.votes(count, numbered=numbered)


def read_votes(text: str, count: int, *, numbered: bool) -> dict[int, re.Match[str]]:
    """Where each vote stands in a whole reply: its group `vote` is the word, its group `yes` there if it is one.

    Of numbered votes each counts for its own number: one that is missing takes nothing from the others, and one past
    the last adds nothing. None counts where the numbering is not the one that was asked for: it begins with 0, or has a
    number twice, with yes and with no. A single vote may be written either way; it is none where it is both.
    """
    found: dict[int, re.Match[str]] = {}
    for vote in _NUMBERED.finditer(text) if numbered else ():
        n = int(vote["n"])
        if n == 0 or not _agree(vote, found.setdefault(n, vote)):
            return {}
    found = {n: vote for n, vote in found.items() if n <= count}
    if found or count > 1:
        return found
    single = [vote for vote in (_FIRST.match(text), *_ALONE.finditer(text)) if vote]
    return {1: single[0]} if single and all(_agree(vote, single[0]) for vote in single) else {}


class _Reply:
    """What a model says while it is written, its thinking taken out, and the odds of each yes or no in it."""

    def __init__(self) -> None:
        self.text = ""
        self._thoughts = ThinkFilter()
        self._odds: list[tuple[int, int, float]] = []  # start and end in the text, and the share of yes

    def add(self, chunk: AIMessageChunk) -> None:
        for piece, token, share in _tokens(chunk):
            self._take(self._thoughts.feed(piece))
            if share is not None and not self._thoughts.thinking:
                self._odds.append((len(self.text) - len(token), len(self.text), share))

    def end(self) -> None:
        self._take(self._thoughts.end())

    def votes(self, count: int, *, numbered: bool) -> dict[int, Grade]:
        found = read_votes(self.text, count, numbered=numbered)
        return {n: self._grade(vote) for n, vote in sorted(found.items())}

    def _take(self, pieces: Iterator[str]) -> None:
        for piece in pieces:
            self.text += piece
            if piece == UNSAID:
                self.text = ""
                self._odds.clear()

    def _grade(self, vote: re.Match[str]) -> Grade:
        at = vote.start("vote")
        share = next((share for start, end, share in self._odds if start <= at < end), None)
        return Grade(float(bool(vote["yes"])), "word") if share is None else Grade(share, "odds")


def _agree(one: re.Match[str], other: re.Match[str]) -> bool:
    return bool(one["yes"]) is bool(other["yes"])


def _tokens(chunk: AIMessageChunk) -> Iterator[tuple[str, str, float | None]]:
    """The text of a chunk in pieces that end with its tokens, each with that token and its odds. What the tokens do not
    account for comes last: a server tells those of thinking, and of characters that are not whole yet, as well."""
    text, told = chunk.text, 0
    for each in _told(chunk.response_metadata):
        token = each.get("token")
        if isinstance(token, str) and token and (at := text.find(token, told)) >= 0:
            yield text[told : at + len(token)], token, _share(each)
            told = at + len(token)
    yield text[told:], "", None


def _told(metadata: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What is told of each token: a list as Ollama sends it, or under `content` as OpenAI's protocol has it."""
    shown: object = metadata.get("logprobs")
    if isinstance(shown, Mapping):
        shown = cast(Mapping[str, object], shown).get("content")
    return _mappings(shown)


def _mappings(shown: object) -> list[Mapping[str, Any]]:
    each = cast(list[object], shown) if isinstance(shown, list) else []
    plain = (one.model_dump() if isinstance(one, BaseModel) else one for one in each)  # as Ollama's client has them
    return [cast(Mapping[str, Any], one) for one in plain if isinstance(one, Mapping)]


def _share(token: Mapping[str, Any]) -> float | None:
    """The probability of yes against no where a token is one of them; None where it is not, or nothing that can be
    believed is told of both: neither need be among the likeliest where a grammar chose the word."""
    if _plain(token.get("token")) not in _YES | _NO:
        return None
    yes = no = 0.0
    for other in _mappings(token.get("top_logprobs")):
        word = _plain(other.get("token"))
        if word in _YES | _NO:
            chance = _probability(other.get("logprob"))
            if chance is None:
                return None
            yes, no = (yes + chance, no) if word in _YES else (yes, no + chance)
    return yes / (yes + no) if yes + no > 0 else None


def _probability(logprob: object) -> float | None:
    """The probability of a logarithm, 0 for that of minus infinity; None for what is no such logarithm."""
    if not isinstance(logprob, int | float) or not logprob <= _ROUNDED:
        return None
    return math.exp(min(logprob, 0.0))


def _plain(token: object) -> str:
    return token.strip().strip(".,:;\"'*").lower() if isinstance(token, str) else ""


def _grammar(count: int) -> str:
    """In llama.cpp's notation: a vote, or numbered lines of one each."""
    if count == 1:
        return 'root ::= "Yes" | "No"'
    lines = r' "\n" '.join(f'"{n}: " vote' for n in range(1, count + 1))
    return f'root ::= {lines}\nvote ::= "yes" | "no"'
