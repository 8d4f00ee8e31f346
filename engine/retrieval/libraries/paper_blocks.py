"""Which papers of a folder may be one: an index from blocking keys to papers, so that adding a few reads a few.

It is derived from the table of papers. A paper is entered before it is written, so the index never lacks one; where
the number of papers is not the one it was left with, or its keys are an earlier version's, it is made anew.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.retrieval.libraries.adding import StoredPaper
from engine.retrieval.merging.same_paper import BLOCKING_VERSION, MOST_IN_BLOCK, list_blocking_keys
from engine.values import Paper, PaperKey

CACHE_KB = 2**17
"""Blocks come in no order, so that a batch changes most pages of the file: they are kept until they are written."""


class PaperBlocks:
    """An open index; use it in one thread at a time, and by who holds the library's lock."""

    def __init__(self, file: Path) -> None:
        """Open the index of a library, or begin an empty one."""
        self._file = file
        try:
            self._database = self._open()
        except sqlite3.DatabaseError:  # damaged: it can be made anew
            file.unlink()
            self._database = self._open()

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._file, check_same_thread=False)
        database.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        database.execute("CREATE TABLE IF NOT EXISTS papers (count INTEGER)")
        database.execute(
            "CREATE TABLE IF NOT EXISTS blocks (block INTEGER, key TEXT, PRIMARY KEY (block, key)) WITHOUT ROWID"
        )
        return database

    def count(self) -> int:
        """How many papers the library had when the index was left; -1 where it was never whole, or has other keys."""
        if self._database.execute("PRAGMA user_version").fetchone() != (BLOCKING_VERSION,):
            return -1
        row = self._database.execute("SELECT count FROM papers").fetchone()
        return int(row[0]) if row else -1

    def clear(self) -> None:
        """Forget all papers."""
        with self._database:
            self._database.execute("DELETE FROM blocks")
            self._database.execute("DELETE FROM papers")

    def enter(self, papers: Iterable[StoredPaper], *, lasting: bool = True) -> None:
        """Take papers in; what is not ``lasting`` is lost unless `settle` follows, and quicker to write."""
        rows = (
            (_number(block), stored.paper.key)
            for stored in papers
            for record in (stored.paper, *stored.records)
            for block in list_blocking_keys(record)
        )
        self._database.executemany("INSERT OR IGNORE INTO blocks VALUES (?, ?)", rows)
        if lasting:
            self._database.commit()

    def near(self, batch: Sequence[Paper]) -> list[PaperKey]:
        """The papers that may be one of these."""
        found: dict[PaperKey, None] = {}
        for block in dict.fromkeys(block for paper in batch for block in list_blocking_keys(paper)):
            query = "SELECT key FROM blocks WHERE block = ? LIMIT ?"
            keys = self._database.execute(query, (_number(block), MOST_IN_BLOCK + 1)).fetchall()
            if len(keys) <= MOST_IN_BLOCK:
                found.update(dict.fromkeys(PaperKey(key) for (key,) in keys))
        return list(found)

    def settle(self, count: int) -> None:
        """The library has so many papers, all of which were entered."""
        with self._database:
            self._database.execute("DELETE FROM papers")
            self._database.execute("INSERT INTO papers VALUES (?)", (count,))
            self._database.execute(f"PRAGMA user_version = {BLOCKING_VERSION}")

    def close(self) -> None:
        """Close the index; where something was written meanwhile it will be made anew."""
        self._database.close()


def _number(block: str) -> int:
    """A blocking key in eight bytes; two that fall together only make one more comparison."""
    return int.from_bytes(hashlib.blake2b(block.encode(), digest_size=8).digest(), signed=True)
