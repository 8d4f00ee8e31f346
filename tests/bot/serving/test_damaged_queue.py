"""A damaged queue of jobs is said with the way back, does not end the service, and loses nothing."""

from __future__ import annotations

import asyncio
import io
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.doctor import doctor
from bot.settings import load_settings
from bot.store.database import StoreDamaged
from engine.retrieval.libraries.local import LocalLibrary
from tests.bot.cli.test_damaged_store import damage
from tests.lab import opened
from tests.stand_ins.changes import PATIENCE_S


def damage_used_queue(file: Path) -> None:
    """Damage a queue that is open here, between two transactions.

    SQLite reads no page again that it has in memory, until somebody else has written to the file.
    """
    with closing(sqlite3.connect(file, timeout=PATIENCE_S, isolation_level=None)) as queue:
        queue.execute("BEGIN EXCLUSIVE")
        damage(file)
        queue.execute("PRAGMA user_version = 1")
        queue.execute("COMMIT")


async def test_a_damaged_queue_is_said_and_what_waited_begins_again_in_a_new_one(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    home = load_settings().home
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        damage_used_queue(home / "jobs.sqlite")
        await lab.chat.say("ok")
        assert "The queue of jobs is damaged" in lab.chat.last and "scholium doctor" in lab.chat.last
        with pytest.raises(StoreDamaged, match="queue of jobs"):
            await lab.service.sweep()  # which the watch over the service logs, and goes on
    looked = io.StringIO()
    assert await doctor(Console(file=looked, width=1_000)) == 1
    assert f"move jobs.sqlite* out of {home}, and start it again. Nothing is lost" in looked.getvalue()
    for file in home.glob("jobs.sqlite*"):
        file.unlink()
    async with asyncio.timeout(PATIENCE_S), opened() as lab:
        await lab.chat.turn.wait()
        assert (await lab.state()).papers


async def test_a_queue_that_cannot_be_opened_is_said_and_nothing_has_begun(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    home = load_settings().home
    async with asyncio.timeout(PATIENCE_S), opened() as lab:
        made = (home / "jobs.sqlite").read_bytes()
        with sqlite3.connect(home / "another.sqlite") as other:
            other.execute("CREATE VIEW workflow_status AS SELECT 1 AS one")
        other.close()
        (home / "another.sqlite").replace(home / "jobs.sqlite")
        lab.service.dispatcher.pauses_s = (0, 0)
        await lab.chat.say("survey dense retrieval")
        assert "The queue of jobs could not be used" in lab.chat.last
        assert (await lab.session()).job is None
        (home / "jobs.sqlite").write_bytes(made)
        await lab.chat.say("survey dense retrieval")
        assert (await lab.state()).keywords


@pytest.mark.parametrize("release", [(3, 11, 9), (3, 12, 0)])
async def test_an_sqlite_too_old_for_the_queue_is_said_before_anything_is_made(
    release: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    monkeypatch.setattr(sys, "version_info", release)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 40, 1))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.40.1")
    looked = io.StringIO()
    code = await doctor(Console(file=looked, width=1_000))
    is_too_old = "jobs need SQLite 3.42 or later, and this Python has 3.40.1. Use Python 3.11" in looked.getvalue()
    assert is_too_old == (release >= (3, 12))
    assert code == int(is_too_old)
