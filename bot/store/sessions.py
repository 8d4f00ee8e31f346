"""What survives a restart: sessions with all their revisions, what came in, what has yet to go out.

Every method is one transaction.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.chat import Conversation, Incoming, Outgoing
from bot.store.database import Database, open_database
from bot.store.schema import conversations, events, notes, outbox, pieces, processes, ratings, sessions
from bot.store.serialization import OUTGOING, SessionCodec, encode_incoming
from engine.errors import ServiceError
from engine.session.state import SurveySession

DAY_S = 86_400.0

SET_ASIDE_DAYS = 30.0
"""So long whoever runs the service can look at what could not be answered, and have it tried again."""

_NAMED_BY = (events.c.platform, events.c.tenant, events.c.key)

BATCH = 2_000
"""Events stored by one statement: SQLite takes at most 32,766 values in a statement."""

RECENT = 32
"""Sessions kept in memory; all others are read when something happens in them."""


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A conversation as it is stored; ``version`` decides whether a change still fits."""

    conversation: Conversation
    session: SurveySession
    owner: str
    invited: frozenset[str] = frozenset()
    reading: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    version: int = 0


def conversation_id(conversation: Conversation) -> str:
    """A short name for a conversation, the same in every process."""
    parts = (conversation.platform, conversation.tenant, conversation.channel, conversation.thread)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


