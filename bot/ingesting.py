"""The command `ingest`: files into a library, with progress, safe to interrupt and to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from bot import wording
from bot.app import App
from bot.settings import load_settings
from engine.errors import RecordError, UserError
from engine.retrieval.library import IndexProgress
from engine.retrieval.records import read_papers
from engine.run import Progress as Step
from engine.values import Paper

SHOWN_REJECTIONS = 20


async def ingest(console: Console, files: Sequence[Path], library_name: str) -> int:
    """Add every readable record of the files and make them searchable; 1 where nothing could be read."""
    app = App(load_settings())
    for path in files:
        if not path.is_file():
            raise UserError(f"There is no file {path}. Check the path.")
    library = await app.new_library(library_name or app.settings.library)
    rejected: list[RecordError] = []
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

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
    if len(rejected) > SHOWN_REJECTIONS:
        console.print(f"… and {len(rejected) - SHOWN_REJECTIONS:,} more rejected records.")
    console.print(
        f"{report.added:,} papers added, {report.updated:,} completed, {report.unchanged:,} already there, "
        f"{len(rejected):,} records rejected. The library “{library.name}” has {total:,} papers.",
        markup=False,
        highlight=False,
    )
    return 0 if report.added + report.updated + report.unchanged else 1


def _reject(console: Console, rejected: list[RecordError], error: RecordError) -> None:
    rejected.append(error)
    if len(rejected) <= SHOWN_REJECTIONS:
        console.print(f"Rejected: {error}", markup=False, highlight=False, style="yellow")


def _show_bytes(bar: Progress, task: TaskID, name: str, done: int, size: int) -> None:
    bar.update(task, description=f"Reading {name}", completed=done, total=size)


def _show(bar: Progress, task: TaskID, step: IndexProgress) -> None:
    text = wording.progress(Step(step.stage))
    bar.update(task, description=text, completed=step.done, total=step.total or None)
