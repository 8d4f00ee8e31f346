"""How many calls run at once: more while the service keeps its pace, fewer where it refuses them.

Source: Chiu and Jain, "Analysis of the increase and decrease algorithms for congestion avoidance" (1989); that a
slower answer means a queue is Vegas' (Brakmo and Peterson, 1995).
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

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
        self._room = min(first or most, most)
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._fastest = math.inf

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Wait for a place, in the order of asking, and hold it."""
        if self._taken < self._room and not self._waiting:
            self._taken += 1
        else:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():  # the place came at the moment of the cancelling
                    self._give_back()
                raise
        try:
            yield
        finally:
            self._give_back()

    def note_answer(self, answer: Completion, seconds: float) -> None:
        """Make room for one more after an answer that took no longer than its size explains."""
        pace = seconds / expect_seconds(answer.input_tokens, answer.output_tokens)
        self._fastest = min(pace, self._fastest * FORGETTING)
        if pace <= SLOWED * self._fastest:
            self._room = min(self._room + 1, self._most)
            self._admit()

    def note_refusal(self) -> None:
        """Keep to what the service has accepted: the calls that are still in flight."""
        self._room = max(1, min(self._room, self._taken - 1))

    def _give_back(self) -> None:
        self._taken -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._taken < self._room:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                self._taken += 1
                turn.set_result(None)
