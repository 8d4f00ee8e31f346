"""Libraries made of others: without some papers, or two searched as one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from engine.paper_kinds import is_of_kind, is_survey
from engine.retrieval.libraries.library import Library, TopicCounts
from engine.retrieval.merging.merged_papers import MergedPapers, find_same, merge_records
from engine.tracing import trace_step
from engine.values import Brief, FoundPaper, Paper, PaperKey, Query

SURVEYS = "surveys"
"""Named among what is left out: every paper that calls itself a survey."""

SPARE = 2
"""Where surveys or all kinds but some are left out, so many times as many papers are asked for: their number is not
known before."""


def leaves_out(brief: Brief, paper: Paper) -> bool:
    """Whether the brief excludes a paper: by one of its identifiers, as a survey, or as one of no wanted kind."""
    is_named = any(name in brief.without for name in (paper.key, *paper.identifiers))
    is_other = bool(brief.kinds) and not is_of_kind(paper, brief.kinds)
    return is_named or is_other or (SURVEYS in brief.without and is_survey(paper))


class ExcludingLibrary:
    """What a job searches: the ``inner`` library without what its brief excludes, before the limit."""

    def __init__(self, inner: Library, brief: Brief) -> None:
        self._inner = inner
        self._brief = brief
        self.name = inner.name

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """At most ``query.limit`` papers, none of them excluded."""
        brief = self._brief
        named = frozenset(PaperKey(name) for name in brief.without if name != SURVEYS)
        limit = query.limit * (SPARE if brief.kinds or SURVEYS in brief.without else 1) + len(named)
        asked = replace(query, limit=limit, exclude=query.exclude | named)
        with trace_step("search a library", {"scholium.ranking": query.ranking, "scholium.limit": query.limit}) as span:
            near = await self._inner.search(asked)
            found = [item for item in near if not leaves_out(brief, item.paper)][: query.limit]
            span.set_attribute("scholium.found", len(found))
        return found

    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """The papers that exist among the keys and are not excluded."""
        return [paper for paper in await self._inner.get(keys) if not leaves_out(self._brief, paper)]

    async def count_topic(self, topic: str) -> TopicCounts:
        """How common the words of a topic are in the whole library."""
        return await self._inner.count_topic(topic)


NEAREST_TITLES = 5
"""Papers of a library among which one is looked for by its title."""


async def complete_records(papers: Sequence[Paper], library: Library) -> list[Paper]:
    """Each paper in order, under its key, merged with the library's record of it where it has no abstract."""
    poor = [paper for paper in papers if not paper.abstract]
    if not poor:
        return list(papers)
    names = list(dict.fromkeys(name for paper in poor for name in (paper.key, *paper.identifiers)))
    by_name = {name: known for known in await library.get(names) for name in (known.key, *known.identifiers)}
    whole = await asyncio.gather(*(_complete(paper, by_name, library) for paper in poor))
    completed = dict(zip((paper.key for paper in poor), whole, strict=True))
    return [completed.get(paper.key, paper) for paper in papers]


async def _complete(paper: Paper, by_name: dict[PaperKey, Paper], library: Library) -> Paper:
    known = next((by_name[name] for name in (paper.key, *paper.identifiers) if name in by_name), None)
    if known is None:
        near = [item.paper for item in await library.search(Query(paper.title[:300], NEAREST_TITLES, "title"))]
        known = next(iter(find_same(paper, near)), None)
    return merge_records(paper, replace(known, key=paper.key)) if known else paper


class JointLibrary:
    """``own`` first: it is what papers are added to, and its key of a paper is taken where both have one."""

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
        return TopicCounts(topic, own.papers + shared.papers, both, spellings)
