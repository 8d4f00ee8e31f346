"""The files of a library's index: arrays that grow, papers that are not searchable yet, and an index made anew.

A draft is made batch by batch, so that memory is bounded and an interruption is gone on from: a folder beside the index
that is in use, whose ``draft.json`` says how much of it counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import READING, load_array
from engine.retrieval.embedding import Embedder, LatentSemanticAnalysis, Vectors
from engine.retrieval.libraries.word_index import WordIndex, count_words, join_words
from engine.values import Paper, PaperKey


def append_rows(path: Path, rows: NDArray[Any], count: int) -> None:
    """Write rows behind the first ``count`` of an array file; the header has room for a greater number of them.

    Whoever has the file mapped, or reads it meanwhile, sees no change in the first ``count``. What an interrupted call
    left behind them is overwritten; the file never becomes shorter than its header says.
    """
    with path.open("r+b") as file:
        with READING:
            np.lib.format.read_magic(file)
            shape, _, kind = np.lib.format.read_array_header_1_0(file)
        begins = file.tell()
        row_bytes = kind.itemsize * int(np.prod(shape[1:], dtype=np.int64))
        file.seek(begins + count * row_bytes)
        file.write(np.ascontiguousarray(rows, kind).tobytes())
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        now = {"descr": kind.str, "fortran_order": False, "shape": (count + len(rows), *shape[1:])}
        np.lib.format.write_array_header_1_0(file, now)
        assert file.tell() == begins, "NumPy no longer leaves room for a greater number of rows"


class UnindexedPapers:
    """Keys of papers that were written, changed or removed since the library was last indexed.

    A key is noted before the paper is written: one noted in vain costs little, one missed would never be found.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "unindexed.txt"

    def note(self, keys: Iterable[PaperKey]) -> None:
        """Add keys; they are on the disk when this returns."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write("\n")  # ends a line that an interruption cut off
            file.writelines(f"{key}\n" for key in keys)
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> list[PaperKey]:
        """Each noted key once; a line that an interruption cut off is left out."""
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [PaperKey(key) for key in dict.fromkeys(text[: text.rfind("\n") + 1].split("\n")) if key]

    def clear(self) -> None:
        """All of them are searchable."""
        self._file.unlink(missing_ok=True)


@dataclass(frozen=True)
class PaperTexts:
    """What is embedded, in columns as the database gives it: row i of each is paper i."""

    keys: list[PaperKey]
    titles: list[str]
    abstracts: list[str]

    @property
    def bodies(self) -> list[str]:
        """The abstracts; a paper without one is found by its title."""
        return [abstract or title for title, abstract in zip(self.titles, self.abstracts, strict=True)]

    def digests(self) -> NDArray[np.uint64]:
        """A number for what each paper says."""
        return np.array([_digest(t, a) for t, a in zip(self.titles, self.abstracts, strict=True)], np.uint64)


@dataclass(frozen=True)
class PaperVectors:
    """Row i of ``titles`` and ``abstracts`` (shape: papers, dimensions) belongs to ``keys[i]``.

    A paper that was changed stands there again, further down; its last row counts.
    """

    keys: list[PaperKey]
    titles: Vectors
    abstracts: Vectors
    digests: NDArray[np.uint64]


class IndexDraft:
    """The next index of a library. Runs for a while: call it in a thread, and by one process at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._keys: list[PaperKey] = []
        self._state: dict[str, Any] = {}
        try:
            self._state = json.loads((folder / "draft.json").read_text(encoding="utf-8"))
            self._keys = json.loads((folder / "keys.json").read_text(encoding="utf-8"))[: self._state["rows"]]
            self._digests = load_array(folder / "digests.npy")[: self._state["rows"]]
        except (OSError, ValueError, KeyError, EOFError):  # none was begun, or it is damaged
            self._state, self._keys = {}, []

    def load_fitted(self) -> LatentSemanticAnalysis | None:
        """The embedding that was fitted for it."""
        if not self._state or not (self.folder / "lsa.json").exists():
            return None
        return LatentSemanticAnalysis.load(self.folder)

    def begin(self, embedder: Embedder) -> None:
        """Go on where it was begun with this embedder; else begin it."""
        fitted_on = embedder.fitted_on if isinstance(embedder, LatentSemanticAnalysis) else 0
        begun = {"embedder": embedder.name, "fitted_on": fitted_on}
        if self._state and begun.items() <= self._state.items():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if isinstance(embedder, LatentSemanticAnalysis):
            embedder.save(self.folder)
        self._keys, self._state = [], {**begun, "rows": 0, "parts": [], "at": 0}
        self._digests = np.zeros(0, np.uint64)
        np.save(self.folder / "digests.npy", self._digests)
        self._note()

    def skip(self, texts: PaperTexts) -> bool:
        """Whether the papers that come next are there already."""
        at = self._state["at"]
        part = slice(at, at + len(texts.keys))
        if self._keys[part] != texts.keys or not np.array_equal(self._digests[part], texts.digests()):
            return False
        self._state["at"] = part.stop
        return True

    def add(self, texts: PaperTexts, embedder: Embedder, former: FormerVectors | None) -> None:
        """Add the papers that come next; vectors that the former index has of the same texts are taken from there."""
        at, digests = self._state["at"], texts.digests()
        kept = former.find(digests) if former else np.full(len(digests), -1)
        titles = _embed_rows(embedder, texts.titles, kept, former.vectors.titles if former else None)
        abstracts = _embed_rows(embedder, texts.bodies, kept, former.vectors.abstracts if former else None)
        for name, rows in (("titles", titles), ("abstracts", abstracts)):
            if at == 0:
                np.save(self.folder / f"{name}.npy", rows[:0])
            append_rows(self.folder / f"{name}.npy", rows, at)
        append_rows(self.folder / "digests.npy", digests, at)
        parts = [part for part in self._state["parts"] if part[1] <= at]
        name = f"words-{at}"
        (self.folder / name).mkdir(exist_ok=True)
        count_words(texts.titles, texts.abstracts).save(self.folder / name)
        self._keys = [*self._keys[:at], *texts.keys]
        self._digests = np.concatenate([self._digests[:at], digests])
        replace_text(self.folder / "keys.json", json.dumps(self._keys))
        end = at + len(texts.keys)
        self._state |= {"rows": end, "at": end, "parts": [*parts, [name, end]]}
        self._note()

    def finish(self) -> dict[str, Any]:
        """Join the words; what `index.json` is to say of it, but for its name."""
        at = self._state["at"]
        parts = [WordIndex.load(self.folder / name) for name, end in self._state["parts"] if end <= at]
        join_words(parts).save(self.folder)
        replace_text(self.folder / "keys.json", json.dumps(self._keys[:at]))
        for name, _ in self._state["parts"]:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / "draft.json").unlink()
        return {"embedder": self._state["embedder"], "rows": at, "papers": at}

    def _note(self) -> None:
        replace_text(self.folder / "draft.json", json.dumps({**self._state, "at": 0}))


