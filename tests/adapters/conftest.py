"""What the tests of an adapter share where they add documents: a database of their module's own, and a team on it."""

from collections.abc import AsyncGenerator

import pytest
from slack_team import Team, team_in_slack

from answering import Desk, desk_with_documents
from kbot.models import Embedder


@pytest.fixture(scope="module")
async def own_desk(
    server: str, template: str, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Desk]:
    """A database of the module's own, for its tests add documents."""
    async with desk_with_documents(server, template, embedder, tmp_path_factory.mktemp("own")) as opened:
        yield opened


@pytest.fixture
async def team(own_desk: Desk) -> AsyncGenerator[Team]:
    """A workspace in a local Slack with kbot in it."""
    async with team_in_slack(own_desk) as opened:
        yield opened
