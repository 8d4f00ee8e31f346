"""Waiting for what must happen in a stand-in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

PATIENCE_S = 60.0
"""Seconds to wait for what must happen: so many that only a defect uses them up, however busy the machine is."""


class ObservedChanges:
    """Something whose ``changed`` is notified whenever it may have changed."""

    changed: asyncio.Condition

    async def until(self, found: Callable[[], Any], within_s: float = PATIENCE_S) -> Any:
        """What was found, once it is something; raises `TimeoutError` where that takes too long."""
        async with asyncio.timeout(within_s), self.changed:
            return await self.changed.wait_for(found)
