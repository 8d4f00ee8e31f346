"""What of finished calls is found again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from engine.errors import LanguageModelError
from tests.engine.llm.test_language_models import Colour, metered, request
from tests.stand_ins.simulation import SimulatedService, run_simulated_service


async def test_an_answer_of_no_use_is_not_given_to_whoever_asks_again() -> None:
    answers = iter(["Certainly!"] * 3 + ['{"name": "blue"}', '{"name": "blue", "strength": 3}', "Blue.", "Red."])
    async with run_simulated_service(SimulatedService(pace=0, reply=lambda _, __: next(answers))) as service:
        model = metered(service)
        with pytest.raises(LanguageModelError, match="not of the form asked for"):
            await model.answer_typed(request(), Colour)
        assert [(await model.answer_typed(request(), Colour)).strength for _ in range(2)] == [3, 3]
        assert len(service.calls) == 5
        await model.forget(request(), Colour)
        assert await model.text(request()) == "Blue."
        await model.forget(request())
        assert await model.text(request()) == "Red."
    assert len(service.calls) == 7


async def test_what_is_asked_twice_at_once_is_paid_for_once() -> None:
    async with run_simulated_service(SimulatedService(pace=0.01)) as service:
        model = metered(service)
        streamed = (_read(model.stream(request())) for _ in range(2))
        written = (model.text(request()) for _ in range(3))
        answers = await asyncio.gather(*streamed, *written, model.text(request("another")))
    assert len(set(answers[:5])) == 1
    assert len(service.calls) == 2


async def _read(pieces: AsyncIterator[str]) -> str:
    return "".join([piece async for piece in pieces])
