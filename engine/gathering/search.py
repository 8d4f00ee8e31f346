"""From keywords to the papers of a survey: search each, merge, rank, filter; every paper keeps its reasons."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import NoReturn

import numpy as np

from engine.errors import RetrievalError, UserError
from engine.gathering.keyword_phrases import PhraseReader
from engine.gathering.keywords import SELECTORS, Selector, expand_keywords
from engine.gathering.relevance import JudgedPapers, judge_papers
from engine.gathering.topic_papers import (
    FOUNDATION_SHARE,
    Relevance,
    Subject,
    measure_coverage,
    measure_relevance,
    select_foundations,
    split_topic,
)
from engine.retrieval.embedding import Embedder, embed_papers, ready
from engine.retrieval.libraries.excluding import exclusion_of
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.retrieval.online.sources import Neighbour, Online
from engine.retrieval.ranking import SEEDS, closeness, measure_usual, popularity, survey_scores
from engine.retrieval.topic_words import measure_texts, read_topic
from engine.run import Progress, RunContext
from engine.text import shorten
from engine.values import (
    Brief,
    Coverage,
    FoundBy,
    FoundPaper,
    Keyword,
    KeywordPool,
    Paper,
    PaperKey,
    PaperSelection,
    Query,
    Reason,
    SearchRecord,
)

ONLINE_TOPIC_PAPERS = 300
"""Papers asked for online by the topic's name; each other keyword brings one page of a hundred."""

SURVEY_WEIGHT = 2.0
FOUNDATION_WEIGHT = 3.0
"""In units of the topic's own search: the order in which a survey would cite what was found counts twice, and what
the found papers themselves cite as much as both together, since no word of it need be searched for."""

KEYWORD_PAPERS = 400
"""Papers of either ranking of the library of which those about the topic tell its keywords."""

NAMED_WEIGHT = 0.5
"""The papers that have most of a keyword's words count half as much beside those that a survey would cite: few
citations keep no paper from being found."""

LEAST_EVIDENCE = 2
"""Fewest papers with an abstract or a summary that a survey is written from."""

JUDGED_SPARE = 1.25
"""So many times the papers wanted are judged, so that enough are left."""


async def propose_keywords(brief: Brief, context: RunContext, selector: Selector = "farthest") -> KeywordPool:
    """The topic and keywords from clusters of what it finds; each refused proposal brings another selector."""
    await context.progress(Progress("keywords"))

    first = await _find_papers(brief.topic, brief, context)
    if not first:
        raise UserError(_word_nothing_found(brief))
    embedder = await asyncio.to_thread(ready, context.embedder, first)
    subjects = split_topic(brief.topic)

    async def choose(papers: Sequence[Paper]) -> list[Paper]:
        relevance = await _measure(subjects, papers, embedder, context)
        if not relevance.about.any():
            await _stop_without_papers(brief, [FoundPaper(paper, 0.0) for paper in papers], relevance, context)
        return [paper for paper, is_about in zip(papers, relevance.about, strict=True) if is_about]

    about = await choose(first)
    reader = PhraseReader(about, context.library)

    async def search(text: str) -> Sequence[FoundPaper]:
        """Only what is about the topic: a keyword is worth what it finds of that."""
        await context.progress(Progress("keywords", detail=text))
        if text == brief.topic:
            return [FoundPaper(paper, 0.0) for paper in about]
        found = reader.find(text)
        if context.online:
            known = {paper.key for paper in about}
            searched = await context.online.search(text, SEEDS, brief.years)
            new = [paper for paper in searched.papers if paper.key not in known]
            chosen = {paper.key for paper in await choose([*about, *new])}
            found += [paper for paper in new if paper.key in chosen]
        return [FoundPaper(paper, 0.0) for paper in found]

    async def read(phrase: str, _: Sequence[Paper], pool: KeywordPool) -> str:
        return await reader.read(phrase, pool)

    chosen = SELECTORS[(SELECTORS.index(selector) + context.attempt) % len(SELECTORS)]
    start = [Keyword(brief.topic, "topic")]
    pool, _ = await expand_keywords(start, search, embedder, context.limits, chosen, read)
    return pool


async def _find_papers(topic: str, brief: Brief, context: RunContext) -> list[Paper]:
    """What the topic finds in the library and online, each paper once."""
    found: list[Paper] = []
    for ranking in ("survey", "words"):
        found += [f.paper for f in await context.library.search(Query(topic, KEYWORD_PAPERS, ranking, brief.years))]
    if context.online:
        found += (await context.online.search(topic, SEEDS, brief.years)).papers
    return list({paper.key: paper for paper in found}.values())


