"""The tables of the store. Times are seconds since 1970 in UTC; texts that hold values are JSON."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
)

metadata = MetaData()

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("platform", String(32), nullable=False),
    Column("tenant", String(128), nullable=False),
    Column("channel", String(256), nullable=False),
    Column("thread", String(256), nullable=False),
    Column("session_id", String(32), nullable=False),
    Column("reading", Text, nullable=False, server_default="[]"),
    Column("version", Integer, nullable=False),
)
"""Where a session is talked about; ``reading`` holds commands that wait for the person's yes."""

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("conversation_id", String(64), ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("platform", String(32), nullable=False),
    Column("tenant", String(128), nullable=False),
    Column("owner", String(256), nullable=False),
    Column("invited", Text, nullable=False, server_default="[]"),
    Column("topic", Text, nullable=False),
    Column("phase", String(16), nullable=False),
    Column("job_id", String(64)),
    Column("job_kind", String(16)),
    Column("body", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("name", Text, nullable=False, server_default=""),
    Column("archived", Boolean, nullable=False, server_default=false()),
    Index("sessions_with_jobs", "platform", "job_id"),
    Index("sessions_of_people", "tenant", "owner"),
)

pieces = Table(
    "pieces",
    metadata,
    Column("session_id", String(32), ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)
"""Large parts of a session's states (compressed JSON), each once, whatever number of revisions share it."""

events = Table(
    "events",
    metadata,
    Column("platform", String(32), primary_key=True),
    Column("tenant", String(128), primary_key=True),
    Column("key", String(256), primary_key=True),
    Column("conversation_id", String(64), nullable=False),
    Column("person", String(256), nullable=False),
    Column("payload", Text, nullable=False),
    Column("received_at", Double, nullable=False),
    Column("handled_at", Double),
    Column("holder", String(64), nullable=False),
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
    Column("conversation_id", String(64), nullable=False),
    Column("session_id", String(32)),
    Column("platform", String(32), nullable=False),
    Column("payload", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("sent_at", Double),
    Column("holder", String(64), nullable=False),
    Index("outbox_waiting", "platform", "sent_at", "id"),
    Index("outbox_by_conversation", "conversation_id"),
)
"""Everything that goes out; a row without ``sent_at`` has yet to be sent, by the process that is its holder."""

calls = Table(
    "calls",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("session_id", String(32), ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("text", Text, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False),
    Column("finished_at", Double, nullable=False),
    Index("calls_by_session", "session_id"),
)
"""Finished calls to language models by content."""

spending = Table(
    "spending",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("session_id", String(32), nullable=False),
    Column("tenant", String(128), nullable=False),
    Column("person", String(256), nullable=False),
    Column("day", String(10), nullable=False),
    Column("step", String(64), nullable=False),
    Column("model", String(128), nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False),
    Column("money", Double, nullable=False),
    Column("priced", Boolean, nullable=False),
    Column("state", String(8), nullable=False),
    Column("holder", String(64), nullable=False),
    Index("spending_by_session", "session_id"),
    Index("spending_by_day", "day", "tenant", "person"),
)
"""What calls cost: ``reserved`` while they run, ``paid`` afterwards, ``lost`` where their process died."""

allowances = Table(
    "allowances",
    metadata,
    Column("scope", String(16), primary_key=True),
    Column("tenant", String(128), primary_key=True),
    Column("person", String(256), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("money", Double, nullable=False),
    Column("tokens", BigInteger, nullable=False, server_default="0"),
)
"""Dollars and tokens an administrator added in the chat to a budget: to a survey's for good, else for one day."""

notes = Table(
    "notes",
    metadata,
    Column("conversation_id", String(64), primary_key=True),
    Column("name", String(256), primary_key=True),
    Column("value", Text, nullable=False),
    Column("noted_at", Double, nullable=False),
    Index("notes_by_time", "noted_at"),
)
"""What adapters have to know in their next process: which message shows a job's progress, which thread was opened."""

installations = Table(
    "installations",
    metadata,
    Column("platform", String(32), primary_key=True),
    Column("client_id", String(128), primary_key=True),
    Column("enterprise", String(64), primary_key=True),
    Column("tenant", String(128), primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("installed_at", Double, nullable=False),
)
"""Workspaces that have installed us, with their tokens, encrypted."""

tickets = Table(
    "tickets",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("made_at", Double, nullable=False),
)
"""Installations that were begun: each ticket is taken back once."""

processes = Table(
    "processes",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("queue", String(64), nullable=False),
    Column("host", String(256), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("beat_at", Double, nullable=False),
    Column("runs", String(64), nullable=False, server_default=""),
)
"""Processes that are alive: each writes its heartbeat; one that stopped is taken over. ``runs``: queues, by spaces."""

pace = Table(
    "pace",
    metadata,
    Column("service", String(64), primary_key=True),
    Column("next_at", Double, nullable=False),
)
"""When an online service may be asked next, by any process."""

replies = Table(
    "replies",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("kept_at", Double, nullable=False),
    Index("replies_by_time", "kept_at"),
)
"""What online services answered (compressed), by a digest of the question."""

sent_papers = Table(
    "sent_papers",
    metadata,
    Column("platform", String(32), primary_key=True),
    Column("tenant", String(128), primary_key=True),
    Column("person", String(256), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("paper", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("sent_at", Double, nullable=False),
    Index("sent_papers_by_person", "person"),
)
"""Who sent which papers to a workspace's library; ``digest`` stands for a key that may be too long to be indexed."""

ratings = Table(
    "ratings",
    metadata,
    Column("conversation_id", String(64), primary_key=True),
    Column("message", String(64), primary_key=True),
    Column("person", String(256), primary_key=True),
    Column("good", Boolean, nullable=False),
    Column("rated_at", Double, nullable=False),
)
"""Who found which answer good; ``message`` is the platform's name for it."""
