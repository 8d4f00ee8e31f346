"""The library that comes with Scholium: made where it is missing, renewed where an earlier version made it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from filelock import AsyncFileLock, Timeout

from engine.errors import UserError
from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.adding import Changes, StoredPaper, plan_changes
from engine.retrieval.libraries.library import OnIndexProgress
from engine.retrieval.libraries.local import create_library
from engine.retrieval.records.record_files import read_papers
from engine.text import fold
from engine.values import Paper

BUNDLED = "demo"
"""Name of the library that comes with Scholium."""

_VERSION_FILE = "bundled.sha256"

INSTALLING_S = 600
"""Seconds to wait for another process that makes the bundled library."""

PAPERS = resources.files("bot").joinpath("data/retrieval_augmented_generation.jsonl")
"""The file with the bundled papers."""


def read_bundled() -> list[Paper]:
    """The bundled papers."""
    with resources.as_file(PAPERS) as path:
        return [paper for paper in read_papers(path, lambda _, __: None) if isinstance(paper, Paper)]


async def install(folder: Path, neural: Embedder | None, on_progress: OnIndexProgress) -> None:
    """Make the bundled library where it is missing or of an earlier version; wait where another process does."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    try:
        async with AsyncFileLock(folder / "installing.lock", timeout=INSTALLING_S, poll_interval=0.5):
            await _renew(folder, neural, on_progress)
    except Timeout as error:
        raise UserError(
            f"Another process has been making the library “{BUNDLED}” for {INSTALLING_S // 60} minutes. "
            "End it, and start this one again."
        ) from error


async def _renew(folder: Path, neural: Embedder | None, on_progress: OnIndexProgress) -> None:
    """Let the library hold the bundled papers and what people added; what was interrupted is done again."""
    version, installed, is_whole = await asyncio.to_thread(_read_versions, folder)
    if version == installed and is_whole:
        return  # the database is not opened
    library = await create_library(folder, neural)
    if version != installed:
        stored = [paper async for paper in library.read_all()]
        lines = resources.files("bot").joinpath("data/withdrawn_texts.txt").read_text(encoding="ascii").splitlines()
        withdrawn = frozenset(line for line in lines if line and not line.startswith("#"))
        # Taken out, not completed: a paper once stored keeps its longer text when it is added again.
        await library.rewrite(plan_renewal(stored, await asyncio.to_thread(read_bundled), withdrawn))
    await library.index(on_progress)
    if version != installed:
        await asyncio.to_thread((folder / _VERSION_FILE).write_text, version, encoding="ascii")


def plan_renewal(stored: Sequence[StoredPaper], bundled: Sequence[Paper], withdrawn: frozenset[str]) -> Changes:
    """The bundled papers and what people added; Scholium's are records of bundled or ``withdrawn`` texts (digests)."""
    ours = withdrawn | {digest_text(paper) for paper in bundled}
    kept: list[StoredPaper] = []
    added: list[Paper] = []
    for paper in stored:
        records = paper.records or (paper.paper,)
        theirs = [record for record in records if digest_text(record) not in ours]
        if len(theirs) == len(records):
            kept.append(paper)
        else:
            added += theirs
    changes = plan_changes([*bundled, *added], kept)
    gone = {paper.paper.key for paper in stored} - {paper.paper.key for paper in kept}
    return replace(changes, remove=changes.remove | (gone - changes.write.keys()))


def digest_text(paper: Paper) -> str:
    """A digest of a paper's text whatever its spaces and punctuation; of its title too, where it has no text."""
    text = paper.summary or paper.abstract or paper.title
    return hashlib.sha256(fold(text).encode()).hexdigest()[:16]


def _read_versions(folder: Path) -> tuple[str, str, bool]:
    """The version of the bundled papers, that of those in the folder, and whether these are indexed."""
    file = folder / _VERSION_FILE
    installed = file.read_text(encoding="ascii") if file.exists() else ""
    return hashlib.sha256(PAPERS.read_bytes()).hexdigest(), installed, (folder / "index.json").exists()
