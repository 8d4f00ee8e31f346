"""The command `bench memory`: what a process holds after many surveys, without a language model."""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from adapters.chat import ChatAdapter, Conversation, Incoming, Outgoing
from bot.app import App
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from tests.measures.load import read_memory

TOPICS = ("graph neural networks", "machine translation", "image segmentation", "reinforcement learning")
PROPOSING = frozenset({"keywords", "papers", "outline", "writing"})
MOST_MB = 1_000
"""What 100 surveys over 2,000 papers may leave in a process."""

LARGEST = 15
"""Lines of code that hold most, where they are asked for."""


@dataclass
class SilentPlatform(ChatAdapter):
    """A chat that shows nothing, and notes whose turn it is."""

    platform: str = "bench"
    only: Conversation | None = None
    turns: defaultdict[Conversation, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))

    async def send(self, outgoing: Outgoing) -> None:
        """Note whether it is the person's turn."""
        if outgoing.awaits:
            self.turns[outgoing.conversation].set()


async def memory(console: Console, library: str, surveys: int, at_once: int, *, traced: bool) -> int:
    """Write so many surveys and print what the process holds meanwhile; 1 where that is more than `MOST_MB`."""
    table = Table("Surveys", "In memory", "Seconds", title=f"{surveys} surveys, {at_once} at once, without a model")
    with tempfile.TemporaryDirectory(prefix="scholium-memory-") as folder:
        # A store and files of its own, beside the libraries that are there.
        os.symlink(load_settings().home / "libraries", Path(folder) / "libraries")
        os.environ.update({"SCHOLIUM_HOME": folder, "SCHOLIUM_OUTPUT": folder, "SCHOLIUM_ONLINE": "never"})
        app, platform = App(load_settings()), SilentPlatform()
        began = time.perf_counter()
        async with run_service(app, platform) as service:
            if traced:
                tracemalloc.start()
            table.add_row("0", f"{read_memory() / 1e6:,.0f} MB", "0")
            for first in range(0, surveys, max(at_once, surveys // 10)):
                batch = range(first, min(surveys, first + max(at_once, surveys // 10)))
                left = iter(batch)
                await asyncio.gather(*(_write(service, platform, library, left) for _ in range(at_once)))
                seconds = time.perf_counter() - began
                table.add_row(str(batch.stop), f"{read_memory() / 1e6:,.0f} MB", f"{seconds:,.0f}")
            held = read_memory() / 1e6
            if traced:
                _print_largest(console)
    table.add_row("Peak", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000:,.0f} MB", "")
    console.print(table)
    return int(held > MOST_MB)


async def _write(service: Service, platform: SilentPlatform, library: str, left: Iterator[int]) -> None:
    for number in left:
        at = Conversation("bench", "lab", "general", str(number))
        says = f"survey {TOPICS[number % len(TOPICS)]} recipe=cluster library={library} sections={3 + number % 4}"
        while says:
            platform.turns[at].clear()
            await service.dispatcher.handle(Incoming(at, f"person{number}", f"{number}-{says}-{time.time_ns()}", says))
            await platform.turns[at].wait()
            session = (await service.store.load_conversation(at)).session
            says = "ok" if session.state.phase in PROPOSING else ""


def _print_largest(console: Console) -> None:
    for found in tracemalloc.take_snapshot().statistics("lineno")[:LARGEST]:
        console.print(f"{found.size / 1e6:8.1f} MB  {found.traceback}", markup=False, highlight=False)
