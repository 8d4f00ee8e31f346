"""Who may read the store's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import load_settings
from bot.store.backup import backup
from bot.store.database import open_database
from bot.store.sessions import Store
from engine.errors import UserError


def rights_in(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.glob("store.sqlite*")}


@pytest.mark.parametrize("before", [None, 0o644])
async def test_the_files_of_the_store_are_for_their_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int | None
) -> None:
    monkeypatch.setenv("SCHOLIUM_HOME", str(tmp_path))
    file = tmp_path / "store.sqlite"
    if before is not None:
        file.touch(mode=before)
    database = await open_database(load_settings().store_url())
    async with database.begin():
        rights = rights_in(tmp_path)
    await database.close()
    assert "store.sqlite" in rights
    assert set(rights.values()) == {0o600}


async def test_a_backup_is_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLIUM_HOME", str(tmp_path / "home"))
    file = tmp_path / "backup"
    file.touch(mode=0o644)  # of an earlier version
    store = Store(await open_database(load_settings().store_url()), "test")
    await backup(store, file)
    await store.close()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SCHOLIUM_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(UserError, match="cannot be written"):
        load_settings().store_url()
