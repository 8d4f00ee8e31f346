from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.adapters.slack.test_adapter import AT
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.slack_workspace import Slack, serve_slack


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serve_slack(Slack(minute_s=0.1, acknowledge_s=PATIENCE_S)) as made:
        made._said.add(AT.thread)
        yield made
