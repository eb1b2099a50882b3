"""What people asked and said of the answers, as labelled questions: a team's own evaluation."""

from typing import Any, LiteralString

from psycopg.rows import dict_row

from kbot.database import Database
from kbot.language import detect_language

# Of spellings of one question the newest stands for all. A gap is one no longer once the question was answered. A
# follow-up as it stands alone says what went before it, which may have been private.
_ASKED: LiteralString = """
SELECT DISTINCT ON (kbot_question_key(t.standalone)) t.id::text, t.standalone AS question, t.answer, t.grounded,
  t.reason, said.helpful, said.unhelpful, read.relevant
FROM turns t
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE o.opinion = 'helpful') AS helpful,
    count(*) FILTER (WHERE o.opinion = 'unhelpful') AS unhelpful
  FROM opinions o WHERE o.workspace = t.workspace AND o.turn_id = t.id
) said
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(r.label ORDER BY r.position), '{}') AS relevant FROM (
    SELECT passage->>'source' || coalesce('#' || (passage->>'page'), '') AS label, min(position) AS position
    FROM readings WHERE workspace = t.workspace AND turn_id = t.id AND (passage->>'cited')::boolean GROUP BY 1
  ) r
) read
WHERE t.workspace = %(workspace)s AND (%(private)s OR (NOT t.private AND (t.standalone = t.question OR NOT EXISTS (
    SELECT FROM turns before WHERE before.workspace = t.workspace AND before.channel = t.channel AND before.private
      AND before.asked_at < t.asked_at
  ))))
  AND (said.helpful + said.unhelpful > 0 OR (NOT t.grounded AND NOT EXISTS (
    SELECT FROM turns later
    WHERE later.workspace = t.workspace AND later.grounded AND later.asked_at > t.asked_at
      AND kbot_question_key(later.standalone) = kbot_question_key(t.standalone)
  )))
ORDER BY kbot_question_key(t.standalone), t.asked_at DESC
"""

_ASK_ONE = "Somebody found this of no help. Say whether the documents answer it, and where."
_ASK_UNCITED = "The answer cited nothing. Say whether the documents answer it, and where."


async def labelled_rows(database: Database, workspace: str, *, private: bool) -> list[dict[str, Any]]:
    """The questions of a workspace that somebody judged or that were left unanswered, in the shape of
    `kbot.evaluation.labelled`; those asked in private, and follow-ups where something private went before, only if
    wanted.

    A helpful answer labels what it cited. A refusal counts as right unless somebody found it of no help; such, and
    answers of no help, have `answerable` null and a `note` for whoever labels them.
    """
    values = {"workspace": workspace, "private": private}
    async with database.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_ASKED, values)
        return [_labelled(row) for row in await cursor.fetchall()]


def _labelled(row: dict[str, Any]) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "id": row["id"],
        "question": row["question"],
        "lang": detect_language(row["question"]),
        "answerable": None,
        "relevant": [],
        "answers": [],
    }
    if row["unhelpful"] >= max(row["helpful"], 1):
        return {**shape, "type": "unhelpful", "note": _ASK_ONE}
    if row["grounded"]:
        known = {"answerable": True, "relevant": row["relevant"], "answers": [row["answer"].strip()]}
        return {**shape, **known, "type": "helpful"}
    if row["reason"] == "uncited":
        return {**shape, "type": "gap", "note": _ASK_UNCITED}
    return {**shape, "answerable": False, "type": "gap"}
