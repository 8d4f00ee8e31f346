"""The command `bench load`: many conversations at once in one process, every event sent twice."""

from __future__ import annotations

import asyncio
import gc
import resource
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from adapters.chat import Conversation, Incoming, Outgoing, SimpleAdapter
from bot.app import App
from bot.serving.service import Service, run_service
from bot.settings import load_settings, use_environment
from bot.store.schema import events, outbox

ACKNOWLEDGED_S = 1.0
"""The 99th percentile that is allowed; platforms give up after three."""

SAID = ("survey retrieval-augmented generation", "add dense retrieval", "status", "help", "undo", "sources")
"""What each person says, the next when the one before is answered; the first starts a job."""

MESSAGES = len(SAID) + 4
"""A job is announced and its card shown, a change is said and shown, an undo is said and shown after what it closes."""


@dataclass
class CountingPlatform(SimpleAdapter):
    """A chat that counts: what was sent where, under which key, and whose turn it is."""

    platform: str = "bench"
    only: Conversation | None = None
    keys: Counter[str] = field(default_factory=Counter)
    turns: defaultdict[Conversation, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))

    async def send(self, outgoing: Outgoing) -> None:
        """Count it."""
        if outgoing.kind == "message":
            self.keys[outgoing.key] += 1
        if outgoing.awaits:
            self.turns[outgoing.conversation].set()


@dataclass
class LoadFigures:
    """Seconds of each acknowledgement and answer, bytes for an idle conversation, and what went wrong."""

    count: int
    seconds: float = 0.0
    idle: float = 0.0
    acknowledged: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    faults: dict[str, int] = field(default_factory=dict)


async def load(console: Console, count: int) -> int:
    """Measure; 1 where an event was lost, answered twice, or acknowledged too late."""
    found = LoadFigures(count)
    with tempfile.TemporaryDirectory(prefix="scholium-load-") as home:
        use_environment({"SCHOLIUM_HOME": home})
        app, platform = App(load_settings()), CountingPlatform()
        await app.install_bundled(lambda _: None)
        began = time.perf_counter()
        async with run_service(app, platform) as service:
            before = read_memory()

            async def talk(number: int) -> None:
                at = Conversation("bench", f"lab{number % 7}", "general", str(number))
                for step, text in enumerate(SAID):
                    incoming = Incoming(at, f"person{number}", f"{number}-{step}", text)
                    platform.turns[at].clear()
                    start = time.perf_counter()
                    for _ in range(2):
                        sent = time.perf_counter()
                        await service.dispatcher.handle(incoming)
                        found.acknowledged.append(time.perf_counter() - sent)
                    await platform.turns[at].wait()
                    found.answered.append(time.perf_counter() - start)

            await asyncio.gather(*(talk(number) for number in range(count)))
            await service.dispatcher.drain()
            await service.outbox.drain()
            found.seconds = time.perf_counter() - began
            gc.collect()
            found.idle = (read_memory() - before) / count
            found.faults = await _faults(service, platform, count)
    _report(console, found)
    return int(any(found.faults.values()) or _percentile(found.acknowledged, 0.99) > ACKNOWLEDGED_S)


async def _faults(service: Service, platform: CountingPlatform, count: int) -> dict[str, int]:
    async with service.store.connect() as connection:

        async def number(query: sa.Select[int]) -> int:
            return int((await connection.execute(query)).scalar_one())

        received = await number(sa.select(sa.func.count()).select_from(events))
        open_events = await number(sa.select(sa.func.count()).where(events.c.handled_at.is_(None)))
        unsent = await number(sa.select(sa.func.count()).where(outbox.c.sent_at.is_(None)))
        posted = await number(sa.select(sa.func.count()).select_from(outbox))
    return {
        "Events lost": count * len(SAID) - received,
        "Events not answered": open_events,
        "Messages not sent": unsent,
        "Messages doubled": sum(times > 1 for times in platform.keys.values()),
        "Messages too many": max(0, posted - count * MESSAGES),
    }


def _report(console: Console, found: LoadFigures) -> None:
    table = Table("", "", title=f"{found.count} conversations at once, every event sent twice")
    table.add_row("All answered in", f"{found.seconds:.1f} s")
    for name, values in (("Acknowledged", found.acknowledged), ("Answered", found.answered)):
        shown = " · ".join(f"{share:.0%} {_percentile(values, share) * 1000:,.0f} ms" for share in (0.5, 0.99, 1.0))
        table.add_row(f"{name} (median, 99th percentile, longest)", shown)
    table.add_row("Memory for each idle conversation", f"{found.idle / 1000:,.0f} kB")
    table.add_row("Peak memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    for name, number in found.faults.items():
        table.add_row(name, str(number))
    console.print(table)


def _percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def read_memory() -> int:
    """Bytes of this process in memory (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()
