"""What the installation's processes know together about online services: kept in the store they share."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.schema import pace, replies
from bot.store.sessions import Store

KEPT_DAYS = 90
"""Days after which an answer is forgotten; until then it helps where a service is away."""


@dataclass
class StoredOnlineCache:
    """The `OnlineCache` of a store: one pace for all processes, answers with their age."""

    _store: Store

    async def turn(self, service: str, interval_s: float) -> float:
        now = time.time()
        soonest = sa.case((pace.c.next_at > now, pace.c.next_at), else_=now)
        mine = pace.update().where(pace.c.service == service).values(next_at=soonest + interval_s)
        async with self._store.begin() as connection:
            await connection.execute(self._store.insert_once(pace).values(service=service, next_at=0.0))
            after = (await connection.execute(mine.returning(pace.c.next_at))).scalar_one()
        return float(max(0.0, after - interval_s - now))

    async def pause(self, service: str, seconds: float) -> None:
        until = time.time() + seconds
        later = pace.update().where((pace.c.service == service) & (pace.c.next_at < until)).values(next_at=until)
        await self._store.write(later)

    async def recall(self, key: str) -> tuple[str, float] | None:
        for row in await self._store.select(sa.select(replies).where(replies.c.key == key)):
            return zlib.decompress(row.content).decode(), max(0.0, time.time() - row.kept_at)
        return None

    async def keep(self, key: str, content: str) -> None:
        """Keep an answer, and let go of those that are too old."""
        now = time.time()
        old = (replies.c.key == key) | (replies.c.kept_at < now - KEPT_DAYS * 86_400)
        row = {"key": key, "content": zlib.compress(content.encode(), 1), "kept_at": now}
        await self._store.write(replies.delete().where(old), self._store.insert_once(replies).values(row))
