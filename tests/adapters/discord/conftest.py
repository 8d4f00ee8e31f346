from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.discord_guild import Discord, serve_discord
from tests.stand_ins.discord_server import CHANNEL


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Discord]:
    async with serve_discord(Discord(acknowledge_s=PATIENCE_S)) as made:
        made.threads["300"] = {"id": "300", "parent": CHANNEL, "name": "a survey", "archived": False, "locked": False}
        yield made
