"""Small things about conversations: notes of adapters, and whether we were spoken to there."""

from __future__ import annotations

import time

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, events, notes
from bot.store.sessions import Store, conversation_id


async def remember(store: Store, conversation: Conversation, name: str, value: str) -> None:
    """Keep a note; an empty one is removed."""
    name_of = conversation_id(conversation)
    same = (notes.c.conversation_id == name_of) & (notes.c.name == name)
    async with store.begin() as connection:
        await connection.execute(notes.delete().where(same))
        if value:
            row = {"conversation_id": name_of, "name": name, "value": value, "noted_at": time.time()}
            await connection.execute(store.insert_once(notes).values(row))


async def recall(store: Store, conversation: Conversation, name: str) -> str:
    """The note; empty where there is none."""
    same = (notes.c.conversation_id == conversation_id(conversation)) & (notes.c.name == name)
    async with store.connect() as connection:
        return (await connection.execute(sa.select(notes.c.value).where(same))).scalar() or ""


async def knows(store: Store, conversation: Conversation) -> bool:
    """Whether there is a session, or something that has yet to be answered."""
    name = conversation_id(conversation)
    session = sa.select(sa.literal(1)).where(conversations.c.id == name)
    said = sa.select(sa.literal(1)).where(events.c.conversation_id == name)
    async with store.connect() as connection:
        return (await connection.execute(session.union_all(said).limit(1))).first() is not None
