"""A thread in a local Slack, with an adapter that writes into it."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from slack_in_process import settings

from fakes.slack import FakeSlack, fake_slack
from kbot.chat import Place
from kbot_slack.adapter import SlackAdapter


@dataclass
class Thread:
    """A thread in a channel, as somebody there sees it: texts, sources, and where their links lead."""

    adapter: SlackAdapter
    slack: FakeSlack
    channel: str
    ts: str
    user: str

    @property
    def place(self) -> Place:
        return Place("default", f"slack:{self.channel}", self.ts)

    async def seen(self) -> str:
        lines: list[str] = []
        for seen in self.slack.replies_of_bot(self.channel, self.ts, self.user):
            links = re.findall(r"<(https?://[^|>]+)", str(self.slack.posts[seen.id].blocks))
            lines += [seen.text, *seen.sources, *links]
        return "\n".join(lines)

    @property
    def texts(self) -> list[str]:
        return [seen.text for seen in self.slack.replies_of_bot(self.channel, self.ts, self.user)]


async def thread_in(slack: FakeSlack, adapter: SlackAdapter, *, direct: bool = False) -> Thread:
    user = slack.add_user("ana", locale="pt-BR")
    channel = slack.direct(user).id if direct else slack.add_channel("geral", [user])
    return Thread(adapter, slack, channel, await slack.say(channel, user, "?"), user)


@asynccontextmanager
async def reading() -> AsyncGenerator[Thread]:
    async with fake_slack() as slack:
        adapter = SlackAdapter(settings(slack))
        async with adapter.connected():
            yield await thread_in(slack, adapter)
