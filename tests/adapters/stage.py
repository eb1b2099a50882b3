"""kbot as a process of its own in front of a local chat platform, and what people there ask and see.

A `Stage` is one platform with a channel for each of many people; the scenarios of `scenes.py` are written against it
once.
"""

import asyncio
import os
import signal
import sys
import time
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fakes.discord import FakeDiscord, fake_discord
from fakes.platform import Faults, Seen, Traffic, View
from fakes.slack import FakeSlack, fake_slack

# Of the environment of whoever runs the tests only what a program needs: kbot's own settings and proxies stay out.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE", "COVERAGE_PROCESS_START")


@dataclass(frozen=True, slots=True)
class Question:
    """A message that somebody wrote to kbot."""

    channel: str
    id: str
    asked: float


class Stage(Protocol):
    """A platform under test. People number 0, 1, … each have a channel of the same number; the first is an admin."""

    name: str
    edit: str
    """The name of an edit in `traffic`."""
    most_per_minute: int | None
    """Edits that the platform takes in a minute, if it counts them so."""
    environment: dict[str, str]

    @property
    def faults(self) -> Faults: ...
    @property
    def traffic(self) -> Traffic: ...
    def deliver(self, times: int) -> None:
        """From now on everything is delivered so many times."""
        ...

    async def connected(self, count: int) -> None: ...
    async def ask(self, text: str, person: int = 0, files: Sequence[tuple[str, bytes]] = ()) -> Question:
        """Somebody writes to kbot in their channel."""
        ...

    async def edit_question(self, question: Question, text: str) -> None: ...
    async def delete_question(self, question: Question) -> None: ...
    async def delete_reply(self, seen: Seen) -> None:
        """A moderator deletes a message of kbot's."""
        ...

    async def click(self, seen: Seen, button: str, person: int = 0) -> None: ...
    def told(self, question: Question, person: int = 0) -> list[Seen]:
        """What kbot said where it answers the question, as a person sees it now, with what it tells that person
        alone."""
        ...

    def views(self, seen: Seen) -> list[View]: ...
    def pings(self) -> Sequence[object]: ...


@dataclass
class SlackStage:
    """A Slack workspace."""

    slack: FakeSlack
    people: list[str]
    channels: list[str]
    name: str = "slack"
    edit: str = "chat.update"
    most_per_minute: int | None = 50
    environment: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def faults(self) -> Faults:
        return self.slack.faults

    @property
    def traffic(self) -> Traffic:
        return self.slack.traffic

    def deliver(self, times: int) -> None:
        self.slack.deliver_times = times

    async def connected(self, count: int) -> None:
        await self.slack.connected(count, timeout=60)

    async def ask(self, text: str, person: int = 0, files: Sequence[tuple[str, bytes]] = ()) -> Question:
        channel, user = self.channels[person], self.people[person]
        added = [self.slack.add_file(name, content, _media_type(name), user) for name, content in files]
        ts = await self.slack.say(channel, user, text, mention=True, files=added)
        return Question(channel, ts, time.monotonic())

    async def edit_question(self, question: Question, text: str) -> None:
        await self.slack.edit(question.channel, question.id, text)

    async def delete_question(self, question: Question) -> None:
        await self.slack.delete(question.channel, question.id)

    async def delete_reply(self, seen: Seen) -> None:
        await self.slack.delete(self.slack.posts[seen.id].channel, seen.id)

    async def click(self, seen: Seen, button: str, person: int = 0) -> None:
        await self.slack.click(seen, button, self.people[person])

    def told(self, question: Question, person: int = 0) -> list[Seen]:
        return self.slack.replies_of_bot(question.channel, question.id, self.people[person])

    def views(self, seen: Seen) -> list[View]:
        return self.slack.views(seen.id)

    def pings(self) -> Sequence[object]:
        return self.slack.pings


@asynccontextmanager
async def slack_stage(people: int = 1) -> AsyncGenerator[SlackStage]:
    """A workspace with so many people."""
    # A team of its own, since the tests share a database, and with it the budgets of edits.
    async with fake_slack(FakeSlack(team=f"T{uuid.uuid4().hex[:8].upper()}")) as slack:
        slack.scopes |= {"channels:read", "groups:read"}
        users = [slack.add_user(f"pessoa{n}", admin=n == 0, owner=False, locale="pt-BR") for n in range(people)]
        channels = [slack.add_channel(f"canal{n}", [user]) for n, user in enumerate(users)]
        environment = {
            "KBOT_SLACK_BOT_TOKEN": slack.bot_token,
            "KBOT_SLACK_APP_TOKEN": slack.app_token,
            "KBOT_SLACK_API_URL": slack.api_url,
        }
        yield SlackStage(slack, users, channels, environment=environment)


