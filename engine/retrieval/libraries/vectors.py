"""The vectors and words of a library's titles and abstracts, kept as plain arrays in its folder.

Each rebuild writes a new generation ``vectors-…`` and then points ``index.json`` at it, so a reader or
an interruption never sees half of one. The generation before stays for readers that have it open. Papers that are
added go behind the others in the same files, of which ``index.json`` says how much counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import RetrievalError
from engine.retrieval.embedding import Embedder, LatentSemanticAnalysis, Vectors
from engine.retrieval.libraries.appending import append_rows
from engine.retrieval.libraries.library import IndexProgress, OnIndexProgress
from engine.retrieval.libraries.word_index import VOCABULARY, WordIndex, count_words, join_words
from engine.retrieval.libraries.word_parts import WordParts, with_part
from engine.values import PaperKey

BATCH = 5_000

REFIT_GROWTH = 1.25
"""A library's own embedding is fitted again when the library has grown by a quarter since the last fit."""

APPENDED = 0.25
"""Share of a library that is added to what is there; where more is new, everything is made anew."""


@dataclass(frozen=True)
class PaperTexts:
    """What is embedded, in columns as the database gives it: row i of each is paper i."""

    keys: list[PaperKey]
    titles: list[str]
    abstracts: list[str]


@dataclass(frozen=True)
class PaperVectors:
    """Row i of ``titles`` and ``abstracts`` (shape: papers, dimensions) belongs to ``keys[i]``.

    A paper that was changed stands there again, further down; its last row counts.
    """

    keys: list[PaperKey]
    titles: Vectors
    abstracts: Vectors
    digests: NDArray[np.uint64]


class DamagedIndex(RetrievalError):
    """Files of the index are missing, or hold what was never written there; it can be made anew from the papers."""


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """Raises `DamagedIndex` for whatever a missing, cut off or overwritten file makes of reading it."""
    try:
        yield
    except (FileNotFoundError, ValueError, EOFError, KeyError, TypeError) as error:
        raise DamagedIndex(
            f"The index of the library “{folder.name}” is damaged ({type(error).__name__}). "
            f"Make it anew with: scholium ingest FILE --library {folder.name}"
        ) from error


