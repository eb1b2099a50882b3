"""The runs in Postgres: kept with what came of every question, found by name or number."""

import json
from dataclasses import asdict
from typing import Any, LiteralString
from uuid import UUID

from psycopg.rows import dict_row

from kbot.characters import storable
from kbot.database import Database
from kbot.errors import SettingsError
from kbot.evaluation.run import Run
from kbot.evaluation.trial import JudgedClaim, Outcome

_KEEP: LiteralString = """
INSERT INTO evaluation_runs (workspace, id, name, labelled, configuration, started_at, finished_at)
VALUES (%(workspace)s, %(id)s, %(name)s, %(labelled)s, %(configuration)s, %(started_at)s, %(finished_at)s)
"""

_KEEP_OUTCOME: LiteralString = """
INSERT INTO evaluation_outcomes (workspace, run_id, question, position, text, kind, answerable, found, answer, reason,
  claims)
VALUES (%(workspace)s, %(run_id)s, %(question)s, %(position)s, %(text)s, %(kind)s, %(answerable)s, %(found)s,
  %(answer)s, %(reason)s, %(claims)s)
"""

# Asking leaves turns behind; in a corpus's workspace nobody comes back to them, and its gaps are no team's.
_FORGET_TURNS: LiteralString = "DELETE FROM turns WHERE workspace = %s"

_RUNS: LiteralString = """
SELECT id::text, workspace, name, labelled, configuration, started_at, finished_at FROM evaluation_runs
ORDER BY started_at
"""

_OUTCOMES: LiteralString = """
SELECT question, text, kind, answerable, found, answer, reason, claims FROM evaluation_outcomes
WHERE workspace = %(workspace)s AND run_id = %(id)s ORDER BY position
"""


async def keep(database: Database, run: Run) -> None:
    """Store a run, whole."""
    row = {
        "workspace": run.workspace,
        "id": UUID(run.id),
        "name": storable(run.name),
        "labelled": storable(run.labelled),
        "configuration": json.dumps(dict(run.configuration)),
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }
    outcomes = [
        {
            "workspace": run.workspace,
            "run_id": UUID(run.id),
            "position": position,
            "question": storable(outcome.question),
            "text": storable(outcome.text),
            "kind": storable(outcome.kind),
            "answerable": outcome.answerable,
            "found": json.dumps(dict(outcome.found)),
            "answer": storable(outcome.answer),
            "reason": outcome.reason,
            "claims": json.dumps([asdict(claim) for claim in outcome.claims]),
        }
        for position, outcome in enumerate(run.outcomes)
    ]
    async with database.pool.connection() as connection, connection.transaction():
        await connection.execute(_KEEP, row)
        await connection.cursor().executemany(_KEEP_OUTCOME, outcomes)
        await connection.execute(_FORGET_TURNS, (run.workspace,))


async def kept_runs(database: Database) -> list[Run]:
    """Every run, oldest first."""
    return [await _whole(database, row) for row in await _headers(database)]


async def find_run(database: Database, named: str) -> Run:
    """The newest run of that name, or the one whose id begins so. Raises SettingsError where there is none, or where
    an id's beginning is that of several."""
    rows = await _headers(database)
    found = [row for row in rows if row["name"] == named][-1:]
    found = found or [row for row in rows if named and row["id"].startswith(named.lower())]
    if len(found) == 1:
        return await _whole(database, found[0])
    what = "Several runs have ids that begin with" if found else "There is no run"
    raise SettingsError(f"{what} {named!r}. `kbot eval runs` lists them by name and id.")


async def newest_run(database: Database, labelled: str) -> Run | None:
    """The newest run of a labelled set."""
    rows = [row for row in await _headers(database) if row["labelled"] == labelled]
    return await _whole(database, rows[-1]) if rows else None


async def _headers(database: Database) -> list[dict[str, Any]]:
    async with database.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_RUNS)
        return await cursor.fetchall()


async def _whole(database: Database, header: dict[str, Any]) -> Run:
    async with database.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_OUTCOMES, {"workspace": header["workspace"], "id": UUID(header["id"])})
        return Run(**header, outcomes=tuple(_outcome(row) for row in await cursor.fetchall()))


def _outcome(row: dict[str, Any]) -> Outcome:
    claims: list[dict[str, Any]] = row.pop("claims")
    return Outcome(**row, claims=tuple(_claim(**claim) for claim in claims))


def _claim(cites: list[int], **rest: Any) -> JudgedClaim:
    return JudgedClaim(cites=tuple(cites), **rest)
