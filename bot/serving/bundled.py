"""The library that comes with Scholium: made where it is missing, renewed where an earlier version made it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from engine.retrieval.libraries.adding import Changes, StoredPaper, plan_changes
from engine.retrieval.libraries.library import OnIndexProgress
from engine.retrieval.libraries.local import LocalLibrary
from engine.retrieval.records.record_files import read_papers
from engine.text import fold
from engine.values import Paper

BUNDLED = "demo"
"""Name of the library that comes with Scholium."""

_VERSION_FILE = "bundled.sha256"


PAPERS = resources.files("bot").joinpath("data/retrieval_augmented_generation.jsonl")
"""The file with the bundled papers."""


def read_bundled() -> list[Paper]:
    """The bundled papers."""
    with resources.as_file(PAPERS) as path:
        return [paper for paper in read_papers(path, lambda _, __: None) if isinstance(paper, Paper)]


def is_current(folder: Path) -> bool:
    """Whether files tell that the library is the bundled one of this version, whole: the database is not opened."""
    return _installed(folder) == _version() and (folder / "index.json").exists()


async def renew(library: LocalLibrary, folder: Path, on_progress: OnIndexProgress) -> None:
    """Let the library hold the bundled papers as they are now, and whatever people added to it; index it where due.

    Earlier versions wrote Scholium's own summaries as abstracts, and a paper once stored keeps its longer text when it
    is added again: so what is Scholium's is taken out, not completed. A renewal that is interrupted is done again.
    """
    version = await asyncio.to_thread(_version)
    if is_other := await asyncio.to_thread(_installed, folder) != version:
        stored = [paper async for paper in library.read_all()]
        lines = resources.files("bot").joinpath("data/withdrawn_texts.txt").read_text(encoding="ascii").splitlines()
        withdrawn = frozenset(line for line in lines if line and not line.startswith("#"))
        await library.rewrite(plan_renewal(stored, await asyncio.to_thread(read_bundled), withdrawn))
    if not await library.is_current():
        await library.index(on_progress)
    if is_other:
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


def _version() -> str:
    return hashlib.sha256(PAPERS.read_bytes()).hexdigest()


def _installed(folder: Path) -> str:
    version = folder / _VERSION_FILE
    return version.read_text(encoding="ascii") if version.exists() else ""
