"""One question's way from passages to a verdict: gate, drafts, checks, and further searches, as events."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from kbot.characters import readable
from kbot.chat import Passage
from kbot.citing import quoted
from kbot.confidence import Cut, confidence, nearness, reaches
from kbot.disagreement import disagreements, told
from kbot.errors import ModelError, StreamCut
from kbot.events import Checking, Event, Retracted, Searching, Token
from kbot.generation import write_answer
from kbot.grounding import Verdict, classify, without_sources, worth_reading
from kbot.history import Turn
from kbot.language import Language
from kbot.logs import get_logger
from kbot.models import ChatModel, Embedder, Reranker, quoting_model
from kbot.prompts import CUT_NOTES, QUOTE_NOTES, Persona, fitting, room_for_passages, sections_once
from kbot.reflection.claims import split_claims, without
from kbot.reflection.lacks import tells_a_lack
from kbot.reflection.reflecting import Reflection, Review
from kbot.retrieval.rerank import rerank
from kbot.settings import Settings

log = get_logger(__name__)

# Far more than any token is long: a server that heeds no KBOT_ANSWER_TOKENS would write for ever.
_MOST_CHARACTERS_PER_TOKEN = 16


class Clock:
    """Milliseconds since the start, by name."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.marks: dict[str, float] = {}

    def mark(self, name: str) -> None:
        """Keep the time of a name, the first time it is given."""
        self.marks.setdefault(name, round((time.perf_counter() - self._start) * 1000, 2))


