"""From what comes in to what goes out: stored before acknowledged, one order for each conversation, "stop" ahead.

It knows no platform. A turn is committed as one transaction with the messages it causes; jobs start after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakValueDictionary

import structlog
from tenacity import AsyncRetrying, RetryError, retry_if_exception_type, stop_after_attempt, wait_exponential

from adapters.chat import ChatAdapter, Conversation, Incoming, Outgoing, PlatformError
from bot.conversation.intake import admit, compute
from bot.conversation.opening import read_opening
from bot.conversation.outbox import Outbox
from bot.conversation.turn import Turn
from bot.conversation.turns import Turns
from bot.conversation.understanding import is_stop
from bot.monitoring.metrics import Metrics
from bot.store.left_over import MOST_TRIES, count_try
from bot.store.sessions import Store, StoredConversation
from bot.wording import progress
from bot.wording import sentences as wording
from bot.wording.cards import Card
from engine.errors import ScholiumError, ServiceError
from engine.text import storable
from engine.tracing import trace_step

log = structlog.get_logger()

TURNS_AT_ONCE = 24
"""Answers being made at once: more would not be made sooner, and what comes in would wait to be acknowledged."""

TRIES = 20
"""How often a turn is taken again where somebody else changed the conversation meanwhile."""

LONGEST_REASON = 300
"""Characters of what is kept about why an event was set aside."""

Take = Callable[[StoredConversation], Awaitable[Turn]]


class Jobs(Protocol):
    """Where jobs wait and run."""

    async def launch(self) -> None:
        """Open the queue; again does nothing. Raises `ServiceError` where it cannot be opened."""

    async def start(self, job_id: str) -> None:
        """Put the job into its queue, after what else its person waits for in the workspace; again does nothing."""

    async def stop(self, job_ids: Iterable[str]) -> None:
        """End jobs that run here; another process sees that nobody waits for them any more."""


class Dispatcher:
    """Serves the conversations of one adapter."""

    jobs: Jobs
    """Set by whoever makes both: jobs report to the dispatcher, and the dispatcher starts jobs."""

    def __init__(self, adapter: ChatAdapter, store: Store, turns: Turns, outbox: Outbox, metrics: Metrics) -> None:
        self._adapter = adapter
        self._metrics = metrics
        self._store = store
        self._turns = turns
        self._outbox = outbox
        self._order: WeakValueDictionary[Conversation, asyncio.Lock] = WeakValueDictionary()
        self._at_once = asyncio.Semaphore(TURNS_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self.pauses_s: Sequence[float] = (0.5, 2.0)
        """Between the tries to answer one event."""
        self.storing = wait_exponential(multiplier=1, max=16)
        """Between the tries to store that an event is set aside, where the store has failed."""

    async def handle(self, incoming: Incoming) -> None:
        """Store it, then answer it in its turn. Returns as soon as it is stored; what came before is dropped."""
        incoming = admit(incoming)
        with self._metrics.stored_s.time():
            is_new = await self._store.receive(incoming)
        self._metrics.received.labels("no" if is_new else "yes").inc()
        if is_new:
            self.answer(incoming)

    def answer(self, incoming: Incoming, tries: int = 0) -> None:
        """Answer something that is stored, and was tried so often by processes that are gone."""
        self._keep_task(self._answer(incoming, tries))

    def _keep_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def drain(self) -> None:
        """Wait until everything that came in is answered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _answer(self, incoming: Incoming, tries: int) -> None:
        """Answer it, again where that fails; it is set aside after `MOST_TRIES`, and its person told so once.

        ``tries`` were made before by processes that did not live to the end of them.
        """
        at = incoming.conversation
        if tries >= MOST_TRIES:
            await self._refuse(incoming, wording.ENDED_US, "the process that tried it ended, each time")
            return
        if tries:
            with suppress(ServiceError):  # it is counted the next time
                await count_try(self._store, incoming)
        for pause_s in (*self.pauses_s, None):
            try:
                with self._metrics.answered_s.time(), trace_step("answer", {"scholium.platform": at.platform}):
                    await self._understood(incoming)
                return
            except PlatformError as error:  # no thread, or no file
                await self._refuse(incoming, wording.platform_failed(str(error)))
                return
            except ScholiumError as error:
                self._metrics.count_failure(error)
                if not (isinstance(error, ServiceError) and error.retryable):
                    await self._refuse(incoming, wording.failure(error))
                    return
                text, why = wording.failure(error), str(error)
            except Exception as error:  # every message gets an answer, whatever is wrong with us
                log.exception("a message could not be answered", platform=at.platform)
                self._metrics.count_failure(None)
                text, why = wording.OUR_FAULT, f"{type(error).__name__}: {error}"
            if pause_s is not None:
                await asyncio.sleep(pause_s)
        await self._refuse(incoming, text, why)

    async def _refuse(self, incoming: Incoming, text: str, why: str = "") -> None:
        """Say that nothing was done, which no later process may do then; what has a reason ``why`` is set aside."""
        at = incoming.conversation
        outgoing = Outgoing(at, text, awaits=True, only_for=incoming.person if incoming.opens else "")
        kept = storable(why)[:LONGEST_REASON]
        try:
            self._outbox.give(await self._store.record_handled(at, incoming.key, [outgoing], kept))
        except ServiceError:
            try:
                await self._adapter.send(outgoing)
            except PlatformError as error:
                log.warning("a message could not be sent", error=str(error))
            again = AsyncRetrying(
                retry=retry_if_exception_type(ServiceError), wait=self.storing, stop=stop_after_attempt(6)
            )
            try:
                await again(self._store.record_handled, at, incoming.key, set_aside=kept)
            except RetryError:
                log.error("what came of an event could not be stored")

    async def _understood(self, incoming: Incoming) -> None:
        if incoming.opens:
            wanted = await read_opening(incoming, self._turns.services, self._turns.defaults)
            if isinstance(wanted, Outgoing):
                self._outbox.give(await self._store.record_handled(incoming.conversation, incoming.key, [wanted]))
                return
            incoming = replace(wanted, conversation=await self._open_thread(wanted), opens=False)
        at = incoming.conversation

        async def take(stored: StoredConversation) -> Turn:
            return await self._turns.decide_turn(stored, incoming)

        # The contents of files are not stored.
        files = [replace(a, content=await self._adapter.fetch(at, a), source="") for a in incoming.attachments]
        incoming = replace(incoming, attachments=tuple(files))
        if await compute(is_stop, incoming):  # not in the queue: it is about what the queue waits for
            await self._turn(at, take, incoming.key)
        else:
            async with self._order.setdefault(at, asyncio.Lock()), self._at_once:
                await self._turn(at, take, incoming.key)

    async def _open_thread(self, wanted: Incoming) -> Conversation:
        """A thread with a line that names the topic; where a survey is already, its own, which announces nothing."""
        stored = await self._store.load_conversation(wanted.conversation)
        if stored.session.state.brief:
            return wanted.conversation
        starter = Outgoing(wanted.conversation, wording.word_opened(wanted), people=(wanted.person,))
        return await self._adapter.open_thread(wanted, starter)

    async def _turn(self, at: Conversation, take: Take, key: str | None) -> None:
        """Take a turn, commit it, carry it out; again where the conversation has changed meanwhile."""
        for _ in range(TRIES):
            before = await self._store.load_conversation(at)
            turn = await take(before)
            if self._adapter.keeps_documents:
                turn.show_document(before.session)
            if key is not None and not (turn.messages or turn.starts or turn.stops or turn.forgets):  # not for us
                await self._store.record_handled(at, key)
                return
            if turn.starts:
                await self.jobs.launch()  # before the conversation waits for a job that could not be queued
            if turn.forgets:
                stored_messages = await self._store.forget(turn.stored, turn.collect_messages(), key)
            else:
                stored_messages = await self._store.commit(turn.stored, turn.collect_messages(), key)
            if stored_messages is not None:
                await self.jobs.stop([job.id for job in turn.stops])
                self._outbox.give(stored_messages)
                for job in turn.starts:
                    await self.jobs.start(job.id)
                return
        raise ServiceError("Too many people changed this conversation at once. Please try again.", retryable=True)

    async def report(self, at: Conversation, take: Take) -> None:
        """Take a turn for something a job did; a job that is ended while it reports has still reported."""
        await asyncio.shield(self._keep_task(self._turn(at, take, None)))

    async def greet(self, conversation: Conversation) -> None:
        """Say what this is, or where the conversation was left, and whose turn it is."""
        stored = await self._store.load_conversation(conversation)
        turn = await self._turns.load_uses(Turn(stored))
        if stored.version == 0:
            turn.show(Card(wording.WELCOME, hints=("survey TOPIC", "help")))
        elif stored.session.job:
            turn.say(progress.word_going_on(stored.session.job))
        else:
            turn.say(wording.WELCOME_BACK)
            turn.show_card(self._turns.card(turn))
        for outgoing in turn.collect_messages():
            await self._adapter.send(outgoing)
