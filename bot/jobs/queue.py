"""Durable jobs: queues that survive a crash (DBOS), shared fairly, and the heartbeat of processes.

A job is a workflow whose id is the job's. Its body asks the session whether it is still wanted, so that running it
again, or too late, does nothing; finished calls are found in the record. DBOS is one per process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
import structlog

from adapters.chat import Conversation
from bot.jobs.sharing import JobLimits, JobState, QueueKind, SharedJob, choose_next, choose_queue, queues_of
from bot.store.schema import processes
from bot.store.sessions import Store, conversation_id
from bot.store.wanted_jobs import WantedJob
from engine.errors import ServiceError
from engine.session.events import Job, JobKind

log = structlog.get_logger()

APPLICATION = "scholium"
WORKFLOW = "job"
JOBS_VERSION = "1"
"""Changes when a stored job of an older program could not be run by a newer one."""

POLL_S = 0.2
BEAT_S = 2.0
STARTED_AT = time.time()

DEAD_AFTER_S = 15.0
"""A process on another machine that has been silent for so long is taken over; on this machine its end is seen."""

HUNG_AFTER_S = 120.0
"""So long a process of this machine may be silent while it lives: one that computes comes back before."""

RunJob = Callable[[Conversation, str], Awaitable[None]]
LoadWanted = Callable[[WantedJob], Awaitable[Sequence[WantedJob]]]
"""The jobs wanted by the same person in the same workspace, the one asked for first before the others."""


_LEFT: set[asyncio.Task[Any]] = set()


async def _leave_pending() -> None:
    """The workflow stays as it is, for the process that comes next."""
    task = asyncio.current_task()
    if task is not None:
        _LEFT.add(task)  # the loop itself would let it be collected while it waits
        task.add_done_callback(_LEFT.discard)
    await asyncio.Event().wait()


@dataclass(frozen=True, slots=True)
class JobQueues:
    """The queues of one platform, or of one conversation of it; ``served`` are those whose jobs run in this process."""

    platform: str
    only: Conversation | None = None
    served: tuple[QueueKind, ...] = ("short", "long")

    @property
    def name(self) -> str:
        """What processes that share these queues have in common."""
        return f"{self.platform}-{conversation_id(self.only)[:12]}" if self.only else self.platform

    def choose(self, kind: JobKind) -> str:
        """The name of the queue for such a job."""
        return self.name_of(choose_queue(kind) if self.only is None else "long")

    def name_of(self, queue: QueueKind) -> str:
        """The name of one of them; the long one has had it since the first release."""
        return self.name if queue == "long" else f"{self.name}-short"

    def names(self) -> list[str]:
        """The names of all of them."""
        return [self.name_of(queue) for queue in queues_of(self.only)]

    def names_served(self) -> list[str]:
        """The names of those whose jobs run here."""
        return [self.name_of(queue) for queue in queues_of(self.only) if queue in self.served]


class DurableJobs:
    """The jobs of one platform (or of one conversation of it); ``run`` does one, ``load_wanted`` finds its owner's."""

    def __init__(
        self, url: str, queues: JobQueues, holder: str, limits: JobLimits, run: RunJob, load_wanted: LoadWanted
    ) -> None:
        self._url = url
        self._queues = queues
        self._holder = holder
        self._limits = limits
        self._run = run
        self._load_wanted = load_wanted
        self._running: dict[str, asyncio.Task[None]] = {}
        self._stranded: set[str] = set()
        self._stopping = False
        self._workflow: Any = None
        self._launching = asyncio.Lock()

    async def launch(self) -> None:
        """Begin to take jobs from the queues served here. Raises `ServiceError` where its database cannot be used."""
        async with self._launching:
            if self._workflow is None:
                await self._launch()

    async def _launch(self) -> None:
        # Imported here because it takes a second, and commands that run no jobs should begin at once.
        from dbos import DBOS

        DBOS(
            config={
                "name": APPLICATION,
                "system_database_url": self._url,
                "application_version": JOBS_VERSION,
                "executor_id": self._holder,
                "log_level": "ERROR",
                "notification_listener_polling_interval_sec": 0.2,
            }
        )

        async def body(at: list[str], job_id: str) -> None:  # DBOS takes functions, not methods
            await self._body(at, job_id)

        workflow = DBOS.workflow(name=WORKFLOW)(body)
        served = self._queues.names_served()
        DBOS.listen_queues(served)
        limits = self._limits
        try:
            DBOS.launch()
            for name in self._queues.names():
                await DBOS.register_queue_async(
                    name,
                    worker_concurrency=min(limits.here, limits.everywhere),
                    global_concurrency=limits.everywhere,
                    partition_concurrency=min(limits.per_workspace, limits.everywhere),
                    polling_interval_sec=POLL_S,
                    # Who only puts jobs into a queue leaves its bounds to those who run them.
                    on_conflict="update_if_latest_version" if name in served else "never_update",
                )
        except sa.exc.SQLAlchemyError as error:
            raise ServiceError(f"The queue of jobs could not be opened ({type(error).__name__}).") from error
        self._workflow = workflow

    async def start(self, conversation: Conversation, owner: str, job: Job) -> None:
        """Put the job into its queue, or hold it while its owner has enough there; again does nothing."""
        await self.launch()
        wanted = WantedJob(conversation, owner, job.id, job.kind)
        await self.share(await self._load_wanted(wanted))

    async def share(self, wanted: Sequence[WantedJob]) -> list[SharedJob]:
        """Put jobs that are held into their queues as far as there is room for their owners; how all stand now."""
        await self.launch()
        jobs = await self._look_up(wanted)
        chosen = choose_next(jobs, self._limits.per_person)
        for job in chosen:
            await self._enqueue(job)
        now = time.time()
        return [SharedJob(job.wanted, "queued", now) if job.wanted in chosen else job for job in jobs]

    async def _look_up(self, wanted: Sequence[WantedJob]) -> list[SharedJob]:
        from dbos import DBOS

        found = await DBOS.list_workflows_async(
            workflow_ids=[job.id for job in wanted], load_input=False, load_output=False
        )
        known = {status.workflow_id: status for status in found}
        states: dict[str | None, JobState] = {"ENQUEUED": "queued", "DELAYED": "queued"}
        return [
            SharedJob(job, states.get(status.status, "running"), (status.created_at or 0) / 1000)
            if (status := known.get(job.id))
            else SharedJob(job, "held")
            for job in wanted
        ]

    async def _enqueue(self, job: WantedJob) -> None:
        from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

        at = job.conversation
        where = [at.platform, at.tenant, at.channel, at.thread]
        with SetWorkflowID(job.id), SetEnqueueOptions(queue_partition_key=at.workspace):
            await DBOS.enqueue_workflow_async(self._queues.choose(job.kind), self._workflow, where, job.id)

    async def stop(self, job: Job) -> None:
        """End the job now if it runs here. Work in a thread ends with its step; its result is dropped."""
        await self._wait_for_end(job.id)

    async def _wait_for_end(self, job_id: str) -> None:
        task = self._running.get(job_id)
        if task and task is not asyncio.current_task():
            task.cancel()
            await asyncio.wait([task])

    async def _body(self, at: list[str], job_id: str) -> None:
        """The workflow: cancelled by `stop` it is over, cancelled by the end of the process it is not."""
        if self._stopping:
            await _leave_pending()
        task = asyncio.ensure_future(self._run(Conversation(*at), job_id))
        self._running[job_id] = task
        try:
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
                if not task.cancelled() and task.exception():
                    log.error("a job ended without an answer", job=job_id, exc_info=task.exception())
        finally:
            if self._running.get(job_id) is task:  # else it was taken away from here and has come back
                del self._running[job_id]
        if self._stopping:
            await _leave_pending()

    def running(self) -> list[str]:
        """Ids of the jobs that run here."""
        return list(self._running)

    async def stop_all(self, job_ids: Iterable[str]) -> None:
        """End these jobs where they run here."""
        for job_id in job_ids:
            await self._wait_for_end(job_id)

    async def reconcile(self, waiting: Sequence[WantedJob], dead: Sequence[str]) -> None:
        """Bring every job a session waits for into its queue.

        Some were never put there, some were run by processes that are dead now. What is said to run here and was not
        running the last time either is begun again.
        """
        if not waiting:
            return
        await self.launch()
        from dbos import DBOS

        found = await DBOS.list_workflows_async(workflow_ids=[job.id for job in waiting])
        known = {status.workflow_id: status for status in found}
        mine = {s.workflow_id for s in found if s.status == "PENDING" and s.executor_id == self._holder}
        stranded = mine.difference(self._running)
        again, self._stranded = stranded & self._stranded, stranded
        for job in waiting:
            status = known.get(job.id)
            if status is None:
                continue
            if status.status == "PENDING" and (status.executor_id in dead or job.id in again):
                await DBOS.resume_workflow_async(job.id, queue_name=self._queues.choose(job.kind))
            elif status.status not in {"PENDING", "ENQUEUED", "DELAYED"}:
                # It ended, and yet the session waits for it.
                await DBOS.delete_workflow_async(job.id)
        await self.share(waiting)

    async def close(self) -> None:
        """Leave the jobs that run to the next start; what they finished is kept."""
        self._stopping = True
        if self._workflow is None:
            return
        from dbos import DBOS

        left = list(self._running.values())
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=5)
        await asyncio.to_thread(lambda: DBOS.destroy(destroy_registry=True))
        # DBOS had made its own threads the loop's, and has just ended them.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        logging.getLogger("dbos").handlers.clear()  # they hold on to this run's standard error


