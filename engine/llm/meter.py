"""The meter around every model: how many calls at once and a minute, whether the service is there, tokens and money.

A call is reserved at its worst case before it starts, so that calls in flight can never overrun a budget.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import reduce
from typing import Protocol

from aiolimiter import AsyncLimiter
from anyio import CapacityLimiter

from engine.llm.model import CallFailed, Completion, Unreachable
from engine.llm.prices import PriceList

REST_S = 20.0
"""After a call has given up, others fail at once for so long; then one attempt of each may find the service back."""


@dataclass
class CircuitBreaker:
    """Whether the service was reached, and the failure of the last call that gave up: others need not try for minutes.

    Source: Nygard, "Release It!" (2007), chapter 5. An answer with an error is an answer.
    """

    clock: Callable[[], float] = time.monotonic
    reached: int = 0
    """Calls that had an answer."""
    _failure: Unreachable | None = field(default=None, repr=False)
    _rests_until: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the last call that had no answer gave up, and none had one since."""
        return self._failure is not None

    @contextmanager
    def guard_call(self) -> Iterator[None]:
        """Around one call with all its attempts. Raises `Unreachable` at once where another gave up a moment ago.

        A call that found nobody while others had answers says nothing of the service.
        """
        if self._failure is not None and self.clock() < self._rests_until:
            raise Unreachable(self._failure.kind)
        before = self.reached
        try:
            yield
        except Unreachable as error:
            if self.reached == before:
                self._failure, self._rests_until = error, self.clock() + REST_S
            raise
        except CallFailed:
            self._note_answer()
            raise
        self._note_answer()

    def _note_answer(self) -> None:
        self.reached += 1
        self._failure = None


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


class Throttle:
    """One for the whole process: calls at once, requests and tokens a minute, and whether the service is there.

    ``first`` calls at once are let through at the beginning; each answer in good time makes room for one more, up to
    ``most``. Source: Chiu and Jain, "Analysis of the increase and decrease algorithms for congestion avoidance" (1989);
    that a slower answer means a queue is Vegas' (Brakmo and Peterson, 1995).
    """

    def __init__(
        self,
        most: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        first: int | None = None,
    ) -> None:
        self.breaker = CircuitBreaker()
        self._most = most
        self._places = CapacityLimiter(min(first or most, most))
        self._fastest = math.inf
        self._requests = AsyncLimiter(requests_per_minute, 60) if requests_per_minute else None
        self._tokens = AsyncLimiter(tokens_per_minute, 60) if tokens_per_minute else None
        self._open, self._idle = asyncio.Event(), asyncio.Event()
        self._open.set()
        self._idle.set()
        self._in_flight = 0

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[None]:
        """Wait for a place, in the order of asking, and for the minute's allowance."""
        holder = object()
        await self._places.acquire_on_behalf_of(holder)
        try:
            if self._requests:
                await self._requests.acquire()
            if self._tokens:
                await self._tokens.acquire(min(tokens, self._tokens.max_rate))
            await self._open.wait()
            self._in_flight += 1
            self._idle.clear()
            try:
                yield
            finally:
                self._in_flight -= 1
                if self._in_flight == 0:
                    self._idle.set()
        finally:
            self._places.release_on_behalf_of(holder)

    def note_answer(self, answer: Completion, seconds: float) -> None:
        """Make room for one more after an answer that took no longer than its size explains."""
        pace = seconds / expect_seconds(answer.input_tokens, answer.output_tokens)
        self._fastest = min(pace, self._fastest * FORGETTING)
        if pace <= SLOWED * self._fastest:
            self._places.total_tokens = min(self._places.total_tokens + 1, self._most)

    def note_refusal(self) -> None:
        """Keep to what the service has accepted: the calls that are still in flight."""
        self._places.total_tokens = max(1, min(self._places.total_tokens, self._places.borrowed_tokens - 1))

    async def drain(self, patience_s: float) -> None:
        """Let no new call begin, and wait for those in flight, at most so many seconds."""
        self._open.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), patience_s)


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used; ``priced`` is false as soon as one model's price was not known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    money: float = 0.0
    priced: bool = True

    def plus(self, other: Usage) -> Usage:
        """Both together."""
        both = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Usage(**{**both, "priced": self.priced and other.priced})


def step_name(step: str) -> str:
    """The kind of a step: ``draft`` for ``draft/0/Dense Retrieval#1``."""
    return step.split("/", 1)[0].split("#", 1)[0]


Settle = Callable[[Completion], Awaitable[None]]
"""Enters what a call really used in the place of its reservation."""


class Ledger(Protocol):
    """Where money is reserved before a call and entered after it."""

    def reserve(
        self, step: str, model: str, input_tokens: int, output_tokens: int
    ) -> AbstractAsyncContextManager[Settle]:
        """Hold the worst case of a call until it is settled or ends. Raises `LimitExceeded` where it does not fit."""


@dataclass
class Account:
    """What was spent, by step: a `Ledger` without limits, for measurements and for commands of the command line."""

    steps: dict[str, Usage] = field(default_factory=dict)
    prices: PriceList = field(default_factory=PriceList)

    def total(self) -> Usage:
        """All steps together."""
        return reduce(Usage.plus, self.steps.values(), Usage())

    @asynccontextmanager
    async def reserve(self, step: str, model: str, input_tokens: int, output_tokens: int) -> AsyncIterator[Settle]:
        """Nothing is held: every call fits."""

        async def settle(completion: Completion) -> None:
            read, written = completion.input_tokens, completion.output_tokens
            known = self.prices.find(model) is not None
            used = Usage(1, read, written, completion.cached_tokens, self.prices.cost(model, read, written), known)
            self.steps[step_name(step)] = self.steps.get(step_name(step), Usage()).plus(used)

        yield settle
