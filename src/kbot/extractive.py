"""A chat model without a language model: it answers by quoting the sentences that carry the answer."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from numpy.typing import NDArray
from pydantic import ConfigDict

from kbot.answer_types import can_hold, wanted
from kbot.confidence import rivals, roots, unnamed
from kbot.figures.values import values_in
from kbot.language import detect_language
from kbot.prompts import parse_passages, question_of, refusal_of
from kbot.quotes import Quote, leans, quotes
from kbot.retractions import takes_back

_HEADING = re.compile(r'<passage n="(\d+)"[^>\n]* heading="([^"\n]*)"[^>\n]*>')  # as kbot.prompts labels it
_LABEL = re.compile(r'<passage n="(\d+)"([^>\n]*)>')

# Measured on labelled questions in both languages: a quote's score is its cosine with the question plus its own and its
# passage's share of the question's rare words, less a little for each place that the passage stands below the first. A
# passage in another language than the question has few of its words to show, and a table's row is no sentence to an
# encoder: both are given what they lack. What cannot be the kind of thing asked for, or is cut
# off, loses; and so does all where no passage has the names of the question.
_WORDS_WEIGHT = 0.3
_FOREIGN = 0.16
_ROW = 0.1
_PER_PLACE = 0.02
_UNFIT = 0.2
_CUT_OFF = 0.1
_UNNAMED = 0.15
# Whether to answer at all is decided by the gate, from more than these scores; this is for what is plainly beside the
# point.
_NEAR_ENOUGH = 0.35
_MARGIN = 0.08
_MARGIN_ELSEWHERE = 0.04
_MOST_QUOTES = 3
# A further quote adds something where more than such a share of its words is new and it is not as near to one before.
_NEW_WORDS = 0.25
_SAME = 0.85
_LONGEST_LIST = 900  # characters
_QUOTED = ("sentence", "item", "row")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A quote of passage `n`, the `place`th there; `shown` is what is written of it, `handicap` what its score lacks,
    `fits` whether it can be the kind of thing that was asked for, and `foreign` whether its passage is in another
    language."""

    n: int
    place: int
    quote: Quote
    shown: str
    handicap: float
    fits: bool
    foreign: bool

    @property
    def meant(self) -> str:
        """What is compared with the question: the name of who speaks is no part of it."""
        return self.quote.said if self.quote.before is None else self.quote.text


