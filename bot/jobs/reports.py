"""What a job tells while it runs: progress to whoever looks, sections and results to the session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import structlog

from adapters.chat import ChatAdapter, Conversation, Outgoing, ProgressBar
from bot.conversation.dispatcher import Dispatcher
from bot.conversation.turn import Turn
from bot.conversation.turns import Turns, payer_of, stop_button
from bot.jobs.runner import JobContexts, JobListener, Result, run
from bot.monitoring.metrics import Metrics
from bot.store.sessions import StoredConversation
from bot.wording import proposals, reviews
from bot.wording import sentences as wording
from engine.errors import ScholiumError
from engine.evaluation.measures import Evaluation
from engine.rendering.files import file_stem, write_figure
from engine.revising.gaps import FieldGaps
from engine.run import Answer, Progress, ReviewDraft
from engine.session.events import Event, Job, JobDone, JobFailed, SectionFinished
from engine.session.state import SurveySession
from engine.survey import Section

MONEY_S = 2.0
"""How old the sum beside the progress may be: it is asked of the database."""


class Reporter:
    """Runs the jobs of one adapter's conversations and says what becomes of them."""

    def __init__(
        self,
        adapter: ChatAdapter,
        dispatcher: Dispatcher,
        turns: Turns,
        services: JobContexts,
        metrics: Metrics,
    ) -> None:
        self._adapter = adapter
        self._dispatcher = dispatcher
        self._turns = turns
        self._services = services
        self._metrics = metrics

    async def run_job(self, conversation: Conversation, job_id: str, limit_s: float) -> None:
        """Do the job if the session still waits for it; it is stopped after ``limit_s`` seconds."""
        stored = await self._dispatcher.load_conversation(conversation)
        job = stored.session.job
        if job is None or job.id != job_id:
            return
        payer = payer_of(stored)
        listener = self._listener(stored, job)
        make = partial(self._services.build_job_context, stored.session, payer, listener)
        with (
            structlog.contextvars.bound_contextvars(job=job_id, session=stored.session.id),
            self._metrics.running.track_inprogress(),
            self._metrics.job_s.labels(job.kind).time(),
        ):
            await run(stored.session, job, make, listener, limit_s)

    def _listener(self, stored: StoredConversation, job: Job) -> JobListener:
        at, facts = stored.conversation, JobFacts(self._services, stored.session)
        buttons = (stop_button(stored.session),)

        async def progressed(step: Progress) -> None:
            text, bar, shown = wording.progress(step), ProgressBar(step.done, step.total), await facts.now(step)
            await self._adapter.send(Outgoing(at, text, "progress", job=job.id, bar=bar, facts=shown, buttons=buttons))

        async def answering(found: Answer) -> None:
            await self._adapter.send(Outgoing(at, wording.answer(found), "growing"))

        async def reviewing(draft: ReviewDraft) -> None:
            await self._adapter.send(Outgoing(at, reviews.word_growing_review(draft), "growing"))

        async def section_finished(section: Section, position: int) -> None:
            def say(turn: Turn) -> None:
                selection = turn.session.state.papers
                papers = {p.key: p for p in selection.included()} if selection else {}
                more = proposals.word_written_section(section, position, papers)
                turn.say(wording.word_finished_section(section, position), more=more)

            await self._report(at, job, SectionFinished(job.id, position, section), say)

        async def done(result: Result) -> None:
            self._metrics.jobs.labels(job.kind, "done").inc()
            ended = Outgoing(at, wording.word_ended(job), "ended", job=job.id, facts=await facts.now(None))
            if isinstance(result, Answer | FieldGaps | Evaluation):
                tell = await self._word_result(stored, job, result)
                await self._report(at, job, JobDone(job.id), tell, ended)
            else:
                await self._report(at, job, JobDone(job.id, result), None, ended)

        async def failed(error: ScholiumError | None) -> None:
            self._metrics.jobs.labels(job.kind, "failed").inc()
            self._metrics.failed(error)
            text = wording.failure(error) if error else wording.OUR_FAULT
            ended = Outgoing(at, wording.word_broken_off(job), "ended", job=job.id, facts=await facts.now(None))
            await self._report(at, job, JobFailed(job.id), lambda turn: turn.say(text), ended)

        return JobListener(progressed, section_finished, answering, reviewing, done, failed)

    async def _word_result(
        self, stored: StoredConversation, job: Job, result: Answer | FieldGaps | Evaluation
    ) -> Callable[[Turn], None]:
        if isinstance(result, Answer):
            return lambda turn: turn.say(wording.answer(result))
        if isinstance(result, Evaluation):
            text = wording.evaluation(result, details=job.details)
            return lambda turn: turn.say(text, buttons=wording.details(turn.session, job))
        topic = stored.session.state.brief.topic if stored.session.state.brief else "field"
        folder = self._turns.folder(stored)
        path = await asyncio.to_thread(write_figure, result.map, folder, f"{file_stem(topic)}-gaps")
        return lambda turn: turn.say(wording.gaps(result), files=(path,))

    async def _report(
        self,
        at: Conversation,
        job: Job,
        event: Event,
        say: Callable[[Turn], None] | None,
        ended: Outgoing | None = None,
    ) -> None:
        """Tell the session what its job did, unless it does not wait for that job any more."""

        async def taken(stored: StoredConversation) -> Turn:
            turn = Turn(stored)
            if stored.session.job is None or stored.session.job.id != job.id:
                return turn
            self._turns.decide(turn, event)
            if say:
                say(turn)
            await self._turns.warn(turn)
            turn.messages += [ended] if ended else []  # last: nobody waits for it
            return turn

        await self._dispatcher.report(at, taken)


@dataclass
class JobFacts:
    """Counts, time and money of a running job, for people who wait."""

    services: JobContexts
    session: SurveySession
    money: float = 0.0
    asked_at: float = 0.0

    def __post_init__(self) -> None:
        self.began = time.monotonic()

    async def now(self, step: Progress | None) -> tuple[str, ...]:
        """The facts; the sum is asked anew every `MONEY_S`, and at the end."""
        now = time.monotonic()
        if step is None or now - self.asked_at > MONEY_S:
            self.asked_at = now
            self.money = sum(usage.money for usage in (await self.services.spent(self.session.id)).values())
        return wording.facts(step, now - self.began, self.money)
