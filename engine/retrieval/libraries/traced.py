"""A library whose searches are spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.retrieval.libraries.library import AddReport, Library, TopicCounts
from engine.tracing import trace_step
from engine.values import FoundPaper, Paper, PaperKey, Query


class TracedLibrary:
    """The library given, with a span for each search: how it ranked, how much it found, not what was sought."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.name = library.name
        self.is_merged = library.is_merged

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """What the library finds."""
        with trace_step("search a library", {"scholium.ranking": query.ranking, "scholium.limit": query.limit}) as span:
            found = await self._library.search(query)
            span.set_attribute("scholium.found", len(found))
            return found

    async def add(self, papers: Iterable[Paper]) -> AddReport:
        """Into the library."""
        return await self._library.add(papers)

    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """What the library has of them."""
        return await self._library.get(keys)

    async def count_topic(self, topic: str) -> TopicCounts:
        """What the library counts."""
        return await self._library.count_topic(topic)
