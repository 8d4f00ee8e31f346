"""What a library in a folder holds in memory for searching, and how it ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Embedder, sample_rows
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.libraries.vectors import IndexPart
from engine.retrieval.libraries.word_index import KNOWN_WORD
from engine.retrieval.ranking import DECIMALS, closeness, find_seeds, popularity, score_papers, standardise
from engine.retrieval.topic_words import (
    Scores,
    TopicWords,
    WordEvidence,
    count_papers,
    find_words,
    measure_words,
    rarity,
    read_topic,
)
from engine.text import stem, words
from engine.values import Query

SAMPLE = 2_000
"""Papers that stand for the library where a value is too dear to be computed for all of them."""

CANDIDATES = 8_000
"""Papers whose closeness is computed: the best by words, citations and closeness to the middle of the topic."""


@dataclass(frozen=True)
class LocalIndex(IndexPart):
    """All parts as one; a paper that was changed stands there again, further down: its last row counts."""

    embedder: Embedder
    rows: Mapping[str, int]
    """The row of each paper that is there, by its key and its other identifiers."""
    years: NDArray[np.int64]
    popularity: Scores
    gone: NDArray[np.bool_]
    """Papers that were removed, or stand further down anew."""

    def find_rows(self, keys: Iterable[str]) -> list[int]:
        """The rows of those that there are."""
        return [self.rows[key] for key in keys if key in self.rows]

    def measure(self, topic: TopicWords) -> WordEvidence:
        """What the topic's words tell of every paper."""
        found = find_words(topic, self.words.find)
        rarities = rarity(list(map(count_papers, found)), len(self.keys))
        return measure_words(topic, found, rarities, self.words.lengths, float(self.words.lengths.mean()))

    def count_topic(self, topic: str) -> TopicCounts:
        """Papers with each word of a topic, and for words that no paper has the one that is spelt most like it."""
        said = read_topic(topic)
        counts = tuple(map(count_papers, find_words(said, self.words.find)))
        # Beside a word that no paper has, one that hardly any has may be the same person's slip, made by others too.
        few = KNOWN_WORD if 0 in counts else 1
        unknown = {s for s, count in zip(said.stems, counts, strict=True) if count < few}
        misspelt = [(word, self.words.most_like(word)) for word in words(topic) if stem(word) in unknown]
        return TopicCounts(topic, len(self.keys), counts, tuple((word, other) for word, other in misspelt if other))

    @cached_property
    def key_order(self) -> NDArray[np.int64]:
        """The place of each paper's key among all keys in order, by which ties are broken."""
        return np.argsort(np.argsort(np.array(self.keys, dtype=str), kind="stable"), kind="stable")

    def rank(self, query: Query, topic: TopicWords) -> Scores:
        """A score for every paper, in the order that the query asks for; -inf for those that it does not take."""
        if query.ranking == "title":
            scores: Scores = (self.titles @ self.embedder.embed([query.text])[0]).astype(np.float64)
        else:
            scores = self._rank(query, self.measure(topic).bm25)
        scores[~self.allow(query)] = -np.inf
        return scores.round(DECIMALS)

    def _rank(self, query: Query, bm25: Scores) -> Scores:
        seeds = np.asarray(self.abstracts[find_seeds(bm25)])
        seeds = seeds if len(seeds) else self.embedder.embed([query.text])
        if not seeds.any() and not bm25.any():
            return np.full(len(self.keys), -np.inf)
        said, cited = standardise(bm25), standardise(self.popularity)
        middle = (self.abstracts @ seeds.mean(axis=0)).astype(np.float64)
        promising = score_papers(said, standardise(middle), cited, query.ranking)
        promising[~self.allow(query)] = -np.inf
        count = min(max(CANDIDATES, 4 * query.limit), len(self.keys))
        rows = np.sort(np.argpartition(-promising, count - 1)[:count])
        usual = closeness(self.abstracts[sample_rows(len(self.keys), SAMPLE)], seeds)
        near = standardise(closeness(self.abstracts[rows], seeds), usual)
        scores = np.full(len(self.keys), -np.inf)
        scores[rows] = score_papers(said[rows], near, cited[rows], query.ranking)
        return scores

    def allow(self, query: Query) -> NDArray[np.bool_]:
        """Which papers the query takes at all."""
        allowed = ~self.gone
        if query.years.first is not None:
            allowed &= self.years >= query.years.first
        if query.years.last is not None:
            allowed &= (self.years <= query.years.last) & (self.years > 0)
        allowed[self.find_rows(query.exclude)] = False
        return allowed


def make_index(whole: IndexPart, embedder: Embedder, table: Any) -> LocalIndex:
    """What is searched, from the index as it is stored and the table's key, year, citations and identifiers."""
    keys = whole.keys
    row_of = {key: row for row, key in enumerate(keys)}  # the last row of a key counts
    stored = table["key"].to_pylist()
    rows = np.array([row_of.get(key, -1) for key in stored], np.int64)
    known = np.flatnonzero(rows >= 0)
    at = rows[known]
    years, citations, gone = np.zeros(len(keys), np.int64), np.full(len(keys), np.nan), np.ones(len(keys), bool)
    years[at] = table["year"].fill_null(0).to_numpy()[known]
    citations[at] = table["citations"].cast("float64").to_numpy()[known]  # a missing count is NaN
    gone[at] = False
    places = {key: row_of[key] for key in stored if key in row_of}
    for key, names in zip(stored, table["identifiers"].to_pylist(), strict=True):
        for name in names or () if key in row_of else ():
            places.setdefault(name, row_of[key])
    known_for = popularity(citations, years, datetime.now(UTC).year)
    return LocalIndex(**vars(whole), embedder=embedder, rows=places, years=years, popularity=known_for, gone=gone)
