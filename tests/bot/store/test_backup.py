"""A backup comes back, however large, from either kind of database into the other, and from every release."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.chat import Outgoing
from bot.store import backup as keeping
from bot.store.backup import FORMAT, backup, restore
from bot.store.database import open_database
from bot.store.schema import calls, conversations, metadata, notes, pieces, sessions, spending
from bot.store.sessions import Store, StoredConversation
from bot.store.surveys import load_wanted_jobs
from engine.errors import UserError
from engine.session.state import SurveySession
from tests.bot.store.test_upgrade import ROWS
from tests.fakes import HERE

SURVEYS = 1_200


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Store]:
    store = Store(await open_database(url), "one")
    try:
        yield store
    finally:
        await store.close()


async def fill(store: Store, surveys: int) -> None:
    """Conversations that have each a survey with parts, calls, messages and spending."""
    names = [f"{number:06x}" for number in range(surveys)]
    place = {"platform": "fake", "tenant": "lab"}
    stored = {
        "owner": "mara",
        "topic": "Größe “1”\n",
        "phase": "topic",
        "body": "{}",
        "created_at": 1.5,
        "changed_at": 0.1,
    }
    called = {"text": "t", "input_tokens": 1, "output_tokens": 2, "cached_tokens": 0, "finished_at": 2.25}
    used = {
        "person": "m",
        "day": "2026-01-01",
        "step": "s",
        "model": "m",
        "money": 0.1,
        "priced": True,
        "state": "paid",
    }
    spent = {**used, "input_tokens": 1, "output_tokens": 1, "cached_tokens": 0, "holder": "h", "tenant": "lab"}
    async with store.begin() as connection:
        for table, rows in (
            (
                conversations,
                [{"id": n, **place, "channel": "c", "thread": n, "session_id": n, "version": 1} for n in names],
            ),
            (sessions, [{"id": n, "conversation_id": n, **place, **stored} for n in names]),
            (
                pieces,
                [{"session_id": n, "digest": d, "content": b"\x00\xff" + d.encode()} for n in names for d in "ab"],
            ),
            (calls, [{"key": n, "session_id": n, **called} for n in names]),
            (notes, [{"conversation_id": n, "name": "a", "value": "v", "noted_at": 3.0} for n in names]),
            (spending, [{"session_id": n, **spent} for n in names]),
        ):
            await connection.execute(table.insert(), rows)


async def read_rows(store: Store) -> dict[str, list[str]]:
    """Every row of every table, as text."""
    async with store.connect() as connection:
        return {
            name: sorted(str(tuple(row)) for row in (await connection.execute(sa.select(table))).all())
            for name, table in metadata.tables.items()
        }


async def move(old: Store, new: Store, file: Path) -> None:
    assert await backup(old, file) == await restore(new, file)
    assert await read_rows(old) == await read_rows(new)


async def test_a_thousand_surveys_come_back_row_by_row(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'a.sqlite'}") as old, opened(f"sqlite:///{tmp_path / 'b.sqlite'}") as new:
        await fill(old, SURVEYS)
        await move(old, new, tmp_path / "all.gz")


async def test_a_thousand_surveys_go_to_postgres_and_back(tmp_path: Path, postgres_url: str) -> None:
    async with (
        opened(f"sqlite:///{tmp_path / 'a.sqlite'}") as old,
        opened(postgres_url) as moved,
        opened(f"sqlite:///{tmp_path / 'b.sqlite'}") as back,
    ):
        await fill(old, SURVEYS)
        await move(old, moved, tmp_path / "one.gz")
        await move(moved, back, tmp_path / "two.gz")
        assert await read_rows(old) == await read_rows(back)
        stored = StoredConversation(replace(HERE, thread="new"), SurveySession("new"), "mara")
        assert await moved.commit(stored, [Outgoing(stored.conversation, "numbers go on")])


def write_backup(file: Path, rows: list[tuple[str, dict[str, Any]]], **head: str) -> None:
    lines = [{"format": FORMAT, **head}, *({"table": table, "row": row} for table, row in rows)]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))


async def test_a_backup_of_the_first_release_is_restored(store: Store, tmp_path: Path) -> None:
    kept = json.loads(ROWS.read_text(encoding="utf-8"))
    order = [table.name for table in metadata.sorted_tables if table.name in kept and table.name != "processes"]
    rows = [
        (name, {k: {"bytes": v["base64"]} if isinstance(v, dict) else v for k, v in row.items()})
        for name in order
        for row in kept[name]
    ]
    waiting = {**next(row for name, row in rows if name == "sessions"), "job_id": "j1"}
    rows = [(name, waiting if name == "sessions" else row) for name, row in rows]
    write_backup(tmp_path / "old.gz", rows)
    assert await restore(store, tmp_path / "old.gz") == len(rows)
    stored = await store.load_conversation(HERE)
    assert stored and stored.session.state.survey and len(stored.session.state.survey.references) == 13
    assert [job.kind for job in await load_wanted_jobs(store, "fake", None)] == ["write"]


@pytest.mark.parametrize(
    ("head", "rows"), [({"schema": "9999"}, []), ({}, [("tomorrow", {"id": 1})])], ids=["schema", "table"]
)
async def test_a_backup_of_a_later_release_is_refused_whole(
    store: Store, tmp_path: Path, head: dict[str, str], rows: list[tuple[str, dict[str, Any]]]
) -> None:
    note = {"conversation_id": "c", "name": "n", "value": "v", "noted_at": 1.0}
    write_backup(tmp_path / "new.gz", [("notes", note), *rows], **head)
    with pytest.raises(UserError, match="later version"):
        await restore(store, tmp_path / "new.gz")
    assert not (await read_rows(store))["notes"]


@pytest.mark.parametrize("line", ["[]", "3", '{"table": "notes"}', '{"table": "notes", "row": 3}', "{"])
async def test_a_broken_line_is_a_sentence(store: Store, tmp_path: Path, line: str) -> None:
    (tmp_path / "bad.gz").write_bytes(gzip.compress(f"{json.dumps({'format': FORMAT})}\n{line}\n".encode()))
    with pytest.raises(UserError, match="cannot be read as a backup"):
        await restore(store, tmp_path / "bad.gz")


async def test_a_backup_that_gives_other_rows_is_not_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, 3)
    read = keeping._read_value
    monkeypatch.setattr(keeping, "_read_value", lambda value: "another" if value == "mara" else read(value))
    with pytest.raises(UserError, match="gave other rows"):
        await backup(store, tmp_path / "all.gz")
    assert not [name for name in os.listdir(tmp_path) if name.endswith((".gz", ".new"))]
