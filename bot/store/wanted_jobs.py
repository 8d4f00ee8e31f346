"""The jobs that sessions wait for, whether they are queued, run, or were left by a process that died."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, sessions
from bot.store.sessions import Store, conversation_id
from engine.session.events import JobKind

ASKED: tuple[JobKind, ...] = ("answer", "evaluate", "gaps")
"""What somebody may ask for who takes no part in the survey."""


@dataclass(frozen=True, slots=True)
class WantedJob:
    """A job that a session waits for: where, for whom, its id and kind.

    ``person`` is who asked for it, where they take no part in the survey; else its owner.
    """

    conversation: Conversation
    person: str
    id: str
    kind: JobKind


async def load_wanted_jobs(store: Store, platform: str, only: Conversation | None) -> list[WantedJob]:
    """Those of a platform, or of one conversation; the one asked for first before the others."""
    mine = sessions.c.platform == platform
    return await _load(store, mine & (conversations.c.id == conversation_id(only)) if only else mine)


async def load_wanted_jobs_of(store: Store, person: str, at: Conversation) -> list[WantedJob]:
    """Those of one person in the conversation's workspace."""
    c = sessions.c
    found = await _load(store, (c.platform == at.platform) & (c.tenant == at.tenant))
    return [job for job in found if job.person == person]


async def _load(store: Store, mine: sa.ColumnElement[bool]) -> list[WantedJob]:
    join = sessions.join(conversations, conversations.c.session_id == sessions.c.id)
    c = sessions.c
    async with store.connect() as connection:
        as_json = sa.cast if connection.dialect.name == "postgresql" else sa.type_coerce
        asker = as_json(c.body, sa.JSON)["job"]["asker"].as_string()
        person = sa.case((c.job_kind.in_(ASKED), sa.func.coalesce(sa.func.nullif(asker, ""), c.owner)), else_=c.owner)
        query = sa.select(conversations, person.label("person"), c.job_id, c.job_kind).select_from(join)
        query = query.where(mine & c.job_id.is_not(None)).order_by(c.changed_at, c.id)
        rows = (await connection.execute(query)).all()
    return [
        WantedJob(Conversation(r.platform, r.tenant, r.channel, r.thread), r.person, r.job_id, r.job_kind) for r in rows
    ]