async def _stop_without_papers(
    brief: Brief, found: Sequence[FoundPaper], relevance: Relevance, context: RunContext
) -> NoReturn:
    """Raises `UserError`: no paper is about the topic; with the nearest ones, or how the topic may be spelt."""
    spellings = (await context.library.count_topic(brief.topic)).spellings
    raise UserError(_word_nothing_about(brief, measure_coverage(found, relevance, (), 0), spellings))


async def gather(brief: Brief, pool: KeywordPool, limit: int, context: RunContext) -> PaperSelection:
    """At most ``limit`` papers, best first: those about the topic, then its foundations.

    Ranks of all keywords are fused, the topic weighing as much as all others together; then what is popular but not
    about the topic is left out, and what a language model says is not relevant. Raises `UserError` where no paper is
    about the topic.
    """
    search = CandidatePool(brief, pool, context)
    await search.library(limit)
    if context.online:
        await search.online()
    if not search.known.papers:
        raise UserError(_word_nothing_found(brief))
    embedder = await asyncio.to_thread(ready, context.embedder, list(search.known.papers.values()))
    if context.online:
        await asyncio.to_thread(search.rank_online, embedder)
        await search.follow_citations()
    total = len(pool.keywords)
    await context.progress(Progress("filtering", total, total))
    excluded = exclusion_of(brief.without)
    fused = [item for item in search.fused() if not excluded.holds(item.paper)]
    added = [k.text for k in pool.keywords if k.origin == "person"]
    relevance = await _measure(split_topic(brief.topic), [f.paper for f in fused], embedder, context, added)
    about = [fused[i] for i in sorted(np.flatnonzero(relevance.about), key=lambda i: not relevance.named[i])]
    room = min(limit // FOUNDATION_SHARE, len(about) // (FOUNDATION_SHARE - 1))
    foundations = select_foundations(fused, relevance, room)
    if not about:
        await _stop_without_papers(brief, fused, relevance, context)
    filtered = len(fused) - len(about) - len(foundations)
    spare = int(limit * JUDGED_SPARE)  # foundations are judged with the best, so they stand right behind them
    ranked = [*about[: spare - len(foundations)], *foundations, *about[spare - len(foundations) :]]
    kept, retracted = await search.without_retracted(ranked, limit)
    chosen = await _judge_best(brief, kept, limit, context)
    if chosen.unjudged:
        note = f"{chosen.unjudged} papers could not be judged and stay"
        search.note_search("the language model", "which papers are relevant", note=note)
    good = (*chosen.kept, *kept[len(chosen.kept) + len(chosen.left_out) :])
    behind = {f.paper.key for f in foundations}
    foundations = [f for f in good if f.paper.key in behind]
    first = [f for f in good if f.paper.key not in behind]
    proposed = (*first[: limit - len(foundations)], *foundations)
    return PaperSelection(
        (*proposed, *retracted),
        excluded=tuple(f.paper.key for f in retracted),
        searches=tuple(search.records),
        filtered=filtered,
        left_out=chosen.left_out,
        repeats=search.known.repeats,
        beyond=len(good) - len(proposed),
        coverage=measure_coverage(fused, relevance, proposed, len(foundations)),
    )


async def _measure(
    subjects: Sequence[str],
    papers: Sequence[Paper],
    embedder: Embedder,
    context: RunContext,
    added: Sequence[str] = (),
) -> Relevance:
    counted = [Subject(text, await context.library.count_topic(text)) for text in subjects]
    counted += [Subject(text, await context.library.count_topic(text), is_added=True) for text in added]
    return await asyncio.to_thread(measure_relevance, counted, papers, embedder, context.accepted[:SEEDS])


def require_papers(selection: PaperSelection) -> tuple[Paper, ...]:
    """The papers that may be used; raises `UserError` where all are excluded, or too few say anything."""
    papers = selection.included()
    if not papers:
        raise UserError("All papers are excluded. Include some again, for example: include 1")
    telling = sum(bool(paper.content.strip()) for paper in papers)
    if telling < LEAST_EVIDENCE:
        raise UserError(
            f"A survey needs at least {LEAST_EVIDENCE} papers with an abstract or a summary; {telling} of these "
            f"{len(papers)} have one. Gather more (more), include some again, or add papers with abstracts."
        )
    return papers


async def _judge_best(brief: Brief, found: Sequence[FoundPaper], limit: int, context: RunContext) -> JudgedPapers:
    """The best of the papers judged, where that is wanted; else all stay as they are."""
    if not (context.judge and context.model):
        return JudgedPapers(tuple(found))
    return await judge_papers(brief.topic, found[: int(limit * JUDGED_SPARE)], context.model, context)


def _word_nothing_about(brief: Brief, coverage: Coverage, spellings: Sequence[tuple[str, str]]) -> str:
    """What to say where papers were found and none of them is about the topic."""
    topic = brief.topic[:80]
    if spellings:
        meant = topic.lower()
        for word, other in spellings:
            meant = meant.replace(word, other)
        return f"No paper here is about “{topic}”. Did you mean “{meant}”? Then say: survey {meant}"
    nearest = "; ".join(f"“{shorten(title, 100)}”" for title in coverage.nearest)
    online = "" if brief.online else f", `survey {topic} online=yes` to search online"
    return (
        f"No paper here is about “{topic}”. The nearest are: {nearest}. "
        f"You can say `survey` with other words{online}, or add papers of your own."
    )


def _word_nothing_found(brief: Brief) -> str:
    years = "" if brief.years.first is None and brief.years.last is None else f" from {brief.years}"
    if not brief.library:
        return f"No online source has a paper{years} about “{brief.topic[:80]}”. Try other words or wider years."
    also = "" if brief.online else ", search online too with online=yes,"
    return (
        f"The library has no paper{years} about “{brief.topic[:80]}”. "
        f"Try other words, wider years{also} or add papers with: scholium ingest FILE"
    )


@dataclass
class CandidatePool:
    """What is found on the way: papers, each once, rankings with their weights, reasons, and the record."""

    brief: Brief
    pool: KeywordPool
    context: RunContext
    known: MergedPapers = field(default_factory=MergedPapers)
    rankings: list[tuple[list[PaperKey], float]] = field(default_factory=list)
    reasons: dict[PaperKey, list[Reason]] = field(default_factory=dict)
    records: list[SearchRecord] = field(default_factory=list)
    _topic_seeds: list[PaperKey] = field(default_factory=list)
    _from_online: dict[PaperKey, None] = field(default_factory=dict)

    @property
    def topic_weight(self) -> float:
        """The topic weighs as much as all other keywords together."""
        return float(max(1, len(self.pool.keywords) - 1))

    async def library(self, limit: int) -> None:
        """Every keyword in the library."""
        library = self.context.library
        for number, keyword in enumerate(self.pool.keywords):
            await self.context.progress(Progress("searching", number, len(self.pool.keywords), keyword.text))
            depth = max(2 * limit, self.context.limits.candidate_papers) if number == 0 else SEEDS
            found = await library.search(Query(keyword.text, depth, years=self.brief.years))
            self._take([f.paper for f in found], keyword.text, self._weight(number))
            if number == 0 or keyword.origin == "person":
                named = await library.search(Query(keyword.text, depth, "words", self.brief.years))
                self._take([f.paper for f in named], keyword.text, NAMED_WEIGHT * self._weight(number))
            if self.brief.library:
                self.note_search(library.name, keyword.text, len(found))

    async def online(self) -> None:
        """Every keyword online, by relevance and by citations."""
        online = self.context.online
        assert online is not None
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
            keys = self._take(searched.papers, keyword.text, self._weight(number))
            self.records.append(searched.record)
            self._from_online.update(dict.fromkeys(keys))
            if number == 0:
                self._topic_seeds = keys[: SEEDS // 2]
            await self._most_cited(online, keyword)

    async def _most_cited(self, online: Online, keyword: Keyword) -> None:
        """Papers with all the keyword's words, to be ranked with the others: no word of it says how good they are."""
        try:
            cited = await online.most_cited(keyword.text, self.context.limits.candidate_papers, self.brief.years)
        except RetrievalError as error:
            self.note_search("most cited papers", keyword.text, note=f"left out: {error}")
            return
        self._from_online.update(dict.fromkeys(self._take(cited.papers, cited.record.query, 0.0)))
        self.records.append(cited.record)

    def rank_online(self, embedder: Embedder) -> None:
        """What was found online in the order in which a survey would cite it; runs for a while."""
        keys = list(dict.fromkeys(map(self.known.key_of, self._from_online)))
        seeds = list(dict.fromkeys(map(self.known.key_of, self._topic_seeds)))
        if len(seeds) < 2:
            return
        papers = [self.known.papers[key] for key in keys]
        vectors = embed_papers(embedder, papers)
        place = {key: i for i, key in enumerate(keys)}
        near = closeness(vectors, vectors[[place[key] for key in seeds]])
        counts = np.array([np.nan if p.citations is None else float(p.citations) for p in papers])
        years = np.array([p.year or 0 for p in papers], np.int64)
        cited = popularity(counts, years, datetime.now(UTC).year)
        words = measure_texts(read_topic(self.brief.topic), [p.title for p in papers], [p.abstract for p in papers])
        scores = survey_scores(words, near, cited, measure_usual(words, near, cited))
        order = [keys[int(i)] for i in np.argsort(-scores, kind="stable")]
        self.rankings.append((order, SURVEY_WEIGHT * self.topic_weight))

    async def follow_citations(self) -> None:
        """What the papers found cite, what cites them, what is recommended for them; said where that cannot be."""
        online = self.context.online
        assert online is not None
        best = [f.paper for f in self.fused()]
        steps: tuple[tuple[FoundBy, str], ...] = (
            ("cited", "cited by the papers found"),
            ("citing", "citing the papers found"),
            ("recommended", "recommended for the papers found"),
        )
        for number, (by, words) in enumerate(steps):
            await self.context.progress(Progress("following citations", number, len(steps), words))
            try:
                if by == "recommended":
                    near = await online.recommend([*self.context.accepted, *best], self.context.refused)
                else:
                    near = await (online.foundations(best) if by == "cited" else online.followers(best))
            except RetrievalError as error:
                self.note_search("citation graph", words, note=f"left out: {error}")
                continue
            allowed = [n for n in near.found if n.paper.year in self.brief.years]
            self._neighbours(allowed, by, words)
            self.note_search(near.source, words, len(allowed))

    def _neighbours(self, found: Sequence[Neighbour], by: FoundBy, words: str) -> None:
        keys = []
        for rank, neighbour in enumerate(found, start=1):
            key = self.known.add(neighbour.paper)
            keys.append(key)
            self.reasons.setdefault(key, []).append(Reason(words, neighbour.pointers or rank, by))
        self.rankings.append((keys, FOUNDATION_WEIGHT * self.topic_weight if by == "cited" else 1.0))

    async def without_retracted(
        self, found: Sequence[FoundPaper], limit: int
    ) -> tuple[list[FoundPaper], list[FoundPaper]]:
        """The papers that were not retracted, as far as that is known; those that were, marked."""
        best = [f.paper for f in found[: int(limit * JUDGED_SPARE)]]
        keys = frozenset(f.paper.key for f in found if f.paper.retracted)
        if self.context.online and best:
            await self.context.progress(Progress("retractions", 0, len(best)))
            try:
                keys |= await self.context.online.find_retracted(best)
            except RetrievalError as error:
                self.note_search("retractions", "the papers found", note=f"not checked: {error}")
        marked = [replace(f, paper=replace(f.paper, retracted=True)) for f in found if f.paper.key in keys]
        return [f for f in found if f.paper.key not in keys], marked

    def note_search(self, source: str, query: str, found: int = 0, note: str = "") -> None:
        """Enter a search into the record."""
        self.records.append(SearchRecord(source, query, datetime.now(UTC).date().isoformat(), found, note))

    def _weight(self, number: int) -> float:
        return self.topic_weight if number == 0 else 1.0

    def _take(self, papers: Sequence[Paper], words: str, weight: float) -> list[PaperKey]:
        """Enter one ranking; papers that are known already are merged with what is known."""
        keys = []
        for rank, paper in enumerate(papers, start=1):
            key = self.known.add(paper)
            keys.append(key)
            if weight:
                self.reasons.setdefault(key, []).append(Reason(words, rank))
        if weight:
            self.rankings.append((keys, weight))
        return keys

    def fused(self) -> list[FoundPaper]:
        """Every paper ranked so far, best first, with its reasons."""
        reasons: dict[PaperKey, list[Reason]] = {}
        for key, found in self.reasons.items():
            reasons.setdefault(self.known.key_of(key), []).extend(found)
        return [
            replace(found, reasons=tuple(dict.fromkeys(reasons.get(found.paper.key, ()))))
            for found in self.known.fused(self.rankings)
        ]
