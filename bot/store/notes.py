"""What is kept of conversations beside their sessions: notes, who has spoken and what was said last, ratings."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import conversations, events, notes, outbox, ratings
from bot.store.serialization import OUTGOING, read_incoming
from bot.store.sessions import Store, conversation_id
from engine.text import clean, shorten

PEOPLE = "people"
"""The note of a conversation in which more than one person has spoken: events are kept for a day only."""
LAST = 2
LONGEST = 300
"""Characters of a message before that are looked at."""


async def remember(store: Store, conversation: Conversation, name: str, value: str) -> None:
    """Keep a note; an empty one is removed."""
    name_of = conversation_id(conversation)
    same = (notes.c.conversation_id == name_of) & (notes.c.name == name)
    async with store.begin() as connection:
        await connection.execute(notes.delete().where(same))
        if value:
            row = {"conversation_id": name_of, "name": name, "value": value, "noted_at": time.time()}
            await connection.execute(store.insert_once(notes).values(row))


async def recall(store: Store, conversation: Conversation, name: str) -> str:
    """The note; empty where there is none."""
    same = (notes.c.conversation_id == conversation_id(conversation)) & (notes.c.name == name)
    async with store.connect() as connection:
        return (await connection.execute(sa.select(notes.c.value).where(same))).scalar() or ""


async def knows(store: Store, conversation: Conversation) -> bool:
    """Whether there is a session, or something that has yet to be answered."""
    name = conversation_id(conversation)
    session = sa.select(sa.literal(1)).where(conversations.c.id == name)
    said = sa.select(sa.literal(1)).where(events.c.conversation_id == name)
    async with store.connect() as connection:
        return (await connection.execute(session.union_all(said).limit(1))).first() is not None


@dataclass(frozen=True, slots=True)
class Talk:
    """Whether anybody but the speaker has spoken, and the last messages before, the latest last.

    ``by_owner`` says that it is the owner who speaks. ``before`` names who said each, as `Heard` has it; ``said`` is
    each with its speaker.
    """

    others: bool = False
    before: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    by_owner: bool = True


async def load_talk(store: Store, at: Conversation, key: str, person: str, owner: str) -> Talk:
    """What was said in a conversation before the event of that key, which the person has said; kept in a note."""
    name = conversation_id(at)
    heard = sa.select(events).where((events.c.conversation_id == name) & (events.c.key != key))
    heard = heard.order_by(events.c.received_at.desc())
    shown = sa.select(outbox).where(outbox.c.conversation_id == name).order_by(outbox.c.id.desc())
    spoke = sa.select(events.c.person).where(events.c.conversation_id == name).distinct()
    async with store.connect() as connection:
        people = set((await connection.execute(spoke)).scalars()) | {person}
        theirs = (await connection.execute(heard.limit(LAST))).all()
        ours = (await connection.execute(shown.limit(LAST))).all()
    known = set(json.loads(await recall(store, at, PEOPLE) or "[]"))
    if {*people, *known} - {""} > known:
        people |= known
        await remember(store, at, PEOPLE, json.dumps(sorted(people - {""})))
    names = {row.person: "owner" if row.person in {person, owner} else "colleague" for row in theirs}
    messages = [(row.received_at, names[row.person], read_incoming(row.payload).text) for row in theirs]
    messages += [(row.created_at, "bot", OUTGOING.validate_json(row.payload).text) for row in ours]
    last = [(who, shorten(clean(text), LONGEST)) for _, who, text in sorted(messages) if text][-LAST:]
    return Talk(
        len({*people, *known, owner} - {""}) > 1,
        tuple(f"{who}?" if text.endswith("?") else who for who, text in last),
        tuple(f"{who}: {text}" for who, text in last),
        owner in {"", person},
    )


async def rate(store: Store, conversation: Conversation, message: str, person: str, *, good: bool) -> None:
    """Keep what the person thinks of a message, by the platform's name for it, in place of what they thought before."""
    row = {"conversation_id": conversation_id(conversation), "message": message, "person": person}
    same = [ratings.c[name] == value for name, value in row.items()]
    async with store.begin() as connection:
        await connection.execute(ratings.delete().where(*same))
        made = store.insert_once(ratings).values(**row, good=good, rated_at=time.time())
        await connection.execute(made)


async def count_ratings(store: Store) -> tuple[int, int]:
    """How often answers were called good, and how often not."""
    query = sa.select(ratings.c.good, sa.func.count()).group_by(ratings.c.good)
    async with store.connect() as connection:
        found = {bool(good): int(count) for good, count in await connection.execute(query)}
    return found.get(True, 0), found.get(False, 0)