class VectorStore:
    """Reads and rebuilds the vectors of one library folder. Runs for a while: call it in a thread.

    Each method that reads raises `DamagedIndex` where a file is not as it was written; `discard` is the way out.
    """

    def __init__(self, folder: Path, neural: Embedder | None) -> None:
        self._folder = folder
        self._neural = neural

    def embedder(self) -> Embedder | None:
        """The chosen neural embedder, else the one fitted on this library, ``None`` before the first fit."""
        if self._neural is not None:
            return self._neural
        generation = self._generation()
        if generation is None or not (generation / "lsa.json").exists():
            return None
        with _reading(self._folder):
            return LatentSemanticAnalysis.load(generation)

    def load(self) -> PaperVectors | None:
        """The current vectors, mapped from disk; ``None`` where there are none for the chosen embedder."""
        generation = self._generation()
        if generation is None or (self._neural and self._state()["embedder"] != self._neural.name):
            return None
        with _reading(self._folder):
            keys = [PaperKey(key) for key in json.loads((generation / "keys.json").read_text(encoding="utf-8"))]
            count = self._state().get("rows", len(keys))
            if count > len(keys):
                added = (generation / "keys-added.txt").read_text(encoding="utf-8").split("\n")
                keys += [PaperKey(key) for key in added[: count - len(keys)]]
            return PaperVectors(
                keys=keys,
                titles=np.load(generation / "titles.npy", mmap_mode="r", allow_pickle=False)[:count],
                abstracts=np.load(generation / "abstracts.npy", mmap_mode="r", allow_pickle=False)[:count],
                digests=np.load(generation / "digests.npy", allow_pickle=False)[:count],
            )

    def load_words(self) -> WordParts | None:
        """The current words, mapped from disk; ``None`` where the library was not indexed yet."""
        generation = self._generation()
        with _reading(self._folder):
            first = WordIndex.load(generation) if generation else None
            return WordParts((first, *self._added_words())) if first else None

    def _added_words(self) -> list[WordIndex]:
        generation, names = self._generation(), self._state().get("words", [])
        parts = [WordIndex.load(generation / name) for name in names] if generation else []
        return [part for part in parts if part is not None]

    def discard(self) -> None:
        """Forget the index: everything is made anew at the next `rebuild`."""
        (self._folder / "index.json").unlink(missing_ok=True)

    def holds(self) -> int:
        """How many papers the library had when it was last indexed."""
        generation = self._generation()
        if generation is None or (self._neural and self._state()["embedder"] != self._neural.name):
            return 0
        return int(self._state().get("papers", -1))

    def append(self, texts: PaperTexts, removed: Sequence[PaperKey], papers: int) -> bool:
        """Add new or changed papers to what is there, with the embedder that is there.

        ``removed`` are gone from the library, which now has so many ``papers``. False where that does not add up, or
        too much is new: then everything is to be made anew.
        """
        generation, embedder, before = self._generation(), self.embedder(), self.load()
        if generation is None or embedder is None or before is None or len(texts.keys) > APPENDED * papers:
            return False
        state = self._state()
        gone = ({*state.get("removed", ()), *removed}) - set(texts.keys)
        if len({*before.keys, *texts.keys} - gone) != papers or not (generation / VOCABULARY).exists():
            return False
        count = len(before.keys)
        digests = np.array([_digest(t, a) for t, a in zip(texts.titles, texts.abstracts, strict=True)], np.uint64)
        bodies = [abstract or title for title, abstract in zip(texts.titles, texts.abstracts, strict=True)]
        append_rows(generation / "titles.npy", embedder.embed(texts.titles), count)
        append_rows(generation / "abstracts.npy", embedder.embed(bodies), count)
        append_rows(generation / "digests.npy", digests, count)
        made = len(json.loads((generation / "keys.json").read_text(encoding="utf-8")))
        added = [*before.keys[made:], *texts.keys]
        (generation / "keys-added.txt").write_text("\n".join(added), encoding="utf-8")
        names = self._write_words(generation, count_words(texts.titles, texts.abstracts))
        self._point({**state, "rows": count + len(texts.keys), "papers": papers, "words": names, "removed": list(gone)})
        return True

    def _write_words(self, generation: Path, new: WordIndex) -> list[str]:
        """Keep the words of what was added; the names of all such parts."""
        names: list[str] = self._state().get("words", [])
        parts = with_part(self._added_words(), new)
        if len(parts) == 1:
            names = []
        name = f"words-{datetime.now(UTC):%Y%m%d%H%M%S%f}"
        (generation / name).mkdir()
        parts[-1].save(generation / name)
        return [*names, name]

    def grown(self) -> bool:
        """Whether the library's own embedding is to be fitted again."""
        embedder = self.embedder()
        return isinstance(embedder, LatentSemanticAnalysis) and self.holds() >= embedder.fitted_on * REFIT_GROWTH

    def add_words(self, texts: PaperTexts) -> WordParts:
        """The words of the papers as they were last indexed, for a library that an earlier version indexed."""
        vectors, generation = self.load(), self._generation()
        assert vectors is not None and generation is not None  # the caller has loaded them
        place = {key: at for at, key in enumerate(texts.keys)}
        rows = [place.get(key) for key in vectors.keys]
        titles = ["" if row is None else texts.titles[row] for row in rows]
        abstracts = ["" if row is None else texts.abstracts[row] for row in rows]
        words = count_words(titles, abstracts)
        words.save(generation)
        return WordParts((words,))

    def rebuild(self, texts: PaperTexts, on_progress: OnIndexProgress) -> None:
        """Vectors for exactly these papers; those whose text and embedder are unchanged are kept."""
        embedder, reusable = self._current_embedder(texts, on_progress)
        digests = np.array([_digest(t, a) for t, a in zip(texts.titles, texts.abstracts, strict=True)], np.uint64)
        # A paper without an abstract is found by its title.
        bodies = [abstract or title for title, abstract in zip(texts.titles, texts.abstracts, strict=True)]
        rows = {int(d): i for i, d in enumerate(reusable.digests)} if reusable else {}
        kept = np.array([rows.get(int(d), -1) for d in digests], np.int64)
        titles: list[Vectors] = []
        abstracts: list[Vectors] = []
        for start in range(0, len(kept), BATCH):
            part = slice(start, start + BATCH)
            old = reusable.titles if reusable else None
            titles.append(_embed_rows(embedder, texts.titles[part], kept[part], old))
            old = reusable.abstracts if reusable else None
            abstracts.append(_embed_rows(embedder, bodies[part], kept[part], old))
            on_progress(IndexProgress("vectors", min(start + BATCH, len(kept)), len(kept)))
        vectors = PaperVectors(texts.keys, np.concatenate(titles), np.concatenate(abstracts), digests)
        on_progress(IndexProgress("words", 0))
        self._write(vectors, self._recount_words(texts, digests), embedder)

    def _recount_words(self, texts: PaperTexts, digests: NDArray[np.uint64]) -> WordIndex:
        """The words of exactly these papers; those of papers whose text is unchanged are kept, whatever embeds them."""
        former, generation = self.load_words(), self._generation()
        if former is None or generation is None:
            return count_words(texts.titles, texts.abstracts)
        before = np.load(generation / "digests.npy", allow_pickle=False)[: len(former.lengths)]
        rows = {int(d): i for i, d in enumerate(before)}
        kept = np.array([rows.get(int(d), -1) for d in digests], np.int64)
        return count_words(texts.titles, texts.abstracts, kept, join_words(former.parts))

    def _current_embedder(
        self, texts: PaperTexts, on_progress: OnIndexProgress
    ) -> tuple[Embedder, PaperVectors | None]:
        """The embedder to use, and the former vectors where they were made by that very embedder."""
        former = self.embedder()
        if self._neural is not None:
            return self._neural, self.load()
        if isinstance(former, LatentSemanticAnalysis) and len(texts.keys) < former.fitted_on * REFIT_GROWTH:
            reusable = self.load() if self._state()["embedder"] == former.name else None
            return former, reusable
        on_progress(IndexProgress("fitting", 0))
        joined = [f"{title}. {abstract}" for title, abstract in zip(texts.titles, texts.abstracts, strict=True)]
        return LatentSemanticAnalysis.fit(joined), None

    def _write(self, vectors: PaperVectors, words: WordIndex, embedder: Embedder) -> None:
        before = self._generation()
        generation = self._folder / f"vectors-{datetime.now(UTC):%Y%m%d%H%M%S%f}"
        generation.mkdir()
        if isinstance(embedder, LatentSemanticAnalysis):
            embedder.save(generation)
        words.save(generation)
        np.save(generation / "titles.npy", vectors.titles)
        np.save(generation / "abstracts.npy", vectors.abstracts)
        np.save(generation / "digests.npy", vectors.digests)
        (generation / "keys.json").write_text(json.dumps(vectors.keys), encoding="utf-8")
        count = len(vectors.keys)
        self._point({"vectors": generation.name, "embedder": embedder.name, "rows": count, "papers": count})
        for old in self._folder.glob("vectors-*"):
            if old not in (generation, before):
                shutil.rmtree(old, ignore_errors=True)

    def _point(self, state: dict[str, Any]) -> None:
        """From now on readers take what the state says."""
        draft = self._folder / "index.json.new"
        draft.write_text(json.dumps(state), encoding="utf-8")
        os.replace(draft, self._folder / "index.json")

    def _state(self) -> dict[str, Any]:
        with _reading(self._folder):
            try:
                state: dict[str, Any] = json.loads((self._folder / "index.json").read_text(encoding="utf-8"))
            except FileNotFoundError:
                return {}
            return state

    def _generation(self) -> Path | None:
        name = self._state().get("vectors")
        return self._folder / name if name else None


def _embed_rows(embedder: Embedder, texts: Sequence[str], kept: NDArray[np.int64], old: Vectors | None) -> Vectors:
    """Vectors of the texts; where ``kept`` names a row of ``old`` (from 0), that row is taken."""
    new = np.flatnonzero(kept < 0)
    fresh = embedder.embed([texts[int(i)] for i in new])
    vectors = np.zeros((len(texts), fresh.shape[1] if old is None else old.shape[1]), np.float32)
    vectors[new] = fresh
    if old is not None:
        vectors[kept >= 0] = old[kept[kept >= 0]]
    return vectors


def _digest(title: str, abstract: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{title}\0{abstract}".encode(), digest_size=8).digest())
