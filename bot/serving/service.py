"""A running service: store, jobs and dispatcher put together, what dead processes left taken over, a clean stop."""

from __future__ import annotations

import asyncio
import secrets
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

import structlog

from adapters.chat import AccessRefused, ChatAdapter, PlatformError
from bot.app import App
from bot.commands.briefs import Defaults
from bot.conversation.chat_backend import ConversationBackend
from bot.conversation.dispatcher import Dispatcher
from bot.conversation.outbox import Outbox
from bot.conversation.turns import Turns
from bot.jobs.heartbeat import BEAT_S, ProcessHeartbeat
from bot.jobs.queue import DurableJobs, JobQueues
from bot.jobs.reports import Reporter
from bot.jobs.sharing import QUEUES, JobLimits, QueueKind
from bot.jobs.status import WaitingJobs
from bot.monitoring.logs import configure
from bot.monitoring.metrics import Metrics, serve_metrics
from bot.monitoring.traces import send_traces
from bot.serving.job_services import AppServices
from bot.settings import Settings
from bot.store.database import open_database
from bot.store.left_over import count_set_aside, take_left_over
from bot.store.reservations import settle_lost_calls, sweep_reservations
from bot.store.sessions import Store
from bot.store.surveys import WantedJob, load_wanted_jobs, load_wanted_jobs_of
from engine.errors import ScholiumError, ServiceError, UserError

log = structlog.get_logger()

SWEEP_S = 1.0
"""How often jobs that nobody waits for any more are looked for: "stop" said to another process takes so long."""

DISCOVERY_S = 10.0
"""Seconds after which a library that another process made in Weaviate is known here."""

REVIVE_S = 20.0
MINUTE_S = 60.0
"""How often reservations of money that no call holds are looked for."""

HOUR_S = 3_600.0
"""How often what is old is forgotten: events after a day, surveys after what the settings say."""

LAST_WORDS_S = 5.0
"""How long a service that ends waits for the platform to take its messages; the next process sends the rest."""


