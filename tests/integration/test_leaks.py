"""What a place may not see is not found there, in any way of searching, and crowds nothing out."""

import uuid
from collections.abc import AsyncGenerator
from itertools import product

import numpy as np
import pytest
from knowledge import EVERYBODY, LEAVE, add, ask, fill, rows
from numpy.typing import NDArray
from pgvector.psycopg import HalfVector
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from kbot.chat import Place
from kbot.database import Database, open_database
from kbot.models import Embedder
from kbot.retrieval.statement import SCORES
from kbot.settings import Settings

FUSIONS = sorted(SCORES)


SECRET = "The salary of the director Zoraide Quintanilha is 98765 dollars in the secret ledger."
HR = Place("default", "slack:hr", private=True)
DM = Place("default", "slack:D0ZORAIDE", private=True)
OTHER_TEAM = Place("team-b", "slack:general")


@pytest.fixture
async def secrets(database: Database, embedder: Embedder) -> Database:
    """Secrets of a private channel, of a direct message and of another workspace, beside what everybody may see."""
    await fill(database, embedder)
    for n in range(3):
        await add(database, embedder, f"hr-{n}.md", f"{SECRET} Copy {n} is for HR only.", scope=HR.channel)
        await add(database, embedder, f"dm-{n}.md", f"{SECRET} Copy {n} is for the DM only.", scope=DM.channel)
        await add(
            database, embedder, f"b-{n}.md", f"{SECRET} Copy {n} is for team B only.", workspace=OTHER_TEAM.workspace
        )
    await add(database, embedder, "leave.md", f"{SECRET} This one shares a name.", scope=HR.channel)
    return database


async def test_a_place_finds_its_own_secrets_and_no_others(secrets: Database, embedder: Embedder) -> None:
    public = {"leave.md", "ferias.md", "phones.md", "office.pdf"}
    own = {
        EVERYBODY: set[str](),
        Place("default", ""): set[str](),
        Place("default", "discord:hr"): set[str](),
        Place("default", "slack:hr2"): set[str](),
        Place("default", "slack:hr%"): set[str](),
        HR: {"hr-0.md", "hr-1.md", "hr-2.md"},
        DM: {"dm-0.md", "dm-1.md", "dm-2.md"},
        Place("default", DM.channel, thread="17.3", private=True): {"dm-0.md", "dm-1.md", "dm-2.md"},
    }
    questions = (SECRET, "Zoraide Quintanilha salary 98765", "secret ledger", "leave")
    vectors = [await embedder.embeddings.aembed_query(question) for question in questions]
    for fusion, (place, secret) in product(FUSIONS, own.items()):
        for question, vector in zip(questions, vectors, strict=True):
            found = await ask(secrets, embedder, question, place, fusion=fusion, k=40, vector=vector)
            assert {passage.source for passage in found} <= public | secret
            shown = "".join(f"{p.text}{p.before}{p.after}{p.quote}{p.heading}" for p in found)
            assert ("98765" in shown) == bool(secret)
            assert not any(
                f"for {other}" in shown for other in ("HR", "the DM", "team B") if other not in place_words(place)
            )
        found = await ask(secrets, embedder, SECRET, place, fusion=fusion, k=40, vector=vectors[0])
        assert {passage.source for passage in found} >= secret


def place_words(place: Place) -> str:
    """How the secrets of a place name it."""
    return {HR.channel: "HR", DM.channel: "the DM"}.get(place.channel, "")


async def test_a_workspace_finds_its_own_and_no_others(secrets: Database, embedder: Embedder) -> None:
    for fusion in FUSIONS:
        for place in (OTHER_TEAM, Place("team-b", HR.channel), Place("team-b", "")):
            found = await ask(secrets, embedder, SECRET, place, fusion=fusion, k=40)
            assert {passage.source for passage in found} == {"b-0.md", "b-1.md", "b-2.md"}
        for stranger in (Place("team-c", ""), Place("", ""), Place("team-c", HR.channel)):
            assert await ask(secrets, embedder, SECRET, stranger, fusion=fusion) == []


@pytest.fixture
async def index_only(settings: Settings) -> AsyncGenerator[Database]:
    """A database whose planner takes the vector index wherever it can, as it would among millions of passages."""
    assert settings.database_url
    address = make_conninfo(
        settings.database_url.get_secret_value(), options="-c enable_seqscan=off -c enable_sort=off"
    )
    async with open_database(settings.model_copy(update={"database_url": SecretStr(address)}), migrate=False) as opened:
        yield opened


async def test_passages_that_may_not_be_seen_do_not_crowd_out_those_that_may(
    index_only: Database, embedder: Embedder
) -> None:
    await add(index_only, embedder, "leave.md", LEAVE)
    await add(index_only, embedder, "secret.md", SECRET, scope=HR.channel)
    vector = await embedder.embeddings.aembed_query("How many days of paid leave?")
    ((document,),) = await rows(index_only, "SELECT id FROM documents WHERE source = 'secret.md'")
    chance = np.random.default_rng(7)
    near = np.array(vector) + chance.normal(0, 0.01, (350, len(vector)))
    await stored(index_only, document, HR.channel, near)
    for fusion in ("dense", "sum"):
        found = await ask(index_only, embedder, "zzzz", fusion=fusion, vector=vector, k=40)
        assert [passage.source for passage in found] == ["leave.md", "leave.md"]
    # So many that may be seen that they are no longer compared one by one.
    ((other,),) = await rows(index_only, "SELECT id FROM documents WHERE source = 'leave.md'")
    await stored(index_only, other, "", chance.normal(0, 1, (600, len(vector))))
    for fusion in ("dense", "sum"):
        found = await ask(index_only, embedder, "zzzz", fusion=fusion, vector=vector, k=40)
        assert [passage.source for passage in found] == ["leave.md"] * 40
        assert found[0].text.startswith("# Leave")


async def stored(database: Database, document: object, scope: str, vectors: NDArray[np.float64]) -> None:
    """Passages of a document with these vectors, and no words."""
    async with database.pool.connection() as connection:
        await connection.cursor().executemany(
            "INSERT INTO chunks (workspace, id, document_id, scope, position, text, start_offset, end_offset, "
            "language, embedding, sentences, spans) "
            "VALUES ('default', %s, %s, %s, %s, '-', 0, 1, 'en', %s, ARRAY[%s], '{}')",
            [
                (uuid.uuid4(), document, scope, n, HalfVector(each.tolist()), HalfVector(each.tolist()))
                for n, each in enumerate(vectors, 10)
            ],
        )
        for total in (
            "UPDATE indexes SET passages = (SELECT count(*) FROM chunks)",
            "UPDATE scopes s SET passages = (SELECT count(*) FROM chunks c WHERE c.scope = s.scope)",
        ):
            await connection.execute(total.encode())
