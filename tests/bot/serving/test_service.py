"""A service that is stopped, killed, or has company: nothing is lost, nothing is done twice."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
import sqlalchemy as sa
import structlog

from adapters.chat import Conversation, Incoming, Outgoing, PlatformError
from bot.app import App
from bot.conversation.dispatcher import Dispatcher
from bot.jobs.heartbeat import ProcessHeartbeat
from bot.jobs.queue import DurableJobs
from bot.jobs.sharing import QUEUES
from bot.monitoring.logs import configure, hide_secrets
from bot.monitoring.metrics import serve_metrics
from bot.serving.service import Service, run_service
from bot.settings import Settings, load_settings
from bot.store.database import open_database
from bot.store.schema import outbox
from bot.store.sessions import Store
from bot.store.surveys import WantedJob
from engine.retrieval.libraries.local import LocalLibrary
from tests.empty_databases import prepare_databases
from tests.fakes import HERE, FakeChat, written
from tests.lab import Lab, opened
from tests.measures.crash import count_paid_again
from tests.measures.load import PacedPlatform
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.simulation import SimulatedService as Simulation
from tests.stand_ins.simulation import run_simulated_service


async def test_a_conversation_goes_on_where_it_was_in_the_next_process(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "add passage index")
        before = await lab.session()
    async with opened() as lab:
        assert await lab.session() == before
        await lab.service.dispatcher.greet(HERE)
        assert "Welcome back" in lab.chat.messages()[0].text
        assert "passage index" in lab.chat.last
        old_button = next(b for b in lab.chat.messages()[-1].buttons if b.typed == "ok")
        await lab.chat.say(button=old_button.action)
        assert (await lab.state()).phase == "papers"


@asynccontextmanager
async def killed(chat: FakeChat) -> AsyncIterator[Lab]:
    """A service whose end nobody prepares: its heartbeat stops and its tasks with it."""
    await prepare_databases()
    context = run_service(App(load_settings()), chat)
    service = await context.__aenter__()
    yield Lab(service, chat)
    await service.jobs.close()
    async with service.store.begin() as connection:
        from bot.store.schema import processes

        await connection.execute(processes.update().values(beat_at=0.0))
    for task in asyncio.all_tasks():
        if task.get_coro().__qualname__ == "Service.watch":  # type: ignore[union-attr]
            task.cancel()
    await service.app.close()
    await service.store.close()


async def test_a_job_goes_on_in_the_next_process_and_pays_for_no_finished_call_again(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_simulated_service(Simulation(pace=0.01)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        chat = FakeChat(holds=written(1))
        async with killed(chat) as lab:
            await lab.talk("survey dense retrieval sections=3 words=80", "ok", "ok")
            await chat.backend.handle(Incoming(HERE, "mara", "write", "ok"))
            async with asyncio.timeout(PATIENCE_S):
                await chat.stored.wait()
        assert (await _held_job()) is not None
        async with opened() as lab:
            async with asyncio.timeout(PATIENCE_S):
                await lab.chat.turn.wait()
            assert (await lab.state()).phase == "discussion"
            assert any("3 sections · " in m.text for m in lab.chat.messages())
    store = Store(await open_database(load_settings().store_url()), "looker")
    async with store.connect() as connection:
        assert await count_paid_again(connection) == 0
    await store.close()


async def _held_job() -> object:
    store = Store(await open_database(load_settings().store_url()), "looker")
    try:
        stored = await store.load_conversation(HERE)
        return stored and stored.session.job
    finally:
        await store.close()


async def test_what_a_dead_process_received_and_wrote_is_answered_and_sent(library: LocalLibrary) -> None:
    store = Store(await open_database(load_settings().store_url()), "dead")
    await ProcessHeartbeat(store, "fake").beat()
    await store.receive(Incoming(HERE, "mara", "k1", "help"))
    await store.record_handled(HERE, "k0", [Outgoing(HERE, "written before the end")])
    await ProcessHeartbeat(store, "fake").leave()
    await store.close()
    async with opened() as lab:
        # The queue of a conversation has a name of its own; the dead process served all of the platform.
        async with lab.service.store.begin() as connection:
            from bot.store.schema import processes

            await connection.execute(processes.delete().where(processes.c.id == "dead"))
        await lab.service._take_over(always=True)
        await lab.settled()
        texts = [m.text for m in lab.chat.messages()]
        assert "written before the end" in texts
        assert any("What you can say" in text for text in texts)
        keys = [m.key for m in lab.chat.messages()]
        assert len(set(keys)) == len(keys)


class Refusing(FakeChat):
    """A platform that takes nothing for a while."""

    refuses = 0

    async def send(self, outgoing: Outgoing) -> None:
        if outgoing.kind == "message" and self.refuses > 0:
            Refusing.refuses -= 1
            raise PlatformError("The platform is away.", retryable=True)
        await super().send(outgoing)


async def test_a_message_the_platform_does_not_take_is_sent_later_once(library: LocalLibrary) -> None:
    Refusing.refuses = 1
    chat = Refusing()
    async with opened(chat) as lab:
        await chat.backend.handle(Incoming(HERE, "mara", "k", "help"))
        await lab.settled()
        assert [("What you can say" in m.text) for m in chat.messages()] == [True]
        assert await lab.service.store.unsent("fake", None) == []


async def test_sixty_events_each_twice_are_answered_once_each(library: LocalLibrary) -> None:
    async with opened() as lab:
        dispatcher: Dispatcher = lab.service.dispatcher
        events = [
            Incoming(replace(HERE, thread=str(i % 12)), "mara", f"k{i}", ("help", "status", "cost", "sources")[i % 4])
            for i in range(60)
        ]
        await asyncio.gather(*(dispatcher.handle(event) for event in [*events, *events]))
        await lab.settled()
    assert len(lab.chat.messages()) == 60
    assert len({m.key for m in lab.chat.messages()}) == 60


async def test_looking_for_unwanted_jobs_ends_none_that_began_meanwhile_and_none_that_is_just_reporting(
    library: LocalLibrary,
) -> None:
    platform = PacedPlatform()
    async with run_service(App(load_settings()), platform) as service:

        async def sweeping() -> None:
            while True:
                await service.sweep()
                await asyncio.sleep(0)

        sweeper = asyncio.create_task(sweeping())
        places = [replace(HERE, platform="bench", channel=str(i)) for i in range(16)]
        for i, at in enumerate(places):
            await service.dispatcher.handle(Incoming(at, f"person{i}", f"k{i}", "survey dense retrieval"))
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(platform.turns[at].wait() for at in places))
        sweeper.cancel()
        await asyncio.wait([sweeper])
        await service.dispatcher.drain()
        await service.outbox.drain()
        async with service.store.connect() as connection:
            unsent = sa.select(sa.func.count()).where(outbox.c.sent_at.is_(None))
            assert (await connection.execute(unsent)).scalar_one() == 0
        for at in places:
            assert (await service.store.load_conversation(at)).session.state.phase == "keywords"


async def test_health_readiness_and_figures_have_a_port_of_their_own(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:

    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        service: Service = lab.service
        async with (
            serve_metrics(service.metrics, "127.0.0.1", 0, service.not_ready) as port,
            httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
        ):
            assert (await client.get("/healthz")).text == "ok\n"
            assert (await client.get("/readyz")).status_code == 200
            figures = (await client.get("/metrics")).text
            assert 'scholium_events_total{repeated="no"} 1.0' in figures
            assert 'scholium_jobs_total{kind="keywords",outcome="done"} 1.0' in figures
            assert "dense retrieval" not in figures
            service.started = False
            assert (await client.get("/readyz")).status_code == 503


def test_logs_hold_no_secret_and_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info")
    structlog.get_logger().info(
        "x", slack_token="xoxb-1-2", url="postgresql://lab:hunter2@db/x", error="401 for sk-abc123 Bearer abc"
    )
    shown = capsys.readouterr().err
    assert "x" in shown
    for secret in ("xoxb-1-2", "hunter2", "sk-abc123", "Bearer abc"):
        assert secret not in shown
    assert hide_secrets(None, "", {"event": "fine", "job": "a-1"}) == {"event": "fine", "job": "a-1"}


async def test_jobs_left_to_the_next_start_are_not_collected_meanwhile(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def run(_: Conversation, __: str) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def alone() -> list[WantedJob]:
        return [WantedJob(HERE, "mara", "j1", "keywords")]

    url = f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    jobs = DurableJobs(url, "fake", HERE, QUEUES, "p1", Settings(), run, alone)
    await jobs.start("j1")
    await begun.wait()
    await jobs.close()
    del jobs, run
    gc.collect()  # says “Task was destroyed but it is pending” where nobody holds it
    left = [task for task in asyncio.all_tasks() if "_execute_workflow_async" in repr(task.get_coro())]
    assert len(left) == 1
