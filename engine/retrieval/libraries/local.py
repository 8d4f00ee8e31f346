"""Papers in a folder: a table of LanceDB, and made from it their words and vectors as plain arrays to be searched.

Run as ``python -I -m engine.retrieval.libraries.local FOLDER [MODEL [MODELS]]``, it makes a library's embedding anew,
by its own or by a model for fastembed (from the folder MODELS), while others search that.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from filelock import AsyncFileLock, FileLock, Timeout

from engine.errors import UserError
from engine.local_models import LocalEmbedder
from engine.retrieval.embedding import Embedder, fit_embedding, sample_rows
from engine.retrieval.libraries.adding import (
    FIELDS,
    Changes,
    PaperBlocks,
    StoredPaper,
    plan_changes,
    read_stored,
    split_merge,
)
from engine.retrieval.libraries.library import AddReport, IndexProgress, OnIndexProgress, TopicCounts
from engine.retrieval.libraries.local_index import LocalIndex, make_index
from engine.retrieval.libraries.local_papers import (
    COLUMNS,
    TEXTS,
    PaperTable,
    import_lancedb,
    schema,
    translate_failures,
)
from engine.retrieval.libraries.vectors import DamagedIndex, VectorStore, make_part
from engine.retrieval.ranking import find_seeds, order_best
from engine.retrieval.topic_words import read_topic, with_abbreviations
from engine.values import FoundPaper, Paper, PaperKey, Query

BATCH = 5_000
"""Papers added, or embedded, together: what an interruption costs, and a bound of the memory that it takes."""

PATIENCE_S = 3_600.0
"""A new embedding waits so long for those who are adding papers, before it takes its place."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class LocalLibrary:
    """A `Library` in one folder; get one from `open_library` or `create_library`."""

    def __init__(self, folder: Path, table: Any, neural: Embedder | None) -> None:
        self.name = folder.name
        self.folder = folder
        self._table = table
        self._papers = PaperTable(folder.name, table)
        self._store = VectorStore(folder, neural)
        self._loading = asyncio.Lock()
        self._held: tuple[object, LocalIndex] | None = None

    async def count(self) -> int:
        """Number of papers."""
        return await self._papers.count()

    async def embedder(self) -> Embedder:
        """The embedder this library's vectors were made with."""
        return (await self.indexed()).embedder

    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """The papers that exist among the keys (or other known identifiers), in the order asked."""
        index = await self.indexed()
        stored = [index.keys[row] for row in index.find_rows(keys)]
        rows = await self._papers.papers(list(dict.fromkeys(stored)))
        return [rows[k] for k in stored if k in rows]

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """Best first, in the order that `Query.ranking` asks for."""
        index = await self.indexed()
        if not index.keys or not query.text.strip():
            return []
        topic = read_topic(query.text)
        if query.ranking != "title":
            seeds = await asyncio.to_thread(lambda: find_seeds(index.measure(topic).bm25))
            named = await self._papers.papers([index.keys[row] for row in seeds])
            topic = with_abbreviations(topic, [paper.abstract for paper in named.values()])
        scores = await asyncio.to_thread(index.rank, query, topic)
        best = order_best(scores, query.limit, index.key_order)
        chosen = {index.keys[row]: float(scores[row]) for row in best if scores[row] > -np.inf}
        papers = await self._papers.papers(list(chosen))
        return [FoundPaper(papers[key], score) for key, score in chosen.items() if key in papers]

    async def count_topic(self, topic: str) -> TopicCounts:
        """How common the words of a topic are here, and how those that are not here may be spelt."""
        index = await self.indexed()
        return await asyncio.to_thread(index.count_topic, topic)

    async def add(self, papers: Iterable[Paper]) -> AddReport:
        """Store papers in batches, each whole or not at all. Raises `UserError` where another process adds some."""
        report = AddReport()
        async with self._identities() as known:
            rest = iter(papers)
            while batch := await asyncio.to_thread(lambda: list(islice(rest, BATCH))):
                with translate_failures(self.name):
                    near = await asyncio.to_thread(known.near, batch)
                found = plan_changes(batch, await self._papers.read_stored(near))
                with translate_failures(self.name):
                    await asyncio.to_thread(known.enter, found.write.values())
                await self._papers.write(found.write.values(), found.remove)
                report += found.report(len(batch))
        return report

    async def remove(self, keys: Sequence[PaperKey]) -> None:
        """Delete the papers that have these keys."""
        async with self._identities():
            await self._papers.write([], keys)

    async def rewrite(self, changes: Changes) -> None:
        """Write and remove papers as planned, without merging; `index` makes everything searchable anew."""
        with hold_lock(self.folder):
            await asyncio.to_thread(self._store.discard)  # it was fitted on other texts
            await self._papers.write(changes.write.values(), changes.remove)

    async def read_all(self) -> AsyncIterator[StoredPaper]:
        """All papers with the records they were merged from."""
        async for row in self._papers.read(COLUMNS):
            yield read_stored(row)

    async def sample(self, count: int) -> Sequence[Paper]:
        """At most so many papers, from all over the library: files that were ingested one after the other differ."""
        rows = sample_rows(await self.count(), count).tolist()
        return await self._papers.take(rows, FIELDS)

    async def is_current(self) -> bool:
        """Whether everything that was added is searchable."""
        try:
            since = await asyncio.to_thread(self._store.indexed_version)
        except DamagedIndex:  # which `index` makes anew
            return False
        return not await self._papers.count(since)

    async def index(self, on_progress: OnIndexProgress) -> None:
        """Make what was added searchable by words and by vectors; does only what is due. See `refit` for the rest.

        Raises `UserError` where something is due and another process is adding papers or fitting the embedding.
        """
        if await self.is_current() or not await self.count():
            return
        with hold_lock(self.folder), translate_failures(self.name):
            try:
                if not await self._append():
                    await self._rebuild(on_progress)
            except DamagedIndex:
                await asyncio.to_thread(self._store.discard)
                await self._rebuild(on_progress)

    async def is_outgrown(self) -> bool:
        """Whether `refit` is due."""
        try:
            return await asyncio.to_thread(self._store.is_outgrown, await self.count())
        except DamagedIndex:  # which the next search makes anew
            return False

    async def refit(self, on_progress: OnIndexProgress) -> None:
        """Make the embedding that is due, or go on with it. Raises `UserError` where another process is at it."""
        if not await self.is_outgrown():
            return
        with hold_lock(self.folder, "drafting"), translate_failures(self.name):
            draft = await self._fill_draft(on_progress)
            # Whoever is adding papers now comes first.
            async with AsyncFileLock(self.folder / "writing.lock", timeout=PATIENCE_S, poll_interval=1.0):
                await asyncio.to_thread(self._store.adopt, *draft)
        await self.index(on_progress)

    async def _fill_draft(self, on_progress: OnIndexProgress) -> tuple[Sequence[str], Embedder, int]:
        """All parts of a draft of the index for the papers as they are now, what embedded them, the table's version."""
        version, total, done, parts = await self._papers.version(), await self._papers.count(), 0, []
        embedder = await asyncio.to_thread(self._store.begin_draft, total)
        if embedder is None:
            on_progress(IndexProgress("fitting", 0))
            sample = await self._papers.take(sample_rows(total).tolist(), TEXTS)
            embedder = await asyncio.to_thread(fit_embedding, sample, total)
            await asyncio.to_thread(embedder.save, self._store.draft)
        async for papers in self._papers.read_texts(BATCH):
            parts.append(await asyncio.to_thread(make_part, self._store.draft, papers, embedder))
            done += len(papers)
            on_progress(IndexProgress("vectors", done, total))
        on_progress(IndexProgress("words", 0))
        return parts, embedder, version

    async def _rebuild(self, on_progress: OnIndexProgress) -> None:
        with hold_lock(self.folder, "drafting"):
            await self._papers.tidy()
            await asyncio.to_thread(self._store.adopt, *await self._fill_draft(on_progress))

    async def _append(self) -> bool:
        """Make what was written since the last time searchable, at the cost of that alone; whether it could be done."""
        since, version = await asyncio.to_thread(self._store.indexed_version), await self._papers.version()
        if not await asyncio.to_thread(self._store.may_append, await self._papers.count(since), await self.count()):
            return False
        async for papers in self._papers.read_texts(BATCH, since):
            await asyncio.to_thread(self._store.append, papers)
        await asyncio.to_thread(self._store.complete, version)
        return True

    async def indexed(self) -> LocalIndex:
        """What is searched, read again when anybody has changed it. Raises `UserError` where there is nothing."""
        async with self._loading:
            version = await self._version()
            if self._held is None or self._held[0] != version:
                try:
                    self._held = version, await self._load()
                except DamagedIndex:  # the papers are the truth: what is derived from them is made anew, once
                    if version == await self._version():
                        await asyncio.to_thread(self._store.discard)
                        await self.index(lambda _: None)
                    self._held = await self._version(), await self._load()
            return self._held[1]

    async def _version(self) -> object:
        return await asyncio.to_thread(self._store.version), await self._papers.version()

    async def _load(self) -> LocalIndex:
        columns = ["key", "year", "citations", "identifiers"]
        with translate_failures(self.name):
            table = await self._table.query().select(columns).to_arrow()
            stored = await asyncio.to_thread(self._store.read)
        if stored is None:
            raise UserError(
                f"The library “{self.name}” is empty or not indexed yet. "
                f"Add papers with: scholium ingest FILE --library {self.name}"
            )
        return await asyncio.to_thread(make_index, *stored, table)

    async def records_of(self, key: PaperKey) -> Sequence[Paper]:
        """The records that a paper was merged from, numbered from 1; none where it was one. Raises `UserError`."""
        return (await self._papers.one(key)).records

    async def unmerge(self, key: PaperKey, number: int | None = None) -> Sequence[Paper]:
        """Take a merged paper apart (`split_merge`), for good; `index` makes the parts searchable."""
        async with self._identities() as known:
            parts = split_merge(await self._papers.one(key), number)
            stored = [StoredPaper(part) for part in parts]
            await asyncio.to_thread(known.enter, stored)
            await self._papers.write(stored)
        return parts

    @asynccontextmanager
    async def _identities(self) -> AsyncIterator[PaperBlocks]:
        """The index of what may be one paper, true before and after a change; nobody else changes the library."""
        with hold_lock(self.folder), closing(PaperBlocks(self.folder / "identities.sqlite")) as known:
            await self._papers.fill(known)
            yield known
            known.settle(await self._papers.version())


