"""Two libraries searched as one: a workspace's own papers beside the shared ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.retrieval.libraries.completing import complete_records
from engine.retrieval.libraries.library import AddReport, Library, TopicCounts
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.values import FoundPaper, Paper, PaperKey, Query


class JointLibrary:
    """``own`` first: it is what papers are added to, and its key of a paper is taken where both have one."""

    is_merged = False  # one search may find a paper in one of the two, the next in the other

    def __init__(self, own: Library, shared: Library) -> None:
        self._own = own
        self._shared = shared
        self.name = f"{shared.name} and the workspace's own papers"

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """At most ``query.limit`` papers; ranks are fused, because scores of two libraries cannot be compared."""
        own, shared = await asyncio.gather(self._own.search(query), self._shared.search(query))
        known = MergedPapers()
        rankings = [[known.add(item.paper) for item in found] for found in (own, shared)]
        fused = known.fuse([(keys, 1.0) for keys in rankings])[: query.limit]
        whole = await complete_records([item.paper for item in fused], self._shared)
        return [replace(item, paper=paper) for item, paper in zip(fused, whole, strict=True)]

    async def add(self, papers: Iterable[Paper]) -> AddReport:
        """Into the workspace's own library."""
        return await self._own.add(papers)

    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """The papers that exist among the keys, in the order asked."""
        own, shared = await asyncio.gather(self._own.get(keys), self._shared.get(keys))
        whole = await complete_records(own, self._shared)
        by_name = {name: p for p in (*shared, *whole) for name in (p.key, *p.identifiers)}
        return list(dict.fromkeys(by_name[key] for key in keys if key in by_name))

    async def count_topic(self, topic: str) -> TopicCounts:
        """Both counts added; a word that one of the two knows is not misspelt."""
        own, shared = await asyncio.gather(self._own.count_topic(topic), self._shared.count_topic(topic))
        if not (own.papers and shared.papers):
            return shared if shared.papers else own
        both = tuple(a + b for a, b in zip(own.papers_with, shared.papers_with, strict=True))
        unknown = {word for word, _ in own.spellings} & {word for word, _ in shared.spellings}
        spellings = tuple((word, other) for word, other in shared.spellings if word in unknown)
        is_author = own.is_author or shared.is_author
        return TopicCounts(own.papers + shared.papers, both, spellings, is_author)
