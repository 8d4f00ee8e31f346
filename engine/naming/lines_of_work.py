"""Lines of work: groups of papers that say what the group's heading promises, and the papers of none of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from engine.naming.clustering import NOISE, OTHER_WORK, Labels
from engine.naming.headings import LEAST_COVER, Heading, load_topics, rank_headings, rank_terms
from engine.naming.phrases import Formula, GroupedPhrases
from engine.paper_kinds import KINDS
from engine.retrieval.embedding import Vectors
from engine.values import Cluster, Paper

LEAST_SHARE = 0.02
"""Share of all papers that a line of work needs."""

LEAST_TITLES = 2
TITLE_SHARE = 0.2
"""Number of titles, and share of the papers that say a heading, which have it in the title: what many abstracts mention
and few titles name is a circumstance, not a line of work."""

CANDIDATES = 60
"""Phrases of a group, the best, that are tried as headings."""

ROUNDS = 3
"""How often papers are placed again, by the papers that are placed."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Papers to be divided; row i of the unit vectors is paper i of the one group of ``phrases``.

    A line of work has ``least`` papers or more, and none of the headings to ``avoid``.
    """

    phrases: GroupedPhrases
    vectors: Vectors
    topic: str
    least: int
    avoid: Collection[str] = ()

    @property
    def papers(self) -> Sequence[Paper]:
        """The papers, in the order of the vectors."""
        return self.phrases.groups[0]

    @property
    def enough(self) -> int:
        """Papers that a heading has to be placed over."""
        return max(self.least, round(LEAST_SHARE * len(self.papers)))

    def mentions(self, headings: Sequence[Heading]) -> NDArray[np.float64]:
        """Shape (papers, headings): 2 where the title says the heading, 1 where a sentence of the text does."""
        stems = [self.phrases.stems(paper) for paper in self.papers]
        return np.array([[one.mention(heading.said) for heading in headings] for one in stems], float)

    def place(self, headings: Sequence[Heading]) -> Labels:
        """The heading of each paper: the one it says most, the closest of several; `NOISE` where it says none.

        A paper that says none is with the closest heading where it is closer to the mean of the papers that say it
        than half of those are.
        """
        said = self.mentions(headings)
        found = np.full(len(said), NOISE, np.int64)
        for _ in range(ROUNDS if headings else 0):
            closeness, least = self.closeness(said, found)
            near = np.where(closeness >= least, closeness, -1.0)
            best = np.where(said.max(axis=1) > 0, (said + closeness).argmax(axis=1), near.argmax(axis=1))
            placed = np.where((said.max(axis=1) > 0) | (near.max(axis=1) > 0), best, NOISE)
            if np.array_equal(placed, found):
                break
            found = placed
        return found

    def closeness(self, said: NDArray[np.float64], found: Labels) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Cosines, of shape (papers, headings), with the mean of the papers that say it; their median for each."""
        columns, medians = [], []
        for i in range(said.shape[1]):
            own = (said[:, i] > 0) & (found == i)
            own = own if own.any() else said[:, i] > 0
            mean = self.vectors[own].mean(axis=0)
            columns.append(self.vectors @ (mean / max(float(np.linalg.norm(mean)), 1e-12)))
            medians.append(float(np.median(columns[-1][own])))
        return np.stack(columns, axis=1), np.array(medians)

    def keep(self, headings: Sequence[Heading]) -> tuple[list[Heading], Labels]:
        """The headings that papers enough are placed under, and the heading of each paper."""
        kept = list(headings)
        while True:
            found = self.place(kept)
            large = [heading for i, heading in enumerate(kept) if np.sum(found == i) >= self.enough]
            if len(large) == len(kept):
                return kept, found
            kept = large

    def is_line(self, heading: Heading, papers: Iterable[Paper], least: float) -> bool:
        """Whether papers enough say the heading, and titles enough among them; it stands as it is in some of the field.

        A known topic need not.
        """
        if heading.phrase not in load_topics() and self.phrases.titles[0][heading.phrase] < LEAST_TITLES:
            return False
        said = self.phrases.mentions(heading.said, papers)
        titles, saying = sum(level == 2 for level in said), sum(level > 0 for level in said)
        return saying >= least and titles >= max(LEAST_TITLES, TITLE_SHARE * saying)

    def of_clusters(self, clusters: Labels) -> Iterator[Heading]:
        """A heading of each cluster, the largest first, that has one; no two alike."""
        sizes = {int(label): int(np.sum(clusters == label)) for label in np.unique(clusters) if label != NOISE}
        order = sorted(sizes, key=lambda label: (-sizes[label], label))
        groups = [[self.papers[int(row)] for row in np.flatnonzero(clusters == label)] for label in order]
        regrouped = self.phrases.regroup(groups)
        taken: list[str] = list(self.avoid)
        for row, group in enumerate(groups):
            for heading in islice(rank_headings(regrouped, row, self.topic, taken), CANDIDATES):
                if self.is_line(heading, group, LEAST_COVER * len(group)) and self.is_line(heading, self.papers, 0):
                    taken.append(heading.text)
                    yield heading
                    break

    def of_others(self, headings: Sequence[Heading], found: Labels) -> Iterator[Heading]:
        """Further headings, of the papers under none, the best first."""
        others = [paper for paper, label in zip(self.papers, found, strict=True) if label == NOISE]
        taken = [*self.avoid, *(heading.text for heading in headings)]
        for heading in islice(rank_headings(self.phrases.regroup([others]), 0, self.topic, taken), CANDIDATES):
            if self.is_line(heading, others, self.enough):
                yield heading


