"""The Slack adapter in the tests' own process, in front of a local Slack."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

from in_process import served
from pydantic import SecretStr

from fakes.slack import FakeSlack
from kbot.chat import Bot
from kbot_slack.adapter import SlackAdapter
from kbot_slack.settings import SlackSettings


def settings(slack: FakeSlack, **more: Any) -> SlackSettings:
    """Settings for the local Slack, of which the environment says nothing."""
    given: dict[str, Any] = {
        "bot_token": SecretStr(slack.bot_token),
        "app_token": SecretStr(slack.app_token),
        "api_url": slack.api_url,
    }
    return cast(Any, SlackSettings)(_env_file=None, **(given | more))


@asynccontextmanager
async def running(slack: FakeSlack, bot: Bot, **more: Any) -> AsyncGenerator[SlackAdapter]:
    """The adapter serves the workspace while the block runs."""
    adapter = SlackAdapter(settings(slack, **more))
    async with served(adapter.run(bot), slack.connected()):
        yield adapter
