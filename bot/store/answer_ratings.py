"""Which answers people found good, and which not, for whoever runs Scholium."""

from __future__ import annotations

import time

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import ratings
from bot.store.sessions import Store, conversation_id


async def rate(store: Store, conversation: Conversation, message: str, person: str, *, good: bool) -> None:
    """Keep what the person thinks of a message, by the platform's name for it, in place of what they thought before."""
    row = {"conversation_id": conversation_id(conversation), "message": message, "person": person}
    same = [ratings.c[name] == value for name, value in row.items()]
    async with store.begin() as connection:
        await connection.execute(ratings.delete().where(*same))
        made = store.insert_once(ratings).values(**row, good=good, rated_at=time.time())
        await connection.execute(made)


async def count_ratings(store: Store) -> tuple[int, int]:
    """How often answers were called good, and how often not."""
    query = sa.select(ratings.c.good, sa.func.count()).group_by(ratings.c.good)
    async with store.connect() as connection:
        found = {bool(good): int(count) for good, count in await connection.execute(query)}
    return found.get(True, 0), found.get(False, 0)