class Store(Database):
    """The database as conversations use it; ``holder`` is the name of this process."""

    def __init__(self, database: Database, holder: str) -> None:
        super().__init__(database.engine)
        self.holder = holder
        self.owed: dict[int, dict[str, Any] | None] = {}
        """What is still to be written of calls to language models that have ended, by their rows' numbers."""
        self._last_number = 0
        self._archive = SessionCodec()
        self._received: list[dict[str, Any]] = []
        self._storing: asyncio.Task[set[tuple[Any, ...]]] | None = None
        self._recent: OrderedDict[str, StoredConversation] = OrderedDict()

    def choose_number(self) -> int:
        """A number for a row, higher than all before it; of this moment, so that no other process has the same."""
        self._last_number = max(self._last_number + 1, time.time_ns())
        return self._last_number

    # What comes in.

    async def receive(self, incoming: Incoming) -> bool:
        """Store it before it is acknowledged; ``False`` where it was received before."""
        at = incoming.conversation
        row = {
            "platform": at.platform,
            "tenant": at.tenant,
            "key": incoming.key,
            "conversation_id": conversation_id(at),
            "person": incoming.person,
            "payload": encode_incoming(incoming),
            "received_at": time.time(),
            "holder": self.holder,
        }
        self._received.append(row)
        self._storing = self._storing or asyncio.create_task(self._store_received())
        new, name = await asyncio.shield(self._storing), (at.platform, at.tenant, incoming.key)
        is_new = name in new
        new.discard(name)  # the same event may have come twice meanwhile
        return is_new

    async def _store_received(self) -> set[tuple[Any, ...]]:
        """Store what came in meanwhile in one transaction, for each costs a sync; the names of what is new."""
        batch: list[dict[str, Any]] = []
        new: set[tuple[Any, ...]] = set()
        try:
            async with self.begin(urgent=True) as connection:
                batch, self._received, self._storing = self._received, [], None
                for start in range(0, len(batch), BATCH):
                    # Not by the count of rows, which a driver does not know after such an insert.
                    insert = self.insert_once(events).values(batch[start : start + BATCH]).returning(*_NAMED_BY)
                    new |= {tuple(found) for found in await connection.execute(insert)}
        except ServiceError:
            if not batch:  # not even a connection
                self._received, self._storing = [], None
            raise
        return new

    # Sessions.

    async def load_conversation(self, conversation: Conversation) -> StoredConversation:
        """The conversation with its session; a new one, of version 0, where nothing was said there yet."""
        name = conversation_id(conversation)
        join = sessions.join(conversations, conversations.c.session_id == sessions.c.id)
        query = sa.select(conversations, sessions).select_from(join)
        async with self.connect() as connection:
            known = self._recent.get(name)
            # The session too: a survey begun where another was deleted has the same versions again.
            now = sa.select(conversations.c.version, conversations.c.session_id).where(conversations.c.id == name)
            if known and (known.version, known.session.id) == (await connection.execute(now)).first():
                return known
            row = (await connection.execute(query.where(conversations.c.id == name))).mappings().first()
            if row is None:
                return StoredConversation(conversation, SurveySession(secrets.token_hex(4)), "")
            session = await self._read(connection, row[sessions.c.id], row[sessions.c.body])
        waiting = json.loads(row[conversations.c.reading])
        # Nothing, or stored before there were choices; else both.
        reading, choices = (waiting, ()) if not waiting or isinstance(waiting[0], str) else waiting
        stored = StoredConversation(
            conversation,
            session,
            row[sessions.c.owner],
            frozenset(json.loads(row[sessions.c.invited])),
            tuple(reading),
            tuple(choices),
            row[conversations.c.version],
        )
        self._keep(name, stored)
        return stored

    async def open_session(self, stored: StoredConversation, session_id: str) -> StoredConversation | None:
        """The conversation with another session of its owner's in place of the current one."""
        async with self.connect() as connection:
            row = (await connection.execute(sa.select(sessions).filter_by(id=session_id))).first()
            if row is None:
                return None
            session, invited = await self._read(connection, session_id, row.body), frozenset(json.loads(row.invited))
        return replace(stored, session=session, owner=row.owner, invited=invited, reading=(), choices=())

    async def _read(self, connection: AsyncConnection, session_id: str, body: str) -> SurveySession:
        query = sa.select(pieces.c.digest, pieces.c.content).where(pieces.c.session_id == session_id)
        return self._archive.unpack(body, {row.digest: row.content for row in await connection.execute(query)})

    def _keep(self, name: str, stored: StoredConversation) -> None:
        self._recent[name] = stored
        self._recent.move_to_end(name)
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    async def commit(
        self, stored: StoredConversation, messages: Sequence[Outgoing], key: str | None = None
    ) -> list[Outgoing] | None:
        """One transaction: the session as it is now, the messages it causes, and that the event was handled.

        ``None`` where the conversation has changed since it was read; then nothing is written.
        """
        at, session = stored.conversation, stored.session
        name, now = conversation_id(at), time.time()
        body, new = await asyncio.to_thread(self._archive.pack, session)
        row = {
            "owner": stored.owner,
            "invited": json.dumps(sorted(stored.invited)),
            "topic": session.state.topic,
            "phase": session.state.phase,
            "job_id": session.job.id if session.job else None,
            "job_kind": session.job.kind if session.job else None,
            "body": body,
            "changed_at": now,
        }
        waiting = json.dumps([stored.reading, stored.choices])
        place = {"reading": waiting, "version": stored.version + 1, "session_id": session.id}
        async with self.begin() as connection:
            if stored.version == 0:
                made = self.insert_once(conversations).values(id=name, **asdict(at), **place)
                if (await connection.execute(made.returning(conversations.c.id))).first() is None:
                    return None
            else:
                same = conversations.update().filter_by(id=name, version=stored.version)
                if not (await connection.execute(same.values(place))).rowcount:
                    return None
            known = sessions.update().filter_by(id=session.id, conversation_id=name)
            if not (await connection.execute(known.values(row))).rowcount:
                where = {"platform": at.platform, "tenant": at.tenant, "conversation_id": name}
                if not await _take_over(connection, session.id, name, {**where, **row}):
                    await connection.execute(sessions.insert().values(id=session.id, created_at=now, **where, **row))
            for digest, (_, content) in new.items():
                values = {"session_id": session.id, "digest": digest, "content": content}
                await connection.execute(self.insert_once(pieces).values(values))
            stored_messages = await self._insert_messages(connection, messages, session.id)
            if key is not None:
                await connection.execute(where_event(at, key).values(handled_at=now))
        self._archive.remember(session.id, {digest: part for digest, (part, _) in new.items()})
        self._keep(name, replace(stored, version=stored.version + 1))
        return stored_messages

    async def record_handled(
        self, at: Conversation, key: str, messages: Sequence[Outgoing] = (), set_aside: str = ""
    ) -> list[Outgoing]:
        """An event that changed no session, and the messages it causes; or one set aside, and why."""
        now = time.time()
        ending = {"set_aside_at": now, "why": set_aside} if set_aside else {"handled_at": now}
        async with self.begin() as connection:
            await connection.execute(where_event(at, key).values(ending))
            return await self._insert_messages(connection, messages)

    # What goes out.

    async def _insert_messages(
        self, connection: AsyncConnection, messages: Sequence[Outgoing], session_id: str | None = None
    ) -> list[Outgoing]:
        """The messages as they are sent: each with its number as its key."""
        stored_messages = []
        for message in messages:
            row = {
                "conversation_id": conversation_id(message.conversation),
                "session_id": session_id,
                "platform": message.conversation.platform,
                "payload": OUTGOING.dump_json(message).decode(),
                "created_at": time.time(),
                "holder": self.holder,
            }
            result = await connection.execute(outbox.insert().values(row).returning(outbox.c.id))
            stored_messages.append(replace(message, key=str(result.scalar_one())))
        return stored_messages

    async def mark_sent(self, stored_message: Outgoing) -> None:
        await self.write(outbox.update().filter_by(id=int(stored_message.key)).values(sent_at=time.time()))

    async def unsent(self, platform: str, only: Conversation | None, dead: Collection[str] = ()) -> list[Outgoing]:
        """Messages that processes that are gone did not send, taken over by this one, oldest first."""
        mine = where_left(outbox, self.holder, platform, only, dead) & outbox.c.sent_at.is_(None)
        taken = outbox.update().where(mine).values(holder=self.holder).returning(outbox.c.id, outbox.c.payload)
        async with self.begin() as connection:
            rows = (await connection.execute(taken)).all()
        return [replace(OUTGOING.validate_json(payload), key=str(number)) for number, payload in sorted(rows)]

    # What is forgotten.

    async def forget(
        self, stored: StoredConversation, messages: Sequence[Outgoing], key: str | None
    ) -> list[Outgoing] | None:
        """Delete the session with all that belongs to it; ``None`` where it has changed since it was read."""
        name = conversation_id(stored.conversation)
        async with self.begin() as connection:
            same = conversations.update().filter_by(id=name, version=stored.version)
            if stored.version and not (await connection.execute(same.values(version=stored.version + 1))).rowcount:
                return None
            closing = [message.slot for message in messages if message.closes]
            await self.erase(connection, [(stored.session.id, name)], closing)
            stored_messages = await self._insert_messages(connection, messages)
            if key is not None:
                # The row stays, so that the same event sent again is still known; what was said in it does not.
                stub = encode_incoming(Incoming(stored.conversation, "", key))
                ended = where_event(stored.conversation, key).values(handled_at=time.time(), payload=stub)
                await connection.execute(ended)
        self._recent.pop(name, None)
        return stored_messages

    async def erase(self, connection: AsyncConnection, surveys: Collection[Any], noted: Collection[str] = ()) -> None:
        """Delete sessions with all that is theirs; their conversations go on with the survey that was changed last.

        What was spent stays, without the person: budgets of the day have to hold. So do the notes called ``noted``:
        which messages an adapter has yet to close.
        """
        session_ids, names = [session_id for session_id, _ in surveys], [name for _, name in surveys]
        await connection.execute(sessions.delete().where(sessions.c.id.in_(session_ids)))
        for name in names:
            current = sa.select(conversations.c.session_id).where(conversations.c.id == name).scalar_subquery()
            if not (await connection.execute(sa.select(sessions.c.id).where(sessions.c.id == current))).first():
                await _open_another(connection, name)
        for table in (outbox, ratings):
            await connection.execute(table.delete().where(table.c.conversation_id.in_(names)))
        await connection.execute(notes.delete().where(notes.c.conversation_id.in_(names) & notes.c.name.not_in(noted)))
        old = events.c.conversation_id.in_(names) & events.c.handled_at.is_not(None)
        await connection.execute(events.delete().where(old))

    async def clean(self, keep_days: float | None) -> int:
        """Delete events and sent messages older than a day, and sessions untouched for ``keep_days``: how many."""
        now = time.time()
        untouched = (sessions.c.changed_at < now - (keep_days or 0) * DAY_S) & sessions.c.job_id.is_(None)
        query = sa.select(sessions.c.id, sessions.c.conversation_id).where(untouched)
        async with self.begin() as connection:
            handled = (events.c.received_at < now - DAY_S) & events.c.handled_at.is_not(None)
            await connection.execute(events.delete().where(handled))
            await connection.execute(events.delete().where(events.c.set_aside_at < now - SET_ASIDE_DAYS * DAY_S))
            await connection.execute(outbox.delete().where(outbox.c.sent_at < now - DAY_S))
            opened = notes.c.name.startswith("opened:")  # of events that cannot come again
            await connection.execute(notes.delete().where((notes.c.noted_at < now - DAY_S) & opened))
            rows = (await connection.execute(query)).all() if keep_days is not None else []
            await self.erase(connection, rows)
        return len(rows)


