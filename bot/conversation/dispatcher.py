"""From what comes in to what goes out: stored before acknowledged, one order for each conversation, "stop" ahead.

It knows no platform. A turn is committed as one transaction with the messages it causes; jobs start after it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, Protocol

import structlog

from adapters.chat import ChatAdapter, Conversation, Incoming, Outgoing, PlatformError
from bot.conversation.outbox import Post
from bot.conversation.turns import Turn, Turns, command_of
from bot.monitoring.metrics import Metrics
from bot.store.sessions import Held, Store
from bot.wording import proposals
from bot.wording import sentences as wording
from engine.errors import ScholiumError, ServiceError, UserError
from engine.session.events import Job, Stop
from engine.session.state import SurveySession

log = structlog.get_logger()

TURNS_AT_ONCE = 24
"""Answers being made at once: more would not be made sooner, and what comes in would wait to be acknowledged."""

TRIES = 20
"""How often a turn is taken again where somebody else changed the conversation meanwhile."""

Take = Callable[[Held], Awaitable[Turn]]


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

    def __init__(self, adapter: ChatAdapter, store: Store, turns: Turns, post: Post, metrics: Metrics) -> None:
        self._adapter = adapter
        self._metrics = metrics
        self._store = store
        self._turns = turns
        self._post = post
        self._order: defaultdict[Conversation, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._at_once = asyncio.Semaphore(TURNS_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
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
        self._kept(self._answered(incoming))

    def _kept(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def settled(self) -> None:
        """Wait until everything that came in is answered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _answered(self, incoming: Incoming) -> None:
        at = incoming.conversation
        try:
            with self._metrics.answered_s.time():
                await self._understood(incoming)
        except ScholiumError as error:
            self._metrics.failed(error)
            await self._say(Outgoing(at, wording.failure(error), awaits=True, only_for=_alone(incoming)))
        except PlatformError as error:  # no thread, or no file
            text = wording.platform_failed(str(error))
            await self._refused(incoming, Outgoing(at, text, awaits=True, only_for=_alone(incoming)))
        except Exception:  # every message gets an answer, whatever is wrong with us
            log.exception("a message could not be answered", platform=at.platform)
            self._metrics.failed(None)
            await self._say(Outgoing(at, wording.OUR_FAULT, awaits=True, only_for=_alone(incoming)))

    async def _understood(self, incoming: Incoming) -> None:
        if incoming.opens:
            wanted = self._turns.opening(incoming)
            if isinstance(wanted, Outgoing):
                self._post.give(await self._store.handled(incoming, [wanted]))
                return
            starter = Outgoing(wanted.conversation, wording.opened(wanted), people=(wanted.person,))
            at = await self._adapter.open_thread(wanted, starter)
            incoming = replace(wanted, conversation=at, opens=False)
        at = incoming.conversation

        async def take(held: Held) -> Turn:
            return await self._turns.taken(held, incoming)

        incoming = await self._with_files(incoming)
        if _is_stop(incoming):  # not in the queue: it is about what the queue waits for
            await self._turn(at, take, incoming.key)
        else:
            async with self._order[at], self._at_once:
                await self._turn(at, take, incoming.key)

    async def _with_files(self, incoming: Incoming) -> Incoming:
        """With the contents of its attachments, which are not stored."""
        at = incoming.conversation
        files = [replace(a, content=await self._adapter.fetch(at, a), source="") for a in incoming.attachments]
        return replace(incoming, attachments=tuple(files))

    async def _turn(self, at: Conversation, take: Take, key: str | None) -> None:
        """Take a turn, commit it, carry it out; again where the conversation has changed meanwhile."""
        for _ in range(TRIES):
            turn = await take(await self.held(at))
            if turn.forgets:
                letters = await self._store.forget(turn.held, turn.outgoing(), key)
            else:
                letters = await self._store.commit(turn.held, turn.outgoing(), key)
            if letters is not None:
                if self.jobs is None:
                    raise ValueError("the dispatcher was not given its jobs")
                for job in turn.stops:
                    await self.jobs.stop(job)
                self._post.give(letters)
                for job in turn.starts:
                    await self.jobs.start(at, turn.held.owner, job)
                return
        raise ServiceError("Too many people changed this conversation at once. Please try again.", retryable=True)

    async def report(self, at: Conversation, take: Take) -> None:
        """Take a turn for something a job did; a job that is ended while it reports has still reported."""
        await asyncio.shield(self._kept(self._turn(at, take, None)))

    async def _refused(self, incoming: Incoming, outgoing: Outgoing) -> None:
        """Nothing was done and the person is told so: no later process may do it after all."""
        try:
            self._post.give(await self._store.handled(incoming, [outgoing]))
        except ServiceError:
            await self._say(outgoing)

    async def _say(self, outgoing: Outgoing) -> None:
        """Something that cannot be stored, because the store has failed."""
        try:
            await self._adapter.send(outgoing)
        except PlatformError as error:
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
            turn.propose(proposals.proposal(held.session.state))
        for outgoing in turn.outgoing():
            await self._adapter.send(outgoing)


def _is_stop(incoming: Incoming) -> bool:
    if incoming.values:
        return False
    try:
        return isinstance(command_of(incoming, None), Stop)
    except UserError:
        return False


def _alone(incoming: Incoming) -> str:
    """Where no thread was opened yet, only the person who asked is told."""
    return incoming.person if incoming.opens else ""