class ExtractiveChatModel(BaseChatModel):
    """Quotes, out of the numbered passages of a prompt, the sentences, list items and table rows nearest to its
    question, each with its citation; or repeats the refusal sentence of the prompt when none is near.

    `embeddings` measures nearness by cosine. Like any chat model it answers messages and streams.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    embeddings: Embeddings

    @property
    def _llm_type(self) -> str:
        return "extractive"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        question, candidates = _read(messages)
        vectors = self.embeddings.embed_documents([c.meant for c in candidates]) if candidates else []
        text = _answer(question, candidates, self.embeddings.embed_query(question), vectors) or refusal_of(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        question, candidates = _read(messages)
        vectors = await self.embeddings.aembed_documents([c.meant for c in candidates]) if candidates else []
        asked = await self.embeddings.aembed_query(question)
        text = _answer(question, candidates, asked, vectors) or refusal_of(messages)
        for word in re.findall(r"\s*\S+\s*$|\s*\S+", text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            await asyncio.sleep(0)
        yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata={"finish_reason": "stop"}))


def _read(messages: Sequence[BaseMessage]) -> tuple[str, list[_Candidate]]:
    candidates: list[_Candidate] = []
    question = question_of(messages)
    asked_in, what, asked_for = detect_language(question), wanted(question), roots(question)
    days = _days(question)
    passages = parse_passages(messages[-1].text)
    nameless = _UNNAMED * unnamed(question, messages[-1].text.rpartition("</passage>")[0])
    titles = {int(n): label for n, label in _LABEL.findall(messages[-1].text)}
    headings = {int(n): heading for n, heading in _HEADING.findall(messages[-1].text)}
    for n, text in passages:
        written_in = detect_language(text)
        foreign = bool(asked_in and written_in and asked_in != written_in)
        for place, quote in enumerate(quotes(text, headings.get(n, ""))):
            shown = _shown(quote, asked_for)
            if not shown or (
                quote.form in _QUOTED and rivals(question, f"{titles[n]} {text}", quote.said, foreign=foreign)
            ):
                continue
            fits = can_hold(quote.said, what) is not False and not _of_other_days(days, quote.said)
            handicap = (_FOREIGN if foreign else 0.0) - nameless + (_ROW if quote.form == "row" else 0.0)
            if quote.form in _QUOTED:
                handicap -= (0.0 if fits else _UNFIT) + (0.0 if quote.whole else _CUT_OFF)
            candidates.append(_Candidate(n, place, quote, shown, handicap, fits, foreign))
    return question, candidates


def _of_other_days(asked: set[int], said: str) -> bool:
    """Whether a quote is said of days of the week, and of none that are asked about."""
    told = _days(said) if asked else set[int]()
    return bool(told) and asked.isdisjoint(told)


def _days(text: str) -> set[int]:
    spans = [value.readings[0][0] for value in values_in(text) if value.unit == "day of week"]
    return {day for first, last in spans for day in range(int(first), int(last) + 1)}


def _shown(quote: Quote, asked_for: set[str]) -> str:
    """What is written of a quote: a reply that says nothing of what was asked comes after the line that it replies to,
    and is "" where that line is not there and it says nothing without."""
    if quote.before is None or quote.form not in _QUOTED:
        return quote.said
    if leans(quote.text) or ("?\n" in quote.before and not asked_for & roots(quote.text)):
        return f"{quote.before} {quote.text}".replace("\n ", "\n") if quote.before else ""
    return quote.said


def _answer(
    asked: str, candidates: Sequence[_Candidate], question: Sequence[float], vectors: Sequence[Sequence[float]]
) -> str:
    """The best quotes in the order of their passages; empty when none is good enough."""
    if not candidates:
        return ""
    cosines = np.asarray(vectors) @ np.asarray(question)
    shares = _shares(asked, candidates)
    own = [
        cosine + _WORDS_WEIGHT * share + candidate.handicap - _PER_PLACE * (candidate.n - 1)
        for candidate, cosine, share in zip(candidates, cosines.tolist(), shares, strict=True)
    ]
    lists = _lists(candidates)
    scores = {place: own[place] for place, candidate in enumerate(candidates) if candidate.quote.form in _QUOTED}
    whole: set[int] = set()
    for place, candidate in enumerate(candidates):
        led = None if candidate.quote.form in _QUOTED else _led(candidates, place)
        if led is None or own[place] < max(scores[each] for each in lists.get(led, [led])):
            continue
        scores[led] = own[place]
        whole.update(lists.get(led, ()))
    best = sorted(scores, key=lambda place: -scores[place])[:_MOST_QUOTES]
    if not best or scores[best[0]] < _NEAR_ENOUGH:
        return ""
    first = candidates[best[0]]
    margins = {place: _MARGIN if candidates[place].n == first.n else _MARGIN_ELSEWHERE for place in best}
    kept = [place for place in best if scores[place] >= scores[best[0]] - margins[place]]
    kept = [place for place in kept if candidates[place].fits or not first.fits]
    kept = _with_retractions(_adding(kept, candidates, asked, np.asarray(vectors), lists), candidates)
    return _written(candidates, [_together(place, kept, lists, whole) for place in sorted(kept)])


def _adding(
    kept: Sequence[int],
    candidates: Sequence[_Candidate],
    asked: str,
    vectors: NDArray[np.float64],
    lists: Mapping[int, Sequence[int]],
) -> list[int]:
    """Of the best quotes, best first, those that say something which the ones before them do not. A quote with only a
    part of the question's words that the first one has is about something else, unless it is of the same list, or in
    another language, which has its own words."""
    words = {place: roots(candidates[place].quote.said) for place in kept}
    of_first = words[kept[0]] & roots(asked)
    adding = list(kept[:1])
    for place in kept[1:]:
        elsewhere = words[place] & roots(asked) < of_first and not candidates[place].foreign
        if elsewhere and place not in lists.get(kept[0], ()):
            continue
        new = words[place] - set[str]().union(*(words[each] for each in adding))
        alike = max(float(vectors[place] @ vectors[each]) for each in adding)
        if any(root.isdigit() for root in new) or (len(new) > _NEW_WORDS * len(words[place]) and alike < _SAME):
            adding.append(place)
    return adding


def _with_retractions(kept: Sequence[int], candidates: Sequence[_Candidate]) -> list[int]:
    """The quotes, each with the sentences right after it that take it back."""
    whole = list(kept)
    for place in whole:
        following = place + 1
        if following < len(candidates) and following not in whole and _retracts(*candidates[place : following + 1]):
            whole.append(following)
    return whole


def _retracts(one: _Candidate, other: _Candidate) -> bool:
    """Whether the other quote is the next sentence, and takes the first back."""
    follows = (one.n, one.place + 1) == (other.n, other.place)
    return follows and one.quote.form == other.quote.form == "sentence" and takes_back(other.quote.text)


def _lists(candidates: Sequence[_Candidate]) -> dict[int, list[int]]:
    """For the place of each list item the places of its list."""
    lists: dict[tuple[int, int | None], list[int]] = {}
    items = [place for place, candidate in enumerate(candidates) if candidate.quote.form == "item"]
    for place in items:
        lists.setdefault((candidates[place].n, candidates[place].quote.group), []).append(place)
    short = [each for each in lists.values() if sum(len(candidates[p].quote.text) for p in each) <= _LONGEST_LIST]
    return {place: each for each in short for place in each}


def _led(candidates: Sequence[_Candidate], place: int) -> int | None:
    """The place of what a heading, a question or a lead leads to: the first that can be what was asked for."""
    below: list[int] = []
    following = place + 1
    while following < len(candidates) and candidates[following].n == candidates[place].n:
        form = candidates[following].quote.form
        if form in _QUOTED:
            below.append(following)
        elif form != "lead":
            break
        following += 1
    return next((each for each in below if candidates[each].fits), next(iter(below), None))


def _together(place: int, kept: Sequence[int], lists: Mapping[int, Sequence[int]], whole: set[int]) -> tuple[int, ...]:
    """The places that are quoted with one: its whole list where what leads it in is what answers, else those of its
    list that are kept."""
    same = lists.get(place, (place,))
    return tuple(each for each in same if place in whole or each in kept)


def _written(candidates: Sequence[_Candidate], groups: Sequence[tuple[int, ...]]) -> str:
    """The quotes as paragraphs, each once; items of one list stand under their lead."""
    paragraphs: dict[tuple[str, ...], str] = {}
    for places in groups:
        said = [candidates[place].quote for place in places]
        n, shown = candidates[places[0]].n, candidates[places[0]].shown
        lines = [f"- {quote.text} [{n}]" for quote in said]
        text = "\n".join([said[0].lead, *lines]).lstrip("\n") if said[1:] else f"{shown} [{n}]"
        paragraphs.setdefault(tuple(quote.said for quote in said), text)
    return "\n\n".join(paragraphs.values())


def _shares(question: str, candidates: Sequence[_Candidate]) -> list[float]:
    """For each quote its own and its passage's share of the question's words, added up. Words are weighed by how few of
    the quotes hold them."""
    words = [roots(candidate.quote.said) for candidate in candidates]
    counts = Counter(root for each in words for root in each)
    weights = {root: math.log(1 + (len(words) - counts[root] + 0.5) / (counts[root] + 0.5)) for root in roots(question)}
    total = sum(weights.values()) or 1.0
    passages: dict[int, set[str]] = {}
    for candidate, each in zip(candidates, words, strict=True):
        passages.setdefault(candidate.n, set()).update(each)

    def share(there: set[str]) -> float:
        return sum(weight for root, weight in weights.items() if root in there) / total

    return [share(each) + share(passages[c.n]) for c, each in zip(candidates, words, strict=True)]
