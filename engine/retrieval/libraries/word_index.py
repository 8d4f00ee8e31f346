"""The words of a library's papers, counted: an inverted index in plain arrays, mapped from disk."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.arrays import load_array
from engine.retrieval.topic_words import MOST, Counts, index_terms
from engine.text import STOP_WORDS, words

LONG_WORD = 7
KNOWN_WORD = 5
"""A word of fewer letters is misspelt by one letter at most; one that fewer papers have may be misspelt itself."""

VOCABULARY = "terms.json"
"""The file of an index's stems; an index of other stems, by an earlier version, has none of that name."""


@dataclass(frozen=True)
class WordIndex:
    """For each stem the rows (papers) that have it, with its counts in the title and in title and abstract.

    Stem s stands at ``starts[s]`` to ``starts[s + 1]``; ``lengths`` counts the words that carry meaning of each paper.
    """

    vocabulary: dict[str, int]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    title: NDArray[np.uint8]
    text: NDArray[np.uint8]
    lengths: NDArray[np.float32]
    spellings: Counter[str]
    """How many papers have each word as it is written; where papers were joined, without what only one has."""

    def find(self, stem: str) -> Counts:
        """How often each paper has a stem: never for one that no paper has."""
        counts = np.zeros((2, len(self.lengths)), np.uint8)
        if (at := self.vocabulary.get(stem)) is not None:
            part = slice(int(self.starts[at]), int(self.starts[at + 1]))
            counts[:, self.rows[part]] = self.title[part], self.text[part]
        return counts

    def most_like(self, word: str) -> str:
        """The word of several papers that is spelt most like this one; empty where none is like it."""
        from rapidfuzz import process
        from rapidfuzz.distance import DamerauLevenshtein

        most = 1 if len(word) < LONG_WORD else 2
        known = [other for other, papers in self.spellings.items() if papers >= KNOWN_WORD]
        found = process.extract(word, known, scorer=DamerauLevenshtein.distance, score_cutoff=most, limit=10)
        return min(((distance, -self.spellings[other], other) for other, distance, _ in found), default=(0, 0, ""))[2]

    def save(self, folder: Path) -> None:
        """Write plain arrays and a word list."""
        for name in _ARRAYS:
            np.save(folder / f"terms-{name}.npy", getattr(self, name))
        (folder / VOCABULARY).write_text(json.dumps([list(self.vocabulary), self.spellings]), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> WordIndex:
        """What `save` wrote, mapped from disk."""
        stems, spellings = json.loads((folder / VOCABULARY).read_text(encoding="utf-8"))
        arrays = {name: load_array(folder / f"terms-{name}.npy", mapped=True) for name in _ARRAYS}
        return cls({stem: at for at, stem in enumerate(stems)}, **arrays, spellings=Counter(spellings))


_ARRAYS = ("starts", "rows", "title", "text", "lengths")


def count_words(titles: Sequence[str], abstracts: Sequence[str]) -> WordIndex:
    """The index of these papers."""
    from sklearn.feature_extraction import DictVectorizer

    papers, columns = list(zip(titles, abstracts, strict=True)), DictVectorizer(dtype=np.int64, sort=False)
    counts = columns.fit_transform(_count(*paper) for paper in papers).tocsc()
    title, text = np.divmod(counts.data, _TITLE)
    rows = counts.indices.astype(np.int32)
    lengths = np.bincount(rows, text, len(papers)).astype(np.float32)
    title, text = (np.minimum(part, MOST).astype(np.uint8) for part in (title, text))
    spellings = Counter(word for said in papers for word in {*words(said[0]), *words(said[1])} - STOP_WORDS)
    return WordIndex(columns.vocabulary_, counts.indptr.astype(np.int64), rows, title, text, lengths, spellings)


_TITLE = 1 << 20
"""A mention in the title is counted as so much and one, one in the abstract as one: both counts in one number."""


def _count(title: str, abstract: str) -> Counter[str]:
    """Stem → how often a paper has it, both counts in one number (`_TITLE`)."""
    counts = Counter(index_terms(abstract))
    for stem in index_terms(title):
        counts[stem] += _TITLE + 1
    return counts


def join_words(parts: Sequence[WordIndex]) -> WordIndex:
    """One index of the papers of all parts, in their order; beside the result it takes memory for one part."""
    vocabulary: dict[str, int] = {}
    columns = [
        np.array([vocabulary.setdefault(stem, len(vocabulary)) for stem in p.vocabulary], np.int64) for p in parts
    ]
    sizes = np.zeros(len(vocabulary), np.int64)
    for part, places in zip(parts, columns, strict=True):
        sizes[places] += np.diff(part.starts)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    total = int(starts[-1])
    rows, title, text = np.empty(total, np.int32), np.empty(total, np.uint8), np.empty(total, np.uint8)
    free, first = starts[:-1].copy(), 0
    for part, places in zip(parts, columns, strict=True):
        counts = np.diff(part.starts)
        at = np.arange(len(part.rows)) + np.repeat(free[places] - part.starts[:-1], counts)
        rows[at], title[at], text[at] = part.rows + np.int32(first), part.title, part.text
        free[places] += counts
        first += len(part.lengths)
    lengths = np.concatenate([part.lengths for part in parts])
    spellings: Counter[str] = Counter()
    for part in parts:
        spellings.update(part.spellings)
    several = Counter({word: papers for word, papers in spellings.items() if papers > 1})
    return WordIndex(vocabulary, starts, rows, title, text, lengths, several)
