"""What is kept of jobs: how often each was begun, so that none is begun for ever, and how long such jobs take."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.notes import recall, remember
from bot.store.schema import calls
from bot.store.sessions import Store
from engine.session.state import SurveySession

MOST_STARTS = 5
"""A job that was begun so often, and each time ended its process before anything was finished, is set aside."""

_NOTE = "job starts"


def read_machine_start() -> str:
    """A name for the time since this machine was started, another after each start."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"{socket.gethostname()}, {(time.time() - time.monotonic()) // 600:.0f}"


class JobStarts:
    """The starts of the one job that a conversation has at a time; a process that is killed leaves its own noted."""

    def __init__(self, store: Store, machine: str = "") -> None:
        self._store = store
        self._machine = machine or read_machine_start()

    async def begin(self, at: Conversation, session: SurveySession, job_id: str) -> int:
        """How often the job was begun since it last finished a call or a section, this time included.

        A machine that was started anew meanwhile has ended every process, whatever job it ran: that counts for none.
        """
        query = sa.select(sa.func.count()).where(calls.c.session_id == session.id)
        async with self._store.connect() as connection:
            finished = int((await connection.execute(query)).scalar_one())
        mark = [job_id, finished, len(session.state.sections), self._machine]
        *before, starts = json.loads(await recall(self._store, at, _NOTE) or "[0]")
        starts = starts + 1 if before == mark else 1
        await remember(self._store, at, _NOTE, json.dumps([*mark, starts]))
        return int(starts)

    async def end(self, at: Conversation) -> None:
        """The job has come to an end here, or is left to another process in good order."""
        await remember(self._store, at, _NOTE, "")


WEIGHT = 0.4
"""Of the newest duration in the mean: libraries and machines change."""


class Durations:
    """Typical seconds of each kind of job on one platform, shared by its processes."""

    def __init__(self, store: Store, platform: str) -> None:
        self._store = store
        self._place = Conversation(platform, "", "")

    async def typical(self, kind: str) -> float | None:
        """Seconds that such jobs take; ``None`` before the first."""
        known = await recall(self._store, self._place, f"took:{kind}")
        return float(known) if known else None

    async def keep(self, kind: str, seconds: float) -> None:
        """One more such job has taken so long."""
        known = await self.typical(kind)
        mean = seconds if known is None else (1 - WEIGHT) * known + WEIGHT * seconds
        await remember(self._store, self._place, f"took:{kind}", f"{mean:.2f}")
