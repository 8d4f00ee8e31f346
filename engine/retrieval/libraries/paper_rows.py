"""What a library in a folder knows of its papers beside words and vectors, as arrays that are quick to make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.topic_words import Scores
from engine.values import PaperKey


class PaperRows:
    """The row of each paper by its key, the last one where it stands there again, or by another of its identifiers.

    Keys are looked up by their hashes: for a million papers a dictionary takes seconds to make.
    """

    def __init__(self, keys: Sequence[PaperKey], gone: NDArray[np.bool_], others: Mapping[str, int]) -> None:
        hashes = np.fromiter(map(hash, keys), np.int64, len(keys))
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]
        self._keys = keys
        self._gone = gone
        self._others = others

    def find(self, key: str) -> int | None:
        """The row; ``None`` where no paper has that key or identifier."""
        wanted = np.int64(hash(key))
        last = int(np.searchsorted(self._hashes, wanted, side="right"))
        for at in range(last - 1, -1, -1):
            if self._hashes[at] != wanted:
                break
            row = int(self._order[at])
            if self._keys[row] == key and not self._gone[row]:
                return row
        return self._others.get(key)

    def find_all(self, keys: Iterable[str]) -> list[int]:
        """The rows of those that there are."""
        return [row for row in map(self.find, keys) if row is not None]


@dataclass(frozen=True)
class PaperFacts:
    """Row i of every array is the paper whose key stands there in the index."""

    rows: PaperRows
    years: NDArray[np.int64]
    citations: Scores
    venues: NDArray[np.int32]
    """Places in ``venue_names``, which are folded; -1 where there is none."""
    venue_names: tuple[str, ...]
    gone: NDArray[np.bool_]
    """Papers that were removed, or stand further down anew."""

    def at_venue(self, name: str) -> NDArray[np.bool_]:
        """The papers that appeared there, written in small or capital letters."""
        places = [i for i, venue in enumerate(self.venue_names) if venue == name.casefold()]
        return np.isin(self.venues, places)


def read_facts(keys: list[PaperKey], table: Any) -> PaperFacts:
    """What the table's columns key, year, citations, venue and identifiers say, in the order of the keys."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stored = table["key"].combine_chunks()
    last_first = pc.index_in(stored, value_set=pa.array(keys[::-1], stored.type))  # the last row of a key counts
    rows = len(keys) - 1 - last_first.fill_null(len(keys)).to_numpy(zero_copy_only=False).astype(np.int64)
    known = np.flatnonzero(rows >= 0)
    at = rows[known]
    years, citations = np.zeros(len(keys), np.int64), np.full(len(keys), np.nan)
    years[at] = table["year"].fill_null(0).to_numpy()[known]
    citations[at] = table["citations"].cast("float64").to_numpy()[known]  # a missing count is NaN
    named = table["venue"].combine_chunks().dictionary_encode()
    venues = np.full(len(keys), -1, np.int32)
    venues[at] = named.indices.fill_null(-1).to_numpy(zero_copy_only=False)[known]
    gone = np.ones(len(keys), bool)
    gone[at] = False
    lists = table["identifiers"].combine_chunks()
    owners, names = pc.list_parent_indices(lists), lists.flatten()
    is_other = pc.not_equal(names, stored.take(owners)).to_numpy(zero_copy_only=False)
    others: dict[str, int] = {}
    of_others = np.flatnonzero(is_other)
    for name, row in zip(names.take(pa.array(of_others)).to_pylist(), rows[owners.to_numpy()[of_others]], strict=True):
        if row >= 0:
            others.setdefault(name, int(row))
    folded = tuple((name or "").casefold() for name in named.dictionary.to_pylist())
    return PaperFacts(PaperRows(keys, gone, others), years, citations, venues, folded, gone)
