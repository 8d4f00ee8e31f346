"""Surveys without opening them: what is known of each, its name, whether it is archived, the job it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, sessions, spending
from bot.store.sessions import Store, conversation_id
from engine.session.events import JobKind

_PLACE = [conversations.c[name] for name in ("platform", "tenant", "channel", "thread")]
"""The fields of a `Conversation`."""


@dataclass(frozen=True, slots=True)
class StoredSurvey:
    """What is known of a survey without opening it; ``money`` in dollars, ``number`` its place in the person's list."""

    conversation: Conversation
    session_id: str
    topic: str
    phase: str
    is_running: bool
    money: float
    name: str = ""
    is_archived: bool = False
    changed_at: float = 0.0
    number: int = 0

    @property
    def title(self) -> str:
        return self.name or self.topic


async def list_surveys(store: Store, at: Conversation, person: str) -> Sequence[StoredSurvey]:
    """A person's in a workspace, numbered from 1 as they were begun; archived ones too, so that numbers stay."""
    c = sessions.c
    paid = sa.select(sa.func.coalesce(sa.func.sum(spending.c.money), 0.0)).where(spending.c.session_id == c.id)
    known = (c.id, c.topic, c.phase, c.job_id.is_not(None), paid.scalar_subquery(), c.name, c.archived, c.changed_at)
    query = sa.select(*_PLACE, *known).join_from(sessions, conversations, c.conversation_id == conversations.c.id)
    query = query.where(c.platform == at.platform, c.tenant == at.tenant, c.owner == person, c.topic != "")
    rows = await store.select(query.order_by(c.created_at, c.id))
    found = (StoredSurvey(Conversation(*row[:4]), *row[4:]) for row in rows)
    return [replace(survey, number=number) for number, survey in enumerate(found, start=1)]


async def update_survey(store: Store, session_id: str, **values: object) -> None:
    """Give a survey a ``name`` of its own, or put it out of the list, ``archived``, or back into it."""
    await store.write(sessions.update().where(sessions.c.id == session_id).values(**values))


ASKED: tuple[JobKind, ...] = ("answer", "evaluate", "gaps")
"""What somebody may ask for who takes no part in the survey."""


@dataclass(frozen=True, slots=True)
class WantedJob:
    """A job that a session waits for; ``person`` is its owner, or who asked for it and takes no part in the survey."""

    conversation: Conversation
    person: str
    id: str
    kind: JobKind


async def load_wanted_jobs(store: Store, platform: str, only: Conversation | None) -> list[WantedJob]:
    """Those of a platform, or of one conversation; the one asked for first before the others."""
    c = sessions.c
    mine = (conversations.c.id == conversation_id(only)) if only else c.platform == platform
    as_json = sa.cast if store.engine.dialect.name == "postgresql" else sa.type_coerce
    asker = as_json(c.body, sa.JSON)["job"]["asker"].as_string()
    person = sa.case((c.job_kind.in_(ASKED), sa.func.coalesce(sa.func.nullif(asker, ""), c.owner)), else_=c.owner)
    query = sa.select(*_PLACE, person, c.job_id, c.job_kind)
    query = query.join_from(sessions, conversations, conversations.c.session_id == c.id)
    query = query.where(mine & c.job_id.is_not(None)).order_by(c.changed_at, c.id)
    return [WantedJob(Conversation(*row[:4]), *row[4:]) for row in await store.select(query)]
