"""What a job tells while it runs: progress to whoever looks, sections and results to the session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import InitVar, dataclass
from functools import partial

import structlog
from opentelemetry.trace import Status, StatusCode

from adapters.chat import ChatAdapter, Conversation, Outgoing
from bot.conversation.dispatcher import Dispatcher
from bot.conversation.pricing import payer_of
from bot.conversation.turn import Turn
from bot.conversation.turns import Turns, write_group_map
from bot.jobs.job_notes import MOST_STARTS, Durations, JobStarts
from bot.jobs.preloading import WAITING, begin_preloading, return_memory
from bot.jobs.runner import JobContexts, JobListener, Result, run
from bot.jobs.status import JobStatus
from bot.monitoring.metrics import Metrics
from bot.store.sessions import Store, StoredConversation
from bot.views.actions import FIGURES
from bot.wording import reviews
from bot.wording import sentences as wording
from bot.wording.discussion import answer, answer_sources, gaps
from bot.wording.labels import RATING, draw_buttons
from engine.errors import LimitExceeded, NoPapers, ScholiumError, ServiceError
from engine.evaluation.measures import Evaluation
from engine.rendering.files import file_stem, write_figure, write_files
from engine.revising.gaps import FieldGaps
from engine.run import Answer, Progress, ReviewDraft
from engine.session.events import Event, Job, JobDone, JobFailed, SectionFinished, Written
from engine.survey import Section, Survey
from engine.tracing import trace_step
from engine.values import Outline

log = structlog.get_logger()

ATTENTION_S = 60.0
"""Nobody watches for longer: what comes then is posted, not edited into what stands there."""

Say = Callable[[Turn], None]


@dataclass
class Reporter:
    """Runs the jobs of one adapter's conversations and says what becomes of them."""

    _adapter: ChatAdapter
    _dispatcher: Dispatcher
    _turns: Turns
    _services: JobContexts
    _metrics: Metrics
    store: InitVar[Store]

    def __post_init__(self, store: Store) -> None:
        self._durations = Durations(store, self._adapter.platform)
        self._starts = JobStarts(store)

    async def run_job(self, conversation: Conversation, job_id: str, limit_s: float) -> None:
        """Do the job if the session still waits for it; it is stopped after ``limit_s`` seconds."""
        stored = await self._dispatcher.load_conversation(conversation)
        job = stored.session.job
        if job is None or job.id != job_id:
            return
        payer = payer_of(stored)
        status = JobStatus(self._adapter, self._services, self._durations, stored, job)
        listener = self._listener(stored, job, status)
        make = partial(self._services.build_job_context, stored.session, payer, listener)
        with (
            structlog.contextvars.bound_contextvars(job=job_id, session=stored.session.id),
            self._metrics.running.track_inprogress(),
            self._metrics.job_s.labels(job.kind).time(),
            trace_step(f"job {job.kind}", _describe(stored, job)) as span,
        ):
            status.span = span
            if await self._starts.begin(conversation, stored.session, job_id) > MOST_STARTS:
                log.error("a job was set aside: each process that began it ended", job=job_id)
                await listener.failed(LimitExceeded(wording.ENDED_EACH_TIME.format(MOST_STARTS)))
                return
            try:
                async with status.tick():
                    await run(stored.session, job, make, listener, limit_s)
            finally:  # a process that is killed does not come here
                with suppress(ServiceError):  # then one start too many is counted
                    await asyncio.shield(self._starts.end(conversation))
                return_memory()

    def _listener(self, stored: StoredConversation, job: Job, status: JobStatus) -> JobListener:
        at = stored.conversation

        async def answering(found: Answer) -> None:
            await self._adapter.send(Outgoing(at, answer(found), "growing", job=job.id))

        async def reviewing(draft: ReviewDraft) -> None:
            await self._adapter.send(Outgoing(at, reviews.word_growing_review(draft), "growing", job=job.id))

        async def progressed(step: Progress) -> None:
            if step.stage in WAITING:
                begin_preloading()
            await status.record_step(step)

        async def section_finished(section: Section, position: int) -> None:
            status.finished[position] = section
            await self._report(at, job, SectionFinished(job.id, position, section), None, ())

        async def done(result: Result) -> None:
            self._metrics.jobs.labels(job.kind, "done").inc()
            await status.keep_duration()
            if isinstance(result, Answer | FieldGaps | Evaluation):
                answered = result.text if isinstance(result, Answer) else ""
                tell, event = await self._word_result(stored, job, result), JobDone(job.id, answered=answered)
            else:
                tell, event = await self._deliver(stored, job, result), JobDone(job.id, result)
            say = _announce(tell, job) if status.seconds() > ATTENTION_S else tell
            await self._report(at, job, event, say, await status.facts())

        async def failed(error: ScholiumError | None) -> None:
            self._metrics.jobs.labels(job.kind, "failed").inc()
            self._metrics.count_failure(error)
            status.span.set_status(Status(StatusCode.ERROR, type(error).__name__ if error else "bug"))
            text = wording.failure(error) if error else wording.OUR_FAULT
            no_papers = error if isinstance(error, NoPapers) else None
            say = lambda turn: turn.conclude(job, text, no_papers)  # noqa: E731
            await self._report(at, job, JobFailed(job.id), say, await status.facts())

        return JobListener(progressed, section_finished, answering, reviewing, done, failed)

    async def _deliver(self, stored: StoredConversation, job: Job, result: Result) -> Say:
        """A finished survey comes with the files that people open first, groups to be approved with their map."""
        groups = result if isinstance(result, Outline) else None
        if picture := await write_group_map(groups, self._turns.folder(stored)):
            return lambda turn: turn.say(reviews.HERE_IS_THE_MAP, files=(picture,))
        survey = result.candidates[result.best - 1].survey if isinstance(result, Written) else result
        if job.kind != "write" or not isinstance(survey, Survey):
            return lambda _: None  # the card says it all
        paths = await asyncio.to_thread(write_files, survey, self._turns.folder(stored), self._turns.defaults.delivered)
        return lambda turn: turn.say(wording.EXPORTED, files=paths)

    async def _word_result(self, stored: StoredConversation, job: Job, result: Answer | FieldGaps | Evaluation) -> Say:
        if isinstance(result, Answer):
            buttons = partial(answer_sources, result)
            return lambda turn: turn.result(job, answer(result), buttons=buttons(turn.session), rating=RATING)
        if isinstance(result, Evaluation):
            text = wording.evaluation(result, details=job.details)
            more = () if job.details else (FIGURES,)
            return lambda turn: turn.result(job, text, buttons=draw_buttons(turn.session, more))
        topic = stored.session.state.brief.topic if stored.session.state.brief else "field"
        folder = self._turns.folder(stored)
        path = await asyncio.to_thread(write_figure, result.map, folder, f"{file_stem(topic)}-gaps")

        def say(turn: Turn) -> None:
            turn.result(job, gaps(result))
            turn.say("", files=(path,))

        return say

    async def _report(self, at: Conversation, job: Job, event: Event, say: Say | None, facts: tuple[str, ...]) -> None:
        """Tell the session what its job did, unless it does not wait for that job any more."""

        async def taken(stored: StoredConversation) -> Turn:
            turn = await self._turns.load_uses(Turn(stored, facts=facts))
            if stored.session.job is None or stored.session.job.id != job.id:
                return turn
            self._turns.decide(turn, event)
            if say:
                say(turn)
            await self._turns.warn(turn)
            return turn

        await self._dispatcher.report(at, taken)


def _describe(stored: StoredConversation, job: Job) -> dict[str, str | bool]:
    """What a job's span says: nothing that a person wrote."""
    brief = stored.session.state.brief
    said: dict[str, str | bool] = {"scholium.job": job.id, "scholium.platform": stored.conversation.platform}
    return said | ({"scholium.recipe": brief.recipe, "scholium.online": brief.online} if brief else {})


def _announce(say: Say, job: Job) -> Say:
    """The same, in messages of their own."""

    def announce(turn: Turn) -> None:
        say(turn)
        turn.announce(job)

    return announce
