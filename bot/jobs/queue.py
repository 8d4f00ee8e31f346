"""Durable jobs: queues that survive a crash (DBOS), shared fairly.

A job is a workflow whose id is the job's. Its body asks the session whether it is still wanted, so that running it
again, or too late, does nothing; finished calls are found in the record. DBOS is one per process.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
import structlog

from adapters.chat import Conversation
from bot.jobs.sharing import JobState, QueueKind, SharedJob, choose_next, choose_queue
from bot.settings import Settings
from bot.store.database import check_file, to_service_error
from bot.store.sessions import conversation_id
from bot.store.surveys import WantedJob
from engine.errors import ServiceError, UserError

if TYPE_CHECKING:
    from dbos import WorkflowStatus

log = structlog.get_logger()

APPLICATION, WORKFLOW = "scholium", "job"
JOBS_VERSION = "1"
"""Changes when a stored job of an older program could not be run by a newer one."""

SQLITE_FOR_NEWER_PYTHON = (3, 42, 0)
"""What DBOS needs on Python 3.12 and later: before that release, SQLite's unixepoch does not take “subsec”."""
SQLITE_TOO_OLD = (
    "With Python 3.12 or later, jobs need SQLite 3.42 or later, and this Python has {}. Use Python 3.11, or a newer "
    "SQLite, or set SCHOLIUM_DATABASE_URL to a Postgres database."
)

POLL_S = 0.2
IN_QUEUE = ("ENQUEUED", "DELAYED")
"""What DBOS calls a job that no process has taken yet."""

_LEFT: set[asyncio.Task[Any]] = set()


async def _leave_pending() -> None:
    """The workflow stays as it is, for the process that comes next."""
    task = asyncio.current_task()
    if task is not None:
        _LEFT.add(task)  # the loop itself would let it be collected while it waits
        task.add_done_callback(_LEFT.discard)
    await asyncio.Event().wait()


