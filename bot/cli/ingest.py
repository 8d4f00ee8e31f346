"""The command `ingest`: files into a library, with progress, safe to interrupt and to repeat."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bot.app import App, open_app
from bot.serving.libraries import OwnLibrary, Place
from bot.serving.online_sources import online_sources
from bot.serving.uploads import find_paper, read_paper_file, say_unknown
from bot.wording import ingesting, progress
from bot.wording import sentences as wording
from engine.errors import RecordError, UserError
from engine.reading.open_access import TextFolder
from engine.retrieval.libraries.library import EmptyLibrary, IndexProgress, Library
from engine.retrieval.libraries.local import LocalLibrary
from engine.retrieval.online.transport import ProcessCache
from engine.retrieval.records.bounded_files import GIVEN, read_bounded
from engine.retrieval.records.record_files import FORMATS, find_files
from engine.run import Progress as Step
from engine.values import Paper

SHOWN_REJECTIONS = 20

_Show = Callable[[str, int, int | None], None]


async def ingest(console: Console, files: Sequence[Path], library_name: str, place: Place | None) -> int:
    """Add every readable record of the files and make them searchable; 1 where nothing could be read."""
    found = list(_find(files))
    tally, dropped = Counter[str](), Counter[str]()
    rejected: list[RecordError] = []
    async with open_app() as app:
        name = library_name or app.settings.library
        library = await app.libraries.new_library(name, place or app.libraries.place_of(name))
        with show_bar(console) as show:

            def papers() -> Iterator[Paper]:
                for path in filterfalse(_is_pdf, found):
                    before = tally["papers"] + len(rejected)
                    for item in read_bounded(path, partial(show, f"Reading {path.name}"), GIVEN, dropped):
                        if isinstance(item, Paper):
                            tally.update(["papers", *(name for name, has in _PARTS.items() if has(item))])
                            yield item
                        else:
                            rejected.append(item)
                    if tally["papers"] + len(rejected) == before:
                        with path.open("rb") as file:
                            console.print(ingesting.no_records(path.name, file.read(400)))

            report = await library.add(papers())
            await _index(library, show)
            # After the lists, which may describe papers that nobody else knows.
            texts, new = await _read_texts(app, library, list(filter(_is_pdf, found)), show, rejected)
            report = replace(report, added=report.added + new)
        total = await library.count()
    _print_rejected(console, rejected := [*rejected, *report.rejected])
    refused = sum(not error.was_read for error in rejected)
    console.print(
        f"{wording.pluralize(report.added, 'paper')} added, {report.updated:,} completed, "
        f"{report.unchanged:,} already there, {wording.pluralize(refused, 'record')} rejected. "
        f"The library “{library.name}” has {wording.pluralize(total, 'paper')}."
    )
    if texts:
        console.print(ingesting.texts_read(texts))
    if tally["papers"]:
        _print_tally(console, tally)
        for said in ingesting.word_dropped_fields(dropped, tally["papers"]):
            console.print(said)
    return 0 if report.added + report.updated + report.unchanged + texts else 1


_PARTS: Mapping[str, Callable[[Paper], object]] = {
    "an abstract": lambda paper: paper.abstract,
    "authors": lambda paper: paper.authors,
    "a year": lambda paper: paper.year,
    "a DOI, arXiv id or the like": lambda paper: not paper.key.startswith("title:"),
}
"""What a record should have."""


async def _read_texts(
    app: App, library: OwnLibrary, files: Sequence[Path], show: _Show, rejected: list[RecordError]
) -> tuple[int, int]:
    """Keep the text of each file by its paper, which is looked for in the library, then online.

    How many were read, and how many papers the library did not have.
    """
    read, added, online = 0, 0, None
    new: list[Paper] = []
    if files and app.settings.online != "never":
        online = online_sources(app.settings, app.web(ProcessCache()))
    kept = TextFolder(app.settings.home / "texts")
    for path in files:
        show(f"Reading {path.name}", 0, None)
        try:
            file = await asyncio.to_thread(read_paper_file, path.name, await asyncio.to_thread(path.read_bytes))
            known: Library = library if await library.count() else EmptyLibrary()
            paper = await find_paper(file, known, online)
        except UserError as error:
            rejected.append(RecordError(path.name, str(error)))
            continue
        if paper is None:
            rejected.append(RecordError(path.name, f"{say_unknown(file)} Put a BibTeX file that has it beside it."))
            continue
        await asyncio.to_thread(kept.save, paper.key, file.text)
        read += 1
        if known is not library or not await library.get([paper.key]):
            new.append(paper)
    if new:
        added = (await library.add(new)).added
        await _index(library, show)
    return read, added


async def _index(library: OwnLibrary, show: _Show) -> None:
    """Make what was added searchable, then fit the embedding anew where that is due."""
    await library.index(partial(_show_step, show))
    if isinstance(library, LocalLibrary):
        await library.refit(partial(_show_step, show))


def _is_pdf(path: Path) -> bool:
    return path.suffix.lower() == ".pdf"


def _find(paths: Sequence[Path]) -> Iterator[Path]:
    """Files, and those in folders that hold references or are PDFs. Raises `UserError` where there is none."""
    for path in paths:
        if path.is_dir():
            files = [*find_files(path), *sorted(file for file in path.rglob("*") if _is_pdf(file) and file.is_file())]
            if not files:
                raise UserError(f"There is no file of references and no PDF in {path}. I can read {FORMATS}, and PDF.")
            yield from files
        elif path.is_file():
            yield path
        else:
            raise UserError(f"There is no file {path}. Check the path.")


def _print_tally(console: Console, tally: Counter[str]) -> None:
    """What the papers have, and what follows from what they lack."""
    read = tally["papers"]
    table = Table("of the papers read", "have", "lack")
    for name in _PARTS:
        table.add_row(name, f"{tally[name]:,}", f"{read - tally[name]:,}")
    console.print(table)
    if lacking := read - tally["an abstract"]:
        console.print(ingesting.word_missing_abstracts(lacking, read))


async def move(console: Console, name: str) -> int:
    """A library of this machine into Weaviate, with the vectors it has; the folder stays as it is."""
    async with open_app() as app:
        local = await app.libraries.library(name, "local")
        remote = await app.libraries.new_library(name, "weaviate")
        assert isinstance(local, LocalLibrary) and not isinstance(remote, LocalLibrary)
        index = await local.indexed()
        with show_bar(console) as show:
            report = await remote.take_over(local.read_all(), index, partial(_show_step, show))
        total = await remote.count()
    _print_rejected(console, report.rejected)
    console.print(
        f"{wording.pluralize(report.added, 'paper')} moved, {len(report.rejected):,} refused. The library “{name}” in "
        f"Weaviate has {wording.pluralize(total, 'paper')} and is used from now on; the folder on this machine was "
        "left as it is."
    )
    return 1 if report.rejected else 0


@contextmanager
def show_bar(console: Console) -> Iterator[_Show]:
    """A bar where there is a terminal; what shows a text beside it, how much is done, and of how much if known."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda text, done, total: bar.update(task, description=text, completed=done, total=total)


def _print_rejected(console: Console, rejected: Sequence[RecordError]) -> None:
    for error in rejected[:SHOWN_REJECTIONS]:
        kind = "Read, but check it" if error.was_read else "Rejected"
        console.print(f"{kind}: {error}", style="yellow")
    if len(rejected) > SHOWN_REJECTIONS:
        console.print(f"… and {len(rejected) - SHOWN_REJECTIONS:,} more such records.")


def _show_step(show: _Show, step: IndexProgress) -> None:
    show(progress.progress(Step(step.stage)), step.done, step.total or None)
