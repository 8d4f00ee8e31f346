"""Backups, and what is known of one person: written out, or deleted. The same files serve SQLite and Postgres."""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.store.schema import (
    allowances,
    calls,
    events,
    metadata,
    outbox,
    pieces,
    processes,
    sent_papers,
    sessions,
    spending,
)
from bot.store.sessions import Store
from engine.errors import UserError

FORMAT = "scholium backup 1"
BATCH = 500
_LEFT_OUT = {processes.name}


async def backup(store: Store, path: Path) -> int:
    """Write every row into one compressed file, as of one moment; how many rows.

    The file is whole or not there, and for its owner alone, as the store is.
    """
    draft = path.with_name(f".{path.name}.new")
    count = 0
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        with gzip.open(draft, "wt", encoding="utf-8") as file:
            file.write(json.dumps({"format": FORMAT}) + "\n")
            async with store.snapshot() as connection:
                for table in metadata.sorted_tables:
                    if table.name in _LEFT_OUT:
                        continue
                    async for row in await connection.stream(sa.select(table)):
                        values = {name: _to_json_value(value) for name, value in row._mapping.items()}
                        file.write(json.dumps({"table": table.name, "row": values}) + "\n")
                        count += 1
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UserError(f"The backup could not be written to {path}: {error.strerror or error}.") from error
    return count


async def restore(store: Store, path: Path) -> int:
    """Read a backup into an empty store, in one transaction; how many rows.

    Raises `UserError` where the file is no backup or the store is not empty; then nothing was written.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    count = 0
    async with store.begin() as connection:
        for table in metadata.sorted_tables:
            if table.name not in _LEFT_OUT and (await connection.execute(sa.select(table).limit(1))).first():
                raise UserError("The store is not empty. Restore into a new SCHOLIUM_HOME or an empty database.")
        for name, row in _read(path):
            rows.setdefault(name, []).append(row)
            if len(rows[name]) == BATCH:
                await connection.execute(metadata.tables[name].insert(), rows.pop(name))
            count += 1
        for table in metadata.sorted_tables:
            if table.name in rows:
                await connection.execute(table.insert(), rows[table.name])
        if connection.dialect.name == "postgresql":
            for table in (outbox, spending):
                top = sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0) + 1).scalar_subquery()
                sequence = sa.func.pg_get_serial_sequence(table.name, "id")
                await connection.execute(sa.select(sa.func.setval(sequence, top, sa.false())))
    return count


def _read(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            if json.loads(next(file, "{}")).get("format") != FORMAT:
                raise UserError(f"{path} is not a backup of Scholium.")
            for line in file:
                item = json.loads(line)
                yield item["table"], {name: _read_value(value) for name, value in item["row"].items()}
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise UserError(f"{path} cannot be read as a backup ({type(error).__name__}).") from error


def _to_json_value(value: Any) -> Any:
    return {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _read_value(value: Any) -> Any:
    return base64.b64decode(value["bytes"]) if isinstance(value, dict) else value


async def data_of(store: Store, person: str) -> dict[str, Any]:
    """Everything stored about a person, as the platforms name them: their surveys, messages and spending."""
    async with store.connect() as connection:

        async def rows(table: sa.Table, where: sa.ColumnElement[bool]) -> list[dict[str, Any]]:
            found = (await connection.execute(sa.select(table).where(where))).mappings().all()
            return [{str(k): _to_json_value(v) for k, v in row.items()} for row in found]

        own = await rows(sessions, sessions.c.owner == person)
        ids = [row["id"] for row in own]
        invited = sa.select(sessions.c.id, sessions.c.invited).where(sessions.c.invited.contains(json.dumps(person)))
        return {
            "person": person,
            "surveys": own,
            "parts": [_readable(row) for row in await rows(pieces, pieces.c.session_id.in_(ids))],
            "recorded answers": await rows(calls, calls.c.session_id.in_(ids)),
            "messages": await rows(events, events.c.person == person),
            "papers sent": await rows(sent_papers, sent_papers.c.person == person),
            "answers": await rows(outbox, outbox.c.session_id.in_(ids)),
            "spending": await rows(spending, spending.c.person == person),
            "invited to": [row.id for row in (await connection.execute(invited)).all()],
        }


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    """A piece with its contents as JSON."""
    return {**row, "content": json.loads(zlib.decompress(_read_value(row["content"])))}


@dataclass(frozen=True, slots=True)
class DeletedData:
    """How many messages of a person were deleted, and how many of others still name them."""

    messages: int
    mentions: int


async def list_surveys_of(store: Store, person: str) -> Sequence[str]:
    """The ids of a person's surveys."""
    async with store.connect() as connection:
        return (await connection.execute(sa.select(sessions.c.id).where(sessions.c.owner == person))).scalars().all()


async def delete_data_of(store: Store, person: str) -> DeletedData:
    """Delete everything stored about a person; what was spent stays without a name, and so does what others wrote."""
    async with store.begin() as connection:
        query = sa.select(sessions.c.id, sessions.c.conversation_id).where(sessions.c.owner == person)
        own = (await connection.execute(query)).all()
        gone = await connection.execute(events.delete().where(events.c.person == person))
        await store.erase(connection, [row.id for row in own], [row.conversation_id for row in own])
        await connection.execute(spending.update().where(spending.c.person == person).values(person=""))
        for table in (allowances, sent_papers):
            await connection.execute(table.delete().where(table.c.person == person))
        mentions = sa.select(sessions.c.id, sessions.c.invited).where(sessions.c.invited.contains(json.dumps(person)))
        for row in (await connection.execute(mentions)).all():
            others = [name for name in json.loads(row.invited) if name != person]
            same = sessions.c.id == row.id
            await connection.execute(sessions.update().where(same).values(invited=json.dumps(others)))
        left = [sa.select(sa.func.count()).where(t.c.payload.contains(_in_json(person))) for t in (events, outbox)]
        count = sum([(await connection.execute(query)).scalar_one() for query in left])
    store.forget_recent()
    return DeletedData(gone.rowcount, count)


def _in_json(text: str) -> str:
    """The text as it stands inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
