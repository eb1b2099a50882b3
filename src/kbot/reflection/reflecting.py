"""What kbot asks itself on the way to one answer, with a bound on the model calls, each decision noted.

The four questions are those of Self-RAG (Asai et al., 2023): is a search needed, are the passages relevant, do they
support what was written, does that answer the question; the search in other words is Corrective RAG's (Yan et al.,
2024).
"""

import math
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from kbot.answer_types import wanted
from kbot.chat import Decision, Passage
from kbot.errors import ModelError
from kbot.language import Language
from kbot.logs import get_logger
from kbot.models import ChatModel, Embedder
from kbot.prompts import as_read
from kbot.reflection import graders
from kbot.reflection.claims import Claim, attributed, split_claims
from kbot.reflection.rewording import in_other_words, is_plain_question
from kbot.reflection.support import Evidence, Support, gather, weighed
from kbot.settings import Settings

log = get_logger(__name__)

Mode = Literal["off", "check", "full"]
_T = TypeVar("_T")

_SURE = 0.9  # of the search, so that a small model's opinion changes nothing
# Measured with a model of 1.5 B parameters on labelled questions in both languages: docs/reflection.md.
LEAST_ODDS = 3.0
_LEAST_ODDS_OF_YES_OR_NO = 1.5
_MARGIN_FOR_QUOTES = 0.5
_WEIGHT = 2.0
_MOST_ODDS = 6.0
_GOOD = 0.5
# A small model's grades of passages say where in the list each stood, and little else: only a sure no leaves one out.
_MAY_HELP = 0.1
_SAYS_SO = 0.7  # a small model says yes to what is nearly right as well, but less surely
_TEXT_CHARACTERS = 1500


def mode_of(settings: Settings, chat: ChatModel) -> Mode:
    """The mode that is set, else `check` for a model that writes: one that only quotes invents nothing."""
    return settings.reflection or ("check" if chat.writes else "off")


@dataclass(frozen=True, slots=True)
class Review:
    """A draft looked at: its `text`, with the citation put right of claims that had none, or a wrong one, where another
    passage says the same, and the claims of that text that its passages do not support. `supported` is how many they
    do; `to_the_point` is whether it answers the question."""

    text: str
    supported: int = 0
    unsupported: tuple[Claim, ...] = ()
    to_the_point: bool = True


