"""The pool and the migrations, against a real server."""

import asyncio
import socket
import sys
import traceback
from pathlib import Path

import psycopg
import pytest
from pgvector.psycopg import HalfVector
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier
from pydantic import SecretStr

from kbot.database import Database, migrate, open_database, pending, read_address
from kbot.errors import DatabaseUnreachable, MigrationError, SettingsError
from kbot.migration import read_migrations
from kbot.settings import Settings

PASSWORD = "s3cret-gänsefüßchen"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two small migrations."""
    place = tmp_path / "migrations"
    place.mkdir()
    (place / "0001_first.sql").write_text("CREATE TABLE first (id int);\nINSERT INTO first VALUES (1);")
    (place / "0002_second.sql").write_text("CREATE TABLE second (id int);")
    return place


def pointing(settings: Settings, address: str) -> Settings:
    return settings.model_copy(update={"database_url": SecretStr(address)})


async def fetch(conninfo: str, query: bytes) -> list[tuple[object, ...]]:
    async with await psycopg.AsyncConnection.connect(conninfo) as connection:
        return list(await (await connection.execute(query)).fetchall())


async def test_migrations_are_applied_once_and_in_order(empty_database: str, folder: Path) -> None:
    assert await pending(empty_database, folder) == ["0001_first.sql", "0002_second.sql"]
    assert await migrate(empty_database, folder) == ["0001_first.sql", "0002_second.sql"]
    assert await migrate(empty_database, folder) == []
    assert await pending(empty_database, folder) == []
    assert await fetch(empty_database, b"SELECT id FROM first") == [(1,)]


async def test_processes_that_migrate_at_once_apply_each_migration_once(empty_database: str, folder: Path) -> None:
    (folder / "0003_slow.sql").write_text("SELECT pg_sleep(0.3); INSERT INTO first VALUES (3);")
    program = (
        "import asyncio, pathlib, sys; from kbot.database import migrate;"
        "print(len(asyncio.run(migrate(sys.argv[1], pathlib.Path(sys.argv[2])))))"
    )
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, empty_database, folder), stdout=asyncio.subprocess.PIPE
        )
        for _ in range(4)
    ]
    outputs = [(await process.communicate())[0].decode().strip() for process in processes]
    assert sorted(outputs) == ["0", "0", "0", "3"]
    assert await fetch(empty_database, b"SELECT id FROM first ORDER BY id") == [(1,), (3,)]


async def test_many_tasks_that_migrate_at_once(empty_database: str, folder: Path) -> None:
    applied = await asyncio.gather(*(migrate(empty_database, folder) for _ in range(8)))
    assert sorted(len(names) for names in applied) == [0] * 7 + [2]


async def test_a_failing_migration_is_rolled_back_whole_and_named(empty_database: str, folder: Path) -> None:
    (folder / "0003_broken.sql").write_text("CREATE TABLE third (id int);\n\nINSERT INTO nowhere VALUES (1);")
    with pytest.raises(MigrationError, match=r'0003_broken\.sql failed in line 3 .*relation "nowhere" does not exist'):
        await migrate(empty_database, folder)
    assert await pending(empty_database, folder) == ["0003_broken.sql"]
    assert await fetch(empty_database, b"SELECT to_regclass('third'), to_regclass('second') IS NOT NULL") == [
        (None, True)
    ]


async def test_a_database_newer_than_the_program_is_refused(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder)
    (folder / "0002_second.sql").unlink()
    for step in (migrate, pending):
        with pytest.raises(MigrationError, match=r"newer than this kbot.*0002_second\.sql"):
            await step(empty_database, folder)


async def test_a_migration_changed_after_it_was_applied_is_refused(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder)
    first = folder / "0001_first.sql"
    first.write_bytes(first.read_bytes().replace(b"\n", b"\r\n"))
    assert await migrate(empty_database, folder) == []
    first.write_text("CREATE TABLE other (id int);")
    with pytest.raises(MigrationError, match=r"kbot whose 0001_first\.sql was another"):
        await migrate(empty_database, folder)


@pytest.mark.parametrize("name", ["first.sql", "01_first.sql", "0002_again.sql"])
def test_migrations_have_numbers_of_their_own(folder: Path, name: str) -> None:
    (folder / name).write_text("SELECT 1")
    with pytest.raises(MigrationError, match="number of its own"):
        read_migrations(folder)


async def test_a_user_without_rights_is_told_what_to_ask_for(empty_database: str, folder: Path) -> None:
    database = str(conninfo_to_dict(empty_database)["dbname"])
    role = f"{database}_guest"
    async with await psycopg.AsyncConnection.connect(empty_database, autocommit=True) as connection:
        await connection.execute(SQL("CREATE ROLE {} LOGIN PASSWORD 'guest'").format(Identifier(role)))
        try:
            guest = make_conninfo(empty_database, user=role, password="guest")
            with pytest.raises(MigrationError, match=f'ALTER DATABASE "{database}" OWNER TO "{role}"'):
                await migrate(guest, folder)
            await connection.execute(SQL("GRANT CREATE ON SCHEMA public TO {}").format(Identifier(role)))
            (folder / "0003_extension.sql").write_text("CREATE EXTENSION vector;")
            with pytest.raises(MigrationError, match="CREATE EXTENSION vector in"):
                await migrate(guest, folder)
        finally:
            await connection.execute(SQL("DROP OWNED BY {}").format(Identifier(role)))
            await connection.execute(SQL("DROP ROLE {}").format(Identifier(role)))
    (folder / "0003_extension.sql").write_text("CREATE EXTENSION vector_of_tomorrow;")
    with pytest.raises(MigrationError, match="Install pgvector"):
        await migrate(empty_database, folder)


async def test_the_migrations_of_the_package_are_applied_by_open_database(
    settings: Settings, empty_database: str
) -> None:
    async with open_database(pointing(settings, empty_database)) as database:
        assert not database.embedded
        assert database.version.split(".")[0].isdigit()
        assert await pending(database.conninfo) == []
        async with database.pool.connection() as connection:
            rows = await connection.execute("SELECT name FROM kbot_migrations ORDER BY name")
            assert [row[0] for row in await rows.fetchall()] == [migration.name for migration in read_migrations()]


async def test_a_database_that_is_not_migrated_can_be_looked_at(settings: Settings, empty_database: str) -> None:
    async with open_database(pointing(settings, empty_database), migrate=False) as database:
        assert await pending(database.conninfo) == [migration.name for migration in read_migrations()]
        async with database.pool.connection() as connection:
            assert await (await connection.execute("SELECT 1")).fetchone() == (1,)


async def test_half_vectors_and_their_arrays_go_in_by_copy_and_come_out(database: Database) -> None:
    rows: list[tuple[int, HalfVector | None, list[HalfVector] | None, list[str] | None]] = [
        (1, HalfVector([1, 2, 3]), [HalfVector([0.5, 0, -1]), HalfVector([4, 5, 6])], ["a", "b"]),
        (2, HalfVector([0, 0, 1]), [], []),
        (3, None, None, None),
    ]
    async with database.pool.connection() as connection:
        await connection.execute("CREATE TABLE copied (id int, whole halfvec, parts halfvec[], names text[])")
        for form in (SQL("BINARY"), SQL("TEXT")):
            async with connection.cursor().copy(SQL("COPY copied FROM STDIN (FORMAT {})").format(form)) as copy:
                copy.set_types(["int4", "halfvec", "halfvec[]", "text[]"])
                for row in rows:
                    await copy.write_row(row)
        await connection.execute("INSERT INTO copied VALUES (%s, %s, %s, %s)", rows[0])
        for binary in (False, True):
            stored = await connection.execute("SELECT * FROM copied ORDER BY id", binary=binary)
            # Half vectors have no equality; their repr shows every number.
            assert repr(await stored.fetchall()) == repr([rows[0]] * 3 + [rows[1]] * 2 + [rows[2]] * 2)


async def test_a_busy_pool_says_so(settings: Settings) -> None:
    small = settings.model_copy(update={"pool_size": 2})
    async with (
        open_database(small, migrate=False) as database,
        database.pool.connection(),
        database.pool.connection(),
    ):
        with pytest.raises(DatabaseUnreachable, match=r"All 2 database connections .* KBOT_POOL_SIZE"):
            async with database.pool.connection(timeout=0.2):
                pass


async def test_a_lost_connection_is_replaced(database: Database, server: str) -> None:
    async def lose_it() -> None:
        async with database.pool.connection() as connection:
            async with await psycopg.AsyncConnection.connect(server, autocommit=True) as other:
                await other.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
            await connection.execute("SELECT 1")

    with pytest.raises(DatabaseUnreachable, match="connection to Postgres was lost"):
        await lose_it()
    async with database.pool.connection() as connection:
        assert await (await connection.execute("SELECT 1")).fetchone() == (1,)


async def test_other_errors_of_a_block_stay_what_they_are(database: Database) -> None:
    async with database.pool.connection() as connection:
        await connection.execute("SET LOCAL statement_timeout = 20")
        with pytest.raises(psycopg.errors.QueryCanceled):
            await connection.execute("SELECT pg_sleep(5)")


@pytest.mark.parametrize("password", [PASSWORD, "sw0rd", "o", "p", "host", "%41 '\\"])
@pytest.mark.parametrize("wrong", ["port", "host", "database", "user", "ssl"])
async def test_an_unreachable_server_is_named_without_its_password(
    settings: Settings, server: str, wrong: str, password: str
) -> None:
    def told(secret: str) -> str:
        """The address with one thing wrong."""
        parts: dict[str, str] = {"dbname": "kbot", "user": "ana", "host": "127.0.0.1", "password": secret}
        match wrong:
            case "port":
                return make_conninfo("", **parts, port=port)
            case "host":
                return make_conninfo("", **{**parts, "host": "nowhere.invalid"})
            case "database":
                return make_conninfo(server, dbname="nothing", password=secret)
            case "user":
                return make_conninfo(server, user="nobody", password=secret)
            case _:
                return make_conninfo("", **parts, port=port, sslmode="verify-full", sslrootcert="/nowhere")

    words: list[str] = []
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for secret in (password, "quite-another"):
            elsewhere = pointing(settings, told(secret))
            with pytest.raises(DatabaseUnreachable, match="KBOT_DATABASE_URL") as caught:
                async with open_database(elsewhere):
                    pass
            shown = f"{''.join(traceback.format_exception(caught.value))} {elsewhere!r}"
            assert PASSWORD not in shown
            assert "***" not in str(caught.value)
            words.append(str(caught.value))
    assert words[0] == words[1], "the message hangs on the password"


@pytest.mark.parametrize(
    "address",
    [
        f"postgres//ana:{PASSWORD}@host/kbot",
        f"postgresql://ana:{PASSWORD}%@host/kbot",
        f"postgresql://ana:{PASSWORD}%zz@host/kbot",
        f"postgresql://ana:x@{PASSWORD}@host/kbot",
        f"postgresql://ana:{PASSWORD}/x@host/kbot",
        f"postgresql://ana:x/{PASSWORD}@host/kbot",
        f"host=localhost password=x {PASSWORD}",
        f"host=localhost pasword={PASSWORD}",
    ],
)
def test_an_address_that_cannot_be_read_is_not_shown(address: str) -> None:
    with pytest.raises(SettingsError, match="KBOT_DATABASE_URL") as caught:
        read_address(address)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


def test_an_address_keeps_what_it_says() -> None:
    assert conninfo_to_dict(read_address("postgresql://ana:p%40ss@db:5433/kbot?connect_timeout=3&sslmode=require")) == {
        "user": "ana",
        "password": "p@ss",
        "host": "db",
        "port": "5433",
        "dbname": "kbot",
        "connect_timeout": "3",
        "sslmode": "require",
        "application_name": "kbot",
    }


async def test_the_open_database_does_not_show_its_password(settings: Settings) -> None:
    assert settings.database_url is not None
    address = make_conninfo(settings.database_url.get_secret_value(), password=PASSWORD)
    async with open_database(pointing(settings, address)) as database:
        assert PASSWORD in database.conninfo
        assert PASSWORD not in repr(database)


async def test_windows_needs_a_server_of_its_own(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SettingsError, match="Windows"):
        async with open_database(settings.model_copy(update={"database_url": None})):
            pass
