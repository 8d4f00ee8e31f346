"""The files of a library's index: papers that are not searchable yet, and parts with vectors and words of papers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.arrays import load_array
from engine.retrieval.embedding import Embedder, Vectors
from engine.retrieval.libraries.word_index import WordIndex, count_words, join_words
from engine.values import PaperKey


class UnindexedPapers:
    """Keys of papers that were written, changed or removed since the library was last indexed.

    A key is noted before the paper is written: one noted in vain costs little, one missed would never be found.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "unindexed.txt"
        self._beside_draft = folder / "undrafted.txt"

    def note(self, keys: Iterable[PaperKey]) -> None:
        """Add keys; they are on the disk when this returns."""
        lines = "".join(f"{key}\n" for key in keys)
        for path in (self._file, *([self._beside_draft] if self._beside_draft.exists() else [])):
            with path.open("a", encoding="utf-8") as file:
                file.write(f"\n{lines}")  # ends a line that an interruption cut off
                file.flush()
                os.fsync(file.fileno())

    def read(self) -> list[PaperKey]:
        """Each noted key once; a line that an interruption cut off is left out."""
        return _read_keys(self._file)

    def clear(self) -> None:
        """All of them are searchable."""
        self._file.unlink(missing_ok=True)

    def begin_draft(self) -> None:
        """From now on what is noted is kept until `end_draft` too, whatever is cleared; nobody writes meanwhile."""
        self._beside_draft.write_text("", encoding="utf-8")

    def end_draft(self) -> None:
        """What was noted since `begin_draft` is not searchable in the index that was drafted meanwhile."""
        self.note(_read_keys(self._beside_draft))
        self._beside_draft.unlink()


def _read_keys(file: Path) -> list[PaperKey]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [PaperKey(key) for key in dict.fromkeys(text[: text.rfind("\n") + 1].split("\n")) if key]


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


def make_part(folder: Path, texts: PaperTexts, embedder: Embedder) -> str:
    """The name of a part in the folder with these papers, made where an interrupted call has not made it before."""
    said = json.dumps([embedder.name, texts.keys, texts.titles, texts.abstracts])
    name = f"part-{hashlib.blake2b(said.encode(), digest_size=8).hexdigest()}"
    if not (folder / name / "keys.json").exists():
        titles, abstracts = embedder.embed(texts.titles), embedder.embed(texts.bodies)
        IndexPart(texts.keys, titles, abstracts, count_words(texts.titles, texts.abstracts)).save(folder / name)
    return name


def join_parts(parts: Sequence[IndexPart]) -> IndexPart:
    """One part with the papers of all, in their order."""
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
