"""A run: a set of questions put to one configuration, and what the set's figures are."""

import hashlib
import uuid
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version

from kbot.chat import Place
from kbot.engine import Engine
from kbot.errors import SettingsError
from kbot.evaluation.corpus import Corpus, chunking_of
from kbot.evaluation.instructions import prompt_version
from kbot.evaluation.judge import Judge
from kbot.evaluation.labelled import LabelledQuestion
from kbot.evaluation.measures import MEASURES, Estimate, estimate
from kbot.evaluation.trial import Only, Outcome, put
from kbot.reflection.reflecting import mode_of

ALL = "all"

Configuration = Mapping[str, str | int | float]
"""Everything that a run's figures hang on, by name: what a search does, what a model is told, and on which set."""

Progress = Callable[[int, int], None]
"""Called with how many questions are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run under the name that its operator gave it; `labelled` is the set's name."""

    id: str
    workspace: str
    name: str
    labelled: str
    configuration: Configuration
    started_at: datetime
    finished_at: datetime
    outcomes: tuple[Outcome, ...]


async def evaluate(
    engine: Engine,
    workspace: str,
    questions: Sequence[LabelledQuestion],
    judge: Judge,
    progress: Progress,
    *,
    name: str,
    labelled: str,
    configured: Configuration,
    only: Only,
) -> Run:
    """Put every question in turn, one at a time so that the seconds are those of a single person. Raises as `put`, and
    `SettingsError` where somebody deleted the documents meanwhile."""
    started = datetime.now(UTC)
    # The first search makes plans, which later ones find made.
    begun = await engine.search(questions[0].text, Place(workspace, ""))
    outcomes: list[Outcome] = []
    for done, question in enumerate(questions):
        progress(done, len(questions))
        outcomes.append(await put(engine, workspace, question, judge, only))
    progress(len(questions), len(questions))
    if begun and not await engine.search(questions[0].text, Place(workspace, "")):
        raise SettingsError("The documents of this run were deleted while it went on. Run it again.")
    return Run(str(uuid.uuid4()), workspace, name, labelled, configured, started, datetime.now(UTC), tuple(outcomes))


async def configuration(
    engine: Engine, corpus: Corpus, questions: Sequence[LabelledQuestion], judge: Judge, only: Only
) -> Configuration:
    """What is recorded of an engine and a set. What is switched off stands there as "none" or "off"."""
    settings = engine.settings
    cut = await engine.cut_in("")
    return {
        "kbot": version("kbot"),
        "set": set_fingerprint(corpus, questions),
        "questions": len(questions),
        "measured": only,
        "embedder": engine.embedder.name,
        "chunking": chunking_of(engine),
        "chunk_characters": settings.chunk_characters,
        "section_characters": settings.section_characters,
        "fusion": settings.fusion,
        "candidates": settings.candidates,
        "reranker": engine.reranker.name,
        "passages": settings.passages,
        "cut_confidence": round(cut.confidence, 6),
        "cut_nearness": round(cut.nearness, 6),
        "prompts": prompt_version(engine.persona),
        "model": engine.chat.name,
        "context_tokens": settings.context_tokens,
        "answer_tokens": settings.answer_tokens,
        "grammar": engine.chat.grammar,
        "reflection": mode_of(settings, engine.chat),
        "judge": judge.name,
    }


def set_fingerprint(corpus: Corpus, questions: Sequence[LabelledQuestion]) -> str:
    """What two runs share that measured the same questions, with the same labels, on the same documents."""
    digest = hashlib.sha256(corpus.fingerprint.encode())
    for question in questions:
        digest.update(repr(asdict(question)).encode())
    return digest.hexdigest()[:12]


def subsets(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """All outcomes, and those of each kind, in the order in which the set names them."""
    kinds = list(dict.fromkeys(outcome.kind for outcome in outcomes))
    found: dict[str, list[Outcome]] = {ALL: []}
    if len(kinds) > 1:
        found |= {kind: [outcome for outcome in outcomes if outcome.kind == kind] for kind in kinds}
    return found | {ALL: list(outcomes)}


def figures(outcomes: Sequence[Outcome], names: Container[str] | None = None) -> dict[str, Estimate]:
    """Every measure (of those named) that applies to some of the outcomes, by its name, with its interval."""
    wanted = [measure for measure in MEASURES if names is None or measure.name in names]
    found = {measure.name: estimate(measure, [outcome.found for outcome in outcomes]) for measure in wanted}
    return {name: figure for name, figure in found.items() if figure is not None}
