"""The Slack adapter in the tests' own process, in front of a local Slack."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

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
    task = asyncio.create_task(adapter.run(bot))
    try:
        connected = asyncio.create_task(slack.connected())
        await asyncio.wait({task, connected}, return_when=asyncio.FIRST_COMPLETED)
        connected.cancel()
        if task.done():
            task.result()
        yield adapter
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
