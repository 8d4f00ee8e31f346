"""What an installation knows of a service beside its answers: that it is away, and what is left of its allowance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.retrieval.online.transport import OnlineCache

OUTAGE_S = 600.0
"""Seconds for which a service that failed with all retries is tried only once for each question."""
PROBE_S = 5.0
"""Seconds that such a try may take."""
LONGEST_OUTAGE_S = 6 * 3600.0
"""Bound on the seconds that a service asks to be left alone."""
SCARCE = 0.2
"""Share of a day's allowance below which only what matters most is asked."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a service still gives on this day, of how much, in its own unit."""

    left: float
    limit: float

    @property
    def scarce(self) -> bool:
        """Whether little is left."""
        return self.left < SCARCE * self.limit


async def recall_outage(memory: OnlineCache, service: str) -> tuple[str, float]:
    """Why the service counts as away, empty where it does not, and for how many seconds it asked not to be called.

    Where none of these are left, it may be tried once.
    """
    found = await memory.recall(f"outage {service}")
    if not found or not found[0]:
        return "", 0.0
    kept = json.loads(found[0])
    left_s = kept["seconds"] - found[1]
    return (kept["why"], left_s) if left_s > 0 or found[1] < OUTAGE_S else ("", 0.0)


async def keep_outage(memory: OnlineCache, service: str, why: str, asked_s: float | None = None) -> None:
    """The service failed with all retries, or, where ``why`` is empty, answers again.

    It may have asked not to be called for so many seconds.
    """
    alone_s = min(asked_s or 0.0, LONGEST_OUTAGE_S)
    await memory.keep(f"outage {service}", json.dumps({"why": why, "seconds": alone_s}) if why else "")


async def recall_allowance(memory: OnlineCache, service: str) -> Allowance | None:
    """What the service's last answer said of today; ``None`` where it said nothing, or the day is over."""
    found = await memory.recall(f"allowance {service}")
    kept = json.loads(found[0]) if found else {}
    return Allowance(kept["left"], kept["limit"]) if found and found[1] < kept["resets_s"] else None


async def keep_allowance(memory: OnlineCache, service: str, headers: Mapping[str, str]) -> None:
    """Note what the headers of an answer say; most services say nothing."""
    names = {"left": "Remaining-USD", "limit": "Limit-USD", "resets_s": "Reset"}
    with suppress(KeyError, ValueError):
        said = {name: float(headers[f"X-RateLimit-{header}"]) for name, header in names.items()}
        await memory.keep(f"allowance {service}", json.dumps(said))
