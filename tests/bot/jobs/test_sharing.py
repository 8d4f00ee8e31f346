"""Who is next, and what people who wait are told: workspaces take turns, nobody has more than their share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from adapters.chat import ChatAdapter, Conversation, Incoming, Outgoing
from bot.app import App
from bot.cli.platforms import choose_platform
from bot.jobs.sharing import JobState, SharedJob, choose_next, choose_queue, find_places
from bot.serving.service import ProcessRole, Service, run_service
from bot.settings import load_settings
from bot.store.surveys import WantedJob
from bot.wording.progress import NOBODY_WORKS, QueuePlace, word_queued
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from engine.session.events import JobKind
from tests.empty_databases import prepare_databases
from tests.stand_ins.changes import PATIENCE_S


def job(name: str, state: JobState, since: float = 0.0, kind: JobKind = "write") -> SharedJob:
    """``team.person.number`` as a job."""
    team, person, _ = name.split(".")
    return SharedJob(WantedJob(Conversation("slack", team, "c", name), person, name, kind), state, since)


def test_a_person_has_so_many_places_in_a_queue_and_the_next_is_the_one_asked_for_first() -> None:
    jobs = [
        job("T1.mara.1", "running"),
        job("T1.mara.2", "queued"),
        job("T1.mara.3", "held"),
        job("T1.ben.1", "held"),
        job("T1.ben.2", "held"),
        job("T1.ben.3", "held"),
        job("T2.mara.1", "held"),
    ]
    assert [wanted.id for wanted in choose_next(jobs, 2)] == ["T1.ben.1", "T1.ben.2", "T2.mara.1"]


def test_questions_do_not_wait_behind_surveys() -> None:
    writing = [job("T1.mara.1", "running"), job("T1.mara.2", "running")]
    question = job("T1.mara.3", "held", kind="answer")
    assert choose_next([*writing, question], 2) == [question.wanted]
    assert choose_queue("answer") != choose_queue("write")


def test_workspaces_take_turns_however_many_jobs_one_of_them_has() -> None:
    busy = [job(f"T1.person{n}.1", "queued", since=n) for n in range(6)]
    late = [job("T2.ada.1", "queued", since=10), job("T2.ben.1", "queued", since=11)]
    places = find_places([*busy, *late], 16)
    assert places["T1.person0.1"] == QueuePlace("busy", 0, 0)
    assert places["T2.ada.1"] == QueuePlace("busy", 1, 0)
    assert places["T2.ben.1"] == QueuePlace("busy", 3, 0)
    assert places["T1.person5.1"] == QueuePlace("busy", 7, 0)


def test_a_full_workspace_waits_for_its_own_jobs_only() -> None:
    jobs = [job("T1.a.1", "running"), job("T1.b.1", "running"), job("T1.c.1", "queued", 1), job("T2.d.1", "queued", 0)]
    places = find_places(jobs, 2)
    assert places["T1.c.1"] == QueuePlace("workspace", 0, 2)
    assert places["T2.d.1"].reason == "busy"
    assert "T1.a.1" not in places


def test_what_waits_for_ones_own_jobs_says_how_many() -> None:
    jobs = [
        job("T1.mara.1", "running"),
        job("T1.mara.2", "running"),
        job("T1.mara.3", "held"),
        job("T1.mara.4", "held"),
    ]
    places = find_places(jobs, 16)
    assert word_queued(places["T1.mara.3"]) == "It waits: 2 of your jobs are running. It is next."
    assert word_queued(places["T1.mara.4"]) == "It waits: 2 of your jobs are running, and 1 more is ahead of it."


@dataclass
class Team(ChatAdapter):
    """A platform of several channels, in memory."""

    platform: str = "team"
    only: Conversation | None = None
    sent: list[Outgoing] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def send(self, outgoing: Outgoing) -> None:
        async with self.news:
            self.sent.append(outgoing)
            self.news.notify_all()

    async def until(self, words: str, channel: str) -> Outgoing:
        """The first message there that holds these words."""

        def found() -> list[Outgoing]:
            return [m for m in self.sent if words in m.text and m.conversation.channel == channel]

        async with self.news, asyncio.timeout(PATIENCE_S):
            await self.news.wait_for(found)
            return found()[0]


async def begin(service: Service, team: Team, channel: str, person: str) -> None:
    """Name a topic, and let keywords be found."""
    at = Conversation("team", "T1", channel, "1")
    await service.dispatcher.handle(Incoming(at, person, f"{channel}-1", "survey dense retrieval"))
    await service.dispatcher.drain()


async def test_people_see_their_place_in_the_queue_and_then_their_survey(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_JOBS", "1")
    monkeypatch.setattr("bot.jobs.status.PATIENCE_S", 0.0)
    first = asyncio.Event()
    await prepare_databases()
    team = Team()
    async with run_service(App(load_settings()), team) as service:
        run, begun = service.jobs._run, asyncio.Event()

        async def run_slowly(at: Conversation, job_id: str) -> None:
            begun.set()
            if at.channel == "one":
                await first.wait()
            await run(at, job_id)

        service.jobs._run = run_slowly
        await begin(service, team, "one", "mara")
        async with asyncio.timeout(PATIENCE_S):
            await begun.wait()
        await begin(service, team, "two", "ben")
        await begin(service, team, "three", "ada")
        waits = await team.until("It is next in the queue.", "two")
        assert waits.kind == "progress"
        assert [button.typed for button in waits.buttons] == ["stop"]
        await team.until("about 1 job ahead of it", "three")
        first.set()
        for channel in ("one", "two", "three"):
            await team.until("Keywords", channel)


async def test_where_no_process_runs_jobs_that_is_said(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLIUM_JOBS", "0")
    monkeypatch.setattr("bot.jobs.status.PATIENCE_S", 0.0)
    await prepare_databases()
    team = Team()
    async with run_service(App(load_settings()), team) as service:
        await begin(service, team, "one", "mara")
        await team.until(NOBODY_WORKS, "one")
        assert service.jobs.running == {}


async def test_a_worker_runs_what_others_left_and_listens_to_nobody(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_JOBS", "0")
    await prepare_databases()
    async with run_service(App(load_settings()), Team()) as service:
        await begin(service, Team(), "one", "mara")
    monkeypatch.setenv("SCHOLIUM_JOBS", "2")
    team = Team()
    async with run_service(App(load_settings()), team, role=ProcessRole(talks=False)):
        shown = await team.until("Keywords", "one")
    assert shown.slot == "card"


def test_the_command_says_what_it_can_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="scholium worker slack, or scholium worker discord"):
        choose_platform(load_settings())
    monkeypatch.setenv("DISCORD_TOKEN", "token")
    assert choose_platform(load_settings()) == "discord"
