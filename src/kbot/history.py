"""The last turns of a conversation, as the model is shown them."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import LiteralString

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from kbot.chat import Answer, Decision, Passage, Place
from kbot.database import Database
from kbot.grounding import strip_citations
from kbot.retrieval.search import scopes


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with its answer, stored without sources and without thinking; `standalone` is the question as it was
    searched for, "" where that is not known."""

    question: str
    answer: str
    standalone: str = ""


# A thread's conversation starts with the turn that opened it: the top-level message whose id the thread carries.
_LAST: LiteralString = """
SELECT question, answer, standalone FROM turns
WHERE workspace = %(workspace)s AND channel = %(channel)s
  AND (thread IS NOT DISTINCT FROM %(thread)s OR (thread IS NULL AND message_id = %(thread)s))
ORDER BY asked_at DESC LIMIT %(turns)s
"""

# An answer from a document that one channel alone may see is as private as that document.
_TURN: LiteralString = """
INSERT INTO turns (workspace, id, channel, thread, message_id, author, question, standalone, answer, grounded, refused,
  reason, private, model, model_calls, timings, decisions)
VALUES (%(workspace)s, %(id)s, %(channel)s, %(thread)s, %(message_id)s, %(author)s, %(question)s, %(standalone)s,
  %(answer)s, %(grounded)s, %(refused)s, %(reason)s,
  %(private)s OR EXISTS (
    SELECT FROM documents WHERE workspace = %(workspace)s AND id = ANY(%(documents)s::uuid[]) AND scope <> ''
  ), %(model)s, %(model_calls)s, %(timings)s, %(decisions)s)
"""

# The turn of a question that was edited since, or deleted.
_FORGET: LiteralString = """
DELETE FROM turns WHERE workspace = %(workspace)s AND channel = %(channel)s AND message_id = %(message_id)s
"""

# A document may have been forgotten while it was being read.
_READING: LiteralString = """
INSERT INTO readings (workspace, turn_id, position, document_id, passage)
SELECT %(workspace)s, %(turn_id)s, %(position)s, id, %(passage)s
FROM documents WHERE workspace = %(workspace)s AND id = %(document_id)s
"""

_READ_FOR: LiteralString = """
SELECT r.passage FROM readings r JOIN documents d ON d.workspace = r.workspace AND d.id = r.document_id
JOIN turns t ON t.workspace = r.workspace AND t.id = r.turn_id
WHERE r.workspace = %(workspace)s AND r.turn_id = %(turn_id)s AND t.channel = %(channel)s AND d.scope = ANY(%(scopes)s)
ORDER BY r.position
"""

_DECIDED: LiteralString = """
SELECT decisions FROM turns WHERE workspace = %(workspace)s AND id = %(turn_id)s AND channel = %(channel)s
"""

_READ: LiteralString = """
SELECT r.passage FROM readings r JOIN documents d ON d.workspace = r.workspace AND d.id = r.document_id
WHERE r.workspace = %(workspace)s AND d.scope = ANY(%(scopes)s) AND r.turn_id = (
  SELECT id FROM turns WHERE workspace = %(workspace)s AND channel = %(channel)s
    AND (thread IS NOT DISTINCT FROM %(thread)s OR (thread IS NULL AND message_id = %(thread)s))
  ORDER BY asked_at DESC LIMIT 1
)
ORDER BY r.position
"""


async def last_turns(database: Database, place: Place, turns: int) -> list[Turn]:
    """The last turns of a place, oldest first."""
    if not turns:
        return []
    values = {"workspace": place.workspace, "channel": place.channel, "thread": place.thread, "turns": turns}
    async with database.pool.connection() as connection:
        rows = await (await connection.execute(_LAST, values)).fetchall()
    return [Turn(*row) for row in reversed(rows)]


async def remember(
    database: Database, place: Place, answer: Answer, *, standalone: str, message_id: str | None, author: str
) -> str:
    """Store a turn, and what was read for it, in place of an earlier one of the same message; returns its id."""
    turn_id = uuid.uuid4()
    turn = {
        "workspace": place.workspace,
        "id": turn_id,
        "channel": place.channel,
        "thread": place.thread,
        "message_id": message_id,
        "author": author,
        "question": answer.question,
        "standalone": standalone,
        "answer": strip_citations(answer.text),
        "grounded": answer.grounded,
        "refused": answer.refused,
        "reason": answer.reason,
        "private": place.private,
        "documents": [passage.document_id for passage in answer.read],
        "model": answer.model,
        "model_calls": answer.model_calls,
        "timings": json.dumps(answer.timings),
        "decisions": json.dumps([asdict(decision) for decision in answer.decisions]),
    }
    readings = [
        {
            "workspace": place.workspace,
            "turn_id": turn_id,
            "position": position,
            "document_id": passage.document_id,
            "passage": json.dumps(asdict(passage)),
        }
        for position, passage in enumerate(answer.read, 1)
    ]
    async with database.pool.connection() as connection, connection.transaction():
        await connection.execute(_FORGET, turn)
        await connection.execute(_TURN, turn)
        if readings:
            await connection.cursor().executemany(_READING, readings)
    return str(turn_id)


async def forget_turn(database: Database, place: Place, message_id: str) -> None:
    """Drop the turn of a message: its question was taken back."""
    values = {"workspace": place.workspace, "channel": place.channel, "message_id": message_id}
    async with database.pool.connection() as connection:
        await connection.execute(_FORGET, values)


def as_messages(turns: Sequence[Turn]) -> list[BaseMessage]:
    """Turns as LangChain messages, for a `MessagesPlaceholder`."""
    return [
        message for turn in turns for message in (HumanMessage(content=turn.question), AIMessage(content=turn.answer))
    ]


async def last_read(database: Database, place: Place) -> list[Passage]:
    """What was read for the last answer in a place, as far as the place may still see it."""
    values = {
        "workspace": place.workspace,
        "channel": place.channel,
        "thread": place.thread,
        "scopes": scopes(place),
    }
    async with database.pool.connection() as connection:
        rows = await (await connection.execute(_READ, values)).fetchall()
    return [Passage(**passage) for (passage,) in rows]


async def read_for(database: Database, place: Place, turn_id: str) -> list[Passage]:
    """What was read for an answer of the place's channel, as far as the place may still see it."""
    values = {
        "workspace": place.workspace,
        "channel": place.channel,
        "turn_id": uuid.UUID(turn_id),
        "scopes": scopes(place),
    }
    async with database.pool.connection() as connection:
        rows = await (await connection.execute(_READ_FOR, values)).fetchall()
    return [Passage(**passage) for (passage,) in rows]


async def decided_for(database: Database, place: Place, turn_id: str) -> list[Decision]:
    """What was decided on the way to an answer of the place's channel, in order."""
    values = {"workspace": place.workspace, "channel": place.channel, "turn_id": uuid.UUID(turn_id)}
    async with database.pool.connection() as connection:
        row = await (await connection.execute(_DECIDED, values)).fetchone()
    return [Decision(**decision) for decision in row[0]] if row else []
