"""Cutting where a chat model proposes it: what it is asked, what is made of its answers, and of nonsense."""

import json
from pathlib import Path

import pytest
from knowledge import EVERYBODY, miscounted, receipts, rows

from fakes.ollama import FakeOllama
from kbot.database import Database
from kbot.ingestion.cutting import cutting
from kbot.ingestion.jobs import Shelf, ingest, uploads
from kbot.ingestion.proposed import cut_as_proposed, read_proposal, worthy
from kbot.library import reindex
from kbot.models import ChatModel, Embedder, open_chat_model
from kbot.retrieval.search import search
from kbot.settings import Chunking, Settings

TALK = "\n".join(
    f"{name}: {topic}, this is what I have to say about it, number {n}."
    for n, (name, topic) in enumerate(zip(["Ana", "Leo"] * 9, ["The roster"] * 6 + ["The budget"] * 12, strict=True), 1)
)
BUDGET = TALK.index("Ana: The budget")


@pytest.fixture
async def chat(settings: Settings, model: FakeOllama, embedder: Embedder) -> ChatModel:
    there = settings.model_copy(update={"chat_model": "ollama:llama3.2", "ollama_url": model.url})
    return await open_chat_model(there, embedder)


def shown(model: FakeOllama, request: int = -1) -> list[str]:
    """The numbered lines that the model was asked about."""
    asked = model.requests[request]["messages"][-1]["content"]
    return [line for line in asked.splitlines() if line[:1].isdigit()]


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("[4, 9]", [3, 8]),
        ("Sure: [9, 4, 4].", [3, 8]),
        ("```json\n[1]\n```", [0]),
        ("[]", []),
        ("[0]", None),
        ("[11]", None),
        ('["4"]', None),
        ("[4.5]", None),
        ("[true]", None),
        ("[4, 9", None),
        ("lines 4 and 9", None),
        ("", None),
        ("[1, 2, 3, 4, 5, 6, 7, 8]", None),
        ('{"new": [2]}', [1]),
    ],
)
def test_an_answer_is_a_list_of_lines_or_nothing(said: str, places: list[int] | None) -> None:
    assert read_proposal(said, 10) == places


def test_nothing_too_short_is_cut_off_but_at_pages() -> None:
    assert worthy([100, 130, 500, 980], [120], 1000, 800) == [0, 100, 120, 500]
    assert worthy([], [], 0, 800) == [0]
    assert worthy([990], [990], 1000, 800) == [0, 990]


async def test_a_talk_is_cut_where_the_model_says(chat: ChatModel, model: FakeOllama) -> None:
    model.words = ["[7", "]"]
    found = await cut_as_proposed(chat, TALK, [], 1600, kind="transcript", timeout=5)
    assert found.spans == [(0, BUDGET), (BUDGET, len(TALK))]
    assert (found.windows, found.used) == (1, 1)
    lines = shown(model)
    assert len(lines) == 18
    assert lines[6].startswith("7: Ana: The budget, this is what")
    assert "a new subject of the conversation" in model.requests[-1]["messages"][0]["content"]


async def test_a_long_talk_is_shown_in_windows_that_begin_with_a_subject(chat: ChatModel, model: FakeOllama) -> None:
    long = "\n".join([TALK] * 4)
    model.answers = [["[7, 19]"], ["[]"], ["nonsense"], ["[2]"]]
    model.words = ["[]"]
    found = await cut_as_proposed(chat, long, [], 1600, kind="transcript", timeout=5)
    assert shown(model, 1)[0].split(": ", 1)[1] == shown(model, 0)[18].split(": ", 1)[1], "from the last new subject"
    assert (found.windows, found.used) == (4, 3)
    assert found.spans[0] == (0, BUDGET)
    assert all(high - low <= 1600 for low, high in found.spans), "what is not proposed is cut by length"
    assert "".join(long[low:high] for low, high in found.spans) == long


@pytest.mark.parametrize("behaviour", ["fails", "cut", "silent"])
async def test_a_model_that_fails_leaves_the_rest_to_be_cut_by_length(
    chat: ChatModel, model: FakeOllama, behaviour: str
) -> None:
    model.behaviour = behaviour  # pyright: ignore[reportAttributeAccessIssue]  # one of those it knows
    found = await cut_as_proposed(chat, TALK * 3, [], 600, kind="transcript", timeout=0.3)
    assert found.used == 0
    assert found.windows >= 2
    assert "".join((TALK * 3)[low:high] for low, high in found.spans) == TALK * 3
    assert len(model.requests) == (1 if behaviour == "silent" else found.windows), "one that hangs is not asked again"


