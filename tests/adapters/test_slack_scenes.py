"""The scenes on Slack."""

from collections.abc import AsyncGenerator

import pytest
from scenes import Scenes
from stage import SlackStage, slack_stage


class TestSlack(Scenes):
    @pytest.fixture
    async def stage(self) -> AsyncGenerator[SlackStage]:
        async with slack_stage(10) as stage:
            yield stage
