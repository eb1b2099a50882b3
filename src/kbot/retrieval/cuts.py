"""The cuts that `kbot eval calibrate` chose, one an embedder, for one workspace or for all."""

from typing import LiteralString

from kbot.confidence import Cut
from kbot.database import Database

ALL_WORKSPACES = ""

# The workspace's own goes before that of all.
_CUT: LiteralString = """
SELECT confidence, nearness FROM cuts WHERE workspace = ANY(%(workspaces)s) AND embedder = %(embedder)s
ORDER BY workspace DESC LIMIT 1
"""

_STORE: LiteralString = """
INSERT INTO cuts (workspace, embedder, confidence, nearness, labelled, questions)
VALUES (%(workspace)s, %(embedder)s, %(confidence)s, %(nearness)s, %(labelled)s, %(questions)s)
ON CONFLICT (workspace, embedder) DO UPDATE SET confidence = excluded.confidence, nearness = excluded.nearness,
  labelled = excluded.labelled, questions = excluded.questions, chosen_at = clock_timestamp()
"""


async def calibrated_cut(database: Database, embedder: str, workspace: str) -> Cut | None:
    """The cut that was chosen for an embedder in a workspace, or in all; None where none was."""
    values = {"workspaces": [ALL_WORKSPACES, workspace], "embedder": embedder}
    async with database.pool.reading() as connection:
        row = await (await connection.execute(_CUT, values)).fetchone()
    return Cut(*row) if row else None


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
