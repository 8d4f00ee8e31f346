"""What the tests of online services share: a clock that tests move, and a transport that goes by it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.retrieval.online.transport import OnlineTransport
from tests.fakes import MovedClock
from tests.scholarly_server import transport


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
async def web(clock: MovedClock) -> AsyncIterator[OnlineTransport]:
    async with transport(clock) as made:
        yield made
