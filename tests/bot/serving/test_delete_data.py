"""What is deleted of a person is in no file any more: neither the store's, nor the queue's, nor an exported one."""

from __future__ import annotations

import io
import sqlite3

from rich.console import Console

from bot.cli.administration import delete_data
from bot.settings import load_settings
from engine.retrieval.libraries.local import LocalLibrary
from tests.lab import opened


async def test_what_is_deleted_of_a_person_is_in_no_file(library: LocalLibrary) -> None:
    settings = load_settings()
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "add zanzibarian indexes")
        session = await lab.session()
        exported = lab.service.dispatcher._turns.folder(await lab.service.dispatcher.load_conversation(lab.chat.only))
        exported.mkdir(parents=True)
        (exported / "survey.md").write_text("# Dense retrieval", encoding="utf-8")
    said = io.StringIO()
    assert await delete_data(Console(file=said, width=300), "mara") == 0
    assert "Deleted of mara: 1 surveys with their jobs, 2 messages, 1 folders of files." in said.getvalue()
    assert not exported.exists()
    with sqlite3.connect(settings.home / "jobs.sqlite") as queue:
        tables = ("workflow_status", "workflow_input")
        assert [queue.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables] == [(0,), (0,)]
    queue.close()
    for file in settings.home.glob("store.sqlite*"):
        assert b"zanzibarian" not in file.read_bytes(), file
        assert session.id.encode() not in file.read_bytes(), file
