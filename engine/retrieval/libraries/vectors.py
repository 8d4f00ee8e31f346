"""The vectors and words of a library's titles and abstracts, kept as plain arrays in its folder.

Each rebuild makes a draft, which becomes a new generation ``vectors-…`` when it is whole; then ``index.json`` points
at it, so a reader or an interruption never sees half of one. The generation before stays for readers that have it
open. Papers that are added go behind the others in the same files, of which ``index.json`` says how much counts.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.arrays import load_array
from engine.errors import RetrievalError
from engine.retrieval.embedding import Embedder, LatentSemanticAnalysis
from engine.retrieval.libraries.index_files import (
    FormerVectors,
    IndexDraft,
    PaperTexts,
    PaperVectors,
    append_rows,
    replace_text,
)
from engine.retrieval.libraries.word_index import WordIndex, WordParts, count_words, with_part
from engine.values import PaperKey

REFIT_GROWTH = 1.25
"""A library's own embedding is fitted again when the library has grown by a quarter since the last fit."""

APPENDED = 0.25
"""Share of a library that is added to what is there; where more is new, everything is made anew."""


@dataclass(frozen=True)
class IndexMark:
    """A state of the index: which one it was, and how many rows of it counted."""

    generation: str
    rows: int


@dataclass(frozen=True)
class StoredIndex:
    """All that is searched by, of one state of the index."""

    vectors: PaperVectors
    words: WordParts
    embedder: Embedder


class DamagedIndex(RetrievalError):
    """Files of the index are missing, or hold what was never written there; it can be made anew from the papers."""


@contextmanager
def _report_damage(folder: Path) -> Iterator[None]:
    """Raises `DamagedIndex` for whatever a missing, cut off or overwritten file makes of reading it."""
    try:
        yield
    except (FileNotFoundError, ValueError, EOFError, KeyError, TypeError) as error:
        raise DamagedIndex(
            f"The index of the library “{folder.name}” is damaged ({type(error).__name__}). "
            f"Make it anew with: scholium ingest FILE --library {folder.name}"
        ) from error


