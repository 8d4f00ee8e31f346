"""Backups, and what is known of one person: written out, or deleted. The same files serve SQLite and Postgres."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import newest_migration
from bot.store.schema import (
    allowances,
    calls,
    conversations,
    events,
    metadata,
    outbox,
    pieces,
    processes,
    ratings,
    sent_papers,
    sessions,
    spending,
)
from bot.store.sessions import Store, open_store
from engine.errors import UserError

FORMAT = "scholium backup 1"
ROWS = "all rows"
BATCH = 500
KEPT = [table for table in metadata.sorted_tables if table is not processes]
"""Those that others refer to before those."""


async def backup(store: Store, path: Path) -> int:
    """Write every row into one compressed file, as of one moment; how many rows.

    The file is whole or not there, and for its owner alone, as the store is. It was restored once before it is there:
    raises `UserError` where that gave other rows.
    """
    draft = path.with_name(f".{path.name}.new")
    sums = Counter[str]()
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        with gzip.open(draft, "wt", encoding="utf-8") as file:
            file.write(json.dumps({"format": FORMAT, "schema": newest_migration()}) + "\n")
            async with store.snapshot() as connection:
                async for table, values in _stream_rows(connection):
                    file.write(json.dumps({"table": table, "row": values}) + "\n")
                    _count_row(sums, table, values)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".proof") as folder:
            if await _restore_aside(draft, Path(folder)) != sums:
                raise UserError(
                    "The backup was written, but restoring it gave other rows. Nothing was kept; try again."
                )
        os.replace(draft, path)
    except OSError as error:
        raise UserError(f"The backup could not be written to {path}: {error.strerror or error}.") from error
    finally:
        draft.unlink(missing_ok=True)
    return sums[ROWS]


def _count_row(sums: Counter[str], table: str, values: Mapping[str, Any]) -> None:
    """Add a row to the number of rows, and its digest to its table's sum: rows are the same whatever their order."""
    said = json.dumps(values, sort_keys=True).encode()
    sums[ROWS] += 1
    sums[table] += int.from_bytes(hashlib.sha256(said).digest(), "big")


async def _restore_aside(path: Path, folder: Path) -> Counter[str]:
    """The rows that a backup gives when it is restored into a new store in this folder."""
    sums = Counter[str]()
    async with open_store(f"sqlite:///{folder / 'store.sqlite'}", "proof") as store:
        await restore(store, path)
        async with store.connect() as connection:
            async for table, values in _stream_rows(connection):
                _count_row(sums, table, values)
    return sums


async def _stream_rows(connection: AsyncConnection) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Every row as JSON values with its table's name, tables that others refer to before those."""
    for table in KEPT:
        async for row in await connection.stream(sa.select(table)):
            yield table.name, {name: _to_json_value(value) for name, value in row._mapping.items()}


async def restore(store: Store, path: Path) -> int:
    """Read a backup into an empty store, all or nothing; how many rows. Raises `UserError` where one is not so."""
    count = 0
    async with store.begin() as connection:
        for table in KEPT:
            if (await connection.execute(sa.select(table).limit(1))).first():
                raise UserError("The store is not empty. Restore into a new SCHOLIUM_HOME or an empty database.")
        # The file has one table after the other, those that others refer to first.
        for name, rows in groupby(_read(path), key=itemgetter(0)):
            if name not in metadata.tables:
                raise UserError(_LATER)
            while batch := [row for _, row in islice(rows, BATCH)]:
                await connection.execute(metadata.tables[name].insert(), batch)
                count += len(batch)
        # What the fifth migration does: the first releases did not say of which kind a job is.
        unknown = sessions.c.job_id.is_not(None) & sessions.c.job_kind.is_(None)
        await connection.execute(sessions.update().where(unknown).values(job_kind="write"))
        if connection.dialect.name == "postgresql":
            top = sa.select(sa.func.coalesce(sa.func.max(outbox.c.id), 0) + 1).scalar_subquery()
            sequence = sa.func.pg_get_serial_sequence(outbox.name, "id")
            await connection.execute(sa.select(sa.func.setval(sequence, top, sa.false())))
    return count


_LATER = "The backup was made by a later version of Scholium. Update Scholium, and restore it then."


def _read(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            head = json.loads(next(file, "{}"))
            if head.get("format") != FORMAT:
                raise UserError(f"{path} is not a backup of Scholium.")
            if head.get("schema", "") > newest_migration():
                raise UserError(_LATER)
            for line in file:
                item = json.loads(line)
                yield item["table"], {name: _read_value(value) for name, value in item["row"].items()}
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
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
            "parts": [
                {**row, "content": json.loads(zlib.decompress(_read_value(row["content"])))}
                for row in await rows(pieces, pieces.c.session_id.in_(ids))
            ],
            "recorded answers": await rows(calls, calls.c.session_id.in_(ids)),
            "messages": await rows(events, events.c.person == person),
            "papers sent": await rows(sent_papers, sent_papers.c.person == person),
            "ratings": await rows(ratings, ratings.c.person == person),
            "answers": await rows(outbox, outbox.c.session_id.in_(ids)),
            "spending": await rows(spending, spending.c.person == person),
            "invited to": [row.id for row in (await connection.execute(invited)).all()],
        }


async def list_surveys_of(store: Store, person: str) -> Sequence[str]:
    return [row.id for row in await store.select(sa.select(sessions.c.id).where(sessions.c.owner == person))]


async def delete_data_of(store: Store, person: str) -> tuple[int, int]:
    """Delete everything stored about a person; what was spent stays without a name, and so does what others wrote.

    How many messages of theirs were deleted, and how many of others still name them.
    """
    async with store.begin() as connection:
        query = sa.select(sessions.c.id, sessions.c.conversation_id).where(sessions.c.owner == person)
        own = (await connection.execute(query)).all()
        gone = await connection.execute(events.delete().where(events.c.person == person))
        await store.erase(connection, own)
        await connection.execute(spending.update().where(spending.c.person == person).values(person=""))
        for table in (allowances, ratings, sent_papers):
            await connection.execute(table.delete().where(table.c.person == person))
        mentions = sa.select(sessions.c.id, sessions.c.invited).where(sessions.c.invited.contains(json.dumps(person)))
        for row in (await connection.execute(mentions)).all():
            others = [name for name in json.loads(row.invited) if name != person]
            await connection.execute(sessions.update().filter_by(id=row.id).values(invited=json.dumps(others)))
            anew = {"version": conversations.c.version + 1}  # a process that runs has it in memory
            await connection.execute(conversations.update().filter_by(session_id=row.id).values(anew))
        said = json.dumps(person, ensure_ascii=False)[1:-1]  # as it stands inside a JSON string
        left = [sa.select(sa.func.count()).where(t.c.payload.contains(said)) for t in (events, outbox)]
        count = sum([(await connection.execute(query)).scalar_one() for query in left])
    return gone.rowcount, count
