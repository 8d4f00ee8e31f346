"""A library without some of its papers, such as the human survey that a survey is to be held against (A15)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.paper_kinds import is_survey
from engine.retrieval.libraries.library import AddReport, Library, TopicCounts
from engine.values import FoundPaper, Paper, PaperKey, Query

SURVEYS = "surveys"
"""Named among what is left out: every paper that calls itself a survey."""

SPARE = 2
"""Where surveys are left out, so many times as many papers are asked for: their number is not known before."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What no search may find: papers by any of their identifiers, and, where wanted, all surveys."""

    keys: frozenset[PaperKey] = frozenset()
    surveys: bool = False

    def holds(self, paper: Paper) -> bool:
        """Whether the paper is left out."""
        named = not self.keys.isdisjoint((paper.key, *paper.identifiers))
        return named or (self.surveys and is_survey(paper))


def exclusion_of(without: Sequence[str]) -> Exclusion:
    """What a brief leaves out: identifiers, and ``surveys`` for all surveys."""
    return Exclusion(frozenset(PaperKey(name) for name in without if name != SURVEYS), SURVEYS in without)


class ExcludingLibrary:
    """The ``inner`` library without what is excluded; every search honours it before its limit is counted."""

    def __init__(self, inner: Library, exclusion: Exclusion) -> None:
        self._inner = inner
        self._exclusion = exclusion
        self._known: frozenset[PaperKey] | None = None
        self.name = inner.name
        self.is_merged = inner.is_merged

    async def search(self, query: Query) -> Sequence[FoundPaper]:
        """At most ``query.limit`` papers, none of them excluded."""
        asked = replace(query, exclude=query.exclude | await self._keys())
        if self._exclusion.surveys:
            asked = replace(asked, limit=query.limit * SPARE)
        found = await self._inner.search(asked)
        return [item for item in found if not self._exclusion.holds(item.paper)][: query.limit]

    async def add(self, papers: Iterable[Paper]) -> AddReport:
        """Into the library itself."""
        return await self._inner.add(papers)

    async def get(self, keys: Sequence[PaperKey]) -> Sequence[Paper]:
        """The papers that exist among the keys and are not excluded."""
        return [paper for paper in await self._inner.get(keys) if not self._exclusion.holds(paper)]

    async def count_topic(self, topic: str) -> TopicCounts:
        """How common the words of a topic are in the whole library."""
        return await self._inner.count_topic(topic)

    async def _keys(self) -> frozenset[PaperKey]:
        """The excluded papers by every name the library has for them."""
        if self._known is None:
            named = self._exclusion.keys
            found = await self._inner.get(sorted(named)) if named else ()
            self._known = named | {name for paper in found for name in (paper.key, *paper.identifiers)}
        return self._known
