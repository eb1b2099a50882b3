"""Which cut is in force: the one that `kbot eval calibrate` chose for an embedder, in one workspace or in all, else the
embedder's own."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from kbot.confidence import Cut, for_quoting
from kbot.database import Database
from kbot.models import Embedder

ALL_WORKSPACES = ""

# The workspace's own goes before that of all.
_CALIBRATED: LiteralString = """
SELECT workspace, confidence, nearness, labelled, questions, chosen_at FROM cuts
WHERE embedder = %(embedder)s AND (%(workspaces)s::text[] IS NULL OR workspace = ANY(%(workspaces)s))
ORDER BY workspace DESC
"""

_STORE: LiteralString = """
INSERT INTO cuts (workspace, embedder, confidence, nearness, labelled, questions)
VALUES (%(workspace)s, %(embedder)s, %(confidence)s, %(nearness)s, %(labelled)s, %(questions)s)
ON CONFLICT (workspace, embedder) DO UPDATE SET confidence = excluded.confidence, nearness = excluded.nearness,
  labelled = excluded.labelled, questions = excluded.questions, chosen_at = clock_timestamp()
"""

_FORGET: LiteralString = "DELETE FROM cuts WHERE workspace = %(workspace)s AND embedder = %(embedder)s"


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A cut that was chosen on so many questions of a labelled set, for one workspace or ("") for all."""

    workspace: str
    confidence: float
    nearness: float
    labelled: str
    questions: int
    chosen_at: datetime

    @property
    def cut(self) -> Cut:
        return Cut(self.confidence, self.nearness)

    def __str__(self) -> str:
        where = f"for workspace {self.workspace}" if self.workspace else "for all workspaces"
        return f"calibrated on {self.labelled} ({self.questions} questions, {self.chosen_at:%Y-%m-%d}) {where}"


@dataclass(frozen=True, slots=True)
class CutInForce:
    """The cut that questions are asked with, and in words where its numbers come from; `own` is what it would be if the
    operator had said nothing."""

    cut: Cut
    origin: str
    own: Cut

    def __str__(self) -> str:
        return f"confidence {self.cut.confidence:.3g}, nearness {self.cut.nearness:.3g}: {self.origin}"


async def cut_in_force(
    database: Database, embedder: Embedder, workspace: str, *, quoting: bool, said: float | None
) -> CutInForce:
    """The cut of a workspace: the calibrated one, else the embedder's own, milder unless the model is only `quoting`.
    The confidence is what the operator `said`, if anything."""
    found = await calibrated_cuts(database, embedder.name, [ALL_WORKSPACES, workspace])
    if found:
        cut, origin = found[0].cut, str(found[0])
    elif embedder.cut:
        cut = for_quoting(embedder.cut) if quoting else embedder.cut
        origin = f"the embedder's own{', for a model that only quotes' if quoting else ''}"
    else:
        cut, origin = Cut(0.0, 0.0), "none is known for this embedder, and nothing is refused before the model"
    if said is None:
        return CutInForce(cut, origin, cut)
    return CutInForce(replace(cut, confidence=said), f"confidence as KBOT_CUT says; nearness {origin}", cut)


async def calibrated_cuts(database: Database, embedder: str, workspaces: list[str] | None = None) -> list[Calibrated]:
    """The cuts that were chosen for an embedder, in some workspaces or (None) anywhere; those of single workspaces go
    before that of all."""
    values = {"workspaces": workspaces, "embedder": embedder}
    async with database.pool.reading() as connection:
        cursor = connection.cursor(row_factory=class_row(Calibrated))
        return await (await cursor.execute(_CALIBRATED, values)).fetchall()


async def store_cut(
    database: Database, embedder: str, cut: Cut, *, workspace: str, labelled: str, questions: int
) -> None:
    """Keep a cut that was chosen on so many questions of a labelled set; the next question is asked with it."""
    values = {
        "workspace": workspace,
        "embedder": embedder,
        "confidence": cut.confidence,
        "nearness": cut.nearness,
        "labelled": labelled,
        "questions": questions,
    }
    async with database.pool.connection() as connection:
        await connection.execute(_STORE, values)


async def forget_cut(database: Database, embedder: str, workspace: str) -> bool:
    """Drop the cut that was chosen for an embedder in a workspace, or in all; returns whether there was one."""
    async with database.pool.connection() as connection:
        gone = await connection.execute(_FORGET, {"workspace": workspace, "embedder": embedder})
        return bool(gone.rowcount)
