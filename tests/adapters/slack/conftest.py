from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.bench.platforms.slack_workspace import Slack, running
from tests.adapters.slack.test_adapter import AT


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with running(Slack(minute_s=0.1)) as made:
        made._said.add(AT.thread)
        yield made
