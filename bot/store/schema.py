"""The tables of the store. Times are seconds since 1970 in UTC; texts that hold values are JSON."""

from __future__ import annotations

from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Index, Integer, LargeBinary, String, Table, Text
from sqlalchemy.types import TypeEngine

metadata = sa.MetaData()


def _required(*, primary_key: bool = False, **kinds: int | type[TypeEngine[Any]]) -> list[Column[Any]]:
    """Columns that hold something in every row; a number is the most characters of a text."""
    types = {name: String(kind) if isinstance(kind, int) else kind for name, kind in kinds.items()}
    return [Column(name, kind, primary_key=primary_key, nullable=False) for name, kind in types.items()]


_keys = partial(_required, primary_key=True)

conversations = Table(
    "conversations",
    metadata,
    *_keys(id=64),
    *_required(platform=32, tenant=128, channel=256, thread=256, session_id=32, version=Integer),
    Column("reading", Text, nullable=False, server_default="[]"),
)
"""Where a session is talked about; ``reading`` holds commands that wait for the person's yes."""

sessions = Table(
    "sessions",
    metadata,
    *_keys(id=32),
    Column("conversation_id", String(64), ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    *_required(platform=32, tenant=128, owner=256, topic=Text, phase=16, body=Text, created_at=Double),
    *_required(changed_at=Double),
    Column("invited", Text, nullable=False, server_default="[]"),
    Column("job_id", String(64)),
    Column("job_kind", String(16)),
    Column("name", Text, nullable=False, server_default=""),
    Column("archived", Boolean, nullable=False, server_default=sa.false()),
    Index("sessions_with_jobs", "platform", "job_id"),
    Index("sessions_of_people", "tenant", "owner"),
)

pieces = Table(
    "pieces",
    metadata,
    Column("session_id", String(32), ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    *_keys(digest=64),
    *_required(content=LargeBinary),
)
"""Large parts of a session's states (compressed JSON), each once, whatever number of revisions share it."""

events = Table(
    "events",
    metadata,
    *_keys(platform=32, tenant=128, key=256),
    *_required(conversation_id=64, person=256, payload=Text, received_at=Double, holder=64),
    Column("handled_at", Double),
    Column("tries", Integer, nullable=False, server_default="1"),
    Column("set_aside_at", Double),
    Column("why", Text, nullable=False, server_default=""),
    Index("events_by_time", "received_at"),
    Index("events_open", "platform", "handled_at"),
    Index("events_by_conversation", "conversation_id"),
)
"""Everything that came in; the primary key tells repeats. One that always fails is set aside, with the reason."""

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    *_required(conversation_id=64, platform=32, payload=Text, created_at=Double, holder=64),
    Column("session_id", String(32)),
    Column("sent_at", Double),
    Index("outbox_waiting", "platform", "sent_at", "id"),
    Index("outbox_by_conversation", "conversation_id"),
)
"""Everything that goes out; a row without ``sent_at`` has yet to be sent, by the process that is its holder."""

calls = Table(
    "calls",
    metadata,
    *_keys(key=64),
    Column("session_id", String(32), ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    *_required(text=Text, finished_at=Double),
    *_required(input_tokens=BigInteger, output_tokens=BigInteger, cached_tokens=BigInteger),
    Index("calls_by_session", "session_id"),
)
"""Finished calls to language models by content."""

spending = Table(
    "spending",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    *_required(session_id=32, tenant=128, person=256, day=10, step=64, model=128, state=8, holder=64),
    *_required(input_tokens=BigInteger, output_tokens=BigInteger, cached_tokens=BigInteger),
    *_required(money=Double, priced=Boolean),
    Index("spending_by_session", "session_id"),
    Index("spending_by_day", "day", "tenant", "person"),
)
"""What calls cost: ``reserved`` while they run, ``paid`` afterwards, ``lost`` where their process died."""

allowances = Table(
    "allowances",
    metadata,
    *_keys(scope=16, tenant=128, person=256, day=10),
    *_required(money=Double),
    Column("tokens", BigInteger, nullable=False, server_default="0"),
)
"""Dollars and tokens an administrator added in the chat to a budget: to a survey's for good, else for one day."""

notes = Table(
    "notes",
    metadata,
    *_keys(conversation_id=64, name=256),
    *_required(value=Text, noted_at=Double),
    Index("notes_by_time", "noted_at"),
)
"""What adapters have to know in their next process: which message shows a job's progress, which thread was opened."""

installations = Table(
    "installations",
    metadata,
    *_keys(platform=32, client_id=128, enterprise=64, tenant=128),
    *_required(content=LargeBinary, installed_at=Double),
)
"""Workspaces that have installed us, with their tokens, encrypted."""

tickets = Table("tickets", metadata, *_keys(id=64), *_required(made_at=Double))
"""Installations that were begun: each ticket is taken back once."""

processes = Table(
    "processes",
    metadata,
    *_keys(id=64),
    *_required(queue=64, host=256, pid=Integer, beat_at=Double),
    Column("runs", String(64), nullable=False, server_default=""),
)
"""Processes that are alive: each writes its heartbeat; one that stopped is taken over. ``runs``: queues, by spaces."""

pace = Table("pace", metadata, *_keys(service=64), *_required(next_at=Double))
"""When an online service may be asked next, by any process."""

replies = Table(
    "replies",
    metadata,
    *_keys(key=64),
    *_required(content=LargeBinary, kept_at=Double),
    Index("replies_by_time", "kept_at"),
)
"""What online services answered (compressed), by a digest of the question."""

sent_papers = Table(
    "sent_papers",
    metadata,
    *_keys(platform=32, tenant=128, person=256, digest=64),
    *_required(paper=Text, title=Text, sent_at=Double),
    Index("sent_papers_by_person", "person"),
)
"""Who sent which papers to a workspace's library; ``digest`` stands for a key that may be too long to be indexed."""

ratings = Table(
    "ratings",
    metadata,
    *_keys(conversation_id=64, message=64, person=256),
    *_required(good=Boolean, rated_at=Double),
)
"""Who found which answer good; ``message`` is the platform's name for it."""