class VectorStore:
    """Reads and replaces the vectors of one library folder. Runs for a while: call it in a thread.

    Each method that reads raises `DamagedIndex` where a file is not as it was written; `discard` is the way out.
    """

    def __init__(self, folder: Path, neural: Embedder | None) -> None:
        self._folder = folder
        self._neural = neural

    def embedder(self) -> Embedder | None:
        """What made the vectors that are there; ``None`` where there are none that can be searched by.

        That is the one fitted on this library, or the chosen neural one; not a neural one that was chosen before.
        """
        return self._load_embedder(self._state())

    def _load_embedder(self, state: Mapping[str, Any]) -> Embedder | None:
        if not self._can_be_searched(state):
            return None
        if self._is_by_chosen(state):
            return self._neural
        with _report_damage(self._folder):
            return LatentSemanticAnalysis.load(self._folder / state["vectors"])

    def _is_by_chosen(self, state: Mapping[str, Any]) -> bool:
        """Whether the chosen neural embedder made the vectors."""
        return self._neural is not None and state.get("embedder") == self._neural.name

    def _can_be_searched(self, state: Mapping[str, Any]) -> bool:
        """Whether there are vectors, and what made them can embed a query."""
        if not state.get("vectors"):
            return False
        return self._is_by_chosen(state) or (self._folder / state["vectors"] / "lsa.json").exists()

    def read(self) -> StoredIndex | None:
        """The index as it is now, mapped from disk; ``None`` where there is none that can be searched by."""
        return self._read(self._state())

    def _read(self, state: Mapping[str, Any]) -> StoredIndex | None:
        embedder = self._load_embedder(state)
        if embedder is None:
            return None
        generation = self._folder / state["vectors"]
        with _report_damage(self._folder):
            keys = [PaperKey(key) for key in json.loads((generation / "keys.json").read_text(encoding="utf-8"))]
            count = state["rows"]
            if count > len(keys):
                raise ValueError("fewer keys than rows, as an earlier version left them")
            vectors = PaperVectors(
                keys=keys[:count],
                titles=load_array(generation / "titles.npy", mapped=True)[:count],
                abstracts=load_array(generation / "abstracts.npy", mapped=True)[:count],
                digests=load_array(generation / "digests.npy")[:count],
            )
            added = (WordIndex.load(generation / name) for name in state.get("words", ()))
            return StoredIndex(vectors, WordParts((WordIndex.load(generation), *added)), embedder)

    def version(self) -> object:
        """Something that is another one whenever the index has changed."""
        try:
            found = (self._folder / "index.json").stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def discard(self) -> None:
        """Forget the index: everything is made anew at the next `index`."""
        (self._folder / "index.json").unlink(missing_ok=True)

    def holds(self) -> int:
        """How many papers the library had when it was last indexed for searches."""
        state = self._state()
        return int(state["papers"]) if self._can_be_searched(state) else 0

    def append(self, texts: PaperTexts, removed: Sequence[PaperKey], papers: int) -> bool:
        """Add new or changed papers to what is there, with the embedder that is there.

        ``removed`` are gone from the library, which now has so many ``papers``. False where that does not add up, or
        too much is new: then everything is to be made anew.
        """
        state = self._state()
        index = self._read(state)
        if index is None or len(texts.keys) > APPENDED * papers:
            return False
        embedder, before = index.embedder, index.vectors.keys
        generation, count = self._folder / state["vectors"], len(before)
        gone = ({*state.get("removed", ()), *removed}) - set(texts.keys)
        if len({*before, *texts.keys} - gone) != papers:
            return False
        append_rows(generation / "titles.npy", embedder.embed(texts.titles), count)
        append_rows(generation / "abstracts.npy", embedder.embed(texts.bodies), count)
        append_rows(generation / "digests.npy", texts.digests(), count)
        replace_text(generation / "keys.json", json.dumps([*before, *texts.keys]))
        names = _write_words(generation, state, index.words, count_words(texts.titles, texts.abstracts))
        self._point({**state, "rows": count + len(texts.keys), "papers": papers, "words": names, "removed": list(gone)})
        return True

    def is_outgrown(self) -> bool:
        """Whether another embedding is due: the library has outgrown its own, or a neural embedder was chosen since."""
        embedder = self.embedder()
        if self._neural is not None:
            return embedder is not None and not self._is_by_chosen(self._state())
        return isinstance(embedder, LatentSemanticAnalysis) and self.holds() >= embedder.fitted_on * REFIT_GROWTH

    def choose_embedder(self, papers: int) -> Embedder | None:
        """What is to embed so many papers; ``None`` where an embedding is to be fitted on them first."""
        if self._neural is not None:
            return self._neural
        for fitted in (self.embedder(), self.draft().load_fitted()):
            if isinstance(fitted, LatentSemanticAnalysis) and papers < fitted.fitted_on * REFIT_GROWTH:
                return fitted
        return None

    def draft(self) -> IndexDraft:
        """The next index, as far as it was made."""
        return IndexDraft(self._folder / "draft")

    def former(self, embedder: Embedder) -> FormerVectors | None:
        """The vectors that are there, where this very embedder made them."""
        state, current = self._state(), self.embedder()
        is_same = current is not None and current.name == embedder.name
        if isinstance(embedder, LatentSemanticAnalysis):
            is_same = isinstance(current, LatentSemanticAnalysis) and current.same_as(embedder)
        index = self._read(state) if is_same and state.get("embedder") == embedder.name else None
        return FormerVectors(index.vectors) if index else None

    def list_indexed_since(self, mark: IndexMark) -> list[PaperKey] | None:
        """The papers that were added, changed or removed since; ``None`` where all was made anew since."""
        state = self._state()
        now = self._read(state)
        if now is None or state["vectors"] != mark.generation:
            return None
        return [*now.vectors.keys[mark.rows :], *(PaperKey(key) for key in state.get("removed", ()))]

    def mark(self) -> IndexMark:
        """What the index holds now."""
        state = self._state()
        return IndexMark(state.get("vectors", ""), state.get("rows", 0))

    def adopt(self, draft: IndexDraft) -> None:
        """Put a whole draft in place of the index."""
        before, state = self._state().get("vectors"), draft.finish()
        generation = self._folder / f"vectors-{datetime.now(UTC):%Y%m%d%H%M%S%f}"
        draft.folder.rename(generation)
        self._point({"vectors": generation.name, **state})
        for old in self._folder.glob("vectors-*"):
            if old.name not in (generation.name, before):
                shutil.rmtree(old, ignore_errors=True)

    def _point(self, state: dict[str, Any]) -> None:
        """From now on readers take what the state says."""
        replace_text(self._folder / "index.json", json.dumps(state))

    def _state(self) -> dict[str, Any]:
        with _report_damage(self._folder):
            try:
                state: dict[str, Any] = json.loads((self._folder / "index.json").read_text(encoding="utf-8"))
            except FileNotFoundError:
                return {}
            return state


def _write_words(generation: Path, state: Mapping[str, Any], before: WordParts, new: WordIndex) -> list[str]:
    """Keep the words of what was added; the names of all such parts."""
    parts = with_part(before.parts[1:], new)
    names = [] if len(parts) == 1 else state.get("words", [])
    name = f"words-{datetime.now(UTC):%Y%m%d%H%M%S%f}"
    (generation / name).mkdir()
    parts[-1].save(generation / name)
    return [*names, name]
