"""A process that takes over from a dead one may die at any statement of that: nothing stands still afterwards."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.chat import Conversation, Incoming, Outgoing
from bot.app import App
from bot.jobs.heartbeat import ProcessHeartbeat
from bot.jobs.queue import DurableJobs
from bot.jobs.reports import MOST_STARTS, count_start
from bot.jobs.sharing import QUEUES
from bot.serving.service import ProcessRole, Service
from bot.settings import Settings, load_settings
from bot.store.database import Database, open_database
from bot.store.ledger import today
from bot.store.schema import processes, spending
from bot.store.sessions import Store, StoredConversation
from bot.store.surveys import WantedJob
from engine.errors import ServiceError
from engine.retrieval.libraries.local import LocalLibrary
from engine.session.events import Start
from engine.session.state import SurveySession, advance
from engine.values import Brief
from tests.fakes import HERE, FakeChat
from tests.lab import opened
from tests.stand_ins.changes import PATIENCE_S

FULL = ServiceError("The store could not be used (database or disk is full).", retryable=True)


class KilledError(Exception):
    """The process ends here."""


@dataclass
class FakeJobs:
    """A queue in memory, shared by the processes of a test: which process works on the job."""

    worker: str = "dead"
    revived: list[str] = field(default_factory=list)

    async def revive(self, waiting: Sequence[WantedJob], living: Collection[str]) -> None:
        for job in waiting:
            if self.worker not in living:
                self.worker = "somebody"
                self.revived.append(job.id)

    async def share(self, waiting: Sequence[WantedJob]) -> None:
        """They are shared out."""

    async def stop(self, job_ids: Sequence[str]) -> None:
        """None runs here."""


async def leave_work(url: str) -> None:
    """What a process leaves that dies: an event, a message, a call that is paid for, a job."""
    store = Store(await open_database(url), "dead")
    await ProcessHeartbeat(store, "fake").beat()
    session, _ = advance(SurveySession("abc"), Start(Brief("dense retrieval"), 200))
    await store.commit(StoredConversation(HERE, session, "mara"), [Outgoing(HERE, "not sent yet")])
    await store.receive(Incoming(HERE, "mara", "k1", "help"))
    call = {"session_id": "abc", "tenant": "fake:lab", "person": "mara", "day": today(), "step": "draft", "model": "m"}
    used = {"input_tokens": 1, "output_tokens": 1, "cached_tokens": 0, "money": 0.0, "priced": True}
    async with store.begin() as connection:
        await connection.execute(spending.insert().values(**call, **used, state="reserved", holder="dead"))
    await ProcessHeartbeat(store, "fake").leave()
    await store.close()


@asynccontextmanager
async def process(app: App, database: Database, name: str, jobs: FakeJobs) -> AsyncIterator[Service]:
    """A process that lives, until the block ends; then nobody has prepared its end."""
    store = Store(database, name)
    await ProcessHeartbeat(store, "fake").beat()
    chat = FakeChat()
    chat.only = None  # type: ignore[assignment]
    service = Service(app, chat, store, app.defaults(), ProcessRole())
    service.jobs = service.dispatcher.jobs = jobs  # type: ignore[assignment]
    yield service
    await service.dispatcher.drain()
    await service.outbox.drain()


async def test_a_take_over_may_end_at_any_statement(tmp_path: Path) -> None:
    template = tmp_path / "left.sqlite"
    await leave_work(f"sqlite:///{template}")
    statements, app = 0, App(load_settings())
    while True:
        statements += 1
        file = tmp_path / f"{statements}.sqlite"
        shutil.copy(template, file)
        database, jobs = await open_database(f"sqlite:///{file}"), FakeJobs()
        async with process(app, database, "first", jobs) as first:
            first.dispatcher.answer = lambda *_: None  # type: ignore[method-assign]
            first.outbox.give = lambda stored_messages: None  # type: ignore[method-assign]
            was_killed = await _take_over_until(first, statements)
        with sqlite3.connect(file) as direct:
            direct.execute("UPDATE processes SET beat_at = 0 WHERE id = 'first'")
            direct.execute("UPDATE processes SET beat_at = beat_at + 60 WHERE beat_at < 0")
        async with process(app, database, "second", jobs) as second:
            await second._take_over(always=True)
            await second.dispatcher.drain()
            await second.outbox.drain()
        await database.close()
        with sqlite3.connect(file) as direct:
            count = "SELECT count(*) FROM "
            for undone in ("events WHERE handled_at IS NULL", "outbox WHERE sent_at IS NULL"):
                assert direct.execute(count + undone).fetchone() == (0,), (statements, undone)
            assert direct.execute("SELECT state FROM spending").fetchall() == [("lost",)], statements
            assert direct.execute("SELECT id FROM processes").fetchall() == [("second",)], statements
        assert jobs.revived, statements
        if not was_killed:
            break
    assert statements > 6
    await app.close()


async def _take_over_until(service: Service, statement: int) -> bool:
    """Take over, but die at that statement; whether it came to that."""
    left, taking = statement, asyncio.current_task()

    def count(_: Any, __: Any, said: str, *___: Any) -> None:
        nonlocal left
        if asyncio.current_task() is taking and not said.startswith("BEGIN"):
            left -= 1
            if left == 0:
                raise KilledError

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    try:
        await service._take_over(always=True)
    except KilledError:
        return True
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", count)
    return False


@pytest.mark.parametrize("only", [None, HERE])
async def test_a_job_whose_worker_is_gone_is_begun_again_whoever_took_over(
    tmp_path: Path, only: Conversation | None
) -> None:
    ran = asyncio.Event()
    file = tmp_path / "jobs.sqlite"

    async def run(_: object, __: str) -> None:
        ran.set()

    wanted = WantedJob(HERE, "mara", "j1", "keywords")

    async def load() -> Sequence[WantedJob]:
        return [wanted]

    jobs = DurableJobs(f"sqlite:///{file}", "fake", only, QUEUES, "p1", Settings(), run, load)
    lost = [("PENDING", "gone", 1), ("PENDING", "p1", 2), ("SUCCESS", "p1", 1)]
    try:
        await jobs.share([wanted])
        await ran.wait()
        for status, worker, looks in lost:
            await asyncio.wait(jobs.running.values() or {asyncio.create_task(asyncio.sleep(0))})
            await asyncio.to_thread(_set_worker, file, status, worker)
            ran.clear()
            for look in range(1, looks + 1):
                stuck = await jobs.revive([wanted], {"p1", "p2"})
                assert bool(stuck) == (look == looks), (status, worker, look)
            await jobs.share([wanted])
            async with asyncio.timeout(PATIENCE_S):
                await ran.wait()
    finally:
        await jobs.close()


def _set_worker(file: Path, status: str, worker: str) -> None:
    """What the queue knows of the job after its process ended at a bad moment."""
    with sqlite3.connect(file, timeout=30) as database:
        while not database.execute("SELECT count(*) FROM workflow_status WHERE status = 'SUCCESS'").fetchone()[0]:
            continue
        database.execute("UPDATE workflow_status SET status = ?, executor_id = ?", (status, worker))


async def test_a_store_that_fails_for_a_while_does_not_leave_the_job_standing(library: LocalLibrary) -> None:
    async with opened() as lab:
        service, commit = lab.service, lab.service.store.commit
        failed = asyncio.Event()

        async def fail(stored: StoredConversation, messages: Sequence[Outgoing], key: str | None = None) -> Any:
            if key is None:  # what a job reports
                failed.set()
                raise FULL
            return await commit(stored, messages, key)

        service.store.commit = fail  # type: ignore[method-assign]
        await lab.chat.backend.handle(Incoming(HERE, "mara", "k1", "survey dense retrieval"))
        async with asyncio.timeout(PATIENCE_S):
            await failed.wait()
            await asyncio.wait(service.jobs.running.values() or {asyncio.create_task(asyncio.sleep(0))})
            service.store.commit = commit  # type: ignore[method-assign]
            while not lab.chat.turn.is_set():
                await service._revive()
        assert (await lab.session()).state.keywords


async def test_a_job_that_ends_its_process_each_time_is_set_aside_and_can_be_asked_for_again(
    library: LocalLibrary,
) -> None:
    session, _ = advance(SurveySession("abc"), Start(Brief("dense retrieval", library="main"), 200))
    store = Store(await open_database(load_settings().store_url()), "dead")
    await store.commit(StoredConversation(HERE, session, "mara"), [])
    starts = [await count_start(store, HERE, session, "abc-1") for _ in range(MOST_STARTS)]
    assert starts == list(range(1, MOST_STARTS + 1))
    await store.close()
    async with opened() as lab:
        await lab.service.sweep()
        async with asyncio.timeout(PATIENCE_S):
            await lab.chat.turn.wait()
        assert "crashed each of the 5 times" in lab.chat.last
        assert (await lab.session()).job is None
        await lab.talk("survey dense retrieval")
        assert (await lab.state()).keywords


async def test_a_machine_that_is_started_anew_sets_no_job_aside(library: LocalLibrary) -> None:
    session, _ = advance(SurveySession("abc"), Start(Brief("dense retrieval", library="main"), 200))
    store = Store(await open_database(load_settings().store_url()), "dead")
    await store.commit(StoredConversation(HERE, session, "mara"), [])
    for number in range(2 * MOST_STARTS):
        assert await count_start(store, HERE, session, "abc-1", f"start {number}") == 1
    await store.close()
    async with opened() as lab:
        await lab.service.sweep()
        async with asyncio.timeout(PATIENCE_S):
            await lab.chat.turn.wait()
        assert (await lab.state()).keywords


@pytest.mark.parametrize("jump_s", [3_600.0, -3_600.0])
async def test_after_a_jump_of_the_clock_the_dead_are_still_found_and_the_living_come_back(jump_s: float) -> None:
    store = Store(await open_database(load_settings().store_url()), "one")
    try:
        living = ProcessHeartbeat(store, "fake")
        await living.beat()
        async with store.begin() as connection:
            row = {"queue": "fake", "host": "elsewhere", "pid": 1, "beat_at": time.time() + jump_s, "runs": ""}
            await connection.execute(processes.insert().values(id="dead", **row))
            await connection.execute(processes.update().values(beat_at=time.time() + jump_s))
        assert set(await ProcessHeartbeat(store, "fake").claim_dead()) == {"dead"}
        assert await living.beat()
        assert set(await living.find_living()) == {"one"}
    finally:
        await store.close()
