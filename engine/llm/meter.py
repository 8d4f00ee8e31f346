"""The meter around every model: how many calls at once and a minute, tokens and money.

A call is reserved at its worst case before it starts, so that calls in flight can never overrun a budget.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import reduce
from typing import Protocol

from aiolimiter import AsyncLimiter

from engine.llm.breaker import CircuitBreaker
from engine.llm.model import Completion
from engine.llm.places import Places
from engine.llm.prices import PriceList


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
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.money + other.money,
            self.priced and other.priced,
        )


class Throttle:
    """One for the whole process: calls at once, requests and tokens a minute, and whether the service is there.

    ``first`` calls at once are let through at the beginning, up to ``concurrent`` when the service keeps its pace.
    """

    def __init__(
        self,
        concurrent: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        first: int | None = None,
    ) -> None:
        self.breaker = CircuitBreaker()
        self.places = Places(concurrent, first)
        self._requests = AsyncLimiter(requests_per_minute, 60) if requests_per_minute else None
        self._tokens = AsyncLimiter(tokens_per_minute, 60) if tokens_per_minute else None
        self._open = asyncio.Event()
        self._open.set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._in_flight = 0

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[None]:
        """Wait for a place and for the minute's allowance."""
        async with self.places.take():
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

    async def drain(self, patience_s: float) -> None:
        """Let no new call begin, and wait for those in flight, at most so many seconds."""
        self._open.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), patience_s)


def step_name(step: str) -> str:
    """The kind of a step: ``draft`` for ``draft/0/Dense Retrieval#1``."""
    return step.split("/", 1)[0].split("#", 1)[0]


class Reservation(Protocol):
    """The worst case of a call, held while it runs; given back where it is not settled."""

    async def settle(self, completion: Completion) -> None:
        """Enter what the call really used in its place."""


class Ledger(Protocol):
    """Where money is reserved before a call and entered after it."""

    def reserve(
        self, step: str, model: str, input_tokens: int, output_tokens: int
    ) -> AbstractAsyncContextManager[Reservation]:
        """Hold the worst case of a call while it runs. Raises `LimitExceeded` where it does not fit."""


@dataclass
class Account:
    """What was spent, by step: a `Ledger` without limits, for measurements and for commands of the command line."""

    steps: dict[str, Usage] = field(default_factory=dict)
    prices: PriceList = field(default_factory=PriceList)

    def total(self) -> Usage:
        """All steps together."""
        return reduce(Usage.plus, self.steps.values(), Usage())

    @asynccontextmanager
    async def reserve(
        self, step: str, model: str, input_tokens: int, output_tokens: int
    ) -> AsyncIterator[AccountReservation]:
        """Nothing is held: every call fits."""
        yield AccountReservation(self, step_name(step), model)


@dataclass(frozen=True)
class AccountReservation:
    """A `Reservation` of an `Account`."""

    account: Account
    step: str
    model: str

    async def settle(self, completion: Completion) -> None:
        """Enter what the call really used."""
        steps, prices = self.account.steps, self.account.prices
        read, written = completion.input_tokens, completion.output_tokens
        known = prices.find(self.model) is not None
        used = Usage(1, read, written, completion.cached_tokens, prices.cost(self.model, read, written), known)
        steps[self.step] = steps.get(self.step, Usage()).plus(used)