@dataclass
class ProcessHeartbeat:
    """One process among others: its heartbeat, and who is dead."""

    store: Store
    queue: str
    runs: tuple[QueueKind, ...] = ()
    beaten: bool = False

    async def beat(self) -> bool:
        """Say that this process lives; ``False`` where another has taken it for dead."""
        row = {"queue": self.queue, "host": socket.gethostname(), "pid": os.getpid(), "beat_at": time.time()}
        row["runs"] = " ".join(self.runs)
        async with self.store.writing() as connection:
            same = processes.c.id == self.store.holder
            known = (await connection.execute(processes.update().where(same).values(row))).rowcount
            if not known:
                await connection.execute(processes.insert().values(id=self.store.holder, **row))
        lost, self.beaten = self.beaten and not known, True
        return not lost

    async def claim_dead(self) -> list[str]:
        """Processes of this queue that died, each given to one caller only."""
        async with self.store.reading() as connection:
            rows = (await connection.execute(sa.select(processes).where(processes.c.queue == self.queue))).all()
        dead = [row for row in rows if row.id != self.store.holder and _is_dead(row)]
        mine = []
        for row in dead:
            same = (processes.c.id == row.id) & (processes.c.beat_at == row.beat_at)
            async with self.store.writing() as connection:
                if (await connection.execute(processes.delete().where(same))).rowcount:
                    mine.append(row.id)
        return mine

    async def find_served(self) -> frozenset[str]:
        """The queues whose jobs some living process runs."""
        async with self.store.reading() as connection:
            rows = (await connection.execute(sa.select(processes).where(processes.c.queue == self.queue))).all()
        return frozenset(queue for row in rows if not _is_dead(row) for queue in row.runs.split())

    async def leave(self) -> None:
        """What this process leaves undone is the next one's."""
        async with self.store.writing() as connection:
            same = processes.c.id == self.store.holder
            await connection.execute(processes.update().where(same).values(beat_at=0.0))


def _is_dead(row: Any) -> bool:
    silent_s = time.time() - row.beat_at
    if row.host != socket.gethostname():
        return bool(silent_s > DEAD_AFTER_S)
    # In a container every start has the same process number: what beat before this start is an earlier life.
    earlier = row.pid == os.getpid() and row.beat_at < STARTED_AT
    return bool(silent_s > HUNG_AFTER_S or earlier) or not _lives(row.pid)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
