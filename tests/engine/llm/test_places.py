"""How many calls run at once: as many as the service takes."""

from __future__ import annotations

import asyncio

from engine.llm.meter import Account, Throttle, expect_seconds
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Completion, Prompt, Request
from engine.llm.openai import OpenAIProvider
from tests.stand_ins.simulation import SimulatedService, run_simulated_service

ANSWER = Completion("Yes.", 1_000, 100)
IN_TIME_S = expect_seconds(1_000, 100)


async def count_at_once(places: Throttle, calls: int = 60) -> int:
    """How many of so many callers hold a place before any gives one back."""
    holding = 0
    done = asyncio.Event()

    async def hold() -> None:
        nonlocal holding
        async with places.slot(0):
            holding += 1
            await done.wait()

    async with asyncio.TaskGroup() as group:
        for _ in range(calls):
            group.create_task(hold())
        for _ in range(3):
            await asyncio.sleep(0)
        found = holding
        done.set()
    return found


async def test_answers_in_good_time_make_room_up_to_the_most() -> None:
    places = Throttle(40, first=20)
    assert await count_at_once(places) == 20
    for _ in range(5):
        places.note_answer(ANSWER, IN_TIME_S)
    assert await count_at_once(places) == 25
    for _ in range(50):
        places.note_answer(ANSWER, IN_TIME_S)
    assert await count_at_once(places) == 40


async def test_answers_that_waited_in_the_service_make_no_room() -> None:
    places = Throttle(40, first=4)
    places.note_answer(ANSWER, IN_TIME_S)
    for _ in range(5):
        places.note_answer(ANSWER, 3 * IN_TIME_S)
    assert await count_at_once(places) == 5


async def test_a_refusal_leaves_as_many_as_the_service_took() -> None:
    places = Throttle(40)
    async with asyncio.TaskGroup() as group:

        async def refused() -> None:
            async with places.slot(0):
                await asyncio.sleep(0)
                places.note_refusal()

        for _ in range(12):
            group.create_task(refused())
    assert await count_at_once(places) == 1
    places.note_answer(ANSWER, IN_TIME_S)
    assert await count_at_once(places) == 2


async def test_a_caller_who_gives_up_waiting_takes_no_place() -> None:
    places = Throttle(1)
    async with places.slot(0):
        waiting = asyncio.ensure_future(count_at_once(places, 1))
        await asyncio.sleep(0)
        waiting.cancel()
    assert await count_at_once(places) == 1


async def test_a_service_that_takes_few_calls_at_once_loses_none() -> None:
    async with run_simulated_service(
        SimulatedService(pace=0.02, concurrent=5, reply=lambda _, __: "Blue. " * 40)
    ) as service:
        provider = OpenAIProvider("simulated", f"{service.url}/v1", 5.0)
        model = MeteredModel(provider, {"drafting": "m"}, Throttle(40, first=20), Account(), MemoryRecord(), "job")
        asked = [Request("drafting", f"draft/{i}", Prompt("", "", f"Well {i}?"), 100) for i in range(40)]
        answers = await asyncio.gather(*(model.text(request) for request in asked))
        await provider.close()
    assert len(answers) == 40
    refused = [call for call in service.calls if call.status == 429]
    assert 0 < len(refused) <= 40
