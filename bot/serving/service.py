"""A running service: store, jobs and dispatcher put together, what dead processes left taken over, a clean stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count

import structlog

from adapters.chat import ChatAdapter, Incoming
from bot.app import App
from bot.commands.briefs import Defaults
from bot.conversation.chat_backend import ConversationBackend
from bot.conversation.dispatcher import Dispatcher
from bot.conversation.outbox import Outbox
from bot.conversation.pricing import list_limits
from bot.conversation.services import Upload
from bot.conversation.turns import Turns
from bot.jobs.heartbeat import ProcessHeartbeat
from bot.jobs.queue import DurableJobs
from bot.jobs.reports import Reporter
from bot.jobs.sharing import QUEUES, QueueKind
from bot.jobs.status import WaitingJobs
from bot.monitoring.logs import configure
from bot.monitoring.metrics import Metrics, serve_metrics
from bot.monitoring.traces import send_traces
from bot.serving.uploads import add_papers
from bot.store.ledger import Payer, StoredLedger, StoredRecord, settle_lost_calls, write_owed
from bot.store.left_over import list_set_aside, take_left_over
from bot.store.online_cache import StoredOnlineCache
from bot.store.sessions import Store, open_store
from bot.store.surveys import load_wanted_jobs
from engine.errors import ScholiumError, UserError
from engine.llm.metered_model import MeteredModel
from engine.llm.model import Completion, LanguageModel
from engine.local_models import Entailment
from engine.reading.trees.attribute_trees import AttributeTree
from engine.run import RunContext
from engine.session.state import SurveySession
from engine.values import Brief, Paper, PaperKey

log = structlog.get_logger()

SWEEP_S = 1.0
"""How often jobs that nobody waits for any more are looked for: "stop" said to another process takes so long."""

SWEEPS_TO_BEAT, SWEEPS_TO_REVIVE, SWEEPS_TO_CLEAN = 2, 20, 3_600
"""So many later the next heartbeat; the next look for jobs that nobody runs; what is old is forgotten again: events
after a day, surveys after what the settings say."""

DISCOVERY_S = 10.0
"""Seconds after which a library that another process made in Weaviate is known here."""

LAST_WORDS_S = 5.0
"""How long a service that ends waits for the platform to take its messages; the next process sends the rest."""


@contextmanager
def _log_failure(what: str) -> Iterator[None]:
    try:
        yield
    except ScholiumError as error:
        log.warning(what, error=str(error))


@dataclass(frozen=True, slots=True)
class ProcessRole:
    """What a process does: whether it talks, and of which queues it runs jobs."""

    talks: bool = True
    runs: tuple[QueueKind, ...] = QUEUES


@dataclass
class AppServices:
    """A `bot.conversation.services.ConversationServices` of an app and a store."""

    _app: App
    store: Store
    _metrics: Metrics

    async def build_run_context(self, session: SurveySession, payer: Payer) -> RunContext:
        model = self.model(session, payer, await asyncio.to_thread(self._app.libraries.entailment))
        return await self._app.build_run_context(session, payer.tenant, model, StoredOnlineCache(self.store))

    def model(self, session: SurveySession, payer: Payer, entailment: Entailment | None = None) -> LanguageModel | None:
        """The session's language model, metered on its owner's account; ``None`` where none is configured."""
        provider, settings, throttle = self._app.provider(), self._app.settings, self._app.throttle
        if provider is None:
            return None
        ledger = StoredLedger(
            self.store, payer, list_limits(settings, session), self._count_completion, self._app.prices
        )
        record, sampling = StoredRecord(self.store, session.id), settings.sampling()
        return MeteredModel(provider, settings.models(), throttle, ledger, record, session.id, sampling, entailment)

    def _count_completion(self, model: str, used: Completion) -> None:
        self._metrics.tokens.labels(model, "read").inc(used.input_tokens)
        self._metrics.tokens.labels(model, "written").inc(used.output_tokens)
        self._metrics.money.labels(model).inc(self._app.prices.cost(model, used.input_tokens, used.output_tokens))

    async def find_trees(
        self, session: SurveySession, payer: Payer, keys: Sequence[PaperKey]
    ) -> Mapping[PaperKey, AttributeTree]:
        if session.state.brief is None:
            raise UserError("Name a topic first.")
        return await (await self._app.forest(session.state.brief, payer.tenant, keys)).get(keys)

    async def sample_papers(self, brief: Brief) -> Sequence[Paper]:
        """Some papers of the library; none where online sources are searched, whose abstracts are of other lengths."""
        return () if brief.online or not brief.library else await self._app.libraries.sample_papers(brief.library)

    async def add_papers(self, incoming: Incoming) -> Upload:
        return await add_papers(self._app, self.store, incoming)


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
        turns = Turns(services, defaults)
        self.outbox = Outbox(adapter, store)
        self.dispatcher = Dispatcher(adapter, store, turns, self.outbox, self.metrics)
        self.backend = ConversationBackend(self.dispatcher, store, turns, self.outbox)
        reporter = Reporter(adapter, self.dispatcher, turns, services.build_run_context, self.metrics, store)
        self._role = role if settings.jobs else ProcessRole(role.talks, ())
        self._list_waiting = partial(load_wanted_jobs, store, adapter.platform, adapter.only)
        self.jobs = DurableJobs(
            settings.jobs_url(),
            adapter.platform,
            adapter.only,
            self._role.runs,
            store.holder,
            settings,
            reporter.run_job,
            self._list_waiting,
        )
        self._presence = ProcessHeartbeat(store, self.jobs.name, self._role.runs)
        self.dispatcher.jobs = self.jobs
        self._queued = WaitingJobs(adapter, store)

    async def start(self) -> None:
        """Take over what was left, and begin."""
        await self._presence.beat()
        await self._adapter.open(self.backend)
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
        for number in count():
            await asyncio.sleep(SWEEP_S)
            with _log_failure("the service could not look after itself"):
                if number % SWEEPS_TO_BEAT == 0:
                    if not await self._presence.beat():
                        await self.jobs.stop(self.jobs.running)  # taken for dead: another does them now
                    await self._take_over(always=number % SWEEPS_TO_REVIVE == 0)
                if number % SWEEPS_TO_CLEAN == 0:
                    await self.store.clean(self.app.settings.keep_days)
                await write_owed(self.store)
                await self.sweep()

    async def watch_libraries(self) -> None:
        """Learn of the libraries that other processes make in Weaviate, for as long as the service runs."""
        while True:
            await asyncio.sleep(DISCOVERY_S)
            with _log_failure("the libraries in Weaviate could not be listed"):
                await self.app.libraries.discover()

    async def sweep(self) -> None:
        """End jobs that no session waits for, share out the rest, and say what those that do not run wait for."""
        running = list(self.jobs.running)
        waiting = await self._list_waiting()
        wanted = {job.id for job in waiting}
        self.metrics.waiting.set(len(wanted))
        await self.jobs.stop(job_id for job_id in running if job_id not in wanted)
        shared = await self.jobs.share(waiting) if not wanted.issubset(running) else []
        self.metrics.queued.set(sum(job.state != "running" for job in shared))
        if shared and self._role.talks:
            served = {queue for queues in (await self._presence.find_living()).values() for queue in queues}
            await self._queued.tell(shared, self.app.settings.jobs_per_workspace, served)

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
        self.metrics.set_aside.set(len(await list_set_aside(self.store)))

    async def _revive(self) -> None:
        """Begin jobs again that sessions wait for and that are neither queued nor run by a process that lives."""
        waiting = await self._list_waiting()
        if not waiting:
            return
        async with self.store.begin() as connection:  # no two processes begin the same job
            await self.store.alone(connection, "revival of jobs")
            await self.jobs.revive(waiting, await self._presence.find_living())
        await self.jobs.share(waiting)

    async def stop(self) -> None:
        """Answer what came in, let calls in flight finish for a while, leave the rest to the next start."""
        await self.dispatcher.drain()
        await self.app.throttle.drain(self.app.settings.stop_seconds)
        await self.jobs.close()
        with suppress(TimeoutError):
            await self.outbox.drain(LAST_WORDS_S)
        await self.outbox.close()
        await self._adapter.close()
        await self._presence.leave()

    async def run(self) -> None:
        """Serve until the platform ends it, or SIGTERM asks for it."""
        serving = asyncio.create_task(self._adapter.run() if self._role.talks else asyncio.Event().wait())
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, serving.cancel)
        try:
            await asyncio.wait({serving})
            if not serving.cancelled():
                serving.result()
        finally:
            serving.cancel()
            await asyncio.wait({serving})
            loop.remove_signal_handler(signal.SIGTERM)


@asynccontextmanager
async def run_service(
    app: App,
    adapter: ChatAdapter,
    defaults: Defaults | None = None,
    store: Store | None = None,
    role: ProcessRole | None = None,
) -> AsyncIterator[Service]:
    """A service for the adapter while the block runs; with its own store, talking and running all jobs by default."""
    async with AsyncExitStack() as stack:
        opened = store if store else await stack.enter_async_context(open_store(app.settings.store_url()))
        stack.push_async_callback(app.close)
        configure(app.settings.log_level)
        if app.settings.traces:
            send_traces()
        service = Service(app, adapter, opened, defaults or app.defaults(), role or ProcessRole())
        host, port = app.settings.metrics_host, app.settings.metrics_port
        if port is not None:
            await stack.enter_async_context(serve_metrics(service.metrics, host, port, service.not_ready))
        await service.start()
        watches = [asyncio.create_task(watch()) for watch in (service.watch, service.watch_libraries)]
        try:
            yield service
        finally:
            for task in watches:
                task.cancel()
            await asyncio.wait(watches)
            await service.stop()
