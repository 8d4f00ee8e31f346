"""What a library in a folder holds in memory for searching, and how it ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Embedder, Vectors, sample_rows
from engine.retrieval.libraries.word_index import KNOWN_WORD, WordParts
from engine.retrieval.ranking import DECIMALS, Usual, UsualEvidence, closeness, find_seeds, score_papers
from engine.retrieval.topic_words import (
    Scores,
    TopicWords,
    WordEvidence,
    find_words,
    measure_words,
    rarity,
    read_topic,
)
from engine.text import stem, words
from engine.values import PaperKey, Query


@dataclass(frozen=True)
class PaperFacts:
    """Row i of every array is the paper whose key stands there in the index."""

    rows: Mapping[str, int]
    """The row of each paper that is there, by its key and its other identifiers."""
    years: NDArray[np.int64]
    citations: Scores
    venues: NDArray[np.int32]
    """Places in ``venue_names``, which are folded; -1 where there is none."""
    venue_names: tuple[str, ...]
    gone: NDArray[np.bool_]
    """Papers that were removed, or stand further down anew."""

    def find_rows(self, keys: Iterable[str]) -> list[int]:
        """The rows of those that there are."""
        return [self.rows[key] for key in keys if key in self.rows]

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
    places: dict[str, int] = {name: row for row, name in enumerate(keys) if not gone[row]}
    of_others = np.flatnonzero(is_other)
    for name, row in zip(names.take(pa.array(of_others)).to_pylist(), rows[owners.to_numpy()[of_others]], strict=True):
        if row >= 0:
            places.setdefault(name, int(row))
    folded = tuple((name or "").casefold() for name in named.dictionary.to_pylist())
    return PaperFacts(places, years, citations, venues, folded, gone)


SAMPLE = 2_000
"""Papers that stand for the library where a value is too dear to be computed for all of them."""

CANDIDATES = 8_000
"""Papers whose closeness is computed: the best by words, citations and closeness to the middle of the topic."""


@dataclass(frozen=True)
class LocalIndex:
    """Row i of every array is paper ``keys[i]``."""

    keys: list[PaperKey]
    facts: PaperFacts
    popularity: Scores
    titles: Vectors
    abstracts: Vectors
    embedder: Embedder
    words: WordParts

    def measure(self, topic: TopicWords) -> WordEvidence:
        """What the topic's words tell of every paper."""
        found = find_words(topic, self.words.find)
        rarities = rarity([len(word.rows) for word in found], len(self.keys))
        return measure_words(topic, found, rarities, self.words.lengths, self.words.usual_length)

    def count_topic(self, topic: str) -> tuple[tuple[int, ...], tuple[tuple[str, str], ...]]:
        """Papers with each word of a topic, and for words that no paper has the stem that is spelt most like it."""
        said = read_topic(topic)
        counts = tuple(len(word.rows) for word in find_words(said, self.words.find))
        # Beside a word that no paper has, one that hardly any has may be the same person's slip, made by others too.
        few = KNOWN_WORD if 0 in counts else 1
        unknown = {s for s, count in zip(said.stems, counts, strict=True) if count < few}
        misspelt = [(word, self.words.most_like(word)) for word in words(topic) if stem(word) in unknown]
        return counts, tuple((word, other) for word, other in misspelt if other)

    @cached_property
    def key_order(self) -> NDArray[np.int64]:
        """The place of each paper's key among all keys in order, by which ties are broken."""
        places = np.empty(len(self.keys), np.int64)
        places[np.argsort(np.array(self.keys, dtype=str), kind="stable")] = np.arange(len(self.keys))
        return places

    def rank(self, query: Query, topic: TopicWords) -> Scores:
        """A score for every paper, in the order that the query asks for; -inf for those that it does not take."""
        if query.ranking == "title":
            scores = (self.titles @ self._vector(query)).astype(np.float64)
        else:
            scores = self._rank(query, self.measure(topic).bm25)
        scores[~self.allow(query)] = -np.inf
        return np.round(scores, DECIMALS)

    def _rank(self, query: Query, bm25: Scores) -> Scores:
        seeds = np.asarray(self.abstracts[find_seeds(bm25)])
        seeds = seeds if len(seeds) else self._vector(query)[None]
        if not seeds.any() and not bm25.any():
            return np.full(len(self.keys), -np.inf)
        sample = sample_rows(len(self.keys), SAMPLE)
        usual = UsualEvidence(
            bm25=Usual.of(bm25),
            near=Usual.of(closeness(self.abstracts[sample], seeds)),
            cited=Usual.of(self.popularity),
        )
        middle = (self.abstracts @ seeds.mean(axis=0)).astype(np.float64)
        by_middle = replace(usual, near=Usual.of(middle))
        promising = score_papers(bm25, middle, self.popularity, by_middle, query.ranking)
        promising[~self.allow(query)] = -np.inf
        count = min(max(CANDIDATES, 4 * query.limit), len(self.keys))
        rows = np.sort(np.argpartition(-promising, count - 1)[:count])
        near = closeness(self.abstracts[rows], seeds)
        scores = np.full(len(self.keys), -np.inf)
        scores[rows] = score_papers(bm25[rows], near, self.popularity[rows], usual, query.ranking)
        return scores

    def _vector(self, query: Query) -> Vectors:
        vector: Vectors = self.embedder.embed([query.text])[0]
        return vector

    def allow(self, query: Query) -> NDArray[np.bool_]:
        """Which papers the query takes at all."""
        allowed = ~self.facts.gone
        if query.years.first is not None:
            allowed &= self.facts.years >= query.years.first
        if query.years.last is not None:
            allowed &= (self.facts.years <= query.years.last) & (self.facts.years > 0)
        if query.least_citations:
            allowed &= self.facts.citations >= query.least_citations
        if query.venue:
            allowed &= self.facts.at_venue(query.venue)
        allowed[self.facts.find_rows(query.exclude)] = False
        return allowed
