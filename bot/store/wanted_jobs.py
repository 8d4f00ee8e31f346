"""The jobs that sessions wait for, whether they are queued, run, or were left by a process that died."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, sessions
from bot.store.sessions import Store, conversation_id
from engine.session.events import JobKind


@dataclass(frozen=True, slots=True)
class WantedJob:
    """A job that a session waits for: where, whose, its id and kind."""

    conversation: Conversation
    owner: str
    id: str
    kind: JobKind


async def load_wanted_jobs(store: Store, platform: str, only: Conversation | None) -> list[WantedJob]:
    """Those of a platform, or of one conversation; the one asked for first before the others."""
    mine = sessions.c.platform == platform
    return await _load(store, mine & (conversations.c.id == conversation_id(only)) if only else mine)


async def load_wanted_jobs_of(store: Store, person: str, at: Conversation) -> list[WantedJob]:
    """Those of one person in the conversation's workspace."""
    c = sessions.c
    return await _load(store, (c.platform == at.platform) & (c.tenant == at.tenant) & (c.owner == person))


async def _load(store: Store, mine: sa.ColumnElement[bool]) -> list[WantedJob]:
    join = sessions.join(conversations, conversations.c.session_id == sessions.c.id)
    query = sa.select(conversations, sessions.c.owner, sessions.c.job_id, sessions.c.job_kind).select_from(join)
    query = query.where(mine & sessions.c.job_id.is_not(None)).order_by(sessions.c.changed_at, sessions.c.id)
    async with store.reading() as connection:
        rows = (await connection.execute(query)).all()
    return [
        WantedJob(Conversation(r.platform, r.tenant, r.channel, r.thread), r.owner, r.job_id, r.job_kind) for r in rows
    ]