def replace_text(file: Path, text: str) -> None:
    """Write a file so that nobody ever reads a part of it; one process at a time may."""
    draft = file.with_name(f"{file.name}.new")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, file)


class FormerVectors:
    """Vectors of an index that the same embedder made, by what the papers say."""

    def __init__(self, vectors: PaperVectors) -> None:
        self.vectors = vectors
        self._order = np.argsort(vectors.digests, kind="stable")
        self._sorted = vectors.digests[self._order]

    def find(self, digests: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The row of each, -1 where there is none."""
        if not len(self._sorted):
            return np.full(len(digests), -1)
        at = np.minimum(np.searchsorted(self._sorted, digests), len(self._sorted) - 1)
        return np.where(self._sorted[at] == digests, self._order[at], -1)

    def embed(self, papers: Sequence[Paper], embedder: Embedder) -> Vectors:
        """Row i: the vector of what paper i says; one that stands here is taken from here."""
        texts = PaperTexts([p.key for p in papers], [p.title for p in papers], [p.content for p in papers])
        return _embed_rows(embedder, texts.bodies, self.find(texts.digests()), self.vectors.abstracts)


def _embed_rows(embedder: Embedder, texts: Sequence[str], kept: NDArray[np.int64], old: Vectors | None) -> Vectors:
    """Vectors of the texts; where ``kept`` names a row of ``old`` (from 0), that row is taken."""
    new = np.flatnonzero(kept < 0)
    fresh = embedder.embed([texts[int(i)] for i in new])
    if old is None:
        return fresh
    vectors = np.zeros((len(texts), old.shape[1]), np.float32)
    vectors[new] = fresh
    vectors[kept >= 0] = old[kept[kept >= 0]]
    return vectors


def _digest(title: str, abstract: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{title}\0{abstract}".encode(), digest_size=8).digest())
