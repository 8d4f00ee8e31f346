"""How long jobs took, so that the next of the same kind can say how long it will take."""

from __future__ import annotations

from adapters.chat import Conversation
from bot.store.notes import recall, remember
from bot.store.sessions import Store

WEIGHT = 0.4
"""Of the newest duration in the mean: libraries and machines change."""


class Durations:
    """Typical seconds of each kind of job on one platform, shared by its processes."""

    def __init__(self, store: Store, platform: str) -> None:
        self._store = store
        self._place = Conversation(platform, "", "")

    async def typical(self, kind: str) -> float | None:
        """Seconds that such jobs take; ``None`` before the first."""
        known = await recall(self._store, self._place, f"took:{kind}")
        return float(known) if known else None

    async def keep(self, kind: str, seconds: float) -> None:
        """One more such job has taken so long."""
        known = await self.typical(kind)
        mean = seconds if known is None else (1 - WEIGHT) * known + WEIGHT * seconds
        await remember(self._store, self._place, f"took:{kind}", f"{mean:.2f}")
