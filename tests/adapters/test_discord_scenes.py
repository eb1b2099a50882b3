"""The scenes on Discord."""

from collections.abc import AsyncGenerator

import pytest
from scenes import Scenes
from stage import DiscordStage, discord_stage


class TestDiscord(Scenes):
    @pytest.fixture
    async def stage(self) -> AsyncGenerator[DiscordStage]:
        async with discord_stage(10) as stage:
            yield stage
