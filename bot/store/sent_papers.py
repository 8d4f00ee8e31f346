"""Who sent which papers to the library of a workspace, so that they are found when a person's data are asked for."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.chat import Conversation
from bot.store.schema import sent_papers
from bot.store.sessions import BATCH, Store
from engine.values import PaperKey


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
    async with store.begin() as connection:
        for start in range(0, len(rows), BATCH):
            await connection.execute(store.insert_once(sent_papers).values(rows[start : start + BATCH]))


async def list_sent(store: Store, person: str) -> Sequence[SentPapers]:
    """What the person sent, workspace by workspace."""
    c, others = sent_papers.c, sent_papers.alias()
    same = (others.c.platform == c.platform) & (others.c.tenant == c.tenant) & (others.c.digest == c.digest)
    shared = sa.exists().where(same & (others.c.person != person))
    query = sa.select(c.platform, c.tenant, c.paper, shared.label("shared")).where(c.person == person)
    found: dict[str, dict[bool, list[PaperKey]]] = {}
    async with store.connect() as connection:
        for row in await connection.execute(query.order_by(c.sent_at, c.digest)):
            workspace = Conversation(row.platform, row.tenant, "", "").workspace
            found.setdefault(workspace, {True: [], False: []})[bool(row.shared)].append(PaperKey(row.paper))
    return [SentPapers(workspace, tuple(own[False]), tuple(own[True])) for workspace, own in found.items()]