def find_lines_of_work(field: Field, clusters: Labels, most: int, formula: Formula = "bounded") -> list[Cluster]:
    """The lines of work under the headings that `find_headings` finds, as `divide_by_headings` has them."""
    return divide_by_headings(field, find_headings(field, clusters), most, formula)


def find_headings(field: Field, clusters: Labels) -> list[Heading]:
    """What papers of a cluster have in common (``clusters``: the label of each paper), each over papers enough.

    Then what those papers have in common that say none of them.
    """
    headings, found = field.keep(list(field.of_clusters(clusters)))
    while np.sum(found == NOISE) >= field.enough:
        longer = ((further, *field.keep([*headings, further])) for further in field.of_others(headings, found))
        better = next(((kept, placed) for further, kept, placed in longer if further in kept), None)
        if better is None:
            break
        headings, found = better
    return headings


def divide_by_headings(
    field: Field, headings: Sequence[Heading], most: int, formula: Formula = "bounded"
) -> list[Cluster]:
    """At most ``most`` lines of work, largest first, then `KINDS` of work, last `OTHER_WORK`; each has papers enough.

    Empty where no heading has papers enough.
    """
    headings, found = field.keep(headings)
    largest = sorted(range(len(headings)), key=lambda i: (-int(np.sum(found == i)), i))[:most]
    if len(largest) < len(headings):
        headings, found = field.keep([headings[i] for i in sorted(largest)])
    if not headings:
        return []
    kinds, found = _label_kinds(field.papers, found, field.enough, field.avoid)
    if np.sum(found == NOISE) < field.least:
        closeness, _ = field.closeness(field.mentions(headings), found)
        found = np.where(found == NOISE, closeness.argmax(axis=1), found)
    order = sorted(range(len(headings)), key=lambda i: (-int(np.sum(found == i)), i))
    names = {i: headings[i].text for i in order} | kinds | ({NOISE: OTHER_WORK} if NOISE in found else {})
    return _name_lines(field, names, found, formula)


def _label_kinds(
    papers: Sequence[Paper], found: Labels, least: int, avoid: Collection[str] = ()
) -> tuple[dict[int, str], Labels]:
    """The heading of each of the `KINDS` by a new label, and the labels; only papers of no other label get one."""
    labelled, kinds = found.copy(), {}
    for heading, is_kind in KINDS.items():
        rows = [i for i in np.flatnonzero(labelled == NOISE) if is_kind(papers[int(i)])]
        if len(rows) >= least and heading not in avoid:
            label = int(labelled.max()) + 1
            kinds[label] = heading
            labelled[rows] = label
    return kinds, labelled


def _name_lines(field: Field, names: Mapping[int, str], found: Labels, formula: Formula) -> list[Cluster]:
    groups = [[p for p, label in zip(field.papers, found, strict=True) if label == wanted] for wanted in names]
    terms = rank_terms(field.phrases.regroup(groups), field.topic, formula)
    return [
        Cluster(name, () if name == OTHER_WORK else ranked, tuple(group))
        for name, ranked, group in zip(names.values(), terms, groups, strict=True)
    ]
