"""The vectors and words of a library's titles and abstracts, kept as plain arrays in its folder.

A draft, made part by part, becomes a new generation ``vectors-…`` to which ``index.json`` then points, so that nobody
sees half of one; the generation before stays for its readers. Papers that are added are further parts.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from engine.arrays import load_array
from engine.errors import RetrievalError
from engine.retrieval.embedding import LSA_NAME, Embedder, LatentSemanticAnalysis, Vectors, embed_both
from engine.retrieval.libraries.word_index import WordIndex, count_words, join_words
from engine.values import Paper, PaperKey

REFIT_GROWTH = 1.25
"""A library's own embedding is fitted again when the library has grown by a quarter since the last fit."""

APPENDED = 0.25
"""Share of a library that is added to an embedding fitted on the rest; where more is new, everything is made anew."""

MOST_PARTS = 12
"""Parts of an index; where there would be more, what was added is joined."""


@dataclass(frozen=True)
class IndexPart:
    """What papers are searched by: row i of every array (vectors: papers, dimensions) is paper ``keys[i]``."""

    keys: list[PaperKey]
    titles: Vectors
    abstracts: Vectors
    words: WordIndex

    def save(self, folder: Path) -> None:
        """Write plain arrays and lists; ``keys.json`` last, so that a part that has it is whole."""
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "titles.npy", self.titles)
        np.save(folder / "abstracts.npy", self.abstracts)
        self.words.save(folder)
        replace_text(folder / "keys.json", json.dumps(self.keys))

    @classmethod
    def load(cls, folder: Path) -> IndexPart:
        """What `save` wrote, mapped from disk."""
        return cls(
            json.loads((folder / "keys.json").read_text(encoding="utf-8")),
            load_array(folder / "titles.npy", mapped=True),
            load_array(folder / "abstracts.npy", mapped=True),
            WordIndex.load(folder),
        )


def make_part(folder: Path, papers: Sequence[Paper], embedder: Embedder) -> str:
    """The name of a part in the folder with these papers, made where an interrupted call has not made it before."""
    keys, titles, texts = [p.key for p in papers], [p.title for p in papers], [p.content for p in papers]
    said = json.dumps([embedder.name, keys, titles, texts])
    name = f"part-{hashlib.blake2b(said.encode(), digest_size=8).hexdigest()}"
    if not (folder / name / "keys.json").exists():
        IndexPart(keys, *embed_both(embedder, papers), count_words(titles, texts)).save(folder / name)
    return name


def join_parts(parts: Sequence[IndexPart]) -> IndexPart:
    """One part with the papers of all, in their order; a single one stays where it is mapped."""
    if len(parts) == 1:
        return parts[0]
    return IndexPart(
        [key for part in parts for key in part.keys],
        np.concatenate([part.titles for part in parts]),
        np.concatenate([part.abstracts for part in parts]),
        join_words([part.words for part in parts]),
    )


def replace_text(file: Path, text: str) -> None:
    """Write a file so that nobody ever reads a part of it; one process at a time may."""
    draft = file.with_name(f"{file.name}.new")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, file)


class DamagedIndex(RetrievalError):
    """Files of the index are missing, or hold what was never written there; it can be made anew from the papers."""