@contextmanager
def hold_lock(folder: Path, doing: Literal["writing", "drafting"] = "writing") -> Iterator[None]:
    """Nobody else writes papers, or drafts an index, in the folder meanwhile. Raises `UserError` where one does."""
    try:
        with FileLock(folder / f"{doing}.lock", timeout=0):
            yield
    except Timeout as error:
        what = "adding papers to the library" if doing == "writing" else "fitting the embedding of the library"
        raise UserError(
            f"Another process is {what} “{folder.name}”. "
            "Wait until it has finished, then repeat the command; nothing will be doubled."
        ) from error


def check_name(name: str) -> None:
    """Raises `UserError` where the name is none that a library can have."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"“{name[:80]}” cannot be a library's name. Use lower-case letters, digits, - and _; "
            "at most 64, the first a letter or digit."
        )


async def open_library(folder: Path, neural: Embedder | None = None) -> LocalLibrary:
    """The library in a folder; raises `UserError` where there is none."""
    if not (folder / "papers.lance").exists():
        raise UserError(
            f"There is no library “{folder.name}”. Make one with: scholium ingest FILE --library {folder.name}"
        )
    return await create_library(folder, neural)


async def create_library(folder: Path, neural: Embedder | None = None) -> LocalLibrary:
    """The library in a folder, made where there is none; raises `UserError` where the name is unusable."""
    check_name(folder.name)
    with translate_failures(folder.name):
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        import pyarrow as pa

        # No interval: what another process wrote is seen by the next read.
        database = await import_lancedb().connect_async(folder, read_consistency_interval=timedelta(0))
        names = (await database.list_tables()).tables
        if "papers" in names:
            table = await database.open_table("papers")
            there = set((await table.schema()).names)
            if missing := [field for field in schema() if field.name not in there]:  # made by an earlier version
                await table.add_columns(pa.schema(missing))
        else:
            table = await database.create_table("papers", schema=schema(), exist_ok=True)
    return LocalLibrary(folder, table, neural)


FRESH, FORMER = "-fresh", "-former"
"""Endings of the names of a library that is made without some papers, and of the one with them that it replaces."""


async def erase_papers(
    folder: Path, keys: Collection[PaperKey], neural: Embedder | None, beside: Collection[str]
) -> None:
    """Make the library in a folder anew without these papers, ``beside`` being other files of it that stay.

    `LocalLibrary.remove` is quicker, but leaves old versions and words. `UserError` where another process writes.
    """
    fresh = folder.with_name(f"{folder.name}{FRESH}")
    await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)
    with hold_lock(folder):
        library = await open_library(folder, neural)
        staying = {one.paper.key: one async for one in library.read_all() if one.paper.key not in keys}
        if staying:
            renewed = await create_library(fresh, neural)
            await renewed.rewrite(Changes(staying, frozenset(), frozenset(), 0))
            await renewed.index(lambda _: None)
            for file in [folder / name for name in beside if (folder / name).exists()]:
                await asyncio.to_thread(shutil.copy2, file, fresh)
        await asyncio.to_thread(folder.rename, folder.with_name(f"{folder.name}{FORMER}"))
        await asyncio.to_thread(finish_erasing, folder)


def finish_erasing(folder: Path) -> None:
    """Do what an `erase_papers` that was interrupted left undone."""
    former, fresh = (folder.with_name(f"{folder.name}{ending}") for ending in (FORMER, FRESH))
    if former.exists():
        if fresh.exists() and not folder.exists():
            fresh.rename(folder)
        shutil.rmtree(former)


async def _refit(folder: Path, model: str = "", models: str = "") -> None:
    neural = LocalEmbedder(model, Path(models) if models else None) if model else None
    await (await open_library(folder, neural)).refit(lambda _: None)


if __name__ == "__main__":
    os.nice(10)
    asyncio.run(_refit(Path(sys.argv[1]), *sys.argv[2:]))
