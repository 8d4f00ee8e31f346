"""What an installation knows of a service beside its answers: that it is away, and what is left of its allowance."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
class Outage:
    """Why a service counts as away; ``left_s``: for so long it asked not to be called, else it may be tried once."""

    why: str
    left_s: float


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a service still gives on this day, of how much, in its own unit."""

    left: float
    limit: float

    @property
    def scarce(self) -> bool:
        """Whether little is left."""
        return self.left < SCARCE * self.limit


async def recall_outage(memory: OnlineCache, service: str) -> Outage | None:
    """The outage of the last minutes that was not ended by an answer."""
    found = await memory.recall(f"outage {service}")
    if not found or not found[0]:
        return None
    kept = json.loads(found[0])
    left_s = kept["seconds"] - found[1]
    return Outage(kept["why"], left_s) if left_s > 0 or found[1] < OUTAGE_S else None


async def keep_outage(memory: OnlineCache, service: str, why: str, asked_s: float | None = None) -> None:
    """The service failed with all retries, or, where ``why`` is empty, answers again.

    It may have asked not to be called for so many seconds.
    """
    alone_s = min(asked_s or 0.0, LONGEST_OUTAGE_S)
    await memory.keep(f"outage {service}", json.dumps({"why": why, "seconds": alone_s}) if why else "")


async def recall_allowance(memory: OnlineCache, service: str) -> Allowance | None:
    """What the service's last answer said of today; ``None`` where it said nothing, or the day is over."""
    found = await memory.recall(f"allowance {service}")
    if not found:
        return None
    kept = json.loads(found[0])
    return Allowance(kept["left"], kept["limit"]) if found[1] < kept["resets_s"] else None


async def keep_allowance(memory: OnlineCache, service: str, headers: Mapping[str, str]) -> None:
    """Note what the headers of an answer say; most services say nothing."""
    names = {"left": "Remaining-USD", "limit": "Limit-USD", "resets_s": "Reset"}
    said = {name: _number(headers, f"X-RateLimit-{header}") for name, header in names.items()}
    if None not in said.values():
        await memory.keep(f"allowance {service}", json.dumps(said))


def read_rate_limit_reset(headers: Mapping[str, str]) -> float | None:
    """Seconds until the allowance is renewed, where nothing is left of it."""
    left, needed = _number(headers, "X-RateLimit-Remaining-USD"), _number(headers, "X-RateLimit-Cost-Required-USD")
    spent = left is not None and left <= (needed or 0.0)
    return _number(headers, "X-RateLimit-Reset") if spent else None


def _number(headers: Mapping[str, str], name: str) -> float | None:
    try:
        return float(headers.get(name, ""))
    except ValueError:
        return None
