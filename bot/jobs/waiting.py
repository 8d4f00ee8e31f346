"""What people are told of jobs that wait: their place in the queue, and why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from adapters.chat import ChatAdapter, Outgoing
from bot.conversation.dispatcher import Dispatcher
from bot.jobs.sharing import JobLimits, SharedJob, choose_queue, find_places
from bot.views.actions import STOP
from bot.wording import progress
from bot.wording.labels import draw_buttons
from bot.wording.progress import NOBODY_WORKS, word_queued

PATIENCE_S = 2.0
"""A job that waits for a shorter time is not worth a word."""


class WaitingJobs:
    """The jobs of one adapter's conversations that run nowhere yet, and what was said of each."""

    def __init__(self, adapter: ChatAdapter, dispatcher: Dispatcher) -> None:
        self._adapter = adapter
        self._dispatcher = dispatcher
        self._since: dict[str, float] = {}
        self._said: dict[str, str] = {}

    async def tell(self, jobs: Sequence[SharedJob], limits: JobLimits, served: AbstractSet[str]) -> None:
        """Say in the status of each that waits what it waits for, once for each change; ``served``: queues at work."""
        places, now = find_places(jobs, limits), time.monotonic()
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
        session = (await self._dispatcher.load_conversation(at)).session
        if session.job is None or session.job.id != job.wanted.id:
            return
        stop = draw_buttons(session, (STOP,))
        text = f"{progress.word_started(session.job)}\n\n{text}"
        await self._adapter.send(Outgoing(at, text, "progress", job=job.wanted.id, buttons=stop))
