"""What a job tells while it runs: progress to whoever looks, sections and results to the session."""

from __future__ import annotations

import asyncio
import ctypes
import json
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import sqlalchemy as sa
import structlog
from opentelemetry.trace import Status, StatusCode

from adapters.chat import ChatAdapter, Conversation, Outgoing
from bot.conversation.dispatcher import Dispatcher
from bot.conversation.pricing import estimate_writing, payer_of
from bot.conversation.turn import Turn
from bot.conversation.turns import Turns, write_group_map
from bot.jobs.runner import Result, perform
from bot.jobs.status import JobStatus
from bot.monitoring.metrics import Metrics
from bot.store.ledger import Payer, usage_by_step
from bot.store.notes import recall, remember
from bot.store.schema import calls
from bot.store.sessions import Store, StoredConversation
from bot.views.actions import FIGURES
from bot.wording import reviews
from bot.wording import sentences as wording
from bot.wording.discussion import answer, answer_sources, gaps
from bot.wording.labels import RATING, draw_buttons
from engine.errors import LimitExceeded, ScholiumError, ServiceError, find_known
from engine.evaluation.measures import Evaluation
from engine.rendering.files import file_stem, write_figure, write_files
from engine.revising.gaps import FieldGaps
from engine.run import Answer, Progress, RunContext
from engine.session.events import Event, Job, JobDone, JobFailed, SectionFinished, Written
from engine.session.state import SurveySession, find_kept_text
from engine.survey import Section, Survey
from engine.tracing import trace_step
from engine.values import Outline

log = structlog.get_logger()

ATTENTION_S = 60.0
"""Nobody watches for longer: what comes then is posted, not edited into what stands there."""

MOST_STARTS = 5
"""A job that was begun so often, and each time ended its process before anything was finished, is set aside."""

_STARTS = "job starts"
"""The note of the starts of the one job that a conversation has at a time; a process that is killed leaves its own."""

LATER = ("sklearn.cluster", "sklearn.manifold", "docx")
"""What the overview and the files of a survey are made with; loading it takes most of a second."""

Say = Callable[[Turn], None]