@dataclass
class DiscordStage:
    """A Discord server."""

    discord: FakeDiscord
    people: list[str]
    channels: list[str]
    name: str = "discord"
    edit: str = "edit message"
    most_per_minute: int | None = None
    environment: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def faults(self) -> Faults:
        return self.discord.faults

    @property
    def traffic(self) -> Traffic:
        return self.discord.traffic

    def deliver(self, times: int) -> None:
        self.discord.deliver_times = times

    async def connected(self, count: int) -> None:
        await self.discord.connected(count, timeout=60)

    async def ask(self, text: str, person: int = 0, files: Sequence[tuple[str, bytes]] = ()) -> Question:
        channel = self.channels[person]
        message = await self.discord.say(channel, self.people[person], text, mention=True, files=files)
        return Question(channel, message, time.monotonic())

    async def edit_question(self, question: Question, text: str) -> None:
        await self.discord.edit(question.channel, question.id, text)

    async def delete_question(self, question: Question) -> None:
        await self.discord.delete(question.channel, question.id)

    async def delete_reply(self, seen: Seen) -> None:
        await self.discord.delete(self.discord.all_messages[seen.id].channel, seen.id)

    async def click(self, seen: Seen, button: str, person: int = 0) -> None:
        await self.discord.click(seen, button, self.people[person])

    def told(self, question: Question, person: int = 0) -> list[Seen]:
        """What refers to the question, what refers to that, and what the person alone sees in the channel."""
        found, known = list[Seen](), {question.id}
        for seen in self.discord.replies_of_bot(question.channel, user=self.people[person]):
            if seen.to or self.discord.all_messages[seen.id].reference in known:
                known.add(seen.id)
                found.append(seen)
        return found

    def views(self, seen: Seen) -> list[View]:
        return self.discord.views(seen)

    def pings(self) -> Sequence[object]:
        return self.discord.pings


@asynccontextmanager
async def discord_stage(people: int = 1) -> AsyncGenerator[DiscordStage]:
    """A server with so many people."""
    async with fake_discord() as discord:
        guild = discord.add_guild()
        users = [discord.add_member(guild, f"pessoa{n}", admin=n == 0, locale="pt-BR") for n in range(people)]
        channels = [discord.add_channel(guild, f"canal{n}") for n in range(people)]
        environment = {
            "KBOT_DISCORD_TOKEN": discord.token,
            "KBOT_DISCORD_API_URL": discord.api_url,
            "KBOT_DISCORD_GATEWAY_URL": discord.gateway_url,
        }
        yield DiscordStage(discord, users, channels, environment=environment)


class Running:
    """A process of kbot."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def log(self) -> str:
        """What it wrote to standard output and error so far."""
        return self._log.read_text()

    @property
    def living(self) -> bool:
        return self._process.returncode is None

    async def kill(self) -> None:
        """As a crash, or a machine that is switched off."""
        self._process.kill()
        await self._process.wait()

    async def stop(self, within: float = 15.0) -> tuple[int, float]:
        """Ask it to stop; its exit code, and the seconds that it took. A process that does not stop is killed, and a
        TimeoutError."""
        began = time.monotonic()
        if self.living:
            self._process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(within):
                code = await self._process.wait()
        except TimeoutError as error:
            await self.kill()
            raise TimeoutError(f"kbot did not stop within {within} s:\n{self.log}") from error
        return code, time.monotonic() - began


@asynccontextmanager
async def kbot(
    stage: Stage, folder: Path, *, settings: Mapping[str, str], processes: int = 1
) -> AsyncGenerator[list[Running]]:
    """`kbot run PLATFORM` in processes of its own, connected; stopped at the end, when their log must hold no
    traceback.

    `settings` are kbot's, without the prefix.
    """
    async with AsyncExitStack() as stack:
        running: list[Running] = []
        for n in range(processes):
            process = await _start(stage, folder, n, settings)
            stack.push_async_callback(_end, process)
            running.append(process)
        try:
            await stage.connected(processes)
        except TimeoutError as error:
            raise TimeoutError("\n".join(each.log for each in running)) from error
        yield running


async def _start(stage: Stage, folder: Path, number: int, settings: Mapping[str, str]) -> Running:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    given = {f"KBOT_{name.upper()}": str(value) for name, value in settings.items()}
    log = folder / f"kbot-{number}-{time.monotonic_ns()}.log"
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kbot", "run", stage.name),
            stdout=out,
            stderr=out,
            env={**kept, "KBOT_HOME": str(folder / "home"), "KBOT_REFLECTION": "off", **stage.environment, **given},
            cwd=folder,
        )
    return Running(process, log)


async def _end(running: Running) -> None:
    if running.living:
        await running.stop()
    assert "traceback" not in running.log.lower(), running.log


def _media_type(name: str) -> str:
    suffixes = {"pdf": "application/pdf", "md": "text/markdown", "txt": "text/plain", "png": "image/png"}
    return suffixes.get(name.rpartition(".")[2], "application/octet-stream")
