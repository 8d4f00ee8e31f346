"""Searches a Weaviate library for a survey: fetches what may rank high, which `weaviate_ranking` then orders."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from weaviate.classes.query import Filter, Sort

from engine.errors import RetrievalError
from engine.retrieval.abbreviations import with_abbreviations
from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.weaviate_papers import PaperObjects, filter_papers
from engine.retrieval.libraries.weaviate_ranking import (
    FACTS,
    LibrarySample,
    PaperColumns,
    TopicPapers,
    rank_fetched,
)
from engine.retrieval.libraries.weaviate_schema import translate_failures
from engine.retrieval.ranking import SEEDS
from engine.retrieval.topic_words import TopicWords, Writing, read_topic
from engine.values import Query

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