class VectorStore:
    """Reads and replaces a folder's vectors, in a thread; raises `DamagedIndex` where a file is not as written."""

    def __init__(self, folder: Path, neural: Embedder | None) -> None:
        self._folder = folder
        self._neural = neural
        self.draft = folder / "draft"

    def embedder(self) -> Embedder | None:
        """What made the vectors that are there; ``None`` where they cannot be searched by any more."""
        return self._embedder_of(self._state())

    def _embedder_of(self, state: Mapping[str, Any]) -> Embedder | None:
        if self._neural is not None and state.get("embedder") == self._neural.name:
            return self._neural
        return self._load_fitted(self._folder / state["parts"][0]) if state.get("embedder") == LSA_NAME else None

    def read(self) -> tuple[IndexPart, Embedder] | None:
        """All parts as they are now, as one; ``None`` where there are none that can be searched by."""
        state = self._state()
        embedder = self._embedder_of(state)
        return (self._join(self._folder, state["parts"]), embedder) if embedder else None

    def version(self) -> bytes | None:
        """Something that is another one whenever the index has changed; ``None`` where there is none."""
        with suppress(FileNotFoundError):
            return (self._folder / "index.json").read_bytes()
        return None

    def discard(self) -> None:
        """Forget the index and its draft: everything is made anew at the next `index`."""
        (self._folder / "index.json").unlink(missing_ok=True)
        shutil.rmtree(self.draft, ignore_errors=True)

    def indexed_version(self) -> int:
        """The version of the table of papers up to which it is searchable; -1 where it is not at all."""
        state = self._state()
        usable = {LSA_NAME, self._neural.name if self._neural else LSA_NAME}
        return int(state["version"]) if state.get("embedder") in usable else -1

    def may_append(self, new: int, papers: int) -> bool:
        """Whether so many new or changed papers of a library are to be added to what is there."""
        embedder = self.embedder()
        is_fitted = isinstance(embedder, LatentSemanticAnalysis)
        return embedder is not None and not (is_fitted and new > APPENDED * papers)

    def append(self, papers: Sequence[Paper]) -> None:
        """Add new or changed papers, with the embedder that is there."""
        state, embedder = self._state(), self.embedder()
        assert embedder is not None, "`may_append` was asked"
        (base, *added), folder = state["parts"], self._folder / state["parts"][0]
        name = f"{base}/{make_part(folder, papers, embedder)}"
        added = [*(part for part in added if part != name), name]  # of two versions of a paper the later part counts
        if len(added) >= MOST_PARTS:
            joined = self._join(self._folder, added)
            added = [f"{base}/joined-{datetime.now(UTC):%Y%m%d%H%M%S%f}"]
            joined.save(self._folder / added[0])
        self._point({**state, "parts": [base, *added]})

    def complete(self, version: int) -> None:
        """All that the table of papers had in that version is searchable now."""
        self._point({**self._state(), "version": version})

    def is_outgrown(self, papers: int) -> bool:
        """Whether another embedding is due: a library of so many has outgrown its own, or a neural one was chosen."""
        embedder = self.embedder()
        if self._neural is not None:
            return embedder not in (None, self._neural)
        return isinstance(embedder, LatentSemanticAnalysis) and papers >= embedder.fitted_on * REFIT_GROWTH

    def begin_draft(self, papers: int) -> Embedder | None:
        """What embeds the next index of so many papers; ``None`` where an embedding is to be fitted for it first."""
        if self._neural is not None:
            return self._neural
        if (self.draft / "lsa.json").exists():  # it was broken off
            fitted = self._load_fitted(self.draft)
            if papers < fitted.fitted_on * REFIT_GROWTH:
                return fitted
        shutil.rmtree(self.draft, ignore_errors=True)
        return None

    def adopt(self, parts: Sequence[str], embedder: Embedder, version: int) -> None:
        """Put the draft, of which these are all parts, in place of the index: of the papers' table in that version."""
        before = self._state().get("parts", [""])[0]
        self._join(self.draft, parts).save(self.draft)
        for part in self.draft.glob("part-*"):
            shutil.rmtree(part)
        generation = self._folder / f"vectors-{datetime.now(UTC):%Y%m%d%H%M%S%f}"
        self.draft.rename(generation)
        self._point({"parts": [generation.name], "embedder": embedder.name, "version": version})
        for old in self._folder.glob("vectors-*"):
            if old.name not in (generation.name, before):
                shutil.rmtree(old, ignore_errors=True)

    def _point(self, state: dict[str, Any]) -> None:
        replace_text(self._folder / "index.json", json.dumps(state))

    def _join(self, folder: Path, parts: Sequence[str]) -> IndexPart:
        with self._report_damage():
            return join_parts([IndexPart.load(folder / name) for name in parts])

    def _load_fitted(self, folder: Path) -> LatentSemanticAnalysis:
        with self._report_damage():
            return LatentSemanticAnalysis.load(folder)

    def _state(self) -> dict[str, Any]:
        with self._report_damage():
            document = self.version()
            state: dict[str, Any] = {} if document is None else json.loads(document)
            return state

    @contextmanager
    def _report_damage(self) -> Iterator[None]:
        """Raises `DamagedIndex` for whatever a missing, cut off or overwritten file makes of reading it."""
        try:
            yield
        except (FileNotFoundError, ValueError, EOFError, KeyError, TypeError) as error:
            raise DamagedIndex(
                f"The index of the library “{self._folder.name}” is damaged ({type(error).__name__}). "
                f"Make it anew with: scholium ingest FILE --library {self._folder.name}"
            ) from error
