"""The budget of edits that all processes share on a platform, kept in Postgres."""

from dataclasses import dataclass
from typing import LiteralString

from kbot.database import Database
from kbot.errors import DatabaseError
from kbot.logs import get_logger

log = get_logger(__name__)

# Finals may go this far beyond what is planned with: platforms give a little more than they say.
_SPARE = 5
_AWAY_SECONDS = 5.0

# Each reply that is being written will need a last edit: so many are kept back of what those in between may spend.
_SPEND: LiteralString = """
SELECT kbot_spend(%(workspace)s, %(budget)s,
  CASE %(kind)s
    WHEN 'final' THEN %(per_minute)s + %(spare)s
    WHEN 'status' THEN %(per_minute)s / 2
    ELSE %(per_minute)s - least(%(per_minute)s / 2, (
      SELECT count(*) FROM inbox
      WHERE workspace = %(workspace)s AND platform = %(platform)s AND state = 'claimed' AND writing
    )::int)
  END, %(kind)s <> 'final')
"""

_BAR: LiteralString = """
INSERT INTO budgets AS b (workspace, budget, barred_until)
VALUES (%(workspace)s, %(budget)s, clock_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (workspace, budget) DO UPDATE SET barred_until = greatest(b.barred_until, excluded.barred_until)
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """`per_minute` edits in any minute, for all who name the same workspace and budget.

    While the database is away nothing can be counted: finals are let through then, and nothing else.
    """

    database: Database
    workspace: str
    platform: str
    name: str
    per_minute: int

    async def spend(self, kind: str) -> float:
        """Spend one edit of a kind, "final", "growing" or "status" (a line about waiting, the first to be left out):
        0, or the seconds after which to ask again."""
        values = {
            **self._key(),
            "platform": self.platform,
            "per_minute": self.per_minute,
            "spare": _SPARE,
            "kind": kind,
        }
        try:
            async with self.database.pool.reading() as connection:
                row = await (await connection.execute(_SPEND, values)).fetchone()
        except DatabaseError as error:
            log.warning("edits_not_counted", error=str(error))
            return 0.0 if kind == "final" else _AWAY_SECONDS
        return row[0] if row else 0.0

    async def bar(self, seconds: float) -> None:
        """The platform asked to make no edit for so many seconds."""
        try:
            async with self.database.pool.reading() as connection:
                await connection.execute(_BAR, {**self._key(), "seconds": seconds})
        except DatabaseError as error:
            log.warning("edits_not_counted", error=str(error))

    def _key(self) -> dict[str, str]:
        return {"workspace": self.workspace, "budget": f"{self.platform}:{self.name}"}
