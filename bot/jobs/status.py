"""The status of a job: of one that runs what is done, how long yet, at what cost; of one that waits, why."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from opentelemetry.trace import INVALID_SPAN, Span, set_span_in_context

from adapters.chat import ChatAdapter, Outgoing, ProgressBar
from bot.jobs.sharing import SharedJob, choose_queue, find_places
from bot.store.sessions import Store, StoredConversation
from bot.views.actions import STOP
from bot.wording import progress
from bot.wording.labels import draw_buttons
from bot.wording.progress import NOBODY_WORKS, word_queued
from engine.clock import SYSTEM_CLOCK, Clock
from engine.llm.meter import Usage
from engine.run import Progress
from engine.session.events import Job
from engine.survey import Section
from engine.tracing import tracer

MONEY_S = 2.0
"""How old the sum beside the progress may be: it is asked of the database."""

TICK_S = 8.0
"""A status that says nothing new for so long says at least how much time has passed."""


@dataclass
class JobStatus:
    """The status of one job, for people who wait."""

    adapter: ChatAdapter
    spent: Callable[[], Awaitable[Mapping[str, Usage]]]
    stored: StoredConversation
    job: Job
    finished: dict[int, Section] = field(default_factory=dict)
    step: Progress | None = None
    shown_at: float = 0.0
    typical_s: float = 0.0
    """Seconds that such a job takes, by the calls planned or as long as the last one took; 0 where nobody knows."""
    clock: Clock = SYSTEM_CLOCK
    span: Span = INVALID_SPAN
    """The job's; each stage is one below it."""
    _stage: Span = INVALID_SPAN
    _money: float = 0.0
    _asked_at: float = -math.inf

    def __post_init__(self) -> None:
        self.began = self.stage_began = self.clock.now()
        self.finished |= dict(self.stored.session.state.sections) if self.job.kind == "write" else {}

    @property
    def kind(self) -> str:
        """The kind of the job, of its recipe, and whether it goes online: what its duration depends on."""
        brief = self.stored.session.state.brief
        return f"{self.job.kind} {brief.recipe if brief else ''}{' online' if brief and brief.online else ''}"

    def seconds(self) -> float:
        return self.clock.now() - self.began

    async def record_step(self, step: Progress) -> None:
        if self.step is None or self.step.stage != step.stage:
            self.stage_began = self.clock.now()
            self._stage.end()
            self._stage = tracer.start_span(f"stage {step.stage}", set_span_in_context(self.span))
        self.step = step
        await self._show()

    @asynccontextmanager
    async def tick(self) -> AsyncIterator[None]:
        """Show at least every `TICK_S` that it is still at work, while the block runs."""
        task = asyncio.create_task(self._tick())
        try:
            yield
        finally:
            self._stage.end()
            task.cancel()
            await asyncio.wait([task])

    async def facts(self) -> tuple[str, ...]:
        self._asked_at = -math.inf
        return progress.facts(None, self.seconds(), await self._spent(), None)

    async def _tick(self) -> None:
        while True:
            await self.clock.sleep(max(0.5, self.shown_at + TICK_S - self.clock.now()))
            if self.clock.now() - self.shown_at >= TICK_S:
                await self._show()

    async def _show(self) -> None:
        self.shown_at = self.clock.now()
        step = self.step or Progress(self.job.kind)
        facts = progress.facts(step, self.seconds(), await self._spent(), self._left_s())
        text = progress.word_status(self.job, self.step, self.finished)
        buttons = draw_buttons(self.stored.session, (STOP,))
        bar, at = ProgressBar(step.done, step.total), self.stored.conversation
        await self.adapter.send(Outgoing(at, text, "progress", job=self.job.id, bar=bar, facts=facts, buttons=buttons))

    def _left_s(self) -> float | None:
        """By the steps done, else by what is typical; ``None`` where nothing tells."""
        step, now = self.step, self.clock.now()
        if step and step.total and step.done:
            return (now - self.stage_began) * (step.total - step.done) / step.done
        return self.typical_s - self.seconds() if self.typical_s > self.seconds() else None

    async def _spent(self) -> float:
        """What the job has cost; the database is asked at most every `MONEY_S`."""
        if self.clock.now() - self._asked_at > MONEY_S:
            self._asked_at = self.clock.now()
            self._money = sum(usage.money for usage in (await self.spent()).values())
        return self._money


PATIENCE_S = 2.0
"""A job that waits for a shorter time is not worth a word."""


@dataclass
class WaitingJobs:
    """The jobs of one adapter's conversations that run nowhere yet, and what was said of each."""

    _adapter: ChatAdapter
    _store: Store
    _since: dict[str, float] = field(default_factory=dict)
    _said: dict[str, str] = field(default_factory=dict)

    async def tell(self, jobs: Sequence[SharedJob], per_workspace: int, served: AbstractSet[str]) -> None:
        """Say in the status of each that waits what it waits for, once for each change; ``served``: queues at work."""
        places, now = find_places(jobs, per_workspace), time.monotonic()
        self._since = {name: self._since.get(name, now) for name in places}
        self._said = {name: said for name, said in self._said.items() if name in places}
        for job in jobs:
            name = job.wanted.id
            if name not in places or now - self._since[name] < PATIENCE_S:
                continue
            is_served = choose_queue(job.wanted.kind) in served
            text = word_queued(places[name]) if is_served else NOBODY_WORKS
            if self._said.get(name) != text:
                self._said[name] = text
                await self._show(job, text)

    async def _show(self, job: SharedJob, text: str) -> None:
        at = job.wanted.conversation
        session = (await self._store.load_conversation(at)).session
        if session.job is None or session.job.id != job.wanted.id:
            return
        stop = draw_buttons(session, (STOP,))
        text = f"{progress.word_started(session.job)}\n\n{text}"
        await self._adapter.send(Outgoing(at, text, "progress", job=job.wanted.id, buttons=stop))