class Reflection:
    """The reflection on one question. `decisions` in their order, the number of `drafts`, and the model `calls` beside
    the first draft.

    `check` takes at most one call beside that of the first draft, `full` two and two more for each of `attempts`, all
    further drafts counted; past that, and where a model answers nonsense, each step does what leaves things as they
    are.
    """

    def __init__(
        self,
        mode: Mode,
        chat: ChatModel,
        embedder: Embedder,
        *,
        attempts: int,
        language: Language,
        timeout: float,  # seconds without a sign of life
    ) -> None:
        self.mode: Mode = mode
        self.decisions: list[Decision] = []
        self.calls = 0
        self.drafts = 0
        self._chat = chat
        self._embedder = embedder
        self._attempts = attempts
        self._language: Language = language
        self._timeout = timeout
        self._margin = 0.0  # of the odds of an answer above the least
        self._most = {"off": 0, "check": 1, "full": 2 + 2 * attempts}[mode] if chat.writes else 0

    def note(self, step: str, outcome: str, detail: str = "") -> None:
        """Add a decision that was made elsewhere."""
        self.decisions.append(Decision(step, outcome, detail))

    def may_write(self) -> bool:
        """Whether one more draft may be written; it counts as written then."""
        if self.drafts and not self._spend():
            return False
        self.drafts += 1
        return True

    @property
    def trusts_quotes(self) -> bool:
        """Whether quotes of the passages may stand in for a draft that refuses or does not hold: no call is left for
        another, and search and model were more than sure enough that the answer is there."""
        return self.calls >= self._most and self._margin >= _MARGIN_FOR_QUOTES

    async def needs_documents(self, question: str) -> bool:
        """Whether anything has to be looked up: not for a thank-you. Only `full` asks, and only of what is no plain
        question."""
        if self.mode != "full" or is_plain_question(question) or not self._spend():
            return True
        needed = await self._told("retrieval", graders.needs_documents(self._chat, question, timeout=self._timeout))
        if needed is None:
            return True
        self.note("retrieval", "needed" if needed else "not needed")
        return needed

    async def relevant(self, question: str, passages: Sequence[Passage]) -> list[Passage]:
        """The passages that may help to answer; all of them unless `full` grades them."""
        if self.mode != "full" or not passages or not self._spend(keep=bool(self.drafts)):
            return list(passages)
        asking = graders.relevant(self._chat, question, passages, timeout=self._timeout)
        grades = await self._told("passages", asking)
        if grades is None:
            return list(passages)
        kept = [passage for passage, grade in zip(passages, grades, strict=True) if grade.share >= _MAY_HELP]
        self.note("passages", "relevant" if kept else "none relevant", f"{len(kept)}/{len(passages)}")
        return kept

    async def finds_answer(self, question: str, passages: Sequence[Passage], confidence: float) -> bool:
        """Whether the answer is in the passages, by the log-odds of the search's `confidence` and of the model's yes.

        Asked only of a model that shows how sure it is (a small one says yes to everything, but less surely), and only
        where the search is not sure itself.
        """
        if self.mode == "off" or not graders.shows_odds(self._chat) or confidence >= _SURE:
            return True
        if not self._spend(keep=bool(self.drafts)):
            return True
        asking = graders.answerable(self._chat, question, passages, timeout=self._timeout)
        grade = await self._told("passages", asking)
        if grade is None:
            return True
        margin = answer_odds(confidence, grade.share) - least_odds(question)
        found = grade.basis == "nothing" or margin >= 0
        self._margin = margin if grade.basis == "odds" else 0.0  # the word alone says too little
        self.note("passages", "answer" if found else "no answer", f"{confidence:.2f}, {grade.share:.2f}")
        return found

    async def in_other_words(self, question: str, tried: Sequence[str]) -> str | None:
        """The question anew for another search, or None: `full` alone asks, at most `attempts` times."""
        if self.mode != "full" or len(tried) > self._attempts or not self._spend(keep=bool(self.drafts)):
            return None
        asking = in_other_words(self._chat, question, tried, language=self._language, timeout=self._timeout)
        written = await self._told("search", asking)
        if written:
            self.note("search", "again", f"{len(tried)}/{self._attempts}")
        return written

    async def review(self, question: str, text: str, passages: Sequence[Passage]) -> Review:
        """Hold every claim of a draft against the passages it cites, or, citing none, against all.

        Words and vectors decide first; what they leave in doubt is graded by the model, in one call. `full` asks the
        model too whether a draft without doubtful claims answers the question. What is in doubt then is left standing.
        """
        claims = split_claims(text)
        if self.mode == "off" or not claims:
            return Review(text)
        texts = [as_read(passage) for passage in passages]
        under = {text: f"{p.title}\n{p.heading}" for text, p in zip(texts, passages, strict=True)}
        try:
            evidence = await gather(self._embedder, (claim.text for claim in claims), under)
            weights = [weighed(evidence, claim.text, _cited(claim, texts)) for claim in claims]
            if found := _found(claims, weights, texts, evidence):
                self.note("claims", "attributed", f"{len(found)}/{len(claims)}")
                text = attributed(text, found)
                claims = split_claims(text)
                evidence = await gather(self._embedder, (claim.text for claim in claims), under, evidence)
                weights = [weighed(evidence, claim.text, _cited(claim, texts)) for claim in claims]
        except ModelError as error:
            self._unchecked("claims", error, f"{len(claims)}/{len(claims)}")
            return Review(text)
        unsupported = [
            c for c, weight in zip(claims, weights, strict=True) if not (weight.supported or weight.doubtful)
        ]
        doubtful = [c for c, weight in zip(claims, weights, strict=True) if weight.doubtful]
        to_the_point = True
        if not unsupported and (doubtful or self.mode == "full") and self._spend():
            if doubtful:
                unsupported = await self._not_said(doubtful, claims, texts)
            else:
                to_the_point = await self._answers(question, text)
        else:  # what is in doubt stands, but not the opposite of what is there
            turned = [claim for claim, weight in zip(claims, weights, strict=True) if weight.turned]
            unsupported = [claim for claim in claims if claim in unsupported or claim in turned]
        count = len(claims) - len(unsupported)
        self.note("claims", "unsupported" if unsupported else "supported", f"{len(unsupported) or count}/{len(claims)}")
        return Review(text, count, tuple(unsupported), to_the_point)

    async def _not_said(self, doubtful: Sequence[Claim], claims: Sequence[Claim], texts: Sequence[str]) -> list[Claim]:
        """Those of the claims in doubt that their texts do not say to the model; none where it cannot be asked."""
        pairs = [(claim.text, " ".join(_cited(claim, texts))[:_TEXT_CHARACTERS]) for claim in doubtful]
        asking = graders.supported(self._chat, pairs, timeout=self._timeout)
        grades = await self._told("claims", asking, f"{len(doubtful)}/{len(claims)}")
        if grades is None:
            return []
        return [claim for claim, grade in zip(doubtful, grades, strict=True) if grade.share < _SAYS_SO]

    async def _answers(self, question: str, text: str) -> bool:
        """Whether a draft answers the question; it does where the model cannot be asked."""
        grade = await self._told("answer", graders.answers(self._chat, question, text, timeout=self._timeout))
        if grade is None:
            return True
        self.note("answer", "to the point" if grade.share >= _GOOD else "beside the point", f"{grade.share:.2f}")
        return grade.share >= _GOOD

    async def _told(self, step: str, asking: Awaitable[_T], detail: str = "") -> _T | None:
        """What the model says; None, and a note, where it cannot be asked."""
        try:
            return await asking
        except ModelError as error:
            self._unchecked(step, error, detail)
            return None

    def _unchecked(self, step: str, error: ModelError, detail: str = "") -> None:
        """Note a check that could not be made; what it would have checked stands."""
        log.warning("check_failed", step=step, error=type(error).__name__, next_step=error.next_step)
        self.note(step, "unchecked", detail)

    def _spend(self, keep: int = 0) -> bool:
        """Whether one more model call may be made, and so many after it; it counts as made then."""
        if self.calls + keep >= self._most:
            return False
        self.calls += 1
        return True


