"""What is kept beside sessions: notes, who has spoken and what was said last, ratings, who sent which papers."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation, Incoming
from bot.store.schema import conversations, events, notes, outbox, ratings, sent_papers
from bot.store.serialization import OUTGOING, read_incoming
from bot.store.sessions import BATCH, Store, conversation_id
from engine.text import clean, shorten
from engine.values import PaperKey

PEOPLE = "people"
"""The note of a conversation in which more than one person has spoken: events are kept for a day only."""
LAST = 2
LONGEST = 300
"""Characters of a message before that are looked at."""


async def remember(store: Store, conversation: Conversation, name: str, value: str) -> None:
    """Keep a note; an empty one is removed."""
    where = {"conversation_id": conversation_id(conversation), "name": name}
    new = store.insert_once(notes).values(**where, value=value, noted_at=time.time())
    await store.write(notes.delete().filter_by(**where), *([new] if value else []))


async def recall(store: Store, conversation: Conversation, name: str) -> str:
    """The note; empty where there is none."""
    query = sa.select(notes.c.value).filter_by(conversation_id=conversation_id(conversation), name=name)
    return next((row.value for row in await store.select(query)), "")


async def knows(store: Store, conversation: Conversation) -> bool:
    """Whether there is a session, or something that has yet to be answered."""
    name = conversation_id(conversation)
    session = sa.select(conversations.c.id).where(conversations.c.id == name)
    said = sa.select(events.c.conversation_id).where(events.c.conversation_id == name)
    return bool(await store.select(session.union_all(said).limit(1)))


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


async def load_talk(store: Store, incoming: Incoming, owner: str) -> Talk:
    """What was said among people before what came in now, and who has spoken there, which is kept in a note."""
    if incoming.place != "thread" or incoming.button:
        return Talk()
    at, person = incoming.conversation, incoming.person
    name = conversation_id(at)
    heard = sa.select(events).where((events.c.conversation_id == name) & (events.c.key != incoming.key))
    heard = heard.order_by(events.c.received_at.desc())
    shown = sa.select(outbox).where(outbox.c.conversation_id == name).order_by(outbox.c.id.desc())
    spoke = sa.select(events.c.person).where(events.c.conversation_id == name).distinct()
    async with store.connect() as connection:
        people = set((await connection.execute(spoke)).scalars()) | {person}
        theirs = (await connection.execute(heard.limit(LAST))).all()
        ours = (await connection.execute(shown.limit(LAST))).all()
    known = set(json.loads(await recall(store, at, PEOPLE) or "[]"))
    people = (people | known) - {""}
    if people > known:
        await remember(store, at, PEOPLE, json.dumps(sorted(people)))
    names = {row.person: "owner" if row.person in {person, owner} else "colleague" for row in theirs}
    messages = [(row.received_at, names[row.person], read_incoming(row.payload).text) for row in theirs]
    messages += [(row.created_at, "bot", OUTGOING.validate_json(row.payload).text) for row in ours]
    last = [(who, shorten(clean(text), LONGEST)) for _, who, text in sorted(messages) if text][-LAST:]
    return Talk(
        len({*people, owner} - {""}) > 1,
        tuple(f"{who}?" if text.endswith("?") else who for who, text in last),
        tuple(f"{who}: {text}" for who, text in last),
        owner in {"", person},
    )


async def rate(store: Store, conversation: Conversation, message: str, person: str, *, good: bool) -> None:
    """Keep what the person thinks of a message, by the platform's name for it, in place of what they thought before."""
    where = {"conversation_id": conversation_id(conversation), "message": message, "person": person}
    new = store.insert_once(ratings).values(**where, good=good, rated_at=time.time())
    await store.write(ratings.delete().filter_by(**where), new)


async def count_ratings(store: Store) -> tuple[int, int]:
    query = sa.select(ratings.c.good, sa.func.count()).group_by(ratings.c.good)
    found = {bool(good): int(count) for good, count in await store.select(query)}
    return found.get(True, 0), found.get(False, 0)


@dataclass(frozen=True, slots=True)
class SentPapers:
    """The papers of a workspace that one person has sent: those nobody else sent too, and the others."""

    workspace: str
    alone: tuple[PaperKey, ...]
    shared: tuple[PaperKey, ...]


async def note_sent(store: Store, at: Conversation, person: str, titles: Mapping[PaperKey, str]) -> None:
    """Remember that the person sent these papers, by title, to the workspace; again does nothing."""
    who = {"platform": at.platform, "tenant": at.tenant, "person": person, "sent_at": time.time()}
    rows = [
        {**who, "digest": hashlib.sha256(key.encode()).hexdigest(), "paper": key, "title": title}
        for key, title in titles.items()
    ]
    insert = store.insert_once(sent_papers)
    await store.write(*(insert.values(rows[start : start + BATCH]) for start in range(0, len(rows), BATCH)))


async def list_sent(store: Store, person: str) -> Sequence[SentPapers]:
    """What the person sent, workspace by workspace."""
    c, others = sent_papers.c, sent_papers.alias()
    same = (others.c.platform == c.platform) & (others.c.tenant == c.tenant) & (others.c.digest == c.digest)
    shared = sa.exists().where(same & (others.c.person != person))
    query = sa.select(c.platform, c.tenant, c.paper, shared.label("shared")).where(c.person == person)
    found: dict[str, dict[bool, list[PaperKey]]] = {}
    for row in await store.select(query.order_by(c.sent_at, c.digest)):
        workspace = Conversation(row.platform, row.tenant, "", "").workspace
        found.setdefault(workspace, {True: [], False: []})[bool(row.shared)].append(PaperKey(row.paper))
    return [SentPapers(workspace, tuple(own[False]), tuple(own[True])) for workspace, own in found.items()]
