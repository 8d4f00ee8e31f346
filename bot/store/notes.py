"""Small things about conversations: notes of adapters, whether we were spoken to there, and a person's surveys."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, events, notes, sessions, spending
from bot.store.sessions import Store, conversation_id

LISTED = 20
"""Surveys in a person's list."""


@dataclass(frozen=True, slots=True)
class StoredSurvey:
    """What is known of a survey without opening it; ``money`` in dollars."""

    conversation: Conversation
    session_id: str
    topic: str
    phase: str
    is_running: bool
    money: float


async def remember(store: Store, conversation: Conversation, name: str, value: str) -> None:
    """Keep a note; an empty one is removed."""
    name_of = conversation_id(conversation)
    same = (notes.c.conversation_id == name_of) & (notes.c.name == name)
    async with store.writing() as connection:
        await connection.execute(notes.delete().where(same))
        if value:
            row = {"conversation_id": name_of, "name": name, "value": value, "noted_at": time.time()}
            await connection.execute(store.insert_once(notes).values(row))


async def recall(store: Store, conversation: Conversation, name: str) -> str:
    """The note; empty where there is none."""
    same = (notes.c.conversation_id == conversation_id(conversation)) & (notes.c.name == name)
    async with store.reading() as connection:
        return (await connection.execute(sa.select(notes.c.value).where(same))).scalar() or ""


async def knows(store: Store, conversation: Conversation) -> bool:
    """Whether there is a session, or something that has yet to be answered."""
    name = conversation_id(conversation)
    session = sa.select(sa.literal(1)).where(conversations.c.id == name)
    said = sa.select(sa.literal(1)).where(events.c.conversation_id == name)
    async with store.reading() as connection:
        return (await connection.execute(session.union_all(said).limit(1))).first() is not None


async def surveys_of(store: Store, platform: str, tenant: str, person: str) -> Sequence[StoredSurvey]:
    """A person's surveys in a workspace, the one changed last first, at most `LISTED`."""
    paid = sa.select(sa.func.sum(spending.c.money)).where(spending.c.session_id == sessions.c.id).scalar_subquery()
    join = sessions.join(conversations, conversations.c.session_id == sessions.c.id)
    query = sa.select(
        conversations, sessions.c.id.label("session"), sessions.c.topic, sessions.c.phase, sessions.c.job_id, paid
    ).select_from(join)
    mine = (sessions.c.platform == platform) & (sessions.c.tenant == tenant) & (sessions.c.owner == person)
    async with store.reading() as connection:
        rows = (await connection.execute(query.where(mine).order_by(sessions.c.changed_at.desc()).limit(LISTED))).all()
    return [
        StoredSurvey(
            Conversation(row.platform, row.tenant, row.channel, row.thread),
            row.session,
            row.topic,
            row.phase,
            row.job_id is not None,
            float(row[-1] or 0.0),
        )
        for row in rows
    ]
