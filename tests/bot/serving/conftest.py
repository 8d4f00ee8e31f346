from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.bench.platforms import discord_guild, slack_workspace
from bot.bench.platforms.changes import PATIENCE_S
from bot.bench.platforms.discord_guild import Discord
from bot.bench.platforms.slack_server import APP_TOKEN
from bot.bench.platforms.slack_workspace import Slack
from tests.platforms import MINUTE_S


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
