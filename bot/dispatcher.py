"""From what comes in to what goes out: stored before acknowledged, one order for each conversation, "stop" ahead.

It knows no platform. A turn is committed as one transaction with the messages it causes; jobs start after it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import structlog

from adapters.chat import Bar, ChatAdapter, Conversation, Incoming, Outgoing
from bot import proposals, wording
from bot.commands import parse
from bot.runner import Listener, Result, run
from bot.store import Held, Letter, Store
from bot.turns import Backstage, Turn, Turns, payer_of
from bot.watching import Metrics
from engine.errors import ScholiumError, ServiceError, UserError
from engine.evaluation.evaluating import Evaluation
from engine.events import Event, Job, JobDone, JobFailed, SectionFinished, Stop
from engine.gaps import FieldGaps
from engine.rendering.files import file_stem, write_figure
from engine.run import Answer, Progress
from engine.session import SurveySession
from engine.values import Section

log = structlog.get_logger()

TURNS_AT_ONCE = 24
"""Answers being made at once: more would not be made sooner, and what comes in would wait to be acknowledged."""

TRIES = 20
"""How often a turn is taken again where somebody else changed the conversation meanwhile."""


class Jobs(Protocol):
    """Where jobs wait and run."""

    async def start(self, conversation: Conversation, owner: str, job: Job) -> None:
        """Put the job into the queue; again for the same job does nothing."""
        ...

    async def stop(self, job: Job) -> None:
        """End the job where it runs here; another process sees that nobody waits for it any more."""
        ...


class Dispatcher:
    """Serves the conversations of one adapter."""

    def __init__(
        self, adapter: ChatAdapter, store: Store, turns: Turns, backstage: Backstage, metrics: Metrics, limit_s: float
    ) -> None:
        self._adapter = adapter
        self._metrics = metrics
        self._store = store
        self._turns = turns
        self._backstage = backstage
        self._limit_s = limit_s
        self._order: defaultdict[Conversation, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._sending: defaultdict[Conversation, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._at_once = asyncio.Semaphore(TURNS_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._unsent: list[Letter] = []
        self.jobs: Jobs | None = None
        """Set by whoever makes both: jobs report to the dispatcher, and the dispatcher starts jobs."""

    async def held(self, conversation: Conversation) -> Held:
        """The conversation as it stands; a new one where nothing was said yet."""
        found = await self._store.held(conversation)
        return found or Held(conversation, SurveySession(secrets.token_hex(4)), "")

    async def handle(self, incoming: Incoming) -> None:
        """Store it, then answer it in its turn. Returns as soon as it is stored; what came before is dropped."""
        with self._metrics.stored_s.time():
            is_new = await self._store.receive(incoming)
        self._metrics.received.labels("no" if is_new else "yes").inc()
        if is_new:
            self.answer(incoming)

    def answer(self, incoming: Incoming) -> None:
        """Answer something that is stored."""
        task = asyncio.create_task(self._answered(incoming))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settled(self) -> None:
        """Wait until everything that came in is answered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _answered(self, incoming: Incoming) -> None:
        with self._metrics.answered_s.time():
            await self._understood(incoming)

    async def _understood(self, incoming: Incoming) -> None:
        at = incoming.conversation
        try:
            if _is_stop(incoming):  # not in the queue: it is about what the queue waits for
                await self._turn(at, lambda held: self._turns.taken(held, incoming), incoming.key)
                return
            async with self._order[at], self._at_once:
                await self._turn(at, lambda held: self._turns.taken(held, incoming), incoming.key)
        except ScholiumError as error:
            self._metrics.failed(error)
            await self._say(Outgoing(at, wording.failure(error), awaits=True))
        except Exception:  # every message gets an answer, whatever is wrong with us
            log.exception("a message could not be answered", platform=at.platform)
            self._metrics.failed(None)
            await self._say(Outgoing(at, wording.OUR_FAULT, awaits=True))

    async def _turn(self, at: Conversation, take: Callable[[Held], object], key: str | None) -> Turn:
        """Take a turn, commit it, carry it out; again where the conversation has changed meanwhile."""
        for _ in range(TRIES):
            held = await self.held(at)
            made = take(held)
            turn = made if isinstance(made, Turn) else await made  # type: ignore[misc]
            if turn.forgets:
                letters = await self._store.forget(turn.held, turn.outgoing(), key)
            else:
                letters = await self._store.commit(turn.held, turn.outgoing(), key)
            if letters is not None:
                await self._carried_out(at, turn, letters)
                return turn
        raise ServiceError("Too many people changed this conversation at once. Please try again.", retryable=True)

    async def _carried_out(self, at: Conversation, turn: Turn, letters: Sequence[Letter]) -> None:
        for job in turn.stops:
            await self._needed_jobs().stop(job)
        await self.deliver(letters)
        for job in turn.starts:
            await self._needed_jobs().start(at, turn.held.owner, job)

    def _needed_jobs(self) -> Jobs:
        if self.jobs is None:
            raise ValueError("the dispatcher was not given its jobs")
        return self.jobs

    # What goes out.

    async def deliver(self, letters: Sequence[Letter]) -> None:
        """Send messages in order; one that the platform does not take now is kept for `deliver_again`."""
        for letter in letters:
            async with self._sending[letter.outgoing.conversation]:
                try:
                    await self._adapter.send(replace(letter.outgoing, key=str(letter.id)))
                except ServiceError as error:
                    log.warning("a message could not be sent", error=str(error))
                    self._unsent.append(letter)
                else:
                    await self._store.sent(letter)

    async def deliver_again(self) -> None:
        """Send what the platform did not take before."""
        waiting, self._unsent = self._unsent, []
        await self.deliver(waiting)

    async def _say(self, outgoing: Outgoing) -> None:
        """Something that cannot be stored, because the store has failed."""
        try:
            await self._adapter.send(outgoing)
        except ServiceError as error:
            log.warning("a message could not be sent", error=str(error))

    async def greet(self, conversation: Conversation) -> None:
        """Say what this is, or where the conversation was left, and whose turn it is."""
        held = await self.held(conversation)
        turn = Turn(held)
        if held.version == 0:
            turn.say(wording.WELCOME)
        elif held.session.job:
            turn.say(wording.going_on(held.session.job))
        else:
            turn.say(wording.WELCOME_BACK)
            turn.say(proposals.proposal(held.session.state), proposal=True)
        for outgoing in turn.outgoing():
            await self._adapter.send(outgoing)

    # Jobs.

    async def run_job(self, conversation: Conversation, job_id: str) -> None:
        """Do the job if the session still waits for it."""
        held = await self.held(conversation)
        job = held.session.job
        if job is None or job.id != job_id:
            return
        payer = payer_of(held)
        make = lambda session, listener: self._backstage.bench(session, payer, listener)  # noqa: E731
        with (
            structlog.contextvars.bound_contextvars(job=job_id, session=held.session.id),
            self._metrics.running.track_inprogress(),
            self._metrics.job_s.labels(job.kind).time(),
        ):
            await run(held.session, job, make, self._listener(conversation, job), self._limit_s)

    def _listener(self, at: Conversation, job: Job) -> Listener:
        async def progressed(step: Progress) -> None:
            bar = Bar(step.done, step.total)
            await self._adapter.send(Outgoing(at, wording.progress(step), "progress", bar=bar))

        async def answering(found: Answer) -> None:
            await self._adapter.send(Outgoing(at, wording.answer(found), "growing"))

        async def section_finished(section: Section, position: int) -> None:
            await self._report(at, job, SectionFinished(job.id, position, section), section=(section, position))

        async def done(result: Result) -> None:
            self._metrics.jobs.labels(job.kind, "done").inc()
            if isinstance(result, Answer | FieldGaps | Evaluation):
                await self._report(at, job, JobDone(job.id), answer=result)
            else:
                await self._report(at, job, JobDone(job.id, result))

        async def failed(error: ScholiumError | None) -> None:
            self._metrics.jobs.labels(job.kind, "failed").inc()
            self._metrics.failed(error)
            await self._report(
                at, job, JobFailed(job.id), failure=wording.failure(error) if error else wording.OUR_FAULT
            )

        return Listener(progressed, section_finished, answering, done, failed)

    async def _report(
        self,
        at: Conversation,
        job: Job,
        event: Event,
        *,
        section: tuple[Section, int] | None = None,
        answer: Answer | FieldGaps | Evaluation | None = None,
        failure: str = "",
    ) -> None:
        """Tell the session what its job did, unless it does not wait for that job any more."""

        async def taken(held: Held) -> Turn:
            if held.session.job is None or held.session.job.id != job.id:
                return Turn(held)
            turn = self._turns.decided(held, event)
            if section:
                turn.say(wording.finished_section(*section))
            if isinstance(answer, Answer):
                turn.say(wording.answer(answer))
            elif isinstance(answer, Evaluation):
                turn.say(wording.evaluation(answer, details=job.details), buttons=wording.details(turn.session, job))
            elif answer:
                topic = held.session.state.brief.topic if held.session.state.brief else "field"
                path = await asyncio.to_thread(write_figure, answer.map, self._turns.output, f"{file_stem(topic)}-gaps")
                turn.say(wording.gaps(answer), files=(path,))
            if failure:
                turn.say(failure)
            await self._turns.warn(turn)
            return turn

        # A job that is ended while it reports has still reported: what is committed is also sent.
        task = asyncio.create_task(self._reported(at, taken))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.shield(task)

    async def _reported(self, at: Conversation, take: Callable[[Held], object]) -> None:
        await self._turn(at, take, None)


def _is_stop(incoming: Incoming) -> bool:
    try:
        return isinstance(parse(incoming.text), Stop) and not incoming.button
    except UserError:
        return False
