"""A real Postgres for the tests: one server for the session, a fresh database for each test that asks for one.

The server is the embedded one in a temporary home, or that of KBOT_TEST_DATABASE_URL, whose user may create databases.
"""

import asyncio
import os
import signal
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import hypothesis
import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from pydantic import SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from answering import Desk, desk_with_documents
from fakes.ollama import FakeOllama, fake_ollama
from kbot.database import Database, migrate, open_database, read_address
from kbot.embedded.server import running, supervised
from kbot.models import Embedder, open_embedder
from kbot.settings import Settings

TEMPLATE = f"kbot_template_{uuid.uuid4().hex[:12]}"
_GGUF = "~/.cache/kbot-test-model/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SHARED = Path(__file__).parents[2] / "shared"


def pytest_configure() -> None:
    """Programs that the tests start inherit what is ignored: a shell's background job ignores Ctrl-C. And no example is
    wrong for being slow."""
    hypothesis.settings.register_profile("untimed", deadline=None)
    hypothesis.settings.load_profile("untimed")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class ExplicitSettings(Settings):
    """Settings of what the test says and of defaults: neither the environment nor a `.env` leaks in."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


@asynccontextmanager
async def _created(server: str, template: str) -> AsyncGenerator[str]:
    name = f"kbot_test_{uuid.uuid4().hex[:12]}"
    async with await psycopg.AsyncConnection.connect(server, autocommit=True) as connection:
        await connection.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
        try:
            yield make_conninfo(server, dbname=name)
        finally:
            await connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[str]:
    """How to connect to the session's server, whose database is no test's."""
    address = os.environ.get("KBOT_TEST_DATABASE_URL")
    if address:
        yield read_address(address)
        return
    home = tmp_path_factory.mktemp("home")
    async with running(home) as embedded:
        yield embedded.conninfo
    async with asyncio.timeout(30):
        while supervised(home):
            await asyncio.sleep(0.02)


@pytest.fixture(scope="session")
async def template(server: str) -> AsyncGenerator[str]:
    """The name of a database with all migrations, of which the tests' databases are copies."""
    async with await psycopg.AsyncConnection.connect(server, autocommit=True) as connection:
        await connection.execute(SQL("CREATE DATABASE {}").format(Identifier(TEMPLATE)))
        await migrate(make_conninfo(server, dbname=TEMPLATE))
        yield TEMPLATE
        await connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(TEMPLATE)))


@pytest.fixture
async def empty_database(server: str) -> AsyncGenerator[str]:
    """How to connect to a fresh database without any table."""
    async with _created(server, "template0") as conninfo:
        yield conninfo


@pytest.fixture
async def settings(server: str, template: str, tmp_path: Path) -> AsyncGenerator[Settings]:
    """Settings that name a fresh, migrated database and a temporary home."""
    async with _created(server, template) as conninfo:
        yield ExplicitSettings(home=tmp_path / "home", database_url=SecretStr(conninfo), pool_size=4)


@pytest.fixture
async def database(settings: Settings) -> AsyncGenerator[Database]:
    """The database of `settings`, open."""
    async with open_database(settings, migrate=False) as opened:
        yield opened


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
def gguf_file() -> Path:
    """A real small model; what needs it is skipped where there is none."""
    path = Path(os.environ.get("KBOT_TEST_MODEL", _GGUF)).expanduser()
    if not path.is_file():
        pytest.skip("no GGUF model: set KBOT_TEST_MODEL to one")
    return path


@pytest.fixture
def shared() -> Path:
    """The folder of corpora and question sets beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is not there: these tests need the corpora beside the checkout")
    return SHARED
