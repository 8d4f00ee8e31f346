"""The command `bench load`: many conversations at once at the rates of a platform, every event sent twice."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import resource
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from adapters.chat import Conversation, Incoming, Outgoing
from adapters.editing import PacedSender
from bot.app import App
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from bot.store.schema import events, outbox

ACKNOWLEDGED_S = 1.0
"""The 99th percentile that is allowed; platforms give up after three."""

SAID = ("survey retrieval-augmented generation", "add dense retrieval", "status", "help", "undo", "sources")
"""What each person says, the next when the one before is answered; the first starts a job."""

STATUS_S = 3.0
"""In which ``status`` is answered, the 95th percentile."""

PEOPLE, CHANNELS = 50, 10
"""In one workspace."""

THINKING_S = (5.0, 15.0)
"""Between an answer and what a person says next."""

MESSAGES = len(SAID) + 4
"""A job is announced and its card shown, a change is said and shown, an undo is said and shown after what it closes."""


class PacedPlatform(PacedSender[Outgoing]):
    """A chat with the rates of Slack, edited and posted into as Slack is, that counts what was sent and when."""

    platform = "bench"

    def __init__(self) -> None:
        super().__init__()
        self.keys: Counter[str] = Counter()
        self.turns: defaultdict[Conversation, asyncio.Event] = defaultdict(asyncio.Event)
        self.edited: defaultdict[str, list[float]] = defaultdict(list)

    async def send(self, outgoing: Outgoing) -> None:
        """Show it, and count it."""
        if outgoing.kind == "message":
            self.keys[outgoing.key] += 1
        await super().send(outgoing)
        if outgoing.awaits:
            self.turns[outgoing.conversation].set()

    async def post(self, outgoing: Outgoing) -> None:
        """Post it as one page."""
        await self.post_page(outgoing.conversation, outgoing)

    async def begin_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        """There are no threads."""
        return incoming.conversation

    def draw_pages(self, outgoing: Outgoing) -> list[Outgoing]:
        """Always one."""
        return [outgoing]

    async def post_page(self, at: Conversation, page: Outgoing, key: str = "") -> str:
        """Post it when the channel has room."""
        async with self.pace_post(at):
            return str(time.monotonic_ns())

    async def edit_page(self, at: Conversation, name: str, page: Outgoing) -> bool:
        """Count it."""
        self.edited[at.tenant].append(time.monotonic())
        return True

    async def delete_page(self, conversation: Conversation, name: str) -> None:
        """Nothing is kept here."""

    def most_edits(self) -> int:
        """In a minute of one workspace."""
        return max((sum(0 <= t - a < 60 for t in times) for times in self.edited.values() for a in times), default=0)


@dataclass
class LoadFigures:
    """Seconds of each acknowledgement and answer, bytes for an idle conversation, and what went wrong."""

    count: int
    seconds: float = 0.0
    idle: float = 0.0
    acknowledged: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    status: list[float] = field(default_factory=list)
    edits: int = 0
    faults: dict[str, int] = field(default_factory=dict)


async def load(console: Console, count: int) -> int:
    """Measure; 1 where an event was lost, answered twice, or acknowledged too late."""
    found = LoadFigures(count)
    with tempfile.TemporaryDirectory(prefix="scholium-load-") as home:
        os.environ.update({"SCHOLIUM_HOME": home})
        app, platform = App(load_settings()), PacedPlatform()
        await app.libraries.install_bundled()
        began = time.perf_counter()
        async with run_service(app, platform) as service:
            before = read_memory()

            async def talk(number: int) -> None:
                at = Conversation("bench", f"lab{number // PEOPLE}", f"channel{number % CHANNELS}", str(number))
                people = random.Random(number)
                for step, text in enumerate(SAID):
                    await asyncio.sleep(people.uniform(*THINKING_S))
                    incoming = Incoming(at, f"person{number}", f"{number}-{step}", text)
                    platform.turns[at].clear()
                    start = time.perf_counter()
                    for _ in range(2):
                        sent = time.perf_counter()
                        await service.dispatcher.handle(incoming)
                        found.acknowledged.append(time.perf_counter() - sent)
                    await platform.turns[at].wait()
                    found.answered.append(time.perf_counter() - start)
                    found.status += found.answered[-1:] if text == "status" else []

            await asyncio.gather(*(talk(number) for number in range(count)))
            await service.dispatcher.drain()
            await service.outbox.drain()
            found.seconds, found.edits = time.perf_counter() - began, platform.most_edits()
            gc.collect()
            found.idle = (read_memory() - before) / count
            found.faults = await _faults(service, platform, count)
    _report(console, found)
    late = _percentile(found.acknowledged, 0.99) > ACKNOWLEDGED_S or _percentile(found.status, 0.95) > STATUS_S
    return int(any(found.faults.values()) or late)


async def _faults(service: Service, platform: PacedPlatform, count: int) -> dict[str, int]:
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
    table.add_row(
        "“status” answered (95 %, longest)", f"{_percentile(found.status, 0.95):.1f} s · {max(found.status):.1f} s"
    )
    table.add_row("Most edits in a minute of one workspace", str(found.edits))
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
