"""Homes of embedded servers, each with a server of its own that has to be gone after the test; the real embedder."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from answering import Desk, desk_with_documents
from embedded_users import copied, gone, user
from program import Program

from fakes.ollama import FakeOllama, fake_ollama
from kbot.embedded.server import running
from kbot.models import Embedder, open_embedder
from kbot.settings import Settings


@pytest.fixture
async def home(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Path]:
    """An empty home; after the test no process of its server is left."""
    place = tmp_path_factory.mktemp("home")
    yield place
    await gone(place)


@pytest.fixture(scope="session")
async def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose server has been made and has stopped; the table `kept` holds "first"."""
    place = tmp_path_factory.mktemp("made")
    async with user(place, "first"):
        pass
    await gone(place)
    return place


@pytest.fixture
async def warm(made: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Path]:
    """A copy of `made`; after the test no process of its server is left."""
    place = tmp_path_factory.mktemp("warm")
    copied(made, place)
    yield place
    await gone(place)


@pytest.fixture(scope="session")
async def embedder() -> Embedder:
    """kbot's own embedder, loaded once."""
    return await open_embedder(Settings(embedding_model="embedded"))


@pytest.fixture(scope="session")
async def desk(
    server: str, template: str, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Desk]:
    """A database with a few documents, which tests share: each asks in a channel of its own."""
    async with desk_with_documents(server, template, embedder, tmp_path_factory.mktemp("desk")) as opened:
        yield opened


@pytest.fixture
async def model() -> AsyncGenerator[FakeOllama]:
    """A scripted Ollama, which says what a test wants."""
    async with fake_ollama() as script:
        yield script


@pytest.fixture(scope="session")
async def kbot(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Program]:
    """The program, with a home that the tests share; its server stays up between their runs."""
    folder = tmp_path_factory.mktemp("program")
    home = folder / "data"  # as docs/library.md has it
    async with running(home):
        yield Program(folder, {"KBOT_HOME": str(home), "KBOT_CHAT_MODEL": "extractive"})
    await gone(home)
