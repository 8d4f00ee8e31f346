"""Events that were received and not handled: taken over from dead processes, and set aside where they always fail."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation, Incoming
from bot.store.schema import events
from bot.store.serialization import read_incoming
from bot.store.sessions import Store, where_event, where_left
from engine.errors import UserError

MOST_TRIES = 3
"""An event whose handling has failed, or ended the process, so often is set aside."""

RETRIED = "retried"
"""Holds events that are to be tried again; no process is called so, so whichever runs takes them over."""

ALL = "all"
_SET_ASIDE = sa.select(events).where(events.c.set_aside_at.is_not(None) & events.c.handled_at.is_(None))


@dataclass(frozen=True, slots=True)
class SetAside:
    """An event that is not tried again by itself; times in seconds since 1970."""

    id: str
    platform: str
    tenant: str
    person: str
    set_aside_at: float
    why: str


async def take_left_over(
    store: Store, platform: str, only: Conversation | None, dead: Collection[str] = ()
) -> list[tuple[Incoming, int]]:
    """What processes that are gone did not handle, now this one's, oldest first, with its tries; as in `where_left`."""
    c = events.c
    mine = where_left(events, store.holder, platform, only, dead) & c.handled_at.is_(None) & c.set_aside_at.is_(None)
    taken = events.update().where(mine).values(holder=store.holder).returning(c.payload, c.received_at, c.tries)
    async with store.begin() as connection:
        rows = (await connection.execute(taken)).all()
    return [(read_incoming(row.payload), row.tries) for row in sorted(rows, key=lambda row: row.received_at)]


async def count_try(store: Store, incoming: Incoming) -> None:
    """The event is about to be tried once more: should that end this process, the next one knows."""
    await store.write(where_event(incoming.conversation, incoming.key).values(tries=events.c.tries + 1))


async def list_set_aside(store: Store) -> Sequence[SetAside]:
    rows = await store.select(_SET_ASIDE.order_by(events.c.set_aside_at))
    return [SetAside(_short_id(r), r.platform, r.tenant, r.person, r.set_aside_at, r.why) for r in rows]


async def retry_set_aside(store: Store, wanted: Sequence[str]) -> int:
    """Let these events be tried again, or `ALL`; how many. Raises `UserError` naming an id that there is not."""
    async with store.begin() as connection:
        found = {_short_id(row): row for row in (await connection.execute(_SET_ASIDE)).all()}
        if unknown := [name for name in wanted if name != ALL and name not in found]:
            raise UserError(f"No event that was set aside is called {unknown[0]}. List them with: scholium set-aside")
        chosen = found if ALL in wanted else {name: found[name] for name in wanted}
        again = events.update().values(set_aside_at=None, tries=1, why="", holder=RETRIED)
        for row in chosen.values():
            await connection.execute(again.filter_by(platform=row.platform, tenant=row.tenant, key=row.key))
    return len(chosen)


def _short_id(row: sa.Row[tuple[object, ...]]) -> str:
    return hashlib.sha256(f"{row.platform}\0{row.tenant}\0{row.key}".encode()).hexdigest()[:8]