@dataclass
class Reporter:
    """Runs the jobs of one adapter's conversations and says what becomes of them."""

    _adapter: ChatAdapter
    _dispatcher: Dispatcher
    _turns: Turns
    _build: Callable[[SurveySession, Payer], Awaitable[RunContext]]
    """Gives the library that the session names, and the model on the payer's account."""
    _metrics: Metrics
    _store: Store

    async def run_job(self, conversation: Conversation, job_id: str) -> None:
        """Do the job if the session still waits for it."""
        stored = await self._store.load_conversation(conversation)
        job = stored.session.job
        if job is None or job.id != job_id:
            return
        spent = partial(usage_by_step, self._store, stored.session.id)
        status = JobStatus(self._adapter, spent, stored, job)
        with (
            structlog.contextvars.bound_contextvars(job=job_id, session=stored.session.id),
            self._metrics.running.track_inprogress(),
            self._metrics.job_s.labels(job.kind).time(),
            trace_step(f"job {job.kind}", _describe(stored, job)) as status.span,
        ):
            if await count_start(self._store, conversation, stored.session, job_id) > MOST_STARTS:
                log.error("a job was set aside: each process that began it ended", job=job_id)
                await self._fail(status, LimitExceeded(wording.ENDED_EACH_TIME.format(MOST_STARTS)))
                return
            state, planned = stored.session.state, None
            if job.kind == "write":
                planned = estimate_writing(state, find_kept_text(state), self._turns.defaults)
            last_s = float(await recall(self._store, *self._took(status)) or 0)
            status.typical_s = planned.seconds if planned else last_s
            try:
                async with status.tick():
                    await self._run(status)
            finally:  # a process that is killed does not come here
                with suppress(ServiceError):  # then one start too many is counted
                    await asyncio.shield(remember(self._store, conversation, _STARTS, ""))
                return_memory()

    def _took(self, status: JobStatus) -> tuple[Conversation, str]:
        """The note of how long the last such job of the platform took."""
        return Conversation(self._adapter.platform, "", ""), f"took:{status.kind}"

    async def _run(self, status: JobStatus) -> None:
        """Do the job; every ending is reported, but for being cancelled, which was asked for."""
        limit_s = self._turns.defaults.settings.job_seconds
        try:
            async with asyncio.timeout(limit_s):
                context = await self._build_context(status)
                recipes = self._turns.defaults.recipes
                result = await perform(status.job, status.stored.session.state, recipes, context)
        except TimeoutError:
            await self._fail(status, LimitExceeded(f"This took longer than {limit_s:,.0f} seconds and was stopped."))
        except Exception as error:  # here our own faults end; the person must get an answer
            known = find_known(error)
            if known is None:
                log.exception("job failed", job=status.job.id, kind=status.job.kind)
            await self._fail(status, known)
        else:
            await self._finish(status, result)

    async def _build_context(self, status: JobStatus) -> RunContext:
        """What the job works with; what it tells meanwhile is shown."""
        stored, job = status.stored, status.job
        at = stored.conversation

        async def grow(text: str) -> None:
            await self._adapter.send(Outgoing(at, text, "growing", job=job.id))

        async def progressed(step: Progress) -> None:
            if step.stage == "outlining":  # the language model is asked, and there is nothing else to do
                begin_preloading()
            await status.record_step(step)

        async def section_finished(section: Section, position: int) -> None:
            status.finished[position] = section
            await self._report(status, SectionFinished(job.id, position, section))

        return replace(
            await self._build(stored.session, payer_of(stored)),
            progress=progressed,
            section_finished=section_finished,
            answering=lambda found: grow(answer(found)),
            reviewing=lambda draft: grow(reviews.word_growing_review(draft)),
        )

    async def _finish(self, status: JobStatus, result: Result) -> None:
        stored, job = status.stored, status.job
        self._metrics.jobs.labels(job.kind, "done").inc()
        await remember(self._store, *self._took(status), f"{status.seconds():.2f}")
        if isinstance(result, Answer | FieldGaps | Evaluation):
            event = JobDone(job.id, answered=result.text if isinstance(result, Answer) else "")
        else:
            event = JobDone(job.id, result)
        said, shown = self._word_result(job, result), await self._show_files(stored, job, result)

        def say(turn: Turn) -> None:
            said(turn)
            shown(turn)

        await self._report(status, event, say)

    async def _fail(self, status: JobStatus, error: ScholiumError | None) -> None:
        """``None`` is a fault of ours."""
        job = status.job
        self._metrics.jobs.labels(job.kind, "failed").inc()
        self._metrics.count_failure(error)
        status.span.set_status(Status(StatusCode.ERROR, type(error).__name__ if error else "bug"))
        text = wording.failure(error) if error else wording.OUR_FAULT
        await self._report(status, JobFailed(job.id), lambda turn: turn.conclude(job, text, error))

    def _word_result(self, job: Job, result: Result) -> Say:
        """What was asked for; of a proposal the card says it all."""
        match result:
            case Answer():
                buttons = partial(answer_sources, result)
                return lambda turn: turn.result(job, answer(result), buttons=buttons(turn.session), rating=RATING)
            case Evaluation():
                text = wording.evaluation(result, details=job.details)
                more = () if job.details else (FIGURES,)
                return lambda turn: turn.result(job, text, buttons=draw_buttons(turn.session, more))
            case FieldGaps():
                return lambda turn: turn.result(job, gaps(result))
        return lambda _: None

    async def _show_files(self, stored: StoredConversation, job: Job, result: Result) -> Say:
        """The map of a field, or of groups to be approved; a finished survey's files that people open first.

        Where they cannot be made, why: what they are made of is finished all the same.
        """
        folder = self._turns.folder(stored)
        try:
            match result:
                case FieldGaps():
                    name = f"{file_stem(stored.session.state.topic)}-gaps"
                    path = await asyncio.to_thread(write_figure, result.map, folder, name)
                    return lambda turn: turn.say("", files=(path,))
                case Outline() if picture := await write_group_map(result, folder):
                    return lambda turn: turn.say(reviews.HERE_IS_THE_MAP, files=(picture,))
                case Written() | Survey() if job.kind == "write":
                    survey = result.candidates[result.best - 1].survey if isinstance(result, Written) else result
                    paths = await asyncio.to_thread(write_files, survey, folder, self._turns.defaults.delivered)
                    return lambda turn: turn.say(wording.EXPORTED, files=paths)
        except Exception as error:  # as above: a fault of ours too must leave the person with an answer
            known = find_known(error)
            if known is None:
                log.exception("files could not be made", job=job.id, kind=job.kind)
            text = wording.failure(known) if known else wording.OUR_FAULT
            return lambda turn: turn.say(text)
        return lambda _: None

    async def _report(self, status: JobStatus, event: Event, say: Say | None = None) -> None:
        """Tell the session what its job did, unless it does not wait for that job any more."""
        job, facts = status.job, await status.facts() if say else ()

        async def taken(stored: StoredConversation) -> Turn:
            turn = await self._turns.load_uses(Turn(stored, facts=facts))
            if stored.session.job is None or stored.session.job.id != job.id:
                return turn
            self._turns.decide(turn, event)
            if say:
                say(turn)
            if isinstance(event, JobDone) and status.seconds() > ATTENTION_S:
                turn.announce(job)
            await self._turns.warn(turn)
            return turn

        await self._dispatcher.report(status.stored.conversation, taken)


def _describe(stored: StoredConversation, job: Job) -> dict[str, str | bool]:
    """What a job's span says: nothing that a person wrote."""
    brief = stored.session.state.brief
    said: dict[str, str | bool] = {"scholium.job": job.id, "scholium.platform": stored.conversation.platform}
    return said | ({"scholium.recipe": brief.recipe, "scholium.online": brief.online} if brief else {})


def read_machine_start() -> str:
    """A name for the time since this machine was started, another after each start; empty where it has none."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""


async def count_start(
    store: Store, at: Conversation, session: SurveySession, job_id: str, machine: str | None = None
) -> int:
    """How often the job was begun since it last finished a call or a section, this time included.

    A machine that was started anew meanwhile has ended every process, whatever job it ran: that counts for none.
    """
    machine = read_machine_start() if machine is None else machine
    query = sa.select(sa.func.count()).where(calls.c.session_id == session.id)
    ((finished,),) = await store.select(query)
    mark = [job_id, finished, len(session.state.sections), machine]
    *before, starts = json.loads(await recall(store, at, _STARTS) or "[0]")
    starts = starts + 1 if before == mark else 1
    await remember(store, at, _STARTS, json.dumps([*mark, starts]))
    return int(starts)


@cache
def begin_preloading() -> threading.Thread:
    """Load it in a thread, once in a process. What cannot be loaded is so again, and said, where it is needed."""

    def preload() -> None:
        with suppress(ImportError, OSError):
            for name in LATER:
                import_module(name)

    thread = threading.Thread(target=preload, name="preloading")
    thread.start()
    return thread


def return_memory() -> None:
    """Give it back now; nothing happens where the C library has no way to do so (it is glibc's)."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
