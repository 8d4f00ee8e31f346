"""Stores of several processes, and what is in them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import sqlalchemy as sa

from bot.store.sessions import Store

OpenStore = Callable[[str], Awaitable[Store]]
"""Opens the same database as another process would, under the name given."""


async def count_rows(store: Store, table: sa.Table) -> int:
    async with store.connect() as connection:
        return int((await connection.execute(sa.select(sa.func.count()).select_from(table))).scalar_one())