def _found(
    claims: Sequence[Claim], weights: Sequence[Support], texts: Sequence[str], evidence: Evidence
) -> dict[Claim, int]:
    """The number of the passage that says what a claim says which cites none, or one that does not say it."""
    found: dict[Claim, int] = {}
    for claim, weight in zip(claims, weights, strict=True):
        if bool(claim.cites) is weight.supported:
            continue
        own = [weighed(evidence, claim.text, [text]) for text in texts]
        best = max(range(len(own)), key=lambda n, own=own: (own[n].supported, own[n].share, own[n].cosine))
        if own[best].supported:
            found[claim] = best + 1
    return found


def answer_odds(confidence: float, share: float) -> float:
    """The log-odds that passages hold an answer, by the search's confidence and the model's yes, each in [0, 1]."""
    return _odds(confidence) + _WEIGHT * _odds(share)


def least_odds(question: str) -> float:
    """What `answer_odds` have to come to for a question to be answered: less for one that is itself answered by yes or
    no, since a small model takes the answer to it for the one that it is asked for."""
    return _LEAST_ODDS_OF_YES_OR_NO if wanted(question).kind == "yes/no" else LEAST_ODDS


def _odds(share: float) -> float:
    """The logarithm of the odds of a probability, within bounds that one sure opinion alone does not decide."""
    return max(-_MOST_ODDS, min(_MOST_ODDS, math.log(max(share, 1e-9) / max(1 - share, 1e-9))))


def _cited(claim: Claim, texts: Sequence[str]) -> list[str]:
    """The texts that a claim cites; all of them if it cites none that there is."""
    return [texts[n - 1] for n in claim.cites if 1 <= n <= len(texts)] or list(texts)
