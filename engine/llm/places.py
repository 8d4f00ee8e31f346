"""How many calls run at once: more while the service keeps its pace, fewer where it refuses them.

Source: Chiu and Jain, "Analysis of the increase and decrease algorithms for congestion avoidance" (1989); that a
slower answer means a queue is Vegas' (Brakmo and Peterson, 1995).
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import CapacityLimiter

from engine.llm.model import Completion

SLOWED = 2.0
"""So many times as long as the fastest call for its size an answer may take; a slower one says that calls wait in
the service, as on a machine that answers a few at once."""

FORGETTING = 1.01
"""By so much the fastest call counts for less with every other one: a single one out of a cache proves little."""

LATENCY_S, INPUT_TOKENS_PER_S, OUTPUT_TOKENS_PER_S = 0.5, 20_000, 80
"""How fast a typical service reads and writes."""


def expect_seconds(input_tokens: int, output_tokens: int) -> float:
    """How long a typical service takes for a call."""
    return LATENCY_S + input_tokens / INPUT_TOKENS_PER_S + output_tokens / OUTPUT_TOKENS_PER_S


class Places:
    """At most ``most`` calls at once, ``first`` in the beginning; each answer in good time makes room for one more."""

    def __init__(self, most: int, first: int | None = None) -> None:
        self._most = most
        self._limiter = CapacityLimiter(min(first or most, most))
        self._fastest = math.inf

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Wait for a place, in the order of asking, and hold it."""
        holder = object()
        await self._limiter.acquire_on_behalf_of(holder)
        try:
            yield
        finally:
            self._limiter.release_on_behalf_of(holder)

    def note_answer(self, answer: Completion, seconds: float) -> None:
        """Make room for one more after an answer that took no longer than its size explains."""
        pace = seconds / expect_seconds(answer.input_tokens, answer.output_tokens)
        self._fastest = min(pace, self._fastest * FORGETTING)
        if pace <= SLOWED * self._fastest:
            self._limiter.total_tokens = min(self._limiter.total_tokens + 1, self._most)

    def note_refusal(self) -> None:
        """Keep to what the service has accepted: the calls that are still in flight."""
        self._limiter.total_tokens = max(1, min(self._limiter.total_tokens, self._limiter.borrowed_tokens - 1))