@dataclass
class Interval:
    """Something to be done once in so many seconds, the first time at once."""

    seconds: float
    _next: float = 0.0

    def is_due(self) -> bool:
        """Whether it is time; asked with yes, it is not for as long."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self.seconds
        return True


def _to_error(error: PlatformError) -> UserError | ServiceError:
    """A person has to mend what does not let us in; anything else may pass."""
    if isinstance(error, AccessRefused):
        return UserError(str(error))
    return ServiceError(str(error), retryable=error.retryable)


@dataclass(frozen=True, slots=True)
class ProcessRole:
    """What a process does: whether it talks, and of which queues it runs jobs."""

    talks: bool = True
    runs: tuple[QueueKind, ...] = QUEUES


class Service:
    """Everything behind one adapter."""

    def __init__(self, app: App, adapter: ChatAdapter, store: Store, defaults: Defaults, role: ProcessRole) -> None:
        settings = app.settings
        self.app = app
        self.store = store
        self._adapter = adapter
        self.metrics = Metrics()
        self.started = False
        services = AppServices(app, store, self.metrics)
        turns = Turns(services, defaults, settings.rules())
        self.outbox = Outbox(adapter, store)
        self.dispatcher = Dispatcher(adapter, store, turns, self.outbox, self.metrics)
        self.backend = ConversationBackend(self.dispatcher, store, turns, self.outbox)
        reporter = Reporter(adapter, self.dispatcher, turns, services, self.metrics, store)
        self.limits = JobLimits(
            settings.jobs, settings.jobs_everywhere, settings.jobs_per_workspace, settings.jobs_per_person
        )
        self._role = role if settings.jobs else ProcessRole(role.talks, ())
        queues = JobQueues(adapter.platform, adapter.only, self._role.runs)
        self._presence = ProcessHeartbeat(store, queues.name, self._role.runs)
        run = partial(reporter.run_job, limit_s=settings.job_seconds)
        self.jobs = DurableJobs(settings.jobs_url(), queues, store.holder, self.limits, run, self._list_waiting_with)
        self.dispatcher.jobs = self.jobs
        self._queued = WaitingJobs(adapter, self.dispatcher)
        self._beat, self._revival, self._cleaning = Interval(BEAT_S), Interval(REVIVE_S), Interval(HOUR_S)
        self._settling = Interval(MINUTE_S)

    async def start(self) -> None:
        """Take over what was left, and begin."""
        await self._presence.beat()
        try:
            await self._adapter.open(self.backend)
        except PlatformError as error:
            raise _to_error(error) from error
        if self._adapter.only is None:
            await self.jobs.launch()  # others may put jobs into this queue; a terminal waits for its own first one
        await self._take_over(always=True)
        self.started = True

    async def not_ready(self) -> Sequence[str]:
        try:
            await self._list_waiting()
        except ScholiumError as error:
            return [str(error)]
        return [] if self.started else ["The service is starting."]

    async def watch(self) -> None:
        """Heartbeat, takeover, stops and forgetting, for as long as the service runs."""
        while True:
            await asyncio.sleep(SWEEP_S)
            try:
                if self._beat.is_due():
                    if not await self._presence.beat():
                        await self.jobs.stop_all(self.jobs.list_running())  # taken for dead: another does them now
                    await self._take_over(always=self._revival.is_due())
                    if self._cleaning.is_due():
                        await self.store.clean(self.app.settings.keep_days)
                if self.store.reservations.owed or self._settling.is_due():
                    await sweep_reservations(self.store)
                await self.sweep()
            except ScholiumError as error:
                log.warning("the service could not look after itself", error=str(error))

    async def watch_libraries(self) -> None:
        """Learn of the libraries that other processes make in Weaviate, for as long as the service runs."""
        while True:
            await asyncio.sleep(DISCOVERY_S)
            try:
                await self.app.libraries.discover()
            except ScholiumError as error:
                log.warning("the libraries in Weaviate could not be listed", error=str(error))

    async def sweep(self) -> None:
        """End jobs here that no session waits for any more (somebody said stop to another process); share out the rest.

        Whoever talks says what those jobs wait for that run nowhere yet.
        """
        running = self.jobs.list_running()
        waiting = await self._list_waiting()
        wanted = {job.id for job in waiting}
        self.metrics.waiting.set(len(wanted))
        await self.jobs.stop_all(job_id for job_id in running if job_id not in wanted)
        shared = await self.jobs.share(waiting) if not wanted.issubset(running) else []
        self.metrics.queued.set(sum(job.state != "running" for job in shared))
        if shared and self._role.talks:
            await self._queued.tell(shared, self.limits, await self._presence.find_served())

    async def _list_waiting(self) -> Sequence[WantedJob]:
        return await load_wanted_jobs(self.store, self._adapter.platform, self._adapter.only)

    async def _list_waiting_with(self, job: WantedJob) -> Sequence[WantedJob]:
        if self._adapter.only:
            return await self._list_waiting()
        return await load_wanted_jobs_of(self.store, job.person, job.conversation)

    async def _take_over(self, *, always: bool) -> None:
        """Do what processes that are gone left undone, and only then forget them: this one may end at any statement.

        ``always``: also where none is newly found dead, for who took over from it may have died over that.
        """
        claimed = await self._presence.claim_dead()
        if not (claimed or always):
            return
        await settle_lost_calls(self.store, claimed)
        platform, only = self._adapter.platform, self._adapter.only
        for incoming, tries in await take_left_over(self.store, platform, only, claimed):
            self.dispatcher.answer(incoming, tries)
        self.outbox.give(await self.store.unsent(platform, only, claimed))
        await self._revive()
        await self._presence.remove(claimed)
        self.metrics.set_aside.set(await count_set_aside(self.store))

    async def _revive(self) -> None:
        """Begin jobs again that sessions wait for and that are neither queued nor run by a process that lives."""
        waiting = await self._list_waiting()
        if not waiting:
            return
        stuck = await self.jobs.find_stuck(waiting, await self._presence.find_living())
        if stuck:
            async with self.store.begin() as connection:  # no two processes begin the same job
                await self.store.alone(connection, "revival of jobs")
                still = await self.jobs.find_stuck(list(stuck), await self._presence.find_living())
                await self.jobs.revive(still)
        await self.jobs.share(waiting)

    async def stop(self) -> None:
        """Answer what came in, let calls in flight finish for a while, leave the rest to the next start."""
        await self.dispatcher.drain()
        await self.app.throttle().drain(self.app.settings.stop_seconds)
        await self.jobs.close()
        with suppress(TimeoutError):
            await self.outbox.drain(LAST_WORDS_S)
        await self.outbox.close()
        await self._adapter.close()
        await self._presence.leave()

    async def run(self) -> None:
        """Serve until the platform ends it, or SIGTERM asks for it."""
        asked = asyncio.Event()
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(signal.SIGTERM, asked.set)
        talking = asyncio.create_task(self._adapter.run() if self._role.talks else asked.wait())
        stop = asyncio.create_task(asked.wait())
        try:
            await asyncio.wait({talking, stop}, return_when=asyncio.FIRST_COMPLETED)
            if talking.done():
                talking.result()
        except PlatformError as error:
            raise _to_error(error) from error
        finally:
            for task in (talking, stop):
                task.cancel()
            await asyncio.wait({talking, stop})
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGTERM)


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Store]:
    """The store of the settings, with a new name for this process, while the block runs."""
    store = Store(await open_database(settings.store_url()), f"p{secrets.token_hex(8)}")
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def run_service(
    app: App,
    adapter: ChatAdapter,
    defaults: Defaults | None = None,
    store: Store | None = None,
    role: ProcessRole | None = None,
) -> AsyncIterator[Service]:
    """A service for the adapter while the block runs; with a store of its own where none is given.

    Without a ``role`` it talks and runs jobs of all kinds.
    """
    if store is None:
        async with open_store(app.settings) as own, run_service(app, adapter, defaults, own, role) as service:
            yield service
        return
    configure(app.settings.log_level)
    if app.settings.traces:
        send_traces()
    service = Service(app, adapter, store, defaults or app.defaults(), role or ProcessRole())
    try:
        async with serve_metrics(
            service.metrics, app.settings.metrics_host, app.settings.metrics_port, service.not_ready
        ):
            await service.start()
            watches = [asyncio.create_task(watch()) for watch in (service.watch, service.watch_libraries)]
            try:
                yield service
            finally:
                for watch in watches:
                    watch.cancel()
                await asyncio.wait(watches)
                await service.stop()
    finally:
        await app.close()
