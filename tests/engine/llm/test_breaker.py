"""A service that cannot be reached: the first call tries for a while, the others say so at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from engine.llm.meter import REST_S, Account, CircuitBreaker, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import CallFailed, Completion, Prompt, Request, Unreachable


@dataclass
class Clock:
    """A clock that the test moves."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Service:
    """A provider whose calls end as the test says; ``failure`` is raised where there is one."""

    failure: CallFailed | None = None
    calls: list[str] = field(default_factory=list)

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        self.calls.append(request.step)
        if self.failure:
            raise self.failure
        return Completion("Yes.", 1, 1)

    async def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        yield (await self.complete(model, request, None)).text

    async def close(self) -> None:
        """Nothing to let go of."""


def model_of(service: Service, clock: Clock, *, is_away: bool) -> MeteredModel:
    throttle = Throttle(4)
    throttle.breaker = CircuitBreaker(clock)
    if is_away:
        with pytest.raises(Unreachable), throttle.breaker.guard_call():
            raise Unreachable("ConnectError")
    return MeteredModel(service, {"drafting": "m"}, throttle, Account(), MemoryRecord(), "job")


def request(step: str) -> Request:
    return Request("drafting", step, Prompt("", "", "Well?"), 10, None)


async def test_after_a_call_has_given_up_the_others_fail_at_once_and_later_try_once() -> None:
    clock, service = Clock(), Service(Unreachable("ConnectError"))
    model = model_of(service, clock, is_away=True)
    with pytest.raises(Unreachable, match="could not be reached"):
        await model.text(request("one"))
    assert service.calls == []
    clock.now += REST_S
    with pytest.raises(Unreachable):
        await model.text(request("two"))
    assert service.calls == ["two"]


async def test_a_service_that_is_back_is_asked_as_before() -> None:
    clock, service = Clock(), Service()
    model = model_of(service, clock, is_away=True)
    clock.now += REST_S
    assert [await model.text(request(step)) for step in ("one", "two")] == ["Yes.", "Yes."]
    assert [piece async for piece in model.stream(request("three"))] == ["Yes."]
    assert not model.throttle.breaker.is_open


async def test_an_answer_with_an_error_is_an_answer() -> None:
    clock, service = Clock(), Service(CallFailed("Forbidden.", retryable=False, is_away=True))
    model = model_of(service, clock, is_away=False)
    for step in ("one", "two"):
        with pytest.raises(CallFailed, match="Forbidden"):
            await model.text(request(step))
    assert service.calls == ["one", "two"]


def test_one_call_that_found_nobody_while_others_had_answers_says_nothing_of_the_service() -> None:
    breaker = CircuitBreaker(Clock())
    with pytest.raises(Unreachable), breaker.guard_call():
        with breaker.guard_call():
            pass
        raise Unreachable("ReadTimeout")
    assert not breaker.is_open
