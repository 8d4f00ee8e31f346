from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.platforms import MINUTE_S
from tests.stand_ins import discord_guild, slack_workspace
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.slack_server import APP_TOKEN
from tests.stand_ins.slack_workspace import Slack


@pytest.fixture
async def slack(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Slack]:
    async with slack_workspace.serve_slack(Slack(minute_s=MINUTE_S, acknowledge_s=PATIENCE_S)) as made:
        monkeypatch.setenv("SLACK_API_URL", f"{made.url}/api/")
        monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-T1")
        monkeypatch.setenv("SLACK_APP_TOKEN", APP_TOKEN)
        yield made


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Discord]:
    async with discord_guild.serve_discord(Discord(acknowledge_s=PATIENCE_S)) as made:
        monkeypatch.setenv("DISCORD_TOKEN", "token")
        yield made
