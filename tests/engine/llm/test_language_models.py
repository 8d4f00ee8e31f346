"""Both providers over the real wire against the simulated service, and the meter around them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, get_args

import pytest

from engine.errors import LanguageModelError, UserError
from engine.llm.meter import Account, Throttle, Usage
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import (
    CallFailed,
    Completion,
    Prompt,
    Provider,
    Request,
    Task,
    TypedAnswer,
)
from engine.llm.openai import OpenAIProvider
from engine.llm.prices import PUBLISHED, Price, PriceList
from tests.engine.llm.conftest import OPENED
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.simulation import Fault, SimulatedService, run_simulated_service

MODELS: dict[Task, str] = dict.fromkeys(get_args(Task), "gpt-4o-mini")
PROVIDERS: dict[str, Callable[[str, float], Provider]] = {
    "openai": lambda url, timeout: OpenAIProvider("k", f"{url}/v1", timeout),
    # Imported when it is asked for: it takes seconds, which each worker of the tests would pay.
    "anthropic": lambda url, timeout: import_module("engine.llm.anthropic").AnthropicProvider("k", url, timeout),
}


def provider_of(name: str, url: str, timeout_s: float = PATIENCE_S) -> Provider:
    """A provider that is closed when the test is over."""
    OPENED.append(PROVIDERS[name](url, timeout_s))
    return OPENED[-1]


@dataclass
class FirstHasty:
    """A provider whose first call waits as one provider does, and all others as another."""

    hasty: Provider
    patient: Provider

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        provider, self.hasty = self.hasty, self.patient
        return await provider.complete(model, request, schema)

    def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        return self.patient.stream(model, request)

    async def close(self) -> None:
        """Each is closed by who made it."""


class Colour(TypedAnswer):
    """An answer for the tests."""

    name: str
    strength: int


def total_of(model: MeteredModel) -> Usage:
    assert isinstance(model.account, Account)
    return model.account.total()


def request(question: str = "Which colour?", max_tokens: int = 100, temperature: float | None = 0.7) -> Request:
    return Request("drafting", "draft/x", Prompt("Be brief.", "Shared part.", question), max_tokens, temperature)


def metered(service: SimulatedService, provider: str = "openai", **changes: object) -> MeteredModel:
    made = provider_of(provider, service.url)
    values = {"throttle": Throttle(50), "account": Account(), "record": MemoryRecord(), "job": "j", **changes}
    return MeteredModel(made, MODELS, **values)  # type: ignore[arg-type]


def once(fault: Fault) -> Callable[[int], Fault | None]:
    return lambda number: fault if number == 0 else None


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_text_a_typed_answer_and_a_stream(provider: str) -> None:
    answers = iter(["Blue.", '{"name": "blue", "strength": 3}', "Blue as the sea. " * 80])
    async with run_simulated_service(SimulatedService(pace=0, reply=lambda _, __: next(answers))) as service:
        model = metered(service, provider)
        assert await model.text(request("one")) == "Blue."
        assert await model.answer_typed(request("two"), Colour) == Colour(name="blue", strength=3)
        pieces = [piece async for piece in model.stream(request("three"))]
    assert len(pieces) > 1
    assert "".join(pieces) == "Blue as the sea. " * 80
    assert [call.kind for call in service.calls] == ["text", "Colour", "text"]
    assert total_of(model).calls == 3


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_temperature_and_the_shared_part_reach_the_request(provider: str) -> None:
    async with run_simulated_service(SimulatedService(pace=0, reply=lambda _, __: "Yes.")) as service:
        model = metered(service, provider)
        await model.text(request("one"))
        await model.text(request("two"))
    first, second = (call.body for call in service.calls)
    assert first["temperature"] == 0.7
    shared = [message["content"] for message in first["messages"]][:-1]
    if provider == "anthropic":
        (message,) = first["messages"]
        assert message["content"][0]["cache_control"] == {"type": "ephemeral"}
        shared = message["content"][:1]
        assert shared == second["messages"][0]["content"][:1]
    else:
        assert shared == [m["content"] for m in second["messages"]][:-1] == ["Be brief."]
        assert all(body["messages"][-1]["content"].startswith("Shared part.\n\n") for body in (first, second))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", ["429", "500", "empty", "truncated", "cut", "hang"])
async def test_a_passing_fault_is_retried_and_what_the_provider_counts_is_paid(provider: str, fault: Fault) -> None:
    async with run_simulated_service(
        SimulatedService(pace=0, fault=once(fault), reply=lambda _, __: "Blue it is.")
    ) as service:
        model = metered(service, provider)
        if fault == "hang":
            model = replace(model, provider=FirstHasty(provider_of(provider, service.url, 0.3), model.provider))
        assert await model.text(request()) == "Blue it is."
    # An answer that came, whole or not, is paid for; one that never came is not.
    came = fault in {"empty", "truncated"} or (fault == "cut" and provider == "anthropic")
    assert total_of(model).calls == (2 if came else 1)
    assert total_of(model).output_tokens >= 2


async def test_calls_that_fail_are_counted_with_what_the_provider_counts() -> None:
    async with run_simulated_service(
        SimulatedService(pace=0, fault=lambda _: "refused", reply=lambda _, __: "word " * 60)
    ) as service:
        account = Account()
        model = metered(service, account=account)
        for i in range(3):
            with pytest.raises(CallFailed):
                await model.text(request(str(i), max_tokens=80))
    total = account.total()
    assert total.calls == len(service.calls) == 3
    assert total.output_tokens > 0


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_cut_off_answer_is_asked_for_with_more_room(provider: str) -> None:
    async with run_simulated_service(
        SimulatedService(pace=0, fault=once("truncated"), reply=lambda _, __: "Blue it is.")
    ) as service:
        await metered(service, provider).text(request(max_tokens=100))
    limits = [call.body.get("max_completion_tokens") or call.body.get("max_tokens") for call in service.calls]
    assert limits == [100, 200]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_refusal_is_said_and_not_retried(provider: str) -> None:
    async with run_simulated_service(
        SimulatedService(pace=0, fault=lambda _: "refused", reply=lambda _, __: "No.")
    ) as service:
        with pytest.raises(CallFailed) as caught:
            await metered(service, provider).text(request())
    assert not caught.value.retryable
    assert len(service.calls) == 1


async def test_a_stream_that_breaks_is_our_error() -> None:
    for provider in PROVIDERS:
        async with run_simulated_service(
            SimulatedService(pace=0, fault=lambda _: "cut", reply=lambda _, __: "Blue. " * 500)
        ) as service:
            model = metered(service, provider)
            with pytest.raises(LanguageModelError):
                _ = [piece async for piece in model.stream(request())]
        assert len(service.calls) == 1
        assert total_of(model).output_tokens > 100


async def test_a_stream_that_fails_before_it_begins_is_tried_again() -> None:
    for provider in PROVIDERS:
        async with run_simulated_service(
            SimulatedService(pace=0, fault=once("500"), reply=lambda _, __: "Blue.")
        ) as service:
            assert [piece async for piece in metered(service, provider).stream(request())] == ["Blue."]


async def test_wrong_json_is_shown_its_error_and_asked_again_within_bounds() -> None:
    answers = iter(["Certainly!", '{"name": "blue"}', 'Here: ```{"name": "blue", "strength": 1}```'])
    async with run_simulated_service(SimulatedService(pace=0, reply=lambda _, __: next(answers))) as service:
        assert (await metered(service).answer_typed(request(), Colour)).strength == 1
    assert "Your last answer was wrong: strength" in json.dumps(service.calls[2].body)
    async with run_simulated_service(SimulatedService(pace=0, reply=lambda _, __: "Certainly!")) as service:
        with pytest.raises(LanguageModelError, match=r"not of the form asked for \(Invalid JSON.*began: “Certainly!”"):
            await metered(service).answer_typed(request(), Colour)
    assert len(service.calls) == 3


async def test_a_finished_call_is_never_paid_again() -> None:
    async with run_simulated_service(SimulatedService(pace=0, reply=lambda _, __: "Blue.")) as service:
        record = MemoryRecord()
        for _ in range(2):
            assert await metered(service, record=record).text(request()) == "Blue."
        await metered(service, record=record, job="another").text(request())
        await metered(service, record=record).text(request("Which other?"))
    assert len(service.calls) == 3


async def test_one_limit_of_calls_at_once_for_all_models() -> None:
    async with run_simulated_service(SimulatedService(pace=0.02, reply=lambda _, __: "Blue.")) as service:
        throttle = Throttle(3)
        models = [metered(service, throttle=throttle, job=str(i)) for i in range(3)]
        await asyncio.gather(*(m.text(request(str(i))) for m in models for i in range(4)))
    assert service.most_at_once == 3


def test_the_published_costs_are_recomputed() -> None:
    # AutoSurvey, cost of a 32k survey: 3009.7K tokens read, 112.9K written (A24).
    costs = {
        m: PUBLISHED[m].cost(3_009_700, 112_900)
        for m in ("claude-3-haiku-20240307", "gemini-1.5-pro", "gpt-4-0125-preview")
    }
    assert [round(cost, 2) for cost in costs.values()] == [0.89, 11.72, 33.48]
    assert PriceList().find("gpt-4o-2024-08-06") == PUBLISHED["gpt-4o"]
    assert PriceList().find("llama-7b") is None


async def test_a_model_without_a_price_is_counted_in_tokens() -> None:
    async with run_simulated_service(SimulatedService(pace=0, reply=lambda _, __: "Blue.")) as service:
        made = provider_of("openai", service.url)
        model = MeteredModel(made, dict.fromkeys(MODELS, "llama-7b"), Throttle(1), Account(), MemoryRecord())
        await model.text(request())
    assert not total_of(model).priced
    assert total_of(model).input_tokens > 0


def test_a_price_of_the_settings_comes_first_and_an_unknown_one_is_refused() -> None:
    own = PriceList({"gpt-4o": Price(1.0, 2.0, "", "ours"), "llama-7b": Price(0.0, 0.0, "", "ours")})
    assert own.cost("gpt-4o", 1_000_000, 1_000_000) == 3.0
    assert own.require("llama-7b").input == 0.0
    with pytest.raises(UserError, match=r"SCHOLIUM_PRICES=.*budget=500k"):
        own.require("mystery-2")
