"""Whoever talks at a terminal is somebody else than at another installation's, on one database too."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.conversations import chat, load_terminal_person
from engine.errors import UserError


def test_a_person_is_of_an_installation_and_stays_so(tmp_path: Path) -> None:
    one, other = (load_terminal_person(tmp_path / name) for name in ("one", "other"))
    assert one.name != other.name
    assert one.workspace != other.workspace
    assert load_terminal_person(tmp_path / "one") == one


def test_a_user_id_without_an_account_is_a_person_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 1_000_650_000)  # as OpenShift gives them
    person = load_terminal_person(tmp_path)
    assert person.name.startswith("uid1000650000-")
    assert load_terminal_person(tmp_path) == person


def test_a_person_can_be_named_and_is_the_same_at_every_installation(tmp_path: Path) -> None:
    assert load_terminal_person(tmp_path / "one", "mara") == load_terminal_person(tmp_path / "other", "mara")
    for odd in ("you", "a\nb", "m" * 65, "\u202emara"):
        with pytest.raises(UserError, match="one line of at most 64"):
            load_terminal_person(tmp_path, odd)


def test_a_store_older_than_the_ids_keeps_its_names(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").touch()
    assert load_terminal_person(tmp_path).name == "you"
    assert load_terminal_person(tmp_path).name == "you"


async def test_a_home_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for unusable in (tmp_path / "file", tmp_path / "file" / "home"):
        monkeypatch.setenv("SCHOLIUM_HOME", str(unusable))
        for name in ("", "mara"):
            with pytest.raises(UserError, match=r"cannot be written .*Set SCHOLIUM_HOME to a folder of yours"):
                await chat(Console(file=io.StringIO()), "online", None, name)


def test_a_damaged_name_of_an_installation_is_said(tmp_path: Path) -> None:
    load_terminal_person(tmp_path)
    (tmp_path / "terminals" / "installation").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"is damaged\. Delete it"):
        load_terminal_person(tmp_path)
