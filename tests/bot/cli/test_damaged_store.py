"""A damaged page of the store ends in one sentence with the way back, and the way back works."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
import typer
from rich.console import Console

from adapters.chat import Incoming
from bot.cli.administration import backup, restore, set_aside
from bot.cli.doctor import doctor
from bot.cli.running import run_command
from bot.settings import load_settings
from bot.store.database import open_database
from bot.store.sessions import Store
from tests.fakes import HERE

PAGE_BYTES = 4096


async def fill_store() -> None:
    store = Store(await open_database(load_settings().store_url()), "filling")
    try:
        for number in range(40):
            await store.receive(Incoming(HERE, "mara", f"k{number}", "words " * 100))
    finally:
        await store.close()


def damage(file: Path) -> None:
    """Overwrite the beginning of every page but the first, as a failing disk may."""
    pages = bytearray(file.read_bytes())
    for at in range(PAGE_BYTES, len(pages), PAGE_BYTES):
        pages[at : at + 200] = b"\xa5" * 200
    file.write_bytes(pages)


def test_a_damaged_page_is_said_with_the_backup_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    home = load_settings().home
    said = Console(file=io.StringIO(), width=1_000)
    asyncio.run(fill_store())
    assert asyncio.run(backup(said, tmp_path / "all.gz")) == 0
    damage(home / "store.sqlite")
    with pytest.raises(typer.Exit) as ended:
        run_command(set_aside(said, ()))
    assert ended.value.exit_code == 1
    shown = " ".join(capsys.readouterr().err.split())
    assert shown.startswith("The store is damaged (database disk image is malformed).")
    way_back = f"move store.sqlite*, jobs.sqlite* out of {home}, and run: scholium restore {tmp_path / 'all.gz'}"
    assert way_back in shown
    looked = io.StringIO()
    assert asyncio.run(doctor(Console(file=looked, width=1_000))) == 1
    assert way_back in looked.getvalue()
    for file in home.glob("store.sqlite*"):
        file.rename(tmp_path / file.name)
    assert asyncio.run(restore(said, tmp_path / "all.gz")) == 0
    assert asyncio.run(set_aside(said, ())) == 0


def test_without_a_backup_what_can_be_read_is_saved(capsys: pytest.CaptureFixture[str]) -> None:
    home = load_settings().home
    home.mkdir(parents=True, exist_ok=True)
    (home / "store.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(typer.Exit):
        run_command(set_aside(Console(file=io.StringIO()), ()))
    shown = " ".join(capsys.readouterr().err.split())
    assert (
        "none is noted here. Without one, SQLite's own program saves what can be read: sqlite3 MOVED/store.sqlite"
        in shown
    )
