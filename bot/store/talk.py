"""Who has spoken in a conversation, and what was said last: what words mean among people depends on it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store import notes
from bot.store.schema import events, outbox
from bot.store.serialization import read_incoming, read_outgoing
from bot.store.sessions import Store, conversation_id
from engine.text import clean, shorten

PEOPLE = "people"
"""The note of a conversation in which more than one person has spoken: events are kept for a day only."""
LAST = 2
LONGEST = 300
"""Characters of a message before that are looked at."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Whether anybody but the speaker has spoken, and the last messages before, the latest last.

    ``before`` names who said each, as `Heard` has it; ``said`` is each with its speaker.
    """

    others: bool = False
    before: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


async def load_talk(store: Store, at: Conversation, key: str, person: str, owner: str) -> Talk:
    """What was said in a conversation before the event of that key, which the person has said; kept in a note."""
    name = conversation_id(at)
    heard = (
        sa.select(events.c.person, events.c.payload, events.c.received_at)
        .where((events.c.conversation_id == name) & (events.c.key != key))
        .order_by(events.c.received_at.desc())
    )
    shown = (
        sa.select(outbox.c.payload, outbox.c.created_at)
        .where(outbox.c.conversation_id == name)
        .order_by(outbox.c.id.desc())
    )
    spoke = sa.select(events.c.person).where(events.c.conversation_id == name).distinct()
    async with store.connect() as connection:
        people = set((await connection.execute(spoke)).scalars()) | {person}
        theirs = (await connection.execute(heard.limit(LAST))).all()
        ours = (await connection.execute(shown.limit(LAST))).all()
    known = set(json.loads(await notes.recall(store, at, PEOPLE) or "[]"))
    if {*people, *known} - {""} > known:
        people |= known
        await notes.remember(store, at, PEOPLE, json.dumps(sorted(people - {""})))
    messages = [(row.received_at, _name(row.person, person, owner), read_incoming(row.payload).text) for row in theirs]
    messages += [(row.created_at, "bot", read_outgoing(row.payload).text) for row in ours]
    last = [(who, shorten(clean(text), LONGEST)) for _, who, text in sorted(messages) if text][-LAST:]
    return Talk(
        len({*people, *known, owner} - {""}) > 1,
        tuple(f"{who}?" if text.endswith("?") else who for who, text in last),
        tuple(f"{who}: {text}" for who, text in last),
    )


def _name(person: str, speaker: str, owner: str) -> str:
    return "owner" if person in {speaker, owner} else "colleague"
