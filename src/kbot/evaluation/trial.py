"""One labelled question put to the engine: what came of it, and its figures."""

import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from kbot.answering import to_read
from kbot.chat import Answer, Passage, Place
from kbot.confidence import gate
from kbot.engine import Engine, Final
from kbot.errors import ModelFailed, ModelTimeout, StreamCut
from kbot.evaluation.judge import Judge
from kbot.evaluation.labelled import LabelledQuestion
from kbot.evaluation.measures import DEPTH, ranking
from kbot.grounding import strip_citations
from kbot.history import last_turns, remember
from kbot.language import FUNCTION_WORDS
from kbot.prompts import as_read, format_passages, parse_passages, room_for_passages
from kbot.reflection.claims import Claim, split_claims
from kbot.wording import contains, exact, f1, words

_PIECES = 4  # of one passage that was cut, at most so many may stand before the next

Only = Literal["everything", "retrieval"]


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim of an answer, the numbers it cites, whether what is cited supports it, by which words, and who judged."""

    text: str
    cites: tuple[int, ...]
    supported: bool
    span: str
    judge: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question, and its figures by their measure's name (those that apply). `reason` is the answer's,
    "error" where the model failed, and "" also where only the search was measured."""

    question: str
    text: str
    kind: str
    answerable: bool
    found: Mapping[str, float]
    answer: str = ""
    reason: str = ""
    claims: tuple[JudgedClaim, ...] = ()


async def put(engine: Engine, workspace: str, question: LabelledQuestion, judge: Judge, only: Only) -> Outcome:
    """Search for a question and, unless `only` the retrieval is wanted, answer it and have the answer's claims judged.

    A model that fails at this question is part of the outcome. Raises `ModelError` where it cannot be reached at all,
    `DatabaseError`.
    """
    place = await _conversation(engine, workspace, question)
    passages, figures = await _search(engine, place, question)
    if only == "retrieval":
        unread = not gate(question.text, passages, await engine.cut_in(workspace))
        figures |= _refusal(question, unread, "_unread")
        return Outcome(question.id, question.text, question.kind, question.answerable, figures)
    answer = await _answer(engine, place, question)
    claims = [await _judged(judge, claim, answer) for claim in _claims(answer)]
    figures |= answer_figures(question, answer, claims)
    return Outcome(
        question.id,
        question.text,
        question.kind,
        question.answerable,
        figures,
        answer.text,
        answer.reason,
        tuple(claims),
    )


def answer_figures(question: LabelledQuestion, answer: Answer, claims: Sequence[JudgedClaim]) -> dict[str, float]:
    """The figures of an answer whose claims were judged. Where answers are given, one that was refused is worth 0."""
    unread = answer.reason == "nothing_near"
    figures = _refusal(question, unread, "_unread") | _refusal(question, answer.refused, "")
    figures |= {name: answer.timings[name] for name in ("retrieve_ms", "total_ms") if name in answer.timings}
    figures |= {"model_calls": float(answer.model_calls), "failed": float(answer.reason == "error")}
    if question.answerable and question.answers:
        said = "" if answer.refused or answer.reason == "error" else strip_citations(answer.text)
        figures |= {"f1": f1(said, question.answers)}
        figures |= {"exact": float(exact(said, question.answers)), "contains": float(contains(said, question.answers))}
    if answer.refused or answer.reason == "error":
        return figures
    figures["uncited"] = float(answer.reason == "uncited")
    if claims:
        figures["claims_uncited"] = _share(not claim.cites for claim in claims)
        figures["faithfulness"] = _share(claim.supported for claim in claims)
    if question.answerable and answer.grounded:
        figures |= _citation_figures(question, [passage for passage in answer.read if passage.cited])
    return figures


def unit(passage: Passage, relevant: Sequence[str]) -> str:
    """What a passage counts as beside such labels: its page where they name pages, else its document."""
    page = f"{passage.source}#{passage.page}"
    if page in relevant:
        return page
    by_page = passage.page is not None and passage.source not in relevant and any("#" in label for label in relevant)
    return page if by_page else passage.source


async def _conversation(engine: Engine, workspace: str, question: LabelledQuestion) -> Place:
    """Where the question is asked: a place that nobody else asks in, after the turns that it comes with."""
    if not question.history:
        return Place(workspace, "")
    place = Place(workspace, f"{workspace}:{uuid.uuid4()}")
    for asked, answered in question.history:
        turn = Answer(asked, answered, grounded=True, refused=False)
        await remember(engine.database, place, turn, standalone=asked, message_id=None, author="")
    return place


