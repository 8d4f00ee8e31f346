from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.bench.platforms.changes import PATIENCE_S
from bot.bench.platforms.slack_workspace import Slack, serve_slack
from tests.adapters.slack.test_adapter import AT


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serve_slack(Slack(minute_s=0.1, acknowledge_s=PATIENCE_S)) as made:
        made._said.add(AT.thread)
        yield made