def by_model(settings: Settings) -> Settings:
    return settings.model_copy(update={"chunking": Chunking("recursive", (("transcript", "model"),))})


async def test_a_receipt_tells_what_was_not_proposed(
    database: Database, embedder: Embedder, settings: Settings, chat: ChatModel, model: FakeOllama, tmp_path: Path
) -> None:
    (tmp_path / "talk.txt").write_text(TALK, encoding="utf-8")
    (tmp_path / "plain.txt").write_text("Everybody has 25 days of leave in a year.", encoding="utf-8")
    how, files = by_model(settings), uploads([str(tmp_path)])
    plain, without = await receipts(database, embedder, how, files)
    assert (plain.reason, plain.chunks) == ("", 1)
    assert without.status == "added"
    assert "there is none that writes" in without.reason
    shelf = Shelf("default")
    model.words = ["[7]"]
    asked = [r async for r in ingest(database, embedder, how, files, shelf, chat=chat)]
    assert [(r.status, r.chunks) for r in asked] == [("duplicate", 1), ("replaced", 2)], "now there is a model"
    assert asked[1].reason == ""
    assert len(model.requests) == 1, "only the talk was shown to it"
    again = [r async for r in ingest(database, embedder, how, files, shelf, chat=chat)]
    assert [r.status for r in again] == ["duplicate", "duplicate"]
    assert len(model.requests) == 1, "what is unchanged is not proposed for anew"
    model.words = ["I think that it is the seventh."]
    (tmp_path / "talk.txt").write_text(TALK + "\nAna: The end.", encoding="utf-8")
    nonsense = [r async for r in ingest(database, embedder, how, files, shelf, chat=chat)]
    assert "1 of its 1 parts were cut by length, since ollama:llama3.2 proposed nothing of use" in nonsense[1].reason
    assert await miscounted(database) == []


async def test_reindexing_cuts_anew_as_the_settings_say_now(
    database: Database, embedder: Embedder, settings: Settings, chat: ChatModel, model: FakeOllama, tmp_path: Path
) -> None:
    (tmp_path / "talk.txt").write_text(TALK, encoding="utf-8")
    await receipts(database, embedder, settings, uploads([str(tmp_path)]))
    model.words = [json.dumps([7])]
    names = [n async for n in reindex(database, embedder, "default", cutting=cutting(by_model(settings)), chat=chat)]
    assert names == ["talk.txt"]
    assert await rows(database, "SELECT start_offset FROM chunks ORDER BY position") == [(0,), (BUDGET,)]
    found = await search(database, embedder, "What is said about the budget?", EVERYBODY)
    assert found[0].text.startswith("Ana: The budget")
    assert await miscounted(database) == []


async def test_what_a_receipt_advises_has_the_document_cut_as_proposed(
    database: Database, embedder: Embedder, settings: Settings, chat: ChatModel, model: FakeOllama, tmp_path: Path
) -> None:
    (tmp_path / "talk.txt").write_text(TALK, encoding="utf-8")
    how, files = by_model(settings), uploads([str(tmp_path)])
    starts = "SELECT start_offset FROM chunks ORDER BY position"

    async def as_advised() -> None:
        model.words = ["[7]"]
        names = [n async for n in reindex(database, embedder, "default", cutting=cutting(how), chat=chat)]
        assert names == ["talk.txt"]
        assert await rows(database, starts) == [(0,), (BUDGET,)]

    (without,) = await receipts(database, embedder, how, files)
    assert without.reason.endswith("set KBOT_CHAT_MODEL and run `kbot reindex`.")
    await as_advised()
    model.words = ["I think that it is the seventh."]
    (tmp_path / "talk.txt").write_text(TALK + "\nAna: The end.", encoding="utf-8")
    (nonsense,) = [r async for r in ingest(database, embedder, how, files, Shelf("default"), chat=chat)]
    assert "set another KBOT_CHAT_MODEL and run `kbot reindex`" in nonsense.reason
    assert await rows(database, starts) != [(0,), (BUDGET,)]
    await as_advised()
