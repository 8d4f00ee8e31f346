"""A store over SQLite and over a real Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.jobs.heartbeat import ProcessHeartbeat
from bot.store.database import open_database
from bot.store.sessions import Store
from tests.stores import OpenStore


@pytest.fixture
async def open_store(database_url: str) -> AsyncIterator[OpenStore]:
    """Opens the same database as another process would, under another name."""
    opened: list[Store] = []

    async def open_as(holder: str) -> Store:
        store = Store(await open_database(database_url), holder)
        opened.append(store)
        await ProcessHeartbeat(store, "fake").beat()
        return store

    yield open_as
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    return await open_store("one")