class Answering:
    """The work on one question, which stands alone.

    When `events` has ended, `verdict` says what the text is, and `passages` are those it was written from.
    """

    def __init__(
        self,
        question: str,
        turns: Sequence[Turn],
        *,
        chat: ChatModel,
        embedder: Embedder,
        search: Callable[[str], Awaitable[list[Passage]]],
        reranker: Reranker,
        cut: Cut,
        own_cut: Cut,
        reflection: Reflection,
        persona: Persona,
        language: Language,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self.question = question
        self.turns = turns
        self.passages: list[Passage] = []
        self._chat, self._embedder, self._reranker = chat, embedder, reranker
        self._search, self._cut, self._own_cut = search, cut, own_cut
        self._likely = False
        self._reflection, self._persona = reflection, persona
        self._language: Language = language
        self._settings, self._clock = settings, clock
        self._refusal = persona.refusal_in(language)
        self.verdict = self._refused("nothing_near")

    async def events(self, found: Sequence[Passage]) -> AsyncGenerator[Event]:
        """Answer from the candidates found, or from those of a further search. Raises `ModelError`, `DatabaseError`."""
        tried = [self.question]
        while True:
            self.passages = await self._worth_reading(tried[-1], found)
            if self.passages:
                async with aclosing(self._drafts()) as events:
                    async for event in events:
                        yield event
                if not self.verdict.refused:
                    self.verdict = quoted(self.verdict, self.passages)
                    await self._compare()
                    return
            other = await self._reflection.in_other_words(self.question, tried)
            if other is None:
                return
            tried.append(other)
            yield Searching(other)
            found = await self._search(other)

    async def _worth_reading(self, question: str, found: Sequence[Passage]) -> list[Passage]:
        best = found[: self._settings.passages]
        sure, near = confidence(question, best), nearness(best)
        passed = bool(best) and reaches(sure, near, self._cut)
        self._likely = passed and reaches(sure, near, self._own_cut)
        detail = f"{sure:.2f} / {self._cut.confidence:.2f}, {near:.2f} / {self._cut.nearness:.2f}"
        self._reflection.note("gate", "near" if passed else "nothing near", detail)
        if not passed:
            return []
        # Only now: a refusal does not wait for the closer look.
        reranked = await rerank(self._reranker, question, found, k=self._settings.passages)
        if reranked.failed:
            self._reflection.note("reranker", "failed")
        read = await self._reflection.relevant(question, to_read(reranked.passages, self._room()))
        if read and await self._reflection.finds_answer(question, read, sure):
            return read
        self.verdict = self._refused("irrelevant")
        return []

    async def _drafts(self) -> AsyncGenerator[Event]:
        """Write, check, and write once more what did not hold."""
        first: Review | None = None
        if not self._reflection.may_write():
            self.verdict = self._refused("unsupported")
            return
        while True:
            text = ""
            rejected = [claim.text for claim in first.unsupported] if first else []
            try:
                async with aclosing(self._written(rejected)) as pieces:
                    async for piece in pieces:
                        text = text + piece if piece else ""
                        yield Token(piece) if piece else Retracted()
            except ModelError as error:
                if not first:
                    raise
                self._reflection.note("draft", "failed")
                if not self._cut_down(first):
                    raise
                # What holds of the first draft is not lost with the second.
                log.warning("draft_failed", error=type(error).__name__, next_step=error.next_step)
                yield Retracted()
                yield Checking()
                return
            text = without_sources(text)
            self.verdict = self._classified(text)
            review = Review(text)
            if not self.verdict.refused:
                review = await self._reflection.review(self.question, text, self.passages)
                if review.to_the_point and not review.unsupported:
                    self.verdict = self._classified(review.text) if review.text != text else self.verdict
                    if self.verdict.grounded or not first:
                        return
            elif not (first or self._reflection.trusts_quotes):
                return
            yield Retracted()
            yield Checking()
            if not first and self._worth_another(review) and self._reflection.may_write():
                self._reflection.note("draft", "written again")
                first = review
                continue
            if not (first or review.supported) and self._reflection.trusts_quotes and await self._quoted():
                return
            self._leave_best(first, review)
            return

    async def _quoted(self) -> bool:
        """The second draft where no call is left for one: the sentences themselves. Whether they answer."""
        try:
            async with aclosing(self._asked(quoting_model(self._embedder))) as pieces:
                text = "".join([piece async for piece in pieces])
        except ModelError as error:
            log.warning("quoting_failed", error=type(error).__name__, next_step=error.next_step)
            return False
        quoting = self._classified(f"{text}\n\n{QUOTE_NOTES[self._language]}")
        if not quoting.grounded:
            return False
        self._reflection.note("draft", "quoted")
        self.verdict = quoting
        return True

    def _asked(self, chat: ChatModel, rejected: Sequence[str] = ()) -> AsyncGenerator[str]:
        return write_answer(
            chat,
            self.question,
            self.passages,
            self.turns,
            persona=self._persona,
            language=self._language,
            timeout=self._settings.model_timeout,
            rejected=rejected,
        )

    async def _written(self, rejected: Sequence[str]) -> AsyncGenerator[str]:
        pieces = self._asked(self._chat, rejected)
        characters = 0
        async with aclosing(pieces):
            async for piece in pieces:
                self._clock.mark("first_token_ms")
                characters = characters + len(piece) if piece else 0
                if characters > self._settings.answer_tokens * _MOST_CHARACTERS_PER_TOKEN:
                    raise StreamCut(
                        self._chat.name,
                        f"{self._chat.name} did not come to an end.",
                        "Ask for something narrower, or use another KBOT_CHAT_MODEL.",
                    )
                yield readable(piece)

    async def _compare(self) -> None:
        """Tell where the sources contradict each other on what the answer says; not where it was written only because
        the operator lowered the cut: then it is hardly on what was asked, and so is what contradicts it."""
        if not self._likely:
            return
        try:
            found = await disagreements(self._embedder, self.question, self.verdict, self.passages)
        except ModelError as error:  # a finished answer is not lost for a comparison
            log.warning("comparison_failed", error=type(error).__name__, next_step=error.next_step)
            return
        if found:
            self._reflection.note("sources", "disagree", str(len(found)))
            self.verdict = told(self.verdict, found, self.passages, self._language)

    def _worth_another(self, review: Review) -> bool:
        """Whether to write once more: not for a sentence in passing, which is left out as well."""
        return review.to_the_point and (not review.supported or any(claim.cites for claim in review.unsupported))

    def _leave_best(self, first: Review | None, last: Review) -> None:
        """Leave the supported part of the draft that has more of it; without one the last draft is refused, unless it
        refuses itself or only cites nothing."""
        drafts = sorted(filter(None, (last, first)), key=lambda review: review.supported, reverse=True)
        if any(self._cut_down(review) for review in drafts):
            return
        if last.unsupported or not last.to_the_point:
            self._reflection.note("draft", "refused", _left_out(last))
            self.verdict = self._refused("unsupported")

    def _cut_down(self, review: Review) -> bool:
        """Leave the supported part of a draft, which says so; whether there is one."""
        rest = self._classified(f"{without(review.text, review.unsupported)}\n\n{CUT_NOTES[self._language]}")
        if not (review.to_the_point and review.supported and review.unsupported and rest.grounded):
            return False
        self._reflection.note("draft", "cut", _left_out(review))
        self.verdict = rest
        return True

    def _classified(self, text: str) -> Verdict:
        verdict = classify(text, self.passages, refusal=self._refusal, refusals=self._persona.refusals())
        # "The passages do not tell. [1]" is a refusal in the model's own words.
        if not (self._chat.writes and verdict.grounded and tells_a_lack(verdict.text)):
            return verdict
        return verdict if split_claims(verdict.text) else self._refused("refused")

    def _refused(self, reason: str) -> Verdict:
        return Verdict(self._refusal, grounded=False, refused=True, reason=reason, citations=())

    def _room(self) -> int:
        """Characters of passages that fit into the model beside its instructions, the history and its answer."""
        room = room_for_passages(self._settings.context_tokens, self._settings.answer_tokens)
        return room - sum(len(turn.question) + len(turn.answer) for turn in self.turns)


def _left_out(review: Review) -> str:
    return f"{len(review.unsupported)}/{len(review.unsupported) + review.supported}"


def to_read(passages: Sequence[Passage], characters: int) -> list[Passage]:
    """What a model reads of these passages, best first, in a prompt of so many characters."""
    return fitting(sections_once(worth_reading(passages)), characters)
