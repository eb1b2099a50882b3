"""A workspace in a local Slack with kbot in it, as the people there have it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from slack_in_process import running

from answering import Desk
from fakes.platform import Seen
from fakes.slack import FakeSlack, fake_slack
from fakes.slack_views import Modal
from kbot.bot import Bot
from kbot_slack.adapter import SlackAdapter

CANTINA = "# Cantina {n}\n\nA cantina {n} serve almoço das onze e meia às catorze horas.\n"


@dataclass
class Team:
    """A workspace with kbot in it: ana is an admin, bruno is not; both are in one channel."""

    slack: FakeSlack
    adapter: SlackAdapter
    ana: str
    bruno: str
    channel: str

    async def reply(self, ts: str, words: str, channel: str = "") -> Seen:
        """kbot's reply to a message, once it holds the words."""
        there = channel or self.channel
        await self.slack.until(lambda: any(words in seen.text for seen in self.slack.replies_of_bot(there, ts)))
        (seen,) = self.slack.replies_of_bot(there, ts)
        return seen

    async def whispered(self, user: str, words: str, channel: str = "", thread: str | None = None) -> Seen:
        """What kbot tells a person alone, once it holds the words."""
        there = channel or self.channel

        def found() -> Seen | None:
            told = self.slack.replies_of_bot(there, thread, user)
            return next((seen for seen in told if seen.to == user and words in seen.text), None)

        seen = await self.slack.until(found)
        assert seen
        return seen

    async def modal(self, user: str, words: str) -> Modal:
        """What is open before a person, once it holds the words."""
        await self.slack.until(lambda: (modal := self.slack.modal(user)) and words in modal.text)
        modal = self.slack.modal(user)
        assert modal
        return modal


@asynccontextmanager
async def team_in_slack(desk: Desk) -> AsyncGenerator[Team]:
    async with fake_slack() as slack, Bot.open(await desk.engine()) as bot:
        ana = slack.add_user("ana", admin=True, locale="pt-BR")
        bruno = slack.add_user("bruno", locale="pt-BR")
        channel = slack.add_channel("geral", [ana, bruno])
        async with running(slack, bot) as adapter:
            yield Team(slack, adapter, ana, bruno, channel)
