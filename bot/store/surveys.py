"""Surveys without opening them: what is known of each, its name, whether it is archived, the job it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, sessions, spending
from bot.store.sessions import Store, conversation_id
from engine.session.events import JobKind

LISTED = 20
"""Surveys in an overview."""


@dataclass(frozen=True, slots=True)
class StoredSurvey:
    """What is known of a survey without opening it; ``money`` in dollars, ``number`` its place in the person's list."""

    conversation: Conversation
    session_id: str
    topic: str
    phase: str
    is_running: bool
    money: float
    number: int = 0
    name: str = ""
    is_archived: bool = False
    changed_at: float = 0.0

    @property
    def title(self) -> str:
        """The name that the person gave it, else its topic."""
        return self.name or self.topic


async def surveys_of(store: Store, platform: str, tenant: str, person: str) -> Sequence[StoredSurvey]:
    """A person's surveys in a workspace, archived ones apart, the one changed last first, at most `LISTED`."""
    found = await list_numbered_surveys(store, platform, tenant, person)
    return sorted((s for s in found if not s.is_archived), key=lambda s: s.changed_at, reverse=True)[:LISTED]


async def list_numbered_surveys(store: Store, platform: str, tenant: str, person: str) -> Sequence[StoredSurvey]:
    """All of them, numbered from 1 in the order in which they were begun; archived ones too, so that numbers stay."""
    paid = sa.select(sa.func.sum(spending.c.money)).where(spending.c.session_id == sessions.c.id).scalar_subquery()
    join = sessions.join(conversations, sessions.c.conversation_id == conversations.c.id)
    query = sa.select(conversations, sessions, paid.label("paid")).select_from(join)
    mine = (sessions.c.platform == platform) & (sessions.c.tenant == tenant) & (sessions.c.owner == person)
    query = query.where(mine & (sessions.c.topic != "")).order_by(sessions.c.created_at, sessions.c.id)
    async with store.connect() as connection:
        rows = (await connection.execute(query)).mappings().all()
    return [
        StoredSurvey(
            Conversation(*(row[conversations.c[name]] for name in ("platform", "tenant", "channel", "thread"))),
            row[sessions.c.id],
            row[sessions.c.topic],
            row[sessions.c.phase],
            row[sessions.c.job_id] is not None,
            float(row["paid"] or 0.0),
            number,
            row[sessions.c.name],
            row[sessions.c.archived],
            row[sessions.c.changed_at],
        )
        for number, row in enumerate(rows, start=1)
    ]


async def update_survey(store: Store, session_id: str, **values: object) -> None:
    """Give a survey a ``name`` of its own, or put it out of the list, ``archived``, or back into it."""
    async with store.begin() as connection:
        await connection.execute(sessions.update().where(sessions.c.id == session_id).values(**values))


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
    return await _load_jobs(store, mine & (conversations.c.id == conversation_id(only)) if only else mine)


async def load_wanted_jobs_of(store: Store, person: str, at: Conversation) -> list[WantedJob]:
    """Those of one person in the conversation's workspace."""
    c = sessions.c
    found = await _load_jobs(store, (c.platform == at.platform) & (c.tenant == at.tenant))
    return [job for job in found if job.person == person]


async def _load_jobs(store: Store, mine: sa.ColumnElement[bool]) -> list[WantedJob]:
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
