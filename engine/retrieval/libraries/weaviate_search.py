"""Searches in a Weaviate library: what may rank high is fetched, then ranked as in a folder, without the server.

An index in memory knows every paper's words and vector; of a Weaviate library only a sample is held, which stands for
the rest, and what a topic finds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.query import Filter, Sort

from engine.errors import RetrievalError
from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.weaviate_papers import PaperObjects, filter_papers
from engine.retrieval.libraries.weaviate_schema import translate_failures
from engine.retrieval.ranking import (
    DECIMALS,
    SEEDS,
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
    Writing,
    find_words,
    index_terms,
    measure_words,
    rarity,
    read_topic,
    search_stems,
    with_abbreviations,
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


NAMED = 2_400
"""Papers that are ranked since they name the topic, by the server's BM25. Among them are those that stand for it: of a
third as many, a topic of frequent words (“language models”) had others than in a folder."""
NEAREST = 400
"""Papers nearest to the topic that are ranked."""
NEAREST_CITED = ((0.8, 0.96, 600), (0.96, 0.99, 900), (0.99, 1.0, 1_000))
"""How many of those nearest to the topic among the papers that are cited more than these shares of all others: a
survey cites them although others are nearer to it."""
NAMED_CITED = 300
"""The most cited papers that name the topic."""
SAMPLE = 4_000
"""Papers that stand for the whole library; their ids are random. Half as many tell less well how closeness spreads."""
HELD_S = 3_600.0
"""What is held of a library in memory is read again after an hour: others add to it."""

_WANTED: Mapping[str, Any] = {"include_vector": ["abstract"], "return_properties": FACTS}


class SurveySearch:
    """The papers of a collection, or of one tenant of it. Every method raises `RetrievalError`."""

    def __init__(self, papers: Any, objects: PaperObjects) -> None:
        self._papers = papers
        self._objects = objects
        self._held: LibrarySample | None = None

    def forget(self) -> None:
        """The library has changed: read its sample again."""
        self._held = None

    async def find(self, text: str) -> tuple[TopicPapers, Vectors]:
        """The papers that a topic's words find, and the vectors of those that stand for it, which may be none."""
        said = read_topic(text)
        if not said.stems:
            return TopicPapers(said, (), await self._objects.count(), PaperColumns.of([])), np.zeros((0, 0), np.float32)
        abstracts, total, there = await asyncio.gather(
            self._abstracts(said),
            self._objects.count(),
            asyncio.gather(*(self._objects.count_with([s]) for s in said.stems)),
        )
        topic = await self._meant(with_abbreviations(said, abstracts))
        found = TopicPapers(topic, there, total, await self._find_named(topic.all_stems(), NAMED))
        held = await self._load_sample()
        return found, await asyncio.to_thread(found.seeds, held.usual_length)

    async def rank(self, query: Query, found: TopicPapers, seeds: Vectors) -> Mapping[Any, float]:
        """The ids of the best papers with their scores, best first."""
        held = await self._load_sample()
        middle = seeds.mean(axis=0)
        fetched = [self._near(middle, query, max(query.limit, NEAREST))]
        for first, last, limit in NEAREST_CITED:
            cited = Filter.by_property("citations").greater_or_equal(held.find_citation_quantile(first))
            if last < 1.0:  # no paper is fetched twice: reading them is what a search spends its time on
                cited &= Filter.by_property("citations").less_than(held.find_citation_quantile(last))
            fetched.append(self._near(middle, query, limit, cited))
        if found.topic.stems:
            fetched.append(self._find_named_and_cited(found, query))
        if filter_papers(query) is not None and found.topic.stems:
            fetched.append(self._find_named(found.topic.all_stems(), NAMED, query))
        near = await asyncio.gather(*fetched)
        return await asyncio.to_thread(rank_fetched, found, near, seeds, held, query)

    async def _find_named(self, stems: Sequence[str], limit: int, query: Query | None = None) -> PaperColumns:
        """The best by the server's BM25, of those that a query takes where one is given."""
        wanted = dict(_WANTED) if query is None else {**_WANTED, "filters": filter_papers(query)}
        async with translate_failures("to search"):
            found = await self._papers.query.bm25(" ".join(stems), query_properties=["words"], limit=limit, **wanted)
        return PaperColumns.of(found.objects)

    async def _find_named_and_cited(self, found: TopicPapers, query: Query) -> PaperColumns:
        """The most cited of the papers that have the two rarest of the topic's words, those that tell most of it."""
        rare = [stem for _, stem in sorted(zip(found.papers_with, found.topic.stems, strict=True))][:2]
        named = filter_papers(query, Filter.by_property("words").contains_all(rare))
        most = Sort.by_property("citations", ascending=False)
        async with translate_failures("to search"):
            best = await self._papers.query.fetch_objects(filters=named, sort=most, limit=NAMED_CITED, **_WANTED)
        return PaperColumns.of(best.objects)

    async def _abstracts(self, topic: TopicWords) -> list[str]:
        """Texts that tell the abbreviations of the topic's phrases."""
        async with translate_failures("to search"):
            found = await self._papers.query.bm25(
                " ".join(topic.stems), query_properties=["words"], limit=SEEDS, return_properties=["abstract"]
            )
        return [o.properties.get("abstract") or "" for o in found.objects]

    async def _meant(self, topic: TopicWords) -> TopicWords:
        """Without the abbreviations that mostly mean something else here."""

        async def is_meant(writing: Writing) -> bool:
            if not writing.is_abbreviation or len(writing.stems) > 1:
                return True
            words = [topic.stems[at] for at in writing.positions]
            all_, both = await asyncio.gather(
                self._objects.count_with(writing.stems), self._objects.count_with([*writing.stems, *words])
            )
            return both * 2 >= all_

        kept = await asyncio.gather(*map(is_meant, topic.writings))
        return replace(topic, writings=tuple(w for w, is_kept in zip(topic.writings, kept, strict=True) if is_kept))

    async def _near(self, middle: Any, query: Query, limit: int, also: Any = None) -> PaperColumns:
        """The papers nearest to the middle of the topic."""
        async with translate_failures("to search"):
            found = await self._papers.query.near_vector(
                middle.tolist(), limit=limit, filters=filter_papers(query, also), target_vector="abstract", **_WANTED
            )
        return PaperColumns.of(found.objects)

    async def _load_sample(self) -> LibrarySample:
        """A sample of the library."""
        if self._held is None or time.monotonic() - self._held.read_at > HELD_S:
            async with translate_failures("to search"):
                some = await self._papers.query.fetch_objects(limit=SAMPLE, **_WANTED)
            sample = PaperColumns.of(some.objects)
            if not sample.ids:
                raise RetrievalError("This library in Weaviate has no papers with vectors.")
            self._held = LibrarySample(sample, time.monotonic())
        return self._held
