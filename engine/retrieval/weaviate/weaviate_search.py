"""Searches in a Weaviate library: what may rank high is fetched, then ranked as in a folder, beside a sample."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.query import Filter

from engine.errors import RetrievalError
from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.ranking import (
    DECIMALS,
    SEEDS,
    closeness,
    find_seeds,
    order_best,
    popularity,
    score_papers,
    standardise,
)
from engine.retrieval.topic_words import (
    Scores,
    TopicWords,
    WordEvidence,
    count_papers,
    find_words,
    index_terms,
    measure_words,
    rarity,
    read_topic,
    search_stems,
    with_abbreviations,
)
from engine.retrieval.weaviate.weaviate_papers import count_topic, filter_papers
from engine.values import PaperKey, Query

FACTS = ["key", "title", "words", "year", "citations"]


@dataclass(frozen=True)
class PaperRow:
    """What ranks a paper."""

    abstract: Vectors
    """Of shape (dimensions,)."""
    citations: float
    """NaN where they are not known."""
    year: int
    title: list[str]
    """Stems of the title."""
    text: list[str]
    """Stems of title and abstract."""


PaperRows: TypeAlias = Mapping[PaperKey, PaperRow]


def read_rows(objects: Sequence[Any]) -> PaperRows:
    """Objects with their vectors; one that the server gave none is left out."""
    return {
        o.properties["key"]: PaperRow(
            np.array(o.vector["abstract"], np.float32),
            np.nan if (count := o.properties.get("citations")) is None else float(count),
            o.properties.get("year") or 0,
            index_terms(o.properties.get("title") or ""),
            (o.properties.get("words") or "").split(),
        )
        for o in objects
        if o.vector.get("abstract")
    }


@dataclass(frozen=True)
class TopicPapers:
    """A topic, how common its words are in the library, the papers that they find first, and a sample of all."""

    topic: TopicWords
    counts: TopicCounts
    named: PaperRows
    sample: PaperRows

    def measure(self, rows: Sequence[PaperRow]) -> WordEvidence:
        """What the topic's words tell of these papers, their rarity being that in the whole library."""
        found = find_words(self.topic, search_stems([row.title for row in rows], [row.text for row in rows]))
        there = [max(n, count_papers(word)) for n, word in zip(self.counts.papers_with, found, strict=True)]
        lengths = np.array([len(row.text) for row in rows], np.float32)
        usual = float(np.mean([len(row.text) for row in self.sample.values()]))
        return measure_words(self.topic, found, rarity(there, self.counts.papers), lengths, usual)

    def seeds(self) -> Vectors:
        """The vectors of the papers that stand for the topic; none where no paper names it."""
        rows = list(self.named.values())
        return np.array([rows[i].abstract for i in find_seeds(self.measure(rows).bm25)], np.float32)


def rank_fetched(
    found: TopicPapers, near: Sequence[PaperRows], seeds: Vectors, query: Query
) -> Mapping[PaperKey, float]:
    """The best papers with their scores (`score_papers`), best first, at most as many as are wanted."""
    everyone = {key: row for part in (found.named, found.sample, *near) for key, row in part.items()}
    keys = sorted(everyone)  # ties are broken by key
    rows = [everyone[key] for key in keys]
    bm25 = found.measure(rows).bm25
    close = closeness(np.stack([row.abstract for row in rows]), seeds)
    is_sample = np.array([key in found.sample for key in keys])
    cited = _measure_popularity(rows, is_sample)
    weights = _weigh(np.array([key in found.named for key in keys]), is_sample, found.counts.papers)
    said, near_by, known = (standardise(values, weights=weights) for values in (bm25, close, cited))
    scores = score_papers(said, near_by, known, query.ranking)
    taken = [key not in query.exclude and (everyone[key].year or None) in query.years for key in keys]
    scores[~np.array(taken)] = -np.inf
    best = order_best(scores, query.limit)
    return {keys[row]: round(float(scores[row]), DECIMALS) for row in best if scores[row] > -np.inf}


def _weigh(is_named: NDArray[np.bool_], is_sample: NDArray[np.bool_], papers: int) -> Scores:
    """How many papers each stands for: a named one for itself, the sample for all others, any other for none."""
    others = max(1, int((is_sample & ~is_named).sum()))
    return np.where(is_named, 1.0, max(0, papers - int(is_named.sum())) / others * is_sample)


