"""The embedded server: shared by processes, stopped with the last, whole after every kind of kill."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from embedded_users import gone, postmaster, processes, start_user, supervisor, until, user, words

from kbot.database import open_database
from kbot.embedded.cluster import Layout
from kbot.embedded.server import supervised
from kbot.errors import DatabaseUnreachable
from kbot.settings import Settings


async def test_processes_share_a_server_that_stops_with_the_last(warm: Path) -> None:
    async with user(warm) as first:
        async with user(warm) as second:
            assert first.started == second.started
            await first.leave()
            assert supervised(warm)
            assert len(processes(warm)) > 2
        await gone(warm)
    assert await words(warm) == ["first"]


async def test_processes_that_start_at_once_on_an_empty_home(home: Path) -> None:
    users = await asyncio.gather(*(start_user(home) for _ in range(6)))
    assert len({each.started for each in users}) == 1
    assert users[0].started
    await asyncio.gather(*(each.leave() for each in users))


async def test_comings_and_goings_never_meet_a_stopping_server(warm: Path) -> None:
    async def come_and_go() -> None:
        for _ in range(6):
            assert await words(warm) == ["first"]

    await asyncio.gather(*(come_and_go() for _ in range(3)))
    for _ in range(3):
        assert await words(warm) == ["first"]
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_killed_user_leaves_no_server(warm: Path, number: signal.Signals) -> None:
    async with user(warm) as other:
        victim = await start_user(warm, "second")
        victim.process.send_signal(number)
        await victim.process.wait()
        async with user(warm) as third:
            assert third.started == other.started
        other.process.send_signal(number)
        await other.process.wait()
    await gone(warm)
    assert await words(warm) == ["first", "second"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_killed_supervisor_takes_its_server_along_and_the_next_user_starts_anew(
    warm: Path, number: signal.Signals
) -> None:
    async with user(warm, "second") as first:
        supervisor(warm).send_signal(number)
        async with user(warm, "third") as second:
            assert second.started != first.started
    await gone(warm)
    assert await words(warm) == ["first", "second", "third"]


async def test_a_killed_postmaster_loses_nothing(warm: Path) -> None:
    async with user(warm, "second") as first:
        # The very last commit is in the log alone: no checkpoint has passed.
        postmaster(warm).kill()
        async with user(warm, "third") as second:
            assert second.started != first.started
    await gone(warm)
    assert await words(warm) == ["first", "second", "third"]


async def test_all_killed_at_once_and_their_process_ids_in_use_again(warm: Path) -> None:
    async with user(warm, "second") as first:
        for process in processes(warm):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        first.process.kill()
        await first.process.wait()
    await gone(warm)
    layout = Layout(warm / "postgres")
    stale = layout.data / "postmaster.pid"
    lines = stale.read_text().splitlines()
    # This very process is alive, and is no postmaster.
    stale.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    (layout.server / ".s.PGSQL.5432.lock").write_text("\n".join([str(os.getpid()), *lines[1:5]]) + "\n")
    assert await words(warm) == ["first", "second"]


async def test_a_long_lived_process_gets_its_server_back(warm: Path, settings: Settings) -> None:
    async with open_database(
        settings.model_copy(update={"home": warm, "database_url": None}), migrate=False
    ) as database:
        assert database.embedded
        assert database.data == Layout(warm / "postgres").data

        async def ask() -> str:
            async with database.pool.connection() as connection:
                row = await (await connection.execute("SELECT string_agg(word, ' ') FROM kept")).fetchone()
                assert row is not None
                return row[0]

        async def be_cut() -> None:
            async with database.pool.connection() as connection:
                postmaster(warm).kill()
                await connection.execute("SELECT pg_sleep(10)")

        assert await ask() == "first"
        with pytest.raises(DatabaseUnreachable, match="was lost"):
            await be_cut()
        assert await ask() == "first"
        server = postmaster(warm)
        supervisor(warm).kill()
        await until(lambda: not server.is_running())
        assert await ask() == "first"
