"""The time by which something waits; tests pass a clock that they move, and do not depend on the machine's speed."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds that only grow, and waiting by them."""

    def now(self) -> float:
        """Seconds since some moment that stays the same."""

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        await asyncio.sleep(seconds)


SYSTEM_CLOCK = SystemClock()
