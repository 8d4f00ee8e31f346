"""A damaged queue of jobs is said with the way back, does not end the service, and loses nothing."""

from __future__ import annotations

import asyncio
import io
import sqlite3

import pytest
from rich.console import Console

from bot.bench.platforms.changes import PATIENCE_S
from bot.cli.doctor import doctor
from bot.settings import load_settings
from bot.store.database import StoreDamaged
from engine.retrieval.libraries.local import LocalLibrary
from tests.bot.cli.test_damaged_store import damage
from tests.lab import opened


async def test_a_damaged_queue_is_said_and_what_waited_begins_again_in_a_new_one(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    home = load_settings().home
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        with sqlite3.connect(home / "jobs.sqlite") as queue:
            queue.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        queue.close()
        damage(home / "jobs.sqlite")
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