async def _search(engine: Engine, place: Place, question: LabelledQuestion) -> tuple[list[Passage], dict[str, float]]:
    begun = time.perf_counter()
    text = await _alone(engine, place, question)
    passages = await engine.search(text, place)
    figures = {"retrieve_ms": (time.perf_counter() - begun) * 1000}
    if question.answerable and question.relevant:
        k = engine.settings.passages
        found = await engine.search(text, place, k=_PIECES * max(k, DEPTH))
        # What was cut into several pieces counts once, where its best piece stands.
        units = list(dict.fromkeys(unit(passage, question.relevant) for passage in found))
        figures |= ranking([each in question.relevant for each in units], len(set(question.relevant)), k=k)
    if question.answerable and question.answers:
        settings = engine.settings
        room = room_for_passages(settings.context_tokens, settings.answer_tokens)
        figures |= reading_figures(to_read(passages, room), question.answers)
    return passages, figures


def reading_figures(passages: Sequence[Passage], answers: Sequence[str]) -> dict[str, float]:
    """Whether what a model reads of these passages holds a given answer, how many of its words one of the texts holds,
    and how long they are together: small chunks are found more easily, and say less."""
    texts = [text for _, text in parse_passages(format_passages(passages))]
    return {
        "read_holds_answer": float(any(contains(text, answers) for text in texts)),
        "read_answer_words": max((_held(text, answer) for text in texts for answer in answers), default=0.0),
        "read_characters": float(sum(map(len, texts))),
    }


async def _alone(engine: Engine, place: Place, question: LabelledQuestion) -> str:
    """The question as it is searched for after its turns."""
    if not question.history:
        return question.text
    turns = await last_turns(engine.database, place, engine.settings.history_turns)
    return (await engine.understand(question.text, turns, place)).question


def _held(text: str, answer: str) -> float:
    wanted = set(words(answer))
    wanted = wanted - FUNCTION_WORDS or wanted
    return len(wanted & set(words(text))) / len(wanted) if wanted else 0.0


async def _answer(engine: Engine, place: Place, question: LabelledQuestion) -> Answer:
    text = question.text
    try:
        async with aclosing(engine.ask(text, place, with_history=bool(question.history))) as events:
            async for event in events:
                if isinstance(event, Final):
                    return event.answer
    except (ModelFailed, ModelTimeout, StreamCut) as error:
        return Answer(text, str(error), grounded=False, refused=False, reason="error", model=engine.chat.name)
    raise RuntimeError("The engine ended without an answer.")


def _claims(answer: Answer) -> list[Claim]:
    return [] if answer.refused or answer.reason == "error" else split_claims(answer.text)


async def _judged(judge: Judge, claim: Claim, answer: Answer) -> JudgedClaim:
    """A claim judged by the passages that it cites, or, citing none, by all that the answer cites."""
    ids = [citation.passage_id for citation in answer.citations if not claim.cites or citation.n in claim.cites]
    texts = [as_read(passage) for passage in answer.read if passage.id in ids]
    ruling = await judge.rule(claim.text, texts)
    return JudgedClaim(claim.text, claim.cites, ruling.supported, ruling.span, ruling.judge)


def _refusal(question: LabelledQuestion, refused: bool, suffix: str) -> dict[str, float]:
    name = "wrongly_refused" if question.answerable else "refused"
    precision = {f"refusal_precision{suffix}": float(not question.answerable)} if refused else {}
    return {f"{name}{suffix}": float(refused), **precision}


def _citation_figures(question: LabelledQuestion, cited: Sequence[Passage]) -> dict[str, float]:
    relevant = [unit(passage, question.relevant) in question.relevant for passage in cited]
    holding = [contains(as_read(passage), question.answers) for passage in cited]
    figures: dict[str, float] = {}
    if question.relevant:
        figures["citation_relevant"] = _share(relevant)
    if question.answers:
        figures["citation_holds_answer"] = _share(holding)
    if figures:
        figures["citation_right"] = _share(a or b for a, b in zip(relevant, holding, strict=True))
    return figures


def _share(found: Iterable[bool]) -> float:
    values = list(found)
    return sum(values) / len(values) if values else 0.0
