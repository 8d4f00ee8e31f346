"""The command `bench crash`: processes killed at random moments of running jobs, and what that cost.

A platform that is a file stands in for a chat: each message is a line. The person answers every proposal with yes,
and sends each answer again until something has come of it, as platforms do.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.chat import ChatAdapter, Conversation, Incoming, Outgoing
from engine.errors import ServiceError
from tests.stand_ins.simulation import Call, SimulatedService, run_simulated_service

AT = Conversation("bench", "lab", "general", "1")
ANSWERED = frozenset({"keywords", "papers", "outline", "writing"})

LONGEST_LIFE_S = 5.0
"""A process is killed at a random moment up to so many seconds after it is ready; later where its start took longer."""

PATIENCE_S = 300.0
"""So long a process may take to start, and the last survey to come to its end."""


@dataclass
class FilePlatform(ChatAdapter):
    """A chat whose screen is a file; ``key`` of each line tells repeats."""

    file: Path
    platform: str = "bench"
    only: Conversation | None = None

    async def send(self, outgoing: Outgoing) -> None:
        """One line for each message."""
        if outgoing.key:  # what is not stored has none
            line = json.dumps({"key": outgoing.key, "text": outgoing.text, "at": time.time()}, ensure_ascii=False)
            with self.file.open("a", encoding="utf-8") as screen:
                screen.write(line + "\n")


def live(home: str, environment: Mapping[str, str], ready: str, dies_at: int) -> None:
    """The body of a process: serve, and answer every proposal with yes, until killed.

    Where ``dies_at`` is not 0 and it does not get ready before, it ends itself at that statement to a database.
    """

    if dies_at:
        _die_at(dies_at, Path(ready))
    os.environ.update({**environment, "SCHOLIUM_HOME": home})
    asyncio.run(_live(Path(home), Path(ready)))


def _die_at(statement: int, ready: Path) -> None:
    """Let nothing be prepared for it: what is written so far stays, nothing else does."""
    left = statement

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left <= 0 and not ready.exists():
            os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)


async def _live(home: Path, ready: Path) -> None:
    from bot.app import App
    from bot.serving.service import run_service
    from bot.settings import load_settings

    app = App(load_settings())
    await app.libraries.install_bundled()
    async with run_service(app, FilePlatform(home / "screen.jsonl")) as service:
        await asyncio.to_thread(ready.touch)
        while True:
            stored = await service.store.load_conversation(AT)
            session = stored.session
            if session.job is None:
                # The same answer to the same state is the same event, sent again.
                key = f"{session.id}-{session.revision}-{session.jobs_started}"
                says = "ok" if session.state.phase in ANSWERED else _topic(session.id)
                await service.dispatcher.handle(Incoming(AT, "mara", key, says))
            await asyncio.sleep(0.05)


def _topic(session_id: str) -> str:
    # Another topic each time: the same question of another survey is not one that is asked again.
    return f"survey retrieval-augmented generation {session_id[:6]} recipe=autosurvey sections=3 words=150"


@dataclass
class KillLog:
    """What happened: when processes were killed (seconds since the service began) and how fast they came back.

    ``statement`` is the one to a database at which the next start that is to die does so.
    """

    kills: list[float] = field(default_factory=list)
    starts_s: list[float] = field(default_factory=list)
    while_starting: int = 0
    statement: int = 1
    stands_still: bool = False


async def crash(console: Console, kills: int, processes: int, database: str, seed: int) -> int:
    """Kill so many times; 1 where something was lost or a finished call was paid twice."""
    with tempfile.TemporaryDirectory(prefix="scholium-crash-") as folder:
        async with run_simulated_service(SimulatedService(pace=0.05)) as service:
            environment = {"OPENAI_BASE_URL": f"{service.url}/v1", "SCHOLIUM_LOG_LEVEL": "error"}
            environment |= {"SCHOLIUM_DATABASE_URL": database} if database else {}
            killed = Processes(Path(folder), environment, service)
            log = await asyncio.to_thread(_run_with_kills, killed, kills, processes, seed, console)
            await asyncio.sleep(0.5)
        report = await _report(Path(folder), environment, service, log)
    table = Table("", "", title=f"{kills} kills of {processes} process(es) on {'Postgres' if database else 'SQLite'}")
    for name, value in report.items():
        table.add_row(name, value)
    console.print(table)
    bad = ("Finished calls paid again", "Messages lost", "Events never answered", "Surveys that stand still")
    return int(any(report[name] != "0" for name in bad))


@dataclass
class Processes:
    """The processes that are killed: how one is begun, and begun again."""

    home: Path
    environment: Mapping[str, str]
    service: SimulatedService
    log: KillLog = field(default_factory=KillLog)

    def __post_init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        # What all processes need is imported once; lancedb is not among it, for it cannot be forked.
        self._context.set_forkserver_preload(
            ["bot.store.sessions", "bot.conversation.dispatcher", "engine.recipes.autosurvey", "dbos"]
        )

    def begin_again(self, number: int) -> ForkServerProcess:
        """Every second start dies at a statement, the next one each time, until a start has no more of them."""
        log = self.log
        while len(log.kills) % 2:
            if process := self._begin(number, log.statement):
                log.statement = 1
                return process
            log.statement += 1
            log.while_starting += 1
            self.count_kill()
        process = self._begin(number)
        if process is None:
            raise RuntimeError("the process ended by itself")
        return process

    def count_kill(self) -> None:
        """A process was killed now."""
        self.log.kills.append(time.perf_counter() - self.service.began)

    def _begin(self, number: int, dies_at: int = 0) -> ForkServerProcess | None:
        """A process that is ready; ``None`` where it ended before."""
        ready = self.home / f"ready-{number}"
        ready.unlink(missing_ok=True)
        how = (str(self.home), dict(self.environment), str(ready), dies_at)
        process = self._context.Process(target=live, args=how, daemon=True)
        began = time.perf_counter()
        process.start()
        while not ready.exists():
            if not process.is_alive():
                return None
            if time.perf_counter() - began > PATIENCE_S:
                process.kill()
                raise ServiceError(
                    f"A process was not ready within {PATIENCE_S:.0f} seconds. Is the machine very busy?"
                )
            time.sleep(0.02)
        self.log.starts_s.append(time.perf_counter() - began)
        return process


def _run_with_kills(processes: Processes, kills: int, count: int, seed: int, console: Console) -> KillLog:
    chance, log = random.Random(seed), processes.log
    alive = {number: processes.begin_again(number) for number in range(count)}
    try:
        with Progress(console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("Killing", total=kills)
            while len(log.kills) < kills:
                time.sleep(chance.uniform(0.0, max(LONGEST_LIFE_S, log.starts_s[-1])))
                victim = chance.choice(sorted(alive))
                alive[victim].kill()
                processes.count_kill()
                alive[victim].join()
                alive[victim] = processes.begin_again(victim)
                bar.update(task, completed=len(log.kills))
        log.stands_still = not _finish_survey(processes.home)
    finally:
        for process in alive.values():
            process.kill()
            process.join()
    return log


def _finish_survey(home: Path) -> bool:
    """Let the survey that is being made come to its end; whether it did."""
    screen = home / "screen.jsonl"
    before, patience = _surveys(screen), time.monotonic() + PATIENCE_S
    while _surveys(screen) == before and time.monotonic() < patience:
        time.sleep(0.2)
    return _surveys(screen) > before


def _surveys(screen: Path) -> int:
    return screen.read_text(encoding="utf-8").count(" words · ") if screen.exists() else 0


async def _report(
    home: Path, environment: Mapping[str, str], service: SimulatedService, log: KillLog
) -> dict[str, str]:
    from bot.settings import sqlite_url
    from bot.store.database import open_database
    from bot.store.schema import events, outbox

    shown = [json.loads(line) for line in (home / "screen.jsonl").read_text(encoding="utf-8").splitlines()]
    times = Counter(line["key"] for line in shown)
    last = log.kills[-1] + service.began_at if log.kills else 0.0
    database = await open_database(environment.get("SCHOLIUM_DATABASE_URL") or sqlite_url(home, "store.sqlite"))
    async with database.connect() as connection:
        posted = (await connection.execute(sa.select(outbox.c.id, outbox.c.created_at))).all()
        unanswered = await connection.execute(
            sa.select(sa.func.count()).where(events.c.handled_at.is_(None) & (events.c.received_at < last))
        )
        open_events = unanswered.scalar_one()
        again = await count_paid_again(connection)
    await database.close()
    lost = [row.id for row in posted if str(row.id) not in times and row.created_at < last]
    return {
        "Kills, and those of them during a start": f"{len(log.kills)}, {log.while_starting}",
        "Surveys finished": str(_surveys(home / "screen.jsonl")),
        "Calls": str(len(service.calls)),
        "Calls asked again after a kill": str(count_asked_again(service.calls, log.kills)),
        "Answers sent a second before a kill, asked again": str(count_asked_again(service.calls, log.kills, KEEPING_S)),
        "Finished calls paid again": str(again),
        "Messages": str(len(posted)),
        "Messages lost": str(len(lost)),
        "Messages doubled": str(sum(count > 1 for count in times.values())),
        "Events never answered": str(open_events),
        "Surveys that stand still": str(int(log.stands_still)),
        "Start of a process, median and longest": (
            f"{sorted(log.starts_s)[len(log.starts_s) // 2]:.1f} s, {max(log.starts_s):.1f} s"
        ),
    }


async def count_paid_again(connection: AsyncConnection) -> int:
    """Calls that were paid for although their answers had been kept before: each payment keeps an answer of its own.

    An answer is kept before its payment is entered, so a kill between the two leaves fewer payments, never more.
    """
    from bot.store.schema import calls, spending

    paid = sa.select(sa.func.count()).where(spending.c.state == "paid")
    kept = sa.select(sa.func.count()).select_from(calls)
    return max(0, (await connection.execute(paid)).scalar_one() - (await connection.execute(kept)).scalar_one())


KEEPING_S = 1.0
"""So long after an answer was sent it may be kept by none: an older one that is asked for again was lost by us."""


def count_asked_again(calls: list[Call], kills: list[float], answered_s: float | None = None) -> int:
    """Questions that the service was asked again after a kill: their answers had not been kept when it came.

    With ``answered_s`` those only that were answered so many seconds before the kill.
    """
    groups: dict[str, list[Call]] = {}
    for call in sorted(calls, key=lambda call: call.start):
        groups.setdefault(json.dumps(call.body, sort_keys=True), []).append(call)
    pairs = [pair for group in groups.values() for pair in pairwise(group)]

    def was_asked_before(call: Call, kill: float) -> bool:
        return call.start <= kill if answered_s is None else call.end + answered_s <= kill

    return sum(any(was_asked_before(first, kill) and kill <= again.start for kill in kills) for first, again in pairs)
