"""The time by which something waits; tests pass a clock that they move, and do not depend on the machine's speed."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Seconds that only grow, and waiting by them: those of the machine."""

    def now(self) -> float:
        """Seconds since some moment that stays the same."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        await asyncio.sleep(seconds)


SYSTEM_CLOCK = Clock()
