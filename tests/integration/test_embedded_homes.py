"""The embedded server in homes that are new, deep, closed, foreign or broken."""

import asyncio
import os
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from embedded_users import copied, gone, postmaster, processes, start_user, supervisor, until, user, words
from psycopg.conninfo import conninfo_to_dict

from kbot.embedded.cluster import Layout
from kbot.embedded.server import running
from kbot.errors import DatabaseError


async def test_an_interrupted_first_start_is_begun_again(home: Path) -> None:
    layout = Layout(home / "postgres")
    starting = asyncio.create_task(start_user(home, "whole"))
    await until((layout.server / "data.new" / "PG_VERSION").exists)
    for process in processes(home):
        with suppress(psutil.NoSuchProcess):
            process.kill()
    assert (await starting).started == ""
    assert not layout.data.exists()
    async with user(home, "whole"):
        pass
    assert not (layout.server / "data.new").exists()
    assert await words(home) == ["whole"]


async def test_a_home_too_deep_for_a_socket(warm: Path) -> None:
    deep = warm / ("a-long-name-" * 8)
    deep.mkdir()
    (warm / "postgres").rename(deep / "postgres")
    async with running(deep) as server:
        host = Path(str(conninfo_to_dict(server.conninfo)["host"]))
        assert not host.is_relative_to(deep)
        assert stat.S_IMODE(host.stat().st_mode) == 0o700
        assert await words(deep) == ["first"]
    shutil.rmtree(host.parent)
    async with user(deep):
        pass
    await gone(deep)
    shutil.rmtree(host.parent)


async def test_a_socket_folder_of_somebody_else_is_not_trusted(warm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = warm / ("a-long-name-" * 8)
    deep.mkdir()
    with tempfile.TemporaryDirectory() as temporary:
        monkeypatch.setattr(tempfile, "tempdir", temporary)
        async with running(deep) as server:
            folder = Path(str(conninfo_to_dict(server.conninfo)["host"])).parent
        await gone(deep)
        folder.chmod(0o777)
        with pytest.raises(DatabaseError, match=f"{re.escape(str(folder))}.*KBOT_HOME"):
            await words(deep)


async def test_a_data_folder_of_another_version_is_refused(warm: Path) -> None:
    (Layout(warm / "postgres").data / "PG_VERSION").write_text("16\n")
    with pytest.raises(DatabaseError, match=r"made by Postgres 16.*brings Postgres 18.*KBOT_DATABASE_URL"):
        await words(warm)


async def test_a_server_that_cannot_start_says_its_last_words(warm: Path) -> None:
    layout = Layout(warm / "postgres")
    (layout.data / "postgresql.auto.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(DatabaseError, match=r"(?s)did not start.*no_such_setting"):
        await words(warm)
    (layout.data / "postgresql.auto.conf").write_text("")
    assert await words(warm) == ["first"]


async def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DatabaseError, match=f"{re.escape(str(tmp_path))}.*KBOT_HOME"):
        await words(tmp_path / "file" / "home")


async def test_words_of_people_stay_out_of_the_servers_log(warm: Path) -> None:
    async with (
        running(warm) as server,
        await psycopg.AsyncConnection.connect(server.conninfo, autocommit=True) as connection,
    ):
        await connection.execute("CREATE TABLE heard (word text PRIMARY KEY CHECK (word <> ''))")
        await connection.execute("INSERT INTO heard VALUES (%s)", ("confidential",))
        for word in ("confidential", ""):
            with pytest.raises(psycopg.IntegrityError):
                await connection.execute("INSERT INTO heard VALUES (%s) -- confidential", (word,))
        with pytest.raises(psycopg.errors.SyntaxError):
            await connection.execute("SELECT 'confidential' FROM")
    await gone(warm)
    log = Layout(warm / "postgres").log.read_text()
    assert "duplicate key" in log
    assert "confidential" not in log


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is turned into another user")
async def test_root_runs_postgres_as_another_user_below_a_closed_folder(warm: Path) -> None:
    closed = warm / "closed"
    closed.mkdir(mode=0o700)
    (warm / "postgres").rename(closed / "postgres")
    async with user(closed, "second"):
        status = Path(f"/proc/{postmaster(closed).pid}/status").read_text()
        assert postmaster(closed).uids().real != 0
        assert supervisor(closed).uids().real != 0
        # Of all capabilities it holds but CAP_DAC_READ_SEARCH (2), or CAP_DAC_OVERRIDE (1) where that is withheld.
        held = re.search(r"CapEff:\s*(\w+)", status)
        assert held is not None
        assert int(held[1], 16) in {1 << 1, 1 << 2}
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert await words(closed) == ["first", "second"]


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="takes root, and setpriv of util-linux")
async def test_root_without_capabilities_is_told_what_to_do(warm: Path) -> None:
    closed = warm / "closed"
    closed.mkdir(mode=0o700)
    (warm / "postgres").rename(closed / "postgres")
    both = "--bounding-set=-dac_read_search,-dac_override"
    assert (await start_user(closed, before=("setpriv", both))).started == ""
    report = Layout(closed / "postgres").report.read_text()
    assert "no other user can pass" in report
    assert "KBOT_HOME" in report
    one = await start_user(closed, before=("setpriv", "--bounding-set=-dac_read_search"))
    assert one.started
    await one.leave()


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root, to open all the parents and to see whom they are open to")
async def test_root_gives_no_capability_where_none_is_needed(made: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        copied(made, place)
        place.chmod(0o755)
        programs_open = all(parent.stat().st_mode & 0o001 for parent in Path(psycopg.__file__).parents)
        if not programs_open or not all(parent.stat().st_mode & 0o001 for parent in place.parents):
            pytest.skip("the programs or the temporary folder lie below a closed folder")
        async with user(place, "first"):
            status = Path(f"/proc/{postmaster(place).pid}/status").read_text()
            assert re.search(r"CapEff:\s*0+\n", status)
        await gone(place)
