"""All online sources as one, for one job: the first that works answers, and what was asked of whom is kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, zip_longest
from typing import Any, Protocol, TypeAlias, TypeVar

from engine.errors import RetrievalError
from engine.options import PaperKind
from engine.paper_kinds import is_of_kind
from engine.retrieval.online.crossref import Crossref
from engine.retrieval.online.openalex import OpenAlex
from engine.retrieval.online.pubmed import PubMed
from engine.retrieval.online.queries import BooleanQuery, query_of
from engine.retrieval.online.semantic_scholar import SemanticScholar
from engine.retrieval.online.transport import DAY_S
from engine.text import list_words
from engine.values import ALL_YEARS, Paper, PaperKey, SearchRecord, YearRange

GRAPH_PAPERS = 100
"""Papers found whose references are read: the best ones stand for the field."""

CITING_PAPERS = 8
"""Papers found for which those that cite them are asked: one call each, at one call a second."""

LEAST_POINTERS = 3
"""A paper that fewer of the found papers cite is no foundation of their field."""

FOUNDATIONS = 150
"""Papers that the citation graph adds at most."""

T = TypeVar("T")
CitationGraph: TypeAlias = SemanticScholar | OpenAlex
"""The services that know what papers cite; each names the papers that it can read by `names_of`."""


class PaperSearch(Protocol):
    """A service that finds papers by words, operators and filters, as far as it knows them."""

    name: str

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """Papers by relevance, and the age of the answer in seconds. Raises `RetrievalError`."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search gave, best first, and its record."""

    papers: Sequence[Paper]
    record: SearchRecord


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a citation graph gave, the most pointed to first, each with how many papers point to it or are cited."""

    source: str
    found: Sequence[tuple[Paper, int]]


@dataclass
class Online:
    """The sources in the order they are asked; one that fails is not asked again by this job."""

    scholar: SemanticScholar | None = None
    others: Sequence[PaperSearch] = ()
    open_alex: OpenAlex | None = None
    crossref: Crossref | None = None
    pubmed: PubMed | None = None
    publishers: Sequence[PaperSearch] = ()
    failed: dict[str, str] = field(default_factory=dict)
    """Source → why it is not asked any more."""
    kinds: tuple[PaperKind, ...] = ()
    """The only kinds of publication that a search may find; empty: all."""
    only: Sequence[str] = ()
    """Names, in lower case, of the sources that a person wants, all of which a search asks; empty: any."""

    def places(self, *, life_sciences: bool) -> list[PaperSearch]:
        """Every service that can be searched at the same time; PubMed for the life sciences alone, or where named."""
        pubmed = self.pubmed if life_sciences or self.only else None
        return self._usable(self.scholar, *self.others, *self.publishers, pubmed)

    def _usable(self, *sources: Any) -> list[Any]:
        """Those of the sources that are wanted and have not failed; which papers were retracted is always asked."""
        there = (source for source in sources if source and source.name not in self.failed)
        return [s for s in there if not self.only or s is self.crossref or s.name.lower() in self.only]

    async def abstract_of(self, paper: Paper, seconds: float) -> str:
        """The abstract that another service has of a paper, each asked for so long; empty where none has one."""
        for source in self._usable(self.scholar, self.open_alex, self.pubmed):
            with suppress(TimeoutError, RetrievalError):
                async with asyncio.timeout(seconds):
                    found = await source.lookup(list(dict.fromkeys((paper.key, *paper.identifiers))))
                if known := next((p.abstract for p in found.values() if p.abstract), ""):
                    return known
        return ""

    async def search(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> SearchResult:
        """From the first source that answers, or from all that a person named. Raises `RetrievalError` if none does."""
        found: dict[str, Sequence[Paper]] = {}
        oldest = 0.0
        for source in self.places(life_sciences=False) if self.only else self._usable(self.scholar, *self.others):
            try:
                papers, age = await source.find(query_of(text, years, self.kinds), limit)
            except RetrievalError as error:
                self.failed[source.name] = str(error)
                continue
            found[source.name] = [paper for paper in papers if not self.kinds or is_of_kind(paper, self.kinds)]
            oldest = max(oldest, age)
            if not self.only:
                break
        if not found:
            reasons = " ".join(self.failed.values())
            raise RetrievalError(f"No online source could be searched. {reasons}", retryable=True)
        mixed = [paper for paper in chain.from_iterable(zip_longest(*found.values())) if paper]
        asked = f"{text} [{'; '.join(self.kinds)}]" if self.kinds else text
        return SearchResult(mixed, self._record(list_words(found), asked, len(mixed), oldest))

    async def most_cited(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> SearchResult:
        """The most cited papers with all the words. Raises `RetrievalError` where nobody can say."""

        async def ask(graph: CitationGraph) -> SearchResult:
            papers, age = await graph.most_cited(text, limit, years)
            return SearchResult(papers, self._record(graph.name, f"{text} (most cited)", len(papers), age))

        return await self._first(ask)

    async def foundations(self, papers: Sequence[Paper]) -> Neighbours:
        """What several of the papers cite, the most pointed to first, whatever its words. Raises `RetrievalError`."""

        async def ask(graph: CitationGraph) -> Neighbours:
            cited = await graph.references(graph.names_of(papers[:GRAPH_PAPERS]))
            pointers = Counter(key for references in cited.values() for key in set(references))
            wanted = [key for key, count in pointers.most_common(2 * FOUNDATIONS) if count >= LEAST_POINTERS]
            found = await graph.lookup(wanted[:FOUNDATIONS])
            return Neighbours(graph.name, [(found[key], pointers[key]) for key in wanted if key in found])

        return await self._first(ask)

    async def followers(self, papers: Sequence[Paper]) -> Neighbours:
        """What cites several of the best papers, the most pointing first. Raises `RetrievalError` likewise."""

        async def ask(graph: CitationGraph) -> Neighbours:
            pointing: Counter[PaperKey] = Counter()
            known: dict[PaperKey, Paper] = {}
            for name in graph.names_of(papers[:CITING_PAPERS]):
                for paper in await graph.citations(name):
                    known[paper.key] = paper
                    pointing[paper.key] += 1
            best = [(key, count) for key, count in pointing.most_common(FOUNDATIONS) if count >= LEAST_POINTERS]
            return Neighbours(graph.name, [(known[key], count) for key, count in best])

        return await self._first(ask)

    async def recommend(self, papers: Sequence[Paper], disliked: Sequence[Paper]) -> Neighbours:
        """Papers like those found. Raises `RetrievalError` where Semantic Scholar, which alone can say, is away."""

        async def ask(scholar: SemanticScholar) -> Neighbours:
            liked, refused = (scholar.names_of(some) for some in (papers[:GRAPH_PAPERS], disliked))
            found = await scholar.recommendations(liked, refused)
            return Neighbours(scholar.name, [(paper, 0) for paper in found])

        return await self._first(ask, (self.scholar,))

    async def find_retracted(self, papers: Sequence[Paper]) -> frozenset[PaperKey]:
        """Keys of those papers that were retracted. Raises `RetrievalError` where neither service can say."""
        known = {p.key for p in papers if p.retracted}
        named = {i: p.key for p in papers if not p.retracted for i in p.identifiers if i.startswith("doi:")}
        if not named:
            return frozenset(known)
        knowing = self.open_alex, self.crossref
        found = await self._first(lambda service: service.find_retracted(list(named)), knowing)
        return frozenset(known | {named[doi] for doi in found if doi in named})

    async def vectors(self, papers: Sequence[Paper]) -> dict[PaperKey, Sequence[float]]:
        """SPECTER2 vectors of those papers that Semantic Scholar has one of. Raises `RetrievalError`."""
        named = {name: paper.key for paper in papers for name in dict.fromkeys((paper.key, *paper.identifiers))}
        found = [await scholar.vectors(list(named)) for scholar in self._usable(self.scholar)]
        return {named[name]: vector for vectors in found for name, vector in vectors.items()}

    async def get(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys, whichever source knows them. Raises `RetrievalError`."""
        found: dict[PaperKey, Paper] = {}
        async with aclosing(self._each(lambda graph: graph.lookup([k for k in keys if k not in found]))) as answers:
            async for answer in answers:
                found |= answer
                if all(key in found for key in keys):
                    break
        return found

    async def find_by_title(self, title: str) -> Paper | None:
        """The paper whose title is closest, ``None`` where there is none. Raises `RetrievalError`."""
        return await self._first(lambda graph: graph.match(title))

    async def find_by_titles(self, titles: Sequence[str]) -> list[Paper]:
        """Papers whose title holds one of the titles, of OpenAlex, which takes many at once; none where it is away."""
        with suppress(RetrievalError):
            return await self._first(lambda source: source.find_by_titles(titles), (self.open_alex,))
        return []

    def match_in_each(self, title: str) -> AsyncGenerator[Paper | None]:
        """The paper whose title is closest in each source in turn. Raises `RetrievalError` where none answers."""
        return self._each(lambda graph: graph.match(title))

    async def _first(self, question: Callable[[Any], Awaitable[T]], sources: Sequence[Any] = ()) -> T:
        async with aclosing(self._each(question, sources)) as answers:
            return await anext(answers)

    async def _each(self, question: Callable[[Any], Awaitable[T]], sources: Sequence[Any] = ()) -> AsyncGenerator[T]:
        """The answers of sources, else of the graphs; one that fails is not asked again. Raises `RetrievalError`."""
        answered = False
        why = " ".join(self.failed.values()) or "No online source is configured."
        for source in self._usable(*(sources or (self.scholar, self.open_alex))):
            try:
                answer = await question(source)
            except RetrievalError as error:
                why = str(error)
                if error.retryable:
                    self.failed[source.name] = why
                continue
            answered = True
            yield answer
        if not answered:
            raise RetrievalError(why, retryable=True)

    def _record(self, source: str, text: str, found: int, age_s: float) -> SearchRecord:
        notes = [f"instead of {name}: {why}" for name, why in self.failed.items()]
        if age_s > DAY_S:
            notes.append(f"its answer of {age_s / DAY_S:.0f} days ago")
        return SearchRecord(source, text, datetime.now(UTC).date().isoformat(), found, " ".join(notes))