def where_event(at: Conversation, key: str) -> sa.Update:
    return events.update().filter_by(platform=at.platform, tenant=at.tenant, key=key)


def where_left(
    table: sa.Table, holder: str, platform: str, only: Conversation | None, dead: Collection[str]
) -> sa.ColumnElement[bool]:
    """What processes that are gone had of a platform, or of one conversation of it; ``dead`` still have heartbeats."""
    living = sa.select(processes.c.id).where(processes.c.id.not_in(dead))
    gone = (table.c.platform == platform) & table.c.holder.not_in(living) & (table.c.holder != holder)
    return gone & (table.c.conversation_id == conversation_id(only)) if only else gone


@asynccontextmanager
async def open_store(url: str, holder: str = "") -> AsyncIterator[Store]:
    """The store at an address while the block runs; a process that gives itself no name gets a new one."""
    store = Store(await open_database(url), holder or f"p{secrets.token_hex(8)}")
    try:
        yield store
    finally:
        await store.close()


async def _take_over(connection: AsyncConnection, session_id: str, name: str, row: Mapping[str, object]) -> bool:
    """Whether another conversation had the session, which belongs to this one from now on."""
    if not (await connection.execute(sessions.update().filter_by(id=session_id).values(row))).rowcount:
        return False
    had = (conversations.c.session_id == session_id) & (conversations.c.id != name)
    left = sa.select(conversations.c.id).where(had)
    for former in (await connection.execute(left)).scalars().all():
        await _open_another(connection, former)
    return True


async def _open_another(connection: AsyncConnection, name: str) -> None:
    """Go on with another session of the conversation; where there is none, it is deleted too."""
    others = sa.select(sessions.c.id).filter_by(conversation_id=name).order_by(sessions.c.changed_at.desc())
    if (other := (await connection.execute(others.limit(1))).scalar()) is None:
        await connection.execute(conversations.delete().filter_by(id=name))
    else:
        changed = {"session_id": other, "version": conversations.c.version + 1, "reading": "[]"}
        await connection.execute(conversations.update().filter_by(id=name).values(changed))
