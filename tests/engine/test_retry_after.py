"""The header Retry-After: how it is read, and how long a model is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, get_args

import pytest

from engine.llm import metered_model
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import CallFailed, Completion, Prompt, Request, Task
from engine.retry_after import read_retry_after


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_a_number_and_a_date_are_read_and_nothing_else(header: str, seconds: float | None) -> None:
    assert read_retry_after(header) == seconds


@dataclass
class Refusing:
    """A provider that refuses once and says when it wants to be asked again."""

    asks_for_s: float
    calls: list[str] = field(default_factory=list)

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        self.calls.append(model)
        if len(self.calls) == 1:
            raise CallFailed("Too many requests.", retryable=True, retry_after_s=self.asks_for_s)
        return Completion("Blue.", 1, 1)

    async def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        yield (await self.complete(model, request, None)).text

    async def close(self) -> None:
        """Nothing is open."""


async def wait_of(asked_s: float, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited between the refusal and the answer."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    provider = Refusing(asked_s)
    models = dict.fromkeys(get_args(Task), "m")
    model = MeteredModel(provider, models, Throttle(1), Account(), MemoryRecord())
    assert await model.text(Request("drafting", "draft/x", Prompt("", "", "Which colour?"), 10, None)) == "Blue."
    assert len(provider.calls) == 2
    return waited


async def test_a_model_is_asked_again_when_it_wants_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await wait_of(17.0, monkeypatch) == [17.0]


async def test_a_wait_of_an_hour_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await wait_of(3_600.0, monkeypatch) == [metered_model.LONGEST_WAIT_S]
