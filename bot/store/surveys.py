"""A person's surveys: what is known of each without opening it, its name, and whether it is archived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, sessions, spending
from bot.store.sessions import Store

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

    @property
    def title(self) -> str:
        """The name that the person gave it, else its topic."""
        return self.name or self.topic


async def surveys_of(store: Store, platform: str, tenant: str, person: str) -> Sequence[StoredSurvey]:
    """A person's surveys in a workspace, archived ones apart, the one changed last first, at most `LISTED`."""
    return await _load(store, platform, tenant, person, archived=False)


async def list_numbered_surveys(store: Store, platform: str, tenant: str, person: str) -> Sequence[StoredSurvey]:
    """All of them, numbered from 1 in the order in which they were begun; archived ones too, so that numbers stay."""
    return await _load(store, platform, tenant, person, archived=True)


async def _load(store: Store, platform: str, tenant: str, person: str, *, archived: bool) -> Sequence[StoredSurvey]:
    paid = sa.select(sa.func.sum(spending.c.money)).where(spending.c.session_id == sessions.c.id).scalar_subquery()
    join = sessions.join(conversations, sessions.c.conversation_id == conversations.c.id)
    query = sa.select(conversations, sessions, paid.label("paid")).select_from(join)
    mine = (sessions.c.platform == platform) & (sessions.c.tenant == tenant) & (sessions.c.owner == person)
    mine &= sessions.c.topic != ""
    if archived:
        query = query.where(mine).order_by(sessions.c.created_at, sessions.c.id)
    else:
        query = query.where(mine & ~sessions.c.archived).order_by(sessions.c.changed_at.desc()).limit(LISTED)
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
            number if archived else 0,
            row[sessions.c.name],
            row[sessions.c.archived],
        )
        for number, row in enumerate(rows, start=1)
    ]


async def name_survey(store: Store, session_id: str, name: str) -> None:
    """Give a survey a name of its own."""
    await _update(store, session_id, name=name)


async def archive_survey(store: Store, session_id: str, *, archived: bool) -> None:
    """Put a survey out of the list, or back into it."""
    await _update(store, session_id, archived=archived)


async def _update(store: Store, session_id: str, **values: object) -> None:
    async with store.begin() as connection:
        await connection.execute(sessions.update().where(sessions.c.id == session_id).values(**values))
