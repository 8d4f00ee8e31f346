"""A job that says nothing new still shows that it is at work, every ten seconds at most."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from bot.jobs.status import JobStatus
from bot.store.sessions import StoredConversation
from engine.clock import Clock
from engine.llm.meter import Usage
from engine.run import Progress
from engine.session.events import Job
from engine.session.state import SurveySession
from tests.fakes import HERE, FakeChat
from tests.stand_ins.changes import PATIENCE_S


class SteppedClock(Clock):
    """Time that passes only when the test says so."""

    def __init__(self) -> None:
        self.at_s = 1_000.0
        self._wakes_at = 0.0
        self._wakes, self._sleeps = asyncio.Event(), asyncio.Event()

    def now(self) -> float:
        return self.at_s

    async def sleep(self, seconds: float) -> None:
        self._wakes_at = self.at_s + seconds
        self._wakes.clear()
        self._sleeps.set()
        await self._wakes.wait()

    async def move(self, seconds: float) -> None:
        """Let time pass, and whoever wakes by it go to sleep again."""
        async with asyncio.timeout(PATIENCE_S):
            await self._sleeps.wait()
            self.at_s += seconds
            if self.at_s >= self._wakes_at:
                self._sleeps.clear()
                self._wakes.set()
                await self._sleeps.wait()


async def nothing_spent() -> dict[str, Usage]:
    return {}


async def test_writing_says_from_its_first_step_what_the_planned_calls_will_take() -> None:
    chat, clock = FakeChat(), SteppedClock()
    stored = StoredConversation(HERE, SurveySession("abc"), "mara")
    status = JobStatus(chat, nothing_spent, stored, Job("write", id="1"), typical_s=90.0, clock=clock)
    async with status.tick():
        await status.record_step(Progress("drafting"))
    assert chat.sent[-1].facts == ("0 s", "about 1 min 30 s left")


async def test_a_step_that_says_nothing_is_shown_at_least_every_ten_seconds() -> None:
    chat, clock = FakeChat(), SteppedClock()
    stored = StoredConversation(HERE, SurveySession("abc"), "mara")
    job = Job("outline", id="1")
    status = JobStatus(chat, nothing_spent, stored, job, typical_s=60.0, clock=clock)
    shown_at = [clock.now()]
    async with status.tick():
        await status.record_step(Progress("grouping"))
        for _ in range(45):
            before = len(chat.sent)
            await clock.move(1.0)
            shown_at += [clock.now()] * (len(chat.sent) - before)
    assert max(later - earlier for earlier, later in pairwise(shown_at)) <= 10.0
    assert shown_at[-1] - shown_at[0] >= 35.0
    last = chat.sent[-1]
    assert last.text == "Grouping the papers by what they are about"
    assert last.facts == ("40 s", "about 20 s left")
