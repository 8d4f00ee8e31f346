"""Groups whose headings their papers say: a heading that few of its papers mention promises what the section lacks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.naming.headings import LEAST_COVER, GroupName, name_phrases
from engine.naming.phrases import Formula, GroupedPhrases
from engine.retrieval.embedding import Vectors
from engine.values import Paper

SMALLEST = 3
"""Papers; a group that would keep fewer keeps its own."""

FEWEST_NAMED = 2
"""Groups with a heading that their papers say; where fewer are there, all are kept."""

MOST_UNNAMED = 0.4
"""Share of all papers that may lie in groups that nothing names."""

NOISE = -1
"""Label of papers that lie in no group."""

Labels: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Papers by row, with a name for each group; ``found`` holds the group of each paper, from 0, or `NOISE`."""

    found: Labels
    names: Sequence[GroupName]

    def weak(self) -> list[int]:
        """Groups whose heading too few of their papers say."""
        return [i for i, name in enumerate(self.names) if name.cover < LEAST_COVER]


@dataclass(frozen=True, slots=True, eq=False)
class _Papers:
    phrases: GroupedPhrases
    vectors: Vectors
    topic: str
    formula: Formula
    avoid: Collection[str] = ()

    @property
    def papers(self) -> Sequence[Paper]:
        """The papers whose phrases are known, in the order of the vectors."""
        return self.phrases.groups[0]

    def name(self, found: Labels) -> _Groups:
        """The groups, the largest first, with their names."""
        sizes = {int(label): int(np.sum(found == label)) for label in np.unique(found)}
        order = sorted(sizes.keys() - {NOISE}, key=lambda label: (-sizes[label], label))
        rows = [np.flatnonzero(found == label) for label in order]
        groups = [[self.papers[int(row)] for row in members] for members in rows]
        ordered = np.full(len(found), NOISE, np.int64)
        for number, members in enumerate(rows):
            ordered[members] = number
        return _Groups(ordered, name_phrases(self.phrases.regrouped(groups), self.topic, self.formula, self.avoid))

    def mentions(self, groups: _Groups) -> NDArray[np.float64]:
        """Shape (papers, groups): 2 where the title says the group's heading, 1 where a sentence of the text does."""
        return np.array(
            [[name.mention(stems) for name in groups.names] for stems in map(self.phrases.stems, self.papers)], float
        )

    def move(self, groups: _Groups) -> _Groups:
        """The groups with the papers in them that say their headings, named anew."""
        mentions = self.mentions(groups)
        best, said = self.choose(groups, mentions)
        moved = np.where(said > mentions[np.arange(len(said)), groups.found], best, groups.found)
        left = [i for i in range(len(groups.names)) if np.sum(moved == i) < SMALLEST]
        return self.name(np.where(np.isin(groups.found, left), groups.found, moved))

    def choose(self, groups: _Groups, mentions: NDArray[np.float64]) -> tuple[Labels, NDArray[np.float64]]:
        """The group whose heading each paper says most, the closest of several, and how much it says of it."""
        best: Labels = (mentions + self.closeness(groups)).argmax(axis=1)
        said: NDArray[np.float64] = mentions[np.arange(len(best)), best]
        return best, said

    def closeness(self, groups: _Groups) -> NDArray[np.float64]:
        """Shape (papers, groups): cosine with the group's mean."""
        means = np.stack([self.vectors[groups.found == i].mean(axis=0) for i in range(len(groups.names))])
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        found: NDArray[np.float64] = self.vectors @ means.T
        return found


def settle(
    phrases: GroupedPhrases, vectors: Vectors, found: Labels, topic: str, formula: Formula = "bounded"
) -> Labels:
    """The groups made to fit their headings; row i of the unit vectors is paper i of the one group of ``phrases``.

    A paper that does not say its group's heading goes to a group whose heading it says, or whose heading its title
    says. No group is lost.
    """
    given = _Papers(phrases, vectors, topic, formula)
    return given.move(given.name(found)).found


def leave_out_unnamed(
    phrases: GroupedPhrases,
    vectors: Vectors,
    found: Labels,
    topic: str,
    formula: Formula = "bounded",
    avoid: Collection[str] = (),
) -> Labels:
    """`settle`, and groups whose heading fewer than `LEAST_COVER` of their papers say are given up.

    Their papers go where a heading is what they say, else they are `NOISE`; where that would be more than
    `MOST_UNNAMED` of all papers, or fewer than `FEWEST_NAMED` groups were left, no group is given up. No heading is
    one of those to ``avoid``.
    """
    given = _Papers(phrases, vectors, topic, formula, avoid)
    first = settled = given.move(given.name(found))
    while weak := settled.weak():
        mentions = given.mentions(settled)
        mentions[:, weak] = 0.0
        best, said = given.choose(settled, mentions)
        elsewhere = np.where(said > 0, best, NOISE)
        settled = given.name(np.where(np.isin(settled.found, weak), elsewhere, settled.found))
        if len(settled.names) < FEWEST_NAMED or np.mean(settled.found == NOISE) > MOST_UNNAMED:
            return first.found
    return settled.found
