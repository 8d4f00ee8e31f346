"""The command `ingest`: files into a library, with progress, safe to interrupt and to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from bot.app import open_app
from bot.serving.libraries import Place
from bot.wording import sentences as wording
from engine.errors import RecordError, UserError
from engine.retrieval.libraries.library import IndexProgress
from engine.retrieval.libraries.local import LocalLibrary
from engine.retrieval.libraries.weaviate import WeaviateLibrary
from engine.retrieval.records import read_papers
from engine.run import Progress as Step
from engine.values import Paper

SHOWN_REJECTIONS = 20


async def ingest(console: Console, files: Sequence[Path], library_name: str, place: Place | None) -> int:
    """Add every readable record of the files and make them searchable; 1 where nothing could be read."""
    for path in files:
        if not path.is_file():
            raise UserError(f"There is no file {path}. Check the path.")
    rejected: list[RecordError] = []
    async with open_app() as app:
        name = library_name or app.settings.library
        library = await app.libraries.new_library(name, place or app.libraries.place_of(name))
        with _bar(console) as (bar, task):

            def papers() -> Iterator[Paper]:
                for path in files:
                    show = partial(_show_bytes, bar, task, path.name)
                    for item in read_papers(path, show):
                        if isinstance(item, Paper):
                            yield item
                        else:
                            _reject(console, rejected, item)

            report = await library.add(papers())
            await library.index(lambda step: _show(bar, task, step))
        total = await library.count()
    for refused in report.rejected:
        _reject(console, rejected, refused)
    if len(rejected) > SHOWN_REJECTIONS:
        console.print(f"… and {len(rejected) - SHOWN_REJECTIONS:,} more rejected records.")
    console.print(
        f"{report.added:,} papers added, {report.updated:,} completed, {report.unchanged:,} already there, "
        f"{len(rejected):,} records rejected. The library “{library.name}” has {total:,} papers.",
        markup=False,
        highlight=False,
    )
    return 0 if report.added + report.updated + report.unchanged else 1


async def move(console: Console, name: str) -> int:
    """A library of this machine into Weaviate, with the vectors it has; the folder stays as it is."""
    async with open_app() as app:
        local = await app.libraries.library(name, "local")
        if not isinstance(local, LocalLibrary):
            raise UserError(f"The library “{name}” is not on this machine.")
        remote = await app.libraries.new_library(name, "weaviate")
        if not isinstance(remote, WeaviateLibrary):
            raise UserError("Set WEAVIATE_URL to say where Weaviate is.")
        vectors, embedder = await local.vectors(), await local.embedder()
        with _bar(console) as (bar, task):
            report = await remote.take_over(local.everything(), vectors, embedder, lambda step: _show(bar, task, step))
        total = await remote.count()
    rejected: list[RecordError] = []
    for refused in report.rejected:
        _reject(console, rejected, refused)
    console.print(
        f"{report.added:,} papers moved, {len(rejected):,} refused. The library “{name}” in Weaviate has {total:,} "
        "papers and is used from now on; the folder on this machine was left as it is.",
        markup=False,
        highlight=False,
    )
    return 1 if rejected else 0


@contextmanager
def _bar(console: Console) -> Iterator[tuple[Progress, TaskID]]:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar, bar.add_task("", total=None)


def _reject(console: Console, rejected: list[RecordError], error: RecordError) -> None:
    rejected.append(error)
    if len(rejected) <= SHOWN_REJECTIONS:
        console.print(f"Rejected: {error}", markup=False, highlight=False, style="yellow")


def _show_bytes(bar: Progress, task: TaskID, name: str, done: int, size: int) -> None:
    bar.update(task, description=f"Reading {name}", completed=done, total=size)


def _show(bar: Progress, task: TaskID, step: IndexProgress) -> None:
    text = wording.progress(Step(step.stage))
    bar.update(task, description=text, completed=step.done, total=step.total or None)
