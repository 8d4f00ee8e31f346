"""The files of a library's index: parts with the vectors and words of papers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.arrays import load_array
from engine.retrieval.embedding import Embedder, Vectors
from engine.retrieval.libraries.word_index import WordIndex, count_words, join_words
from engine.values import PaperKey


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
