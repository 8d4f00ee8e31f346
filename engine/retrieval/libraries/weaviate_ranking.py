"""Ranks papers of Weaviate for a survey as a folder does, without reading all of them: over what is fetched.

What is usual in the library is estimated from the papers that the topic's words find and a sample of all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Vectors
from engine.retrieval.ranking import (
    DECIMALS,
    Usual,
    UsualEvidence,
    closeness,
    find_seeds,
    order_best,
    popularity,
    score_papers,
)
from engine.retrieval.topic_words import (
    Scores,
    TopicWords,
    WordEvidence,
    find_words,
    index_terms,
    measure_words,
    rarity,
    search_stems,
)
from engine.values import ALL_YEARS, PaperKey, Query

FACTS = ["key", "title", "words", "year", "citations", "venue_folded"]


@dataclass(frozen=True)
class PaperColumns:
    """What ranks papers; row i of each is the paper ``ids[i]``. Stems are joined by spaces."""

    ids: list[Any]
    keys: list[PaperKey]
    abstracts: Vectors
    citations: NDArray[np.float64]
    years: NDArray[np.int64]
    venues: list[str]
    titles: list[str]
    """Stems of the title."""
    texts: list[str]
    """Stems of title and abstract."""

    @classmethod
    def of(cls, objects: Sequence[Any]) -> PaperColumns:
        """Objects with their vectors; one that the server gave none is left out."""
        objects = [o for o in objects if o.vector.get("abstract")]
        values = [o.properties for o in objects]
        counts = [v.get("citations") for v in values]
        return cls(
            [o.uuid for o in objects],
            [v["key"] for v in values],
            np.array([o.vector["abstract"] for o in objects], np.float32),
            np.array([np.nan if c is None else float(c) for c in counts]),
            np.array([v.get("year") or 0 for v in values], np.int64),
            [v.get("venue_folded") or "" for v in values],
            [" ".join(index_terms(v.get("title") or "")) for v in values],
            [v.get("words") or "" for v in values],
        )

    def find_allowed(self, query: Query) -> NDArray[np.bool_]:
        """Which rows the query takes."""
        first, last = query.years.first or 0, query.years.last or 9_999
        return np.array(
            [
                key not in query.exclude
                and (query.years == ALL_YEARS or first <= self.years[i] <= last)
                and (not query.least_citations or self.citations[i] >= query.least_citations)
                and (not query.venue or self.venues[i] == query.venue.casefold())
                for i, key in enumerate(self.keys)
            ],
            bool,
        )


def join_columns(parts: Sequence[PaperColumns]) -> PaperColumns:
    """The papers of all parts, each once, in their order."""
    parts = [part for part in parts if part.ids] or list(parts[:1])
    ids = [name for part in parts for name in part.ids]
    once = sorted({name: row for row, name in reversed(list(enumerate(ids)))}.values())
    keys, venues, titles, texts = (
        [value for part in parts for value in getattr(part, name)] for name in ("keys", "venues", "titles", "texts")
    )
    return PaperColumns(
        [ids[row] for row in once],
        [keys[row] for row in once],
        np.concatenate([part.abstracts for part in parts])[once],
        np.concatenate([part.citations for part in parts])[once],
        np.concatenate([part.years for part in parts])[once],
        [venues[row] for row in once],
        [titles[row] for row in once],
        [texts[row] for row in once],
    )


@dataclass(frozen=True)
class LibrarySample:
    """What is kept of a library in memory: a sample, and when it was read."""

    sample: PaperColumns
    read_at: float

    def find_citation_quantile(self, share: float) -> int:
        """The citations below which that share of the papers stays."""
        return int(np.quantile(np.nan_to_num(self.sample.citations), share))

    @property
    def usual_length(self) -> float:
        """Mean number of words that carry meaning in title and abstract."""
        return float(np.mean([len(text.split()) for text in self.sample.texts]))


@dataclass(frozen=True)
class TopicPapers:
    """A topic, how many of the library's papers have each of its stems, and the papers that its words find first."""

    topic: TopicWords
    papers_with: Sequence[int]
    papers: int
    """Papers of the library."""
    named: PaperColumns

    def measure(self, columns: PaperColumns, usual_length: float) -> WordEvidence:
        """What the topic's words tell of these papers, their rarity being that in the whole library."""
        texts = [text.split() for text in columns.texts]
        found = find_words(self.topic, search_stems([title.split() for title in columns.titles], texts))
        there = [max(n, len(word.rows)) for n, word in zip(self.papers_with, found, strict=True)]
        lengths = np.array([len(text) for text in texts], np.float32)
        return measure_words(self.topic, found, rarity(there, self.papers), lengths, usual_length)

    def seeds(self, usual_length: float) -> Vectors:
        """The vectors of the papers that stand for the topic; none where no paper names it."""
        if not self.named.ids:
            return np.zeros((0, 0), np.float32)
        return self.named.abstracts[find_seeds(self.measure(self.named, usual_length).bm25)]


def rank_fetched(
    found: TopicPapers, near: Sequence[PaperColumns], seeds: Vectors, held: LibrarySample, query: Query
) -> Mapping[Any, float]:
    """The ids of the best papers with their scores (`score_papers`), best first, at most as many as are wanted."""
    everyone = join_columns([found.named, held.sample, *near])
    bm25 = found.measure(everyone, held.usual_length).bm25
    close = closeness(everyone.abstracts, seeds)
    cited = _popularity(everyone, frozenset(held.sample.ids))
    weights = _weights(everyone, found, held)
    usual = UsualEvidence(*(Usual.of(values, weights) for values in (bm25, close, cited)))
    scores = score_papers(bm25, close, cited, usual, query.ranking)
    scores[~everyone.find_allowed(query)] = -np.inf
    places = np.argsort(np.argsort(np.array(everyone.keys, dtype=str), kind="stable"), kind="stable")
    best = order_best(scores, query.limit, places)
    return {everyone.ids[row]: round(float(scores[row]), DECIMALS) for row in best if scores[row] > -np.inf}


def _weights(everyone: PaperColumns, found: TopicPapers, held: LibrarySample) -> Scores:
    """How many papers of the library each stands for.

    One that the words found stands for itself, one of the sample for its share of all others; any other for none,
    since it was not chosen by chance.
    """
    named, sample = set(found.named.ids), set(held.sample.ids)
    others = max(1, len(sample - named))
    share = max(0, found.papers - len(named)) / others
    return np.array([1.0 if name in named else share * (name in sample) for name in everyone.ids])


def _popularity(everyone: PaperColumns, sample: frozenset[Any]) -> Scores:
    """`popularity`, where an unknown count takes the median of the sample."""
    rows = np.array([name in sample for name in everyone.ids]) | np.isnan(everyone.citations)
    result: Scores = np.zeros(len(rows))
    for part in (rows, ~rows):
        result[part] = popularity(everyone.citations[part], everyone.years[part], datetime.now(UTC).year)
    return result
