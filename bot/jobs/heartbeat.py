"""The heartbeat of processes: which live, and which are to be taken over."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.jobs.sharing import QueueKind
from bot.store.schema import processes
from bot.store.sessions import Store

STARTED_AT = time.time()

DEAD_AFTER_S = 15.0
"""A process on another machine that has been silent for so long is taken over; on this machine its end is seen."""

HUNG_AFTER_S = 120.0
"""So long a process of this machine may be silent while it lives: one that computes comes back before."""


@dataclass
class ProcessHeartbeat:
    """One process among others: its heartbeat, and who is dead."""

    store: Store
    queue: str
    runs: tuple[QueueKind, ...] = ()
    beaten: bool = False

    async def beat(self) -> bool:
        """Say that this process lives; ``False`` where another has taken it for dead."""
        here = {"host": socket.gethostname(), "pid": os.getpid()}
        row = {"queue": self.queue, **here, "beat_at": time.time(), "runs": " ".join(self.runs)}
        mine = processes.c.id == self.store.holder
        async with self.store.begin() as connection:
            known = (await connection.execute(processes.update().where(mine & ~_IS_CLAIMED).values(row))).rowcount
            if not known:
                await connection.execute(processes.delete().where(mine))
                await connection.execute(processes.insert().values(id=self.store.holder, **row))
        lost, self.beaten = self.beaten and not known, True
        return not lost

    async def claim_dead(self) -> dict[str, float]:
        """Processes of this queue that died, each given to one caller only; `remove` them once they are taken over.

        Until then their rows stay: should the caller die too, the next one finds them.
        """
        claimed = {}
        for row in await self.store.select(sa.select(processes)):
            if row.id == self.store.holder or row.queue != self.queue or not _is_dead(row):
                continue
            claim = -time.time()
            same = processes.update().filter_by(id=row.id, beat_at=row.beat_at)
            if await self.store.write(same.values(beat_at=claim)):
                claimed[row.id] = claim
        return claimed

    async def remove(self, claimed: Mapping[str, float]) -> None:
        """Nothing is left to be done for these; one that turned out to live stays."""
        await self.store.write(*(processes.delete().filter_by(id=name, beat_at=at) for name, at in claimed.items()))

    async def find_living(self) -> Mapping[str, Sequence[str]]:
        """The processes that live, each with the queues of this name whose jobs it runs."""
        rows = await self.store.select(sa.select(processes).where(~_IS_CLAIMED))
        return {row.id: row.runs.split() if row.queue == self.queue else [] for row in rows if not _is_dead(row)}

    async def leave(self) -> None:
        """What this process leaves undone is the next one's."""
        await self.store.write(processes.update().filter_by(id=self.store.holder).values(beat_at=0.0))


_IS_CLAIMED = processes.c.beat_at < 0
"""Another process takes it over: the time of that, negative, stands in place of its heartbeat."""


def _is_dead(row: Any) -> bool:
    silent_s = time.time() - abs(row.beat_at)
    if row.beat_at < 0 or row.host != socket.gethostname():  # or so did the one that was taking it over
        # Without the sign: a clock that was put back leaves heartbeats in the future, which would hold for hours.
        return bool(abs(silent_s) > DEAD_AFTER_S)
    # In a container every start has the same process number: what beat before this start is an earlier life.
    earlier = row.pid == os.getpid() and row.beat_at < STARTED_AT
    if silent_s > HUNG_AFTER_S or earlier:
        return True
    try:
        with suppress(PermissionError):  # it lives, and is another user's
            os.kill(row.pid, 0)
    except ProcessLookupError:
        return True
    return False
