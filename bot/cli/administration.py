"""The commands of whoever runs Scholium: backup, restore and the way back from a damaged store, one person's data."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from bot.app import open_app
from bot.cli.running import write_text
from bot.jobs.queue import delete_jobs_of
from bot.settings import Settings, load_settings
from bot.store import backup as keeping
from bot.store.database import Kept
from bot.store.left_over import list_set_aside, retry_set_aside
from bot.store.notes import list_sent
from bot.store.sessions import open_store
from bot.wording import ingesting
from bot.wording.sentences import pluralize
from engine.errors import ServiceError, UserError
from engine.rendering.files import file_stem
from engine.retrieval.paper_keys import read_key


async def backup(console: Console, path: Path) -> int:
    async with open_store(load_settings().store_url()) as store:
        count = await keeping.backup(store, path)
    console.print(f"{count:,} rows written to {path}. Libraries of papers are folders; copy them.")
    try:
        note_backup(load_settings().home, path)
    except OSError as error:
        console.print(f"Where it is could not be noted in the home folder: {error.strerror}.")
    return 0


async def restore(console: Console, path: Path) -> int:
    async with open_store(load_settings().store_url()) as store:
        count = await keeping.restore(store, path)
    console.print(f"{count:,} rows restored.")
    return 0


async def export_data(console: Console, person: str, output: Path | None) -> int:
    async with open_store(load_settings().store_url()) as store:
        found = await keeping.data_of(store, person)
    path = (output or Path()) / f"scholium-{file_stem(person)}.json"
    write_text(path, json.dumps(found, indent=1), mode=0o600)  # for whoever exports it alone
    surveys, messages = pluralize(len(found["surveys"]), "survey"), pluralize(len(found["messages"]), "message")
    console.print(f"{surveys} and {messages} of {person} written to {path}.")
    return 0


async def delete_papers(console: Console, workspace: str, papers: Sequence[str]) -> int:
    """Delete what a workspace added, or these papers of it, with texts and trees. Raises `UserError` where none is."""
    if ":" not in workspace:
        raise UserError("Name the platform and the workspace, for example: scholium delete-papers slack:T0123")
    async with open_app() as app:
        if papers:
            removed = await app.libraries.remove_papers(workspace, [read_key(paper) for paper in papers])
            if not removed:
                raise UserError(f"The workspace {workspace} has added none of these papers.")
            for paper in removed:
                console.print(f"Deleted: {paper.title} ({paper.key})", soft_wrap=True)
            return 0
        if not await app.libraries.remove_workspace(workspace):
            raise UserError(ingesting.no_papers_of(workspace))
    console.print(f"The papers, texts and attribute trees that {workspace} added were deleted.")
    return 0


async def delete_data(console: Console, person: str) -> int:
    """Delete what is stored about a person; repeated after an interruption it does the rest."""
    settings = load_settings()
    async with open_store(settings.store_url()) as store:
        papers, sent = 0, await list_sent(store, person)
        if sent:
            async with open_app() as app:
                papers = sum([len(await app.libraries.remove_papers(one.workspace, one.alone)) for one in sent])
        surveys = await keeping.list_surveys_of(store, person)
        await asyncio.to_thread(delete_jobs_of, settings.jobs_url(), surveys)
        files = await asyncio.to_thread(_delete_files, [settings.output / name for name in surveys])
        messages, mentions = await keeping.delete_data_of(store, person)
        with suppress(ServiceError):  # a service that runs keeps the file open; what was deleted is overwritten anyway
            await store.compact()
    console.print(
        f"Deleted of {person}: {pluralize(len(surveys), 'survey')} with all jobs, "
        f"{pluralize(messages, 'message')}, {pluralize(files, 'folder')} of files, "
        f"{pluralize(papers, 'paper')} and all texts that only they sent. "
        "What was spent is kept without the name.",
        soft_wrap=True,
    )
    shared = sum(len(one.shared) for one in sent)
    console.print(
        f"Left: {pluralize(mentions, 'message')} of others naming {person}; {pluralize(shared, 'paper')} that "
        f"others sent too; papers sent before Scholium noted by whom ({settings.home / 'workspaces'}); surveys of "
        "others that cite a paper of theirs; files exported from a terminal; backups.",
        soft_wrap=True,
    )
    return 0


def _delete_files(folders: Sequence[Path]) -> int:
    """Delete the folders that there are; how many."""
    found = [folder for folder in folders if folder.is_dir()]
    for folder in found:
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise UserError(f"{folder} could not be deleted: {error.strerror}. Delete it by hand.") from error
    return len(found)


async def set_aside(console: Console, retry: Sequence[str]) -> int:
    async with open_store(load_settings().store_url()) as store:
        if retry:
            count = await retry_set_aside(store, retry)
            when = "within 20 seconds where Scholium runs, else at its next start"
            console.print(f"{count:,} to be tried again: {when}.")
            return 0
        found = await list_set_aside(store)
    for event in found:
        at = datetime.fromtimestamp(event.set_aside_at, UTC).strftime("%Y-%m-%d %H:%M")
        line = f"{event.id}  {at}  {event.platform}:{event.tenant}  {event.person}  {event.why}"
        console.print(line, soft_wrap=True)
    advice = " Try them again with: scholium set-aside --retry ID (or --retry all)" if found else ""
    console.print(f"{len(found):,} set aside.{advice}")
    return 0


async def unmerge(
    console: Console, identifier: str, library_name: str, workspace: str, number: int | None, *, show: bool
) -> int:
    """Take a paper of a library, or of what a workspace added, apart, or only list its records."""
    key = read_key(identifier)
    async with open_app() as app:
        if workspace and not await app.libraries.has_papers(workspace):
            raise UserError(ingesting.no_papers_of(workspace))
        libraries, name = app.libraries, library_name or app.settings.library
        library = await (libraries.workspace_library(workspace) if workspace else libraries.library(name))
        found = await library.get([key])
        if not found:
            raise UserError(f"The library “{library.name}” has no paper {key}.")
        records = await library.records_of(found[0].key)
        if show or (number is None and len(records) > 2):
            console.print(ingesting.list_merged_records(found[0], records), soft_wrap=True)
            return 0
        parts = await library.unmerge(found[0].key, number)
        await library.index(lambda _: None)
    console.print(ingesting.word_unmerged(parts), soft_wrap=True)
    return 0


NOTE = "last-backup.txt"


def note_backup(home: Path, backup: Path) -> None:
    """Remember where the last backup was written. Raises `OSError` where the home folder cannot be written."""
    home.mkdir(parents=True, exist_ok=True)
    (home / NOTE).write_text(f"{backup.resolve()}\n", encoding="utf-8")


def word_way_back(settings: Settings, damaged: Kept) -> str:
    """What whoever runs Scholium does now, with the file and the command.

    Without the queue nothing is lost: sessions say which jobs they wait for.
    """
    if damaged != "store" and not settings.database_url:
        return (
            f"Stop Scholium, move jobs.sqlite* out of {settings.home}, and start it again. Nothing is lost: jobs that "
            "conversations wait for begin again, and no finished call is paid for twice."
        )
    if settings.database_url:
        first = "Stop Scholium, set SCHOLIUM_DATABASE_URL to an empty database, and run"
    else:
        first = f"Stop Scholium, move store.sqlite*, jobs.sqlite* out of {settings.home}, and run"
    note = settings.home / NOTE
    backup = Path(note.read_text(encoding="utf-8").strip()) if note.exists() else None
    if backup is not None and backup.is_file():
        written = datetime.fromtimestamp(backup.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M")
        return f"{first}: scholium restore {backup} (the last backup, of {written} UTC). Libraries stay as they are."
    advice = f"{first}: scholium restore FILE, with a file that “scholium backup” wrote; none is noted here."
    if settings.database_url:
        return advice
    recover = f"sqlite3 MOVED/store.sqlite .recover | sqlite3 {settings.home / 'store.sqlite'}"
    return f"{advice} Without one, SQLite's own program saves what can be read: {recover}"
