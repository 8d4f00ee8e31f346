"""The papers of a library in a folder, in a table of LanceDB."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import sys
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

from pydantic import BaseModel, ConfigDict

from engine.errors import RetrievalError, UserError
from engine.retrieval.libraries.adding import (
    FIELDS,
    LISTS,
    PaperBlocks,
    StoredPaper,
    read_paper,
    read_stored,
    to_columns,
)
from engine.retrieval.libraries.library import in_batches
from engine.values import Paper, PaperKey

CLIENT = "lance_namespace_urllib3_client"
"""The client of LanceDB's service; of it a folder on this machine needs the ``models`` only."""


def import_lancedb() -> Any:
    """LanceDB without the clients of its service, whose validation takes most of the time of its import."""
    if CLIENT not in sys.modules and (spec := find_spec(CLIENT)) is not None:
        sys.modules[CLIENT] = module_from_spec(spec)  # not executed: it would import every client
        built_at_once = BaseModel.model_config
        BaseModel.model_config = ConfigDict(defer_build=True)  # the models' validators too are built when used
        try:
            import_module(f"{CLIENT}.models")
        finally:
            BaseModel.model_config = built_at_once
    import lancedb

    return lancedb


TEXTS = ["key", "title", "abstract", "summary"]
COLUMNS = [*FIELDS, "records"]
READ_TOGETHER = 5_000


class PaperTable:
    """The papers of one library. Every method raises `RetrievalError`, or `UserError` for a full disk."""

    def __init__(self, name: str, table: Any) -> None:
        self._name = name
        self._table = table

    async def papers(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that there are with these keys."""
        return {row["key"]: read_paper(row) for row in await self._values(keys, FIELDS)}

    async def read_stored(self, keys: Sequence[PaperKey]) -> list[StoredPaper]:
        """The same with the records they were merged from."""
        return [read_stored(row) for row in await self._values(keys, COLUMNS)]

    async def one(self, key: PaperKey) -> StoredPaper:
        """The paper with this key. Raises `UserError` where there is none."""
        for stored in await self.read_stored([key]):
            return stored
        raise UserError(f"The library “{self._name}” has no paper {key}.")

    async def _values(self, keys: Sequence[PaperKey], columns: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for start in range(0, len(keys), 1_000):
            with translate_failures(self._name):
                found += await self._table.query().where(key_in(keys[start : start + 1_000])).select(columns).to_list()
        return found

    async def read_texts(self, size: int, since: int = -1) -> AsyncIterator[list[Paper]]:
        """Key and texts of all papers, or of those written after a version; only the last part is smaller."""
        async for rows in in_batches(self.read(TEXTS, since), size):
            yield list(map(read_paper, rows))

    async def read(self, columns: Sequence[str], since: int = -1) -> AsyncIterator[dict[str, Any]]:
        """The same papers as rows."""
        query = self._table.query().select(list(columns))
        if since >= 0:
            query = query.where(f"written > {since}")
        with translate_failures(self._name):
            async for batch in await query.to_batches(max_batch_length=READ_TOGETHER):
                for row in batch.to_pylist():
                    yield row

    async def take(self, rows: Sequence[int], columns: Sequence[str]) -> list[Paper]:
        """The papers at these places of the table, those that it has, with what stands in these columns."""
        with translate_failures(self._name):
            count = await self.count()
            taken = self._table.take_offsets([row for row in rows if row < count]).select(list(columns))
            return list(map(read_paper, (await taken.to_arrow()).to_pylist()))

    async def count(self, since: int = -1) -> int:
        """Number of papers, or of those written after a version."""
        with translate_failures(self._name):
            return int(await self._table.count_rows(None if since < 0 else f"written > {since}"))

    async def version(self) -> int:
        """A number that rises with every change."""
        with translate_failures(self._name):
            return int(await self._table.version())

    async def tidy(self) -> None:
        """Let the table be read quickly again; it costs as much as the table is large."""
        with translate_failures(self._name):
            if await self._table.list_indices():
                await self._table.optimize()
            else:
                from lancedb.index import BTree

                await self._table.create_index("key", config=BTree())

    async def fill(self, blocks: PaperBlocks) -> None:
        """Enter the papers that an index lacks, which were written since it was settled."""
        columns = ["key", "title", "authors", "identifiers", "records"]  # what `list_blocking_keys` looks at
        with translate_failures(self._name):
            async for rows in in_batches(self.read(columns, blocks.version()), READ_TOGETHER):
                await asyncio.to_thread(blocks.enter, list(map(read_stored, rows)))

    async def write(self, papers: Collection[StoredPaper], remove: Collection[PaperKey] = ()) -> None:
        """Write papers in place of those that have their keys; remove others."""
        import pyarrow as pa

        with translate_failures(self._name):
            if papers:
                written = await self.version() + 1
                columns = [{**to_columns(paper), "written": written} for paper in papers]
                rows = pa.Table.from_pylist(columns, schema=schema())
                merge = self._table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
                await merge.execute(rows)
            if remove:
                await self._table.delete(key_in(list(remove)))


def key_in(keys: Sequence[PaperKey]) -> str:
    """The condition that takes the papers with these keys."""
    # A key holds no quote: see paper_keys.paper_key.
    return "key IN ({})".format(", ".join(f"'{key}'" for key in keys) or "''")


@cache
def schema() -> Any:
    """The table's columns and their types."""
    import pyarrow as pa  # with LanceDB it takes seconds to load; only who opens a library waits for that

    types = {"year": pa.int32(), "citations": pa.int64(), "retracted": pa.bool_(), "written": pa.int64()}
    types |= dict.fromkeys(LISTS, pa.list_(pa.string()))
    return pa.schema([(name, types.get(name, pa.string())) for name in (*COLUMNS, "written")])


@contextmanager
def translate_failures(name: str) -> Iterator[None]:
    """LanceDB's and the file system's failures as ours, with what to do about them."""
    try:
        yield
    except (OSError, RuntimeError, ValueError, sqlite3.Error) as error:
        detail = str(error)
        if "No space left" in detail or "StorageFull" in detail or "os error 28" in detail or "disk is full" in detail:
            raise UserError(
                f"The disk is full; the library “{name}” is as it was before the last batch. "
                "Free some space and repeat the command; nothing will be doubled."
            ) from error
        why = (
            error.strerror if isinstance(error, OSError) and error.strerror else _PLACE.sub("…", detail.splitlines()[0])
        )
        raise RetrievalError(
            f"The library “{name}” could not be used: {why[:300]}. If it stays so, move its folder away and ingest its "
            "files again."
        ) from error


_PLACE = re.compile(r"\S*[/\\]\S*")
"""A path of this machine, or of whoever compiled LanceDB: neither belongs into a chat."""