def _measure_popularity(rows: Sequence[PaperRow], is_sample: NDArray[np.bool_]) -> Scores:
    """`popularity`, where an unknown count takes the median of the sample."""
    citations, years = np.array([row.citations for row in rows]), np.array([row.year for row in rows], np.int64)
    of_sample = is_sample | np.isnan(citations)
    result: Scores = np.zeros(len(rows))
    for part in (of_sample, ~of_sample):
        result[part] = popularity(citations[part], years[part], datetime.now(UTC).year)
    return result


NAMED = 2_400
"""Papers that are ranked since they name the topic, by the server's BM25. Among them are those that stand for it: of a
third as many, a topic of frequent words (“language models”) had others than in a folder."""
NEAREST = 400
"""Papers nearest to the topic that are ranked."""
NEAREST_CITED = ((0.8, 900), (0.96, 1_100), (0.99, 1_000))
"""How many of those nearest to the topic among the papers that are cited more than these shares of all others: a
survey cites them although others are nearer to it."""
SAMPLE = 4_000
"""Papers that stand for the whole library; their ids are random. Half as many tell less well how closeness spreads."""
HELD_S = 3_600.0
"""What is held of a library in memory is read again after an hour: others add to it."""

_WANTED: Mapping[str, Any] = {"include_vector": ["abstract"], "return_properties": FACTS}


class SurveySearch:
    """Ranks the papers of a collection, or of one tenant of it; raises what Weaviate's client raises."""

    def __init__(self, papers: Any) -> None:
        self._papers = papers
        self._read_at = -math.inf
        self._sample: PaperRows = {}

    def forget(self) -> None:
        """The library has changed: read its sample again."""
        self._read_at = -math.inf

    async def find(self, text: str) -> TopicPapers:
        """The papers that a topic's words find, and what they are measured by."""
        topic = read_topic(text)
        named: PaperRows = {}
        counts, sample = await asyncio.gather(count_topic(self._papers, text), self._load_sample())
        if topic.stems:
            first = await self._find_by_words(topic, limit=SEEDS, return_properties=["abstract"])
            topic = with_abbreviations(topic, [o.properties.get("abstract") or "" for o in first])
            named = read_rows(await self._find_by_words(topic, limit=NAMED, **_WANTED))
        return TopicPapers(topic, counts, named, sample)

    async def rank(self, query: Query, found: TopicPapers, seeds: Vectors) -> Mapping[PaperKey, float]:
        """The best papers with their scores, best first."""
        citations = np.nan_to_num([row.citations for row in found.sample.values()])
        middle = seeds.mean(axis=0)
        fetched = [self._find_near(middle, query, max(query.limit, NEAREST))]
        for share, limit in NEAREST_CITED:
            cited = Filter.by_property("citations").greater_or_equal(int(np.quantile(citations, share)))
            fetched.append(self._find_near(middle, query, limit, cited))
        if (years := filter_papers(query)) is not None and found.topic.stems:
            fetched.append(self._find_by_words(found.topic, limit=NAMED, filters=years, **_WANTED))
        near = [read_rows(objects) for objects in await asyncio.gather(*fetched)]
        return await asyncio.to_thread(rank_fetched, found, near, seeds, query)

    async def _find_by_words(self, topic: TopicWords, **wanted: Any) -> Any:
        """The best by the server's BM25."""
        said = " ".join(topic.all_stems())
        return (await self._papers.query.bm25(said, query_properties=["words"], **wanted)).objects

    async def _find_near(self, middle: Vectors, query: Query, limit: int, also: Any = None) -> Any:
        filters = filter_papers(query, also)
        wanted = {"limit": limit, "filters": filters, "target_vector": "abstract", **_WANTED}
        return (await self._papers.query.near_vector(middle.tolist(), **wanted)).objects

    async def _load_sample(self) -> PaperRows:
        if not self._sample or time.monotonic() - self._read_at > HELD_S:
            objects = (await self._papers.query.fetch_objects(limit=SAMPLE, **_WANTED)).objects
            self._sample, self._read_at = read_rows(objects), time.monotonic()
            if objects and not self._sample:
                raise RetrievalError("This library in Weaviate has no papers with vectors.")
        return self._sample
