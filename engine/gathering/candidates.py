"""The candidates of a survey's papers: what each search found, merged, with its rankings, reasons and record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

import numpy as np

from engine.errors import RetrievalError
from engine.gathering.relevance import JUDGED_SPARE
from engine.retrieval.embedding import Embedder, Vectors, embed_papers
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.retrieval.online.sources import Neighbours, Online
from engine.retrieval.ranking import SEEDS, closeness, measure_popularity, order_best, score_papers, standardise
from engine.retrieval.topic_words import Scores, measure_texts, read_topic
from engine.run import Progress, RunContext
from engine.values import Brief, FoundBy, FoundPaper, Keyword, KeywordPool, Paper, PaperKey, Query, Reason, SearchRecord

ONLINE_TOPIC_PAPERS = 300
"""Papers asked for online by the topic's name; each other keyword brings one page of a hundred."""

SEARCHES_AT_ONCE = 2
"""Searches of the library that run side by side: one ranks while the other reads what it has found."""

TOPIC_WEIGHT = 3.0
"""The topic weighs so many times as much as all other keywords together: with 1, narrow topics of `../shared/corpus`
have .79 at 100 in place of .88 (the topic alone .90), broad ones .50 at 300 in place of .52."""

SURVEY_WEIGHT = 2.0
FOUNDATION_WEIGHT = 3.0
"""In units of the topic's own search: the order in which a survey would cite what was found counts twice, and what
the found papers themselves cite as much as both together, since no word of it need be searched for."""

TOPIC_PAPERS = 1_200
"""Papers that the topic finds in the library: as many as the recipe that asks for most, and titles that name the topic
are looked for among them."""


@dataclass
class FoundPapers:
    """What searches found: papers, each once, rankings with their weights, reasons, and the record."""

    known: MergedPapers = field(default_factory=MergedPapers)
    rankings: list[tuple[list[PaperKey], float]] = field(default_factory=list)
    reasons: dict[PaperKey, list[Reason]] = field(default_factory=dict)
    records: list[SearchRecord] = field(default_factory=list)

    def take(self, papers: Sequence[Paper], words: str, weight: float = 1.0) -> list[PaperKey]:
        """Enter one ranking; papers that are known already are merged with what is known."""
        keys = list(map(self.known.add, papers))
        if weight:
            for rank, key in enumerate(keys, start=1):
                self.reasons.setdefault(key, []).append(Reason(words, rank))
            self.rankings.append((keys, weight))
        return keys

    def note_search(self, source: str, query: str, found: int = 0, note: str = "") -> None:
        """Enter a search into the record."""
        self.records.append(SearchRecord(source, query, datetime.now(UTC).date().isoformat(), found, note))

    @contextmanager
    def note_failure(self, source: str, query: str, why: str = "left out") -> Iterator[None]:
        """What a source is asked for within; where it cannot be had, the record says it, and the rest is skipped."""
        try:
            yield
        except RetrievalError as error:
            self.note_search(source, query, note=f"{why}: {error}")

    def fuse(self) -> list[FoundPaper]:
        """Every paper ranked so far, best first, with its reasons."""
        reasons: dict[PaperKey, list[Reason]] = {}
        for key, found in self.reasons.items():
            reasons.setdefault(self.known.key_of(key), []).extend(found)
        return [
            replace(found, reasons=tuple(dict.fromkeys(reasons.get(found.paper.key, ()))))
            for found in self.known.fuse(self.rankings)
        ]


