"""Homes of embedded servers, each with a server of its own that has to be gone after the test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from embedded_users import copied, gone, user
from operators import Operator, write_set
from program import Program

from kbot.embedded.server import running
from kbot.extractive import ExtractiveChatModel
from kbot.models import Embedder
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
async def kbot(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Program]:
    """The program, with a home that the tests share; its server stays up between their runs."""
    folder = tmp_path_factory.mktemp("program")
    home = folder / "data"  # as docs/library.md has it
    async with running(home):
        yield Program(folder, {"KBOT_HOME": str(home), "KBOT_CHAT_MODEL": "extractive"})
    await gone(home)


@pytest.fixture
def operator(settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Operator:
    write_set(tmp_path)
    return Operator(settings.model_copy(update={"chat_model": "extractive"}), tmp_path, capsys)


@pytest.fixture(scope="session")
def quoting(embedder: Embedder) -> ExtractiveChatModel:
    """The model that quotes, with the real embedder."""
    return ExtractiveChatModel(embeddings=embedder.embeddings)