@dataclass(eq=False)
class DurableJobs:
    """The jobs of one platform, or of one conversation of it; those of queues that are ``served`` run here."""

    _url: str
    _platform: str
    _only: Conversation | None
    _served: tuple[QueueKind, ...]
    _holder: str
    _settings: Settings
    _run: Callable[[Conversation, str], Awaitable[None]]
    _load_wanted: Callable[[], Awaitable[Sequence[WantedJob]]]
    """The jobs that sessions wait for, the one asked for first before the others."""

    def __post_init__(self) -> None:
        self.running: dict[str, asyncio.Task[None]] = {}
        """The jobs that run here, by id."""
        self._idle: set[str] = set()
        self._stopping = False
        self._workflow: Any = None
        self._launching = asyncio.Lock()
        self.name = f"{self._platform}-{conversation_id(self._only)[:12]}" if self._only else self._platform
        """What processes that share the queues have in common."""
        # Looked at five times a second. Jobs of one conversation alone, a terminal's, have no other process to go to:
        # they begin at once, without a queue.
        self._queues = {} if self._only else {"short": f"{self.name}-short", "long": self.name}

    async def launch(self) -> None:
        """Begin to take jobs from the queues served here. Raises `ServiceError` where its database cannot be used."""
        async with self._launching:
            if self._workflow is not None:
                return
            await asyncio.to_thread(check_queue, self._url)
            # Imported here because it takes a second, and commands that run no jobs should begin at once.
            from dbos import DBOS

            DBOS(
                config={
                    "name": APPLICATION,
                    "system_database_url": self._url,
                    "application_version": JOBS_VERSION,
                    "executor_id": self._holder,
                    "log_level": "ERROR",
                    # Its thread is waited for at the end: of a terminal at once, of a server as ever.
                    "notification_listener_polling_interval_sec": 0.05 if self._only else POLL_S,
                }
            )

            async def body(at: list[str], job_id: str) -> None:  # DBOS takes functions, not methods
                await self._body(at, job_id)

            workflow = DBOS.workflow(name=WORKFLOW)(body)
            settings, served = self._settings, [self._queues[queue] for queue in self._served if self._queues]
            DBOS.listen_queues(served)
            try:
                with translate_failures():
                    DBOS.launch()
                    for name in self._queues.values():
                        await DBOS.register_queue_async(
                            name,
                            worker_concurrency=min(settings.jobs, settings.jobs_everywhere),
                            global_concurrency=settings.jobs_everywhere,
                            partition_concurrency=min(settings.jobs_per_workspace, settings.jobs_everywhere),
                            polling_interval_sec=POLL_S,
                            # Who only puts jobs into a queue leaves its bounds to those who run them.
                            on_conflict="update_if_latest_version" if name in served else "never_update",
                        )
            except ServiceError:
                await _end_dbos()  # whoever asks next tries again
                raise
            self._workflow = workflow

    async def start(self, job_id: str) -> None:
        wanted = await self._load_wanted()
        owners = {(job.conversation.workspace, job.person) for job in wanted if job.id == job_id}
        await self.share([job for job in wanted if (job.conversation.workspace, job.person) in owners])

    async def share(self, wanted: Sequence[WantedJob]) -> list[SharedJob]:
        """Put jobs that are held into their queues as far as there is room for their owners; how all stand now."""
        await self.launch()
        known = await _list_workflows([job.id for job in wanted])
        states: dict[str | None, JobState] = dict.fromkeys(IN_QUEUE, "queued")
        jobs = [
            SharedJob(job, states.get(status.status, "running"), (status.created_at or 0) / 1000)
            if (status := known.get(job.id))
            else SharedJob(job, "held")
            for job in wanted
        ]
        chosen = choose_next(jobs, self._settings.jobs_per_person)
        for job in chosen:
            # In a context of its own: it is no part of the job or the answer that has asked for it.
            await asyncio.create_task(self._put(job), context=Context())
        now = time.time()
        state: JobState = "running" if self._only else "queued"
        return [SharedJob(job.wanted, state, now) if job.wanted in chosen else job for job in jobs]

    async def _put(self, job: WantedJob) -> None:
        from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

        at = job.conversation
        where = [at.platform, at.tenant, at.channel, at.thread]
        with translate_failures(), SetWorkflowID(job.id):
            if self._only:
                await DBOS.start_workflow_async(self._workflow, where, job.id)
                return
            with SetEnqueueOptions(queue_partition_key=at.workspace):
                await DBOS.enqueue_workflow_async(self._queues[choose_queue(job.kind)], self._workflow, where, job.id)

    async def stop(self, job_ids: Iterable[str]) -> None:
        """End those now that run here. Work in a thread ends with its step; its result is dropped."""
        for task in [self.running[job_id] for job_id in job_ids if job_id in self.running]:
            if task is not asyncio.current_task():
                task.cancel()
                await asyncio.wait([task])

    async def _body(self, at: list[str], job_id: str) -> None:
        """The workflow: cancelled by `stop` it is over, cancelled by the end of the process it is not."""
        if self._stopping:
            await _leave_pending()
        task = asyncio.ensure_future(self._run(Conversation(*at), job_id))
        self.running[job_id] = task
        try:
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
                if not task.cancelled() and task.exception():
                    log.error("a job ended without an answer", job=job_id, exc_info=task.exception())
        finally:
            if self.running.get(job_id) is task:  # else it was taken away from here and has come back
                del self.running[job_id]
        if self._stopping:
            await _leave_pending()

    async def revive(self, waiting: Sequence[WantedJob], living: Collection[str]) -> list[WantedJob]:
        """Hold those again that sessions wait for and no process works on; only one process at a time may.

        Their worker is none of the ``living``; or it is this one, and yet for two looks they did not run here; or they
        ended, and what came of them could not be stored.
        """
        from dbos import DBOS

        await self.launch()
        statuses = await _list_workflows([job.id for job in waiting if job.id not in self.running])
        idle = {name for name, s in statuses.items() if s.status == "PENDING" and s.executor_id == self._holder}
        stuck = []
        for job in waiting:
            status = statuses.get(job.id)
            if status is None or status.status in IN_QUEUE:
                continue
            if status.status == "PENDING" and status.executor_id in living and job.id not in idle & self._idle:
                continue
            stuck.append(job)
            with translate_failures():
                await DBOS.delete_workflow_async(job.id)
        self._idle = idle
        return stuck

    async def close(self) -> None:
        """Leave the jobs that run to the next start; what they finished is kept."""
        self._stopping = True
        if self._workflow is None:
            return
        left = list(self.running.values())
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=5)
        await _end_dbos()


async def _end_dbos() -> None:
    from dbos import DBOS

    await asyncio.to_thread(lambda: DBOS.destroy(destroy_registry=True))
    # DBOS had made its own threads the loop's, and has just ended them.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
    logging.getLogger("dbos").handlers.clear()  # they hold on to this run's standard error


@contextmanager
def translate_failures() -> Iterator[None]:
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        raise to_service_error(error, "queue of jobs") from error


def check_queue(url: str) -> None:
    """Look at the queue's file. Raises `StoreDamaged`, or `UserError` where this Python's SQLite is too old for it."""
    is_old = sys.version_info >= (3, 12) and sqlite3.sqlite_version_info < SQLITE_FOR_NEWER_PYTHON
    if is_old and sa.make_url(url).get_backend_name() == "sqlite":
        raise UserError(SQLITE_TOO_OLD.format(sqlite3.sqlite_version))
    check_file(url, "queue of jobs")


async def _list_workflows(ids: list[str]) -> dict[str, WorkflowStatus]:
    from dbos import DBOS

    if not ids:
        return {}
    with translate_failures():
        found = await DBOS.list_workflows_async(workflow_ids=ids, load_input=False, load_output=False)
    return {status.workflow_id: status for status in found}


def delete_jobs_of(url: str, session_ids: Sequence[str]) -> None:
    """Delete what the queue keeps of the jobs of these sessions. Raises `ServiceError` where it cannot be used."""
    if not session_ids:
        return
    from dbos import DBOSClient

    check_queue(url)
    with translate_failures():
        client, prefixes = DBOSClient(system_database_url=url), [f"{name}-" for name in session_ids]
        try:
            found = client.list_workflows(workflow_id_prefix=prefixes, load_input=False, load_output=False)
            client.delete_workflows([status.workflow_id for status in found])
        finally:
            client.destroy()
