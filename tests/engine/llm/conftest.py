"""Providers that tests open are closed when each test is over, in its own event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.llm.model import Provider

OPENED: list[Provider] = []


@pytest.fixture(autouse=True)
async def _close_providers() -> AsyncIterator[None]:
    yield
    while OPENED:
        await OPENED.pop().close()
