"""What adding papers to a library changes, what undoing a merge does, and which papers of a folder may be one."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from engine.errors import RecordError, UserError
from engine.retrieval.libraries.library import AddReport
from engine.retrieval.merging.merged_papers import MergedPapers, merge_records
from engine.retrieval.merging.same_paper import BLOCKING_VERSION, MOST_IN_BLOCK, list_blocking_keys
from engine.values import Paper, PaperKey


@dataclass(frozen=True, slots=True)
class StoredPaper:
    """A paper with the records it was merged from, the first one's key being its own; none where it was one record."""

    paper: Paper
    records: tuple[Paper, ...] = ()


StoredPapers: TypeAlias = AsyncIterator[StoredPaper]


@dataclass(frozen=True, slots=True)
class Changes:
    """Papers to be written and keys to be removed, which of those written are new, and how many changed nothing."""

    write: dict[PaperKey, StoredPaper]
    remove: frozenset[PaperKey]
    fresh: frozenset[PaperKey]
    unchanged: int

    def report(self, given: int, rejected: Sequence[RecordError] = ()) -> AddReport:
        """What became of the ``given`` papers; those that are neither new nor unchanged completed one."""
        updated = given - self.unchanged - len(self.fresh)
        return AddReport(len(self.fresh) - len(rejected), updated, self.unchanged, tuple(rejected))


FIELDS = [field.name for field in fields(Paper) if field.name not in {"body", "kinds"}]
"""What a store keeps of a paper; beside them, as ``records``, the records that it was merged from."""
LISTS = ("authors", "identifiers", "apart", "origins")
_RECORDS = TypeAdapter(tuple[Paper, ...])


def to_columns(stored: StoredPaper) -> dict[str, Any]:
    """A paper as a database takes it: lists for tuples, ``field=source`` for its origins, its records as JSON."""
    values = {name: getattr(stored.paper, name) for name in FIELDS}
    records = _RECORDS.dump_json(stored.records).decode() if stored.records else ""
    origins = [f"{field}={source}" for field, source in stored.paper.origins]
    return {**values, **{name: list(values[name]) for name in LISTS}, "origins": origins, "records": records}


def read_paper(values: Mapping[str, Any]) -> Paper:
    """The paper of what `to_columns` gave; a field that is missing or empty there has its default."""
    known = {name: values[name] for name in FIELDS if values.get(name) is not None}
    known |= {name: tuple(known.get(name, ())) for name in LISTS}
    known["origins"] = tuple((f, source) for o in known["origins"] for f, _, source in [o.partition("=")])
    return Paper(**known)


def read_stored(values: Mapping[str, Any]) -> StoredPaper:
    """The same with the records it was merged from."""
    return StoredPaper(read_paper(values), _RECORDS.validate_json(values.get("records") or "[]"))


def plan_changes(batch: Sequence[Paper], stored: Iterable[StoredPaper]) -> Changes:
    """What the batch changes; ``stored`` holds every paper that has a blocking key in common with one of the batch."""
    known, before = MergedPapers(), {item.paper.key: item for item in stored}
    for item in before.values():
        known.enter(item.paper, item.records)
    for paper in batch:
        known.add(paper)
    after = {key: StoredPaper(paper, known.records[key]) for key, paper in known.papers.items()}
    write = {key: item for key, item in after.items() if before.get(key) != item}
    removed, fresh = before.keys() - after.keys(), after.keys() - before.keys()
    return Changes(write, frozenset(removed), frozenset(fresh), known.unchanged)


def split_merge(stored: StoredPaper, number: int | None) -> list[Paper]:
    """Record ``number`` (from 1), or each, as a paper apart for good. Raises `UserError` where there is none such."""
    records = stored.records
    if not records:
        raise UserError(f"“{stored.paper.title}” was made from one record; there is no merge to undo.")
    if number is not None and not 1 <= number <= len(records):
        raise UserError(f"“{stored.paper.title}” has {len(records)} records; name one of 1 to {len(records)}.")
    taken = records if number is None else records[number - 1 : number]
    groups = [[record] for record in taken]
    if number is not None:
        groups.append([*records[: number - 1], *records[number:]])
    groups.sort(key=lambda group: records[0] not in group)  # the first record's paper keeps the key
    known = MergedPapers()
    parts = [known.enter_apart(reduce(merge_records, group)) for group in groups]
    others = {part.key: [other.key for other in parts if other is not part] for part in parts}
    return [replace(p, apart=tuple(dict.fromkeys((*stored.paper.apart, *others[p.key])))) for p in parts]


CACHE_KB = 2**17
"""Blocks come in no order, so that a batch changes most pages of the file: they are kept until they are written."""


class PaperBlocks:
    """An open index of papers by their blocking keys; use it in one thread at a time, holding the library's lock."""

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
        database.execute(
            "CREATE TABLE IF NOT EXISTS blocks (block INTEGER, key TEXT, PRIMARY KEY (block, key)) WITHOUT ROWID"
        )
        return database

    def version(self) -> int:
        """The version of the table up to which papers were entered; -1 where it was never whole or has other keys."""
        is_current = self._database.execute("PRAGMA application_id").fetchone() == (BLOCKING_VERSION,)
        return int(self._database.execute("PRAGMA user_version").fetchone()[0]) - 1 if is_current else -1

    def enter(self, papers: Iterable[StoredPaper]) -> None:
        """Take papers in."""
        rows = (
            (_number(block), stored.paper.key)
            for stored in papers
            for record in (stored.paper, *stored.records)
            for block in list_blocking_keys(record)
        )
        with self._database:
            self._database.executemany("INSERT OR IGNORE INTO blocks VALUES (?, ?)", rows)

    def near(self, batch: Sequence[Paper]) -> list[PaperKey]:
        """The papers that may be one of these."""
        found: dict[PaperKey, None] = {}
        for block in dict.fromkeys(block for paper in batch for block in list_blocking_keys(paper)):
            query = "SELECT key FROM blocks WHERE block = ? LIMIT ?"
            keys = self._database.execute(query, (_number(block), MOST_IN_BLOCK + 1)).fetchall()
            if len(keys) <= MOST_IN_BLOCK:
                found.update(dict.fromkeys(PaperKey(key) for (key,) in keys))
        return list(found)

    def settle(self, version: int) -> None:
        """All papers that the table has in this version were entered."""
        self._database.execute(f"PRAGMA application_id = {BLOCKING_VERSION}")
        self._database.execute(f"PRAGMA user_version = {version + 1}")

    def close(self) -> None:
        """Close the index; what was written and not settled is entered again."""
        self._database.close()


def _number(block: str) -> int:
    """A blocking key in eight bytes; two that fall together only make one more comparison."""
    return int.from_bytes(hashlib.blake2b(block.encode(), digest_size=8).digest(), signed=True)