@dataclass(kw_only=True)
class CandidatePool(FoundPapers):
    """What is found on the way to a survey's papers."""

    brief: Brief
    pool: KeywordPool
    context: RunContext
    _topic_seeds: list[PaperKey] = field(default_factory=list)
    _from_online: dict[PaperKey, None] = field(default_factory=dict)

    async def library(self, limit: int) -> None:
        """Every keyword in the library."""
        library, keywords, places = self.context.library, self.pool.keywords, asyncio.Semaphore(SEARCHES_AT_ONCE)

        async def search(number: int, keyword: Keyword) -> Sequence[FoundPaper]:
            depth = max(TOPIC_PAPERS, int(limit * JUDGED_SPARE)) if number == 0 else SEEDS
            async with places:
                return await library.search(Query(keyword.text, depth, years=self.brief.years))

        async with asyncio.TaskGroup() as group:
            searches = [group.create_task(search(number, keyword)) for number, keyword in enumerate(keywords)]
            for number, (keyword, searching) in enumerate(zip(keywords, searches, strict=True)):
                await self.context.progress(Progress("searching", number, len(keywords), keyword.text))
                found = await searching
                self.take([item.paper for item in found], keyword.text, self._weigh(number))
                if self.brief.library:
                    self.note_search(library.name, keyword.text, len(found))

    async def online(self, online: Online) -> None:
        """Every keyword online, by relevance and by citations."""
        for number, keyword in enumerate(self.pool.keywords):
            await self.context.progress(Progress("searching online", number, len(self.pool.keywords), keyword.text))
            depth = ONLINE_TOPIC_PAPERS if number == 0 else SEEDS
            try:
                searched = await online.search(keyword.text, depth, self.brief.years)
            except RetrievalError as error:
                if not self.known.papers:
                    raise
                self.note_search("online sources", keyword.text, note=str(error))
                return
            keys = self.take(searched.papers, keyword.text, self._weigh(number))
            self.records.append(searched.record)
            self._from_online.update(dict.fromkeys(keys))
            if number == 0:
                self._topic_seeds = keys[: SEEDS // 2]
            await self._most_cited(online, keyword)

    async def _most_cited(self, online: Online, keyword: Keyword) -> None:
        """Papers with all the keyword's words, to be ranked with the others: no word of it says how good they are."""
        with self.note_failure("most cited papers", keyword.text):
            cited = await online.most_cited(keyword.text, self.context.limits.candidate_papers, self.brief.years)
            self._from_online.update(dict.fromkeys(self.take(cited.papers, cited.record.query, 0.0)))
            self.records.append(cited.record)

    async def rank_online(self, online: Online, embedder: Embedder) -> None:
        """What was found online in the order in which a survey would cite it."""
        found = [self.known.papers[key] for key in dict.fromkeys(map(self.known.key_of, self._from_online))]
        specter: dict[PaperKey, Sequence[float]] = {}
        with self.note_failure("SPECTER2 vectors", "the papers found"):
            specter = {self.known.key_of(key): vector for key, vector in (await online.vectors(found)).items()}
        seeds = list(dict.fromkeys(map(self.known.key_of, self._topic_seeds)))
        if len(seeds) > 1:
            order = await asyncio.to_thread(_rank_as_survey, self.brief.topic, found, seeds, specter, embedder)
            self.rankings.append((order, SURVEY_WEIGHT * self._weigh(0)))

    async def follow_citations(self, online: Online) -> None:
        """What the papers found cite, what cites them, what is recommended for them; said where that cannot be."""
        best = [f.paper for f in self.fuse()]
        liked = [*self.context.accepted, *best]
        steps: tuple[tuple[FoundBy, str, Callable[[], Awaitable[Neighbours]]], ...] = (
            ("cited", "cited by the papers found", partial(online.foundations, best)),
            ("citing", "citing the papers found", partial(online.followers, best)),
            ("recommended", "recommended for the papers found", partial(online.recommend, liked, self.context.refused)),
        )
        for number, (by, words, ask) in enumerate(steps):
            await self.context.progress(Progress("following citations", number, len(steps), words))
            with self.note_failure("citation graph", words):
                near = await ask()
                allowed = [(paper, pointers) for paper, pointers in near.found if paper.year in self.brief.years]
                keys = [self.known.add(paper) for paper, _ in allowed]
                for rank, (key, (_, pointers)) in enumerate(zip(keys, allowed, strict=True), start=1):
                    self.reasons.setdefault(key, []).append(Reason(words, pointers or rank, by))
                self.rankings.append((keys, FOUNDATION_WEIGHT * self._weigh(0) if by == "cited" else 1.0))
                self.note_search(near.source, words, len(allowed))

    async def without_retracted(
        self, found: Sequence[FoundPaper], limit: int
    ) -> tuple[list[FoundPaper], list[FoundPaper]]:
        """The papers that were not retracted, as far as that is known; those that were, marked."""
        best = [f.paper for f in found[: int(limit * JUDGED_SPARE)]]
        keys = frozenset(f.paper.key for f in found if f.paper.retracted)
        if self.context.online and best:
            await self.context.progress(Progress("retractions", 0, len(best)))
            with self.note_failure("retractions", "the papers found", "retractions not checked"):
                keys |= await self.context.online.find_retracted(best)
        marked = [replace(f, paper=replace(f.paper, retracted=True)) for f in found if f.paper.key in keys]
        return [f for f in found if f.paper.key not in keys], marked

    def _weigh(self, number: int) -> float:
        """The weight of a keyword's ranking: the first is the topic."""
        return TOPIC_WEIGHT * max(1, len(self.pool.keywords) - 1) if number == 0 else 1.0


def _rank_as_survey(
    topic: str,
    papers: Sequence[Paper],
    seeds: Sequence[PaperKey],
    specter: Mapping[PaperKey, Sequence[float]],
    embedder: Embedder,
) -> list[PaperKey]:
    """The papers by their words, their closeness to the ``seeds`` among them, and their citations, as surveys cite."""
    from sklearn.preprocessing import normalize

    keys = [paper.key for paper in papers]
    near = _measure_closeness(keys, embed_papers(embedder, papers), seeds)
    if len(known := [key for key in seeds if key in specter]) > 1:
        # The mean of both for those with a SPECTER2 vector, in standard deviations, since cosines of one embedding
        # are not those of another.
        there = [key for key in keys if key in specter]
        vectors = normalize(np.array([specter[key] for key in there], np.float32))
        also, near = standardise(_measure_closeness(there, vectors, known)), standardise(near)
        rows = [row for row, key in enumerate(keys) if key in specter]
        near[rows] = (near[rows] + also) / 2
    cited = measure_popularity(papers, datetime.now(UTC).year)
    words = measure_texts(read_topic(topic), [p.title for p in papers], [p.abstract for p in papers])
    scores = score_papers(standardise(words.bm25), standardise(near), standardise(cited), "survey")
    return [keys[int(i)] for i in order_best(scores, len(keys))]


def _measure_closeness(keys: Sequence[PaperKey], vectors: Vectors, seeds: Sequence[PaperKey]) -> Scores:
    return closeness(vectors, vectors[[keys.index(key) for key in seeds]])
