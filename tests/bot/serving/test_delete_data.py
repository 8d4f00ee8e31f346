"""What is deleted of a person is in no file any more: neither the store's, nor the queue's, nor an exported one."""

from __future__ import annotations

import io
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from adapters.chat import Attachment, Incoming
from bot.app import open_app
from bot.cli.administration import delete_data, export_data
from bot.settings import load_settings
from engine.retrieval.libraries.local import LocalLibrary
from engine.values import Query
from tests.fakes import HERE
from tests.lab import opened


async def test_what_is_deleted_of_a_person_is_in_no_file(library: LocalLibrary) -> None:
    settings = load_settings()
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "add zanzibarian indexes")
        session = await lab.session()
        exported = lab.service.dispatcher._turns.folder(await lab.service.store.load_conversation(lab.chat.only))
        exported.mkdir(parents=True)
        (exported / "survey.md").write_text("# Dense retrieval", encoding="utf-8")
    said = io.StringIO()
    assert await delete_data(Console(file=said, width=300), "mara") == 0
    assert "Deleted of mara: 1 survey with all jobs, 2 messages, 1 folder of files, 0 papers" in said.getvalue()
    assert not exported.exists()
    with sqlite3.connect(settings.home / "jobs.sqlite") as queue:
        tables = ("workflow_status", "workflow_input")
        assert [queue.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables] == [(0,), (0,)]
    queue.close()
    for file in settings.home.glob("store.sqlite*"):
        assert b"zanzibarian" not in file.read_bytes(), file
        assert session.id.encode() not in file.read_bytes(), file


def bibtex(**titles: str) -> bytes:
    return "\n".join(
        f"@misc{{{k}, title={{{t}}}, author={{Ada Author}}, year={{2024}}}}" for k, t in titles.items()
    ).encode()


MEMO = b"Ostrogothian Notes on Ranking\nAda Author\n\nAbstract\n\nKept in confidence.\n\n1 Introduction\n\nMore."


async def test_papers_that_only_they_sent_are_in_no_file_and_those_of_others_stay(
    library: LocalLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    hers = Attachment("hers.bib", bibtex(a="Zanzibarian Indexes of Passages", b="Shared Views of Dense Retrieval"))
    his = Attachment("his.bib", bibtex(b="Shared Views of Dense Retrieval", c="Bens Own Graph Attention"))
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        bens = replace(HERE, thread="2")
        for at, person, file in (
            (HERE, "mara", hers),
            (HERE, "mara", Attachment("memo.txt", MEMO)),
            (bens, "ben", his),
        ):
            await lab.chat.backend.handle(Incoming(at, person, f"{person}-{file.name}", attachments=(file,)))
            await lab.settled()
    said = Console(file=io.StringIO(), width=1_000)
    assert await export_data(said, "mara", tmp_path) == 0
    written = tmp_path / "scholium-mara.json"
    assert written.stat().st_mode & 0o777 == 0o600
    exported = json.loads(written.read_text(encoding="utf-8"))
    assert {sent["title"] for sent in exported["papers sent"]} == {
        "Zanzibarian Indexes of Passages",
        "Shared Views of Dense Retrieval",
        "Ostrogothian Notes on Ranking",
    }
    assert await delete_data(said, "mara") == 0
    assert isinstance(said.file, io.StringIO)
    assert "1 paper and all texts that only they sent." in said.file.getvalue()
    assert "1 paper that others sent too;" in said.file.getvalue()
    for kept in filter(Path.is_file, (load_settings().home / "workspaces").rglob("*")):
        for word in (b"anzibar", b"strogoth", b"confidence"):
            assert word not in kept.read_bytes(), kept
    async with open_app() as app:
        folder = app.libraries.texts_of(HERE.workspace).folder.with_name("papers")
        folder.rename(folder.with_name("papers-fresh"))  # as if it had been interrupted before its last two steps
        folder.with_name("papers-former").mkdir()
        left = await app.libraries.workspace_library(HERE.workspace)
        found = await left.search(Query("dense retrieval graph attention", 9, ranking="relevance"))
        assert {f.paper.title for f in found} == {"Shared Views of Dense Retrieval", "Bens Own Graph Attention"}
