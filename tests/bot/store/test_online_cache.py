"""What all processes know together of online services: one pace, answers with their age."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import sqlalchemy as sa

from bot.store.database import open_database
from bot.store.online_cache import KEPT_DAYS, StoredOnlineCache
from bot.store.schema import replies
from bot.store.sessions import Store


async def test_two_processes_take_turns_and_wait_for_whom_one_was_told_to_wait(database_url: str) -> None:
    stores = [Store(await open_database(database_url), name) for name in ("one", "two")]
    memories = [StoredOnlineCache(store) for store in stores]
    began = time.time()
    waits = await asyncio.gather(*(memories[n % 2].turn("scholar", 10_000.0) for n in range(6)))
    at = sorted(time.time() - began + wait for wait in waits)
    assert at[0] < 1_000  # the moments of asking differ by what the machine takes for that
    assert all(9_000 < later - earlier < 11_000 for earlier, later in pairwise(at))
    assert await memories[0].turn("another", 10.0) == 0.0
    await memories[0].pause("scholar", 500_000.0)
    assert await memories[1].turn("scholar", 10.0) > 400_000
    for store in stores:
        await store.close()


async def test_answers_are_kept_with_their_age_and_old_ones_go(database_url: str) -> None:
    store = Store(await open_database(database_url), "one")
    memory = StoredOnlineCache(store)
    assert await memory.recall("k") is None
    await memory.keep("k", "größer")
    await memory.keep("k", "größte")
    found = await memory.recall("k")
    assert found and found[0] == "größte" and found[1] < 1_000
    async with store.begin() as connection:
        await connection.execute(replies.update().values(kept_at=time.time() - (KEPT_DAYS + 1) * 86_400))
    old = await memory.recall("k")
    assert old and old[1] > KEPT_DAYS * 86_400
    await memory.keep("other", "x")
    async with store.connect() as connection:
        assert (await connection.execute(sa.select(sa.func.count()).select_from(replies))).scalar() == 1
    await store.close()
