"""Durable jobs: a queue that survives a crash (DBOS), fair between people, and the heartbeat of processes.

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
from bot.store.schema import processes
from bot.store.sessions import Store, conversation_id
from engine.errors import ServiceError
from engine.session.events import Job

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

RunJob = Callable[[Conversation, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class JobLimits:
    """Jobs at once: in this process, in all, for one person."""

    here: int = 4
    everywhere: int = 32
    per_person: int = 2


_LEFT: set[asyncio.Task[Any]] = set()


async def _leave_pending() -> None:
    """The workflow stays as it is, for the process that comes next."""
    task = asyncio.current_task()
    if task is not None:
        _LEFT.add(task)  # the loop itself would let it be collected while it waits
        task.add_done_callback(_LEFT.discard)
    await asyncio.Event().wait()


class DurableJobs:
    """The queue of one platform (or of one conversation of it); ``run`` does a job."""

    def __init__(self, url: str, queue: str, holder: str, bounds: JobLimits, run: RunJob) -> None:
        self._url = url
        self._queue = queue
        self._holder = holder
        self._bounds = bounds
        self._run = run
        self._running: dict[str, asyncio.Task[None]] = {}
        self._stopping = False
        self._workflow: Any = None
        self._launching = asyncio.Lock()

    async def launch(self) -> None:
        """Begin to take jobs from the queue. Raises `ServiceError` where its database cannot be used."""
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
        DBOS.listen_queues([self._queue])
        try:
            DBOS.launch()
            await DBOS.register_queue_async(
                self._queue,
                worker_concurrency=min(self._bounds.here, self._bounds.everywhere),
                global_concurrency=self._bounds.everywhere,
                partition_concurrency=min(self._bounds.per_person, self._bounds.everywhere),
                polling_interval_sec=POLL_S,
            )
        except sa.exc.SQLAlchemyError as error:
            raise ServiceError(f"The queue of jobs could not be opened ({type(error).__name__}).") from error
        self._workflow = workflow

    async def start(self, conversation: Conversation, owner: str, job: Job) -> None:
        """Put the job into the queue; again for the same job does nothing."""
        await self.launch()
        await self._enqueue(conversation, owner, job.id)

    async def _enqueue(self, conversation: Conversation, owner: str, job_id: str) -> None:
        from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

        at = [conversation.platform, conversation.tenant, conversation.channel, conversation.thread]
        person = f"{conversation.tenant}:{owner}"
        with SetWorkflowID(job_id), SetEnqueueOptions(queue_partition_key=person):
            await DBOS.enqueue_workflow_async(self._queue, self._workflow, at, job_id)

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
            self._running.pop(job_id, None)
        if self._stopping:
            await _leave_pending()

    def running(self) -> list[str]:
        """Ids of the jobs that run here."""
        return list(self._running)

    async def stop_all(self, job_ids: Iterable[str]) -> None:
        """End these jobs where they run here."""
        for job_id in job_ids:
            await self._wait_for_end(job_id)

    async def reconcile(self, waiting: Sequence[tuple[Conversation, str, str]], dead: Sequence[str]) -> None:
        """Bring every job a session waits for (where, owner, id) into the queue.

        Some were never put there, some were run by processes that are dead now.
        """
        if not waiting:
            return
        await self.launch()
        from dbos import DBOS

        found = await DBOS.list_workflows_async(workflow_ids=[job_id for _, _, job_id in waiting])
        known = {status.workflow_id: status for status in found}
        for conversation, owner, job_id in waiting:
            status = known.get(job_id)
            if status is None:
                await self._enqueue(conversation, owner, job_id)
            elif status.status == "PENDING" and status.executor_id in dead:
                await DBOS.resume_workflow_async(job_id, queue_name=self._queue)
            elif status.status not in {"PENDING", "ENQUEUED", "DELAYED"}:
                # It ended, and yet the session waits for it.
                await DBOS.delete_workflow_async(job_id)
                await self._enqueue(conversation, owner, job_id)

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
    beaten: bool = False

    async def beat(self) -> bool:
        """Say that this process lives; ``False`` where another has taken it for dead."""
        row = {"queue": self.queue, "host": socket.gethostname(), "pid": os.getpid(), "beat_at": time.time()}
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
    return bool(silent_s > DEAD_AFTER_S or earlier) or not _lives(row.pid)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def queue_name(platform: str, only: Conversation | None) -> str:
    """The queue of a platform, or of one conversation of it."""
    return f"{platform}-{conversation_id(only)[:12]}" if only else platform
