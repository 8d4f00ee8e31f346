"""Lines of work: groups of papers that say what the group's heading promises, and the papers of none of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from engine.naming.aspects import FURTHER_OF, find_aspects, find_broader, find_like, group_of, is_group, is_like
from engine.naming.clustering import NOISE, OTHER_WORK, Labels
from engine.naming.headings import LEAST_COVER, Heading, load_topics, rank_headings, rank_terms
from engine.naming.mentions import PASSING, TEXT, TITLE
from engine.naming.phrases import Formula, GroupedPhrases, stems_of
from engine.paper_kinds import KINDS
from engine.retrieval.embedding import Vectors
from engine.text import list_words
from engine.values import Cluster, Paper

FOUNDATIONS = "Foundations"
"""Heading of the papers that the topic's papers build on, and that do not name the topic."""

FURTHER = "Further Topics"
"""Heading of the lines of work that are too small for sections."""

LEAST_SHARE = 0.02
"""Share of all papers that a line of work needs."""

LEAST_TITLES = 2
TITLE_SHARE = 0.2
"""Number of titles, and share of the papers that say a heading, which have it in the title: what many abstracts mention
and few titles name is a circumstance, not a line of work."""

CANDIDATES = 60
"""Phrases of a group, the best, that are tried as headings."""

MOST = 0.75
"""Share of papers that are most of them."""

MOST_JOINED = 3
"""Parts whose names together are the heading over them; more are named as a group."""

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
        """Shape (papers, headings): how much each paper says each heading."""
        stems = [self.phrases.stems(paper) for paper in self.papers]
        return np.array([[one.mention(heading.wanted) for heading in headings] for one in stems], float)

    def place(self, headings: Sequence[Heading]) -> Labels:
        """The heading of each paper: the one it says most, the closest of several; `NOISE` where it says none.

        What only its text says counts where it is as close to the mean of the papers that say it as most of those are;
        what it says in passing, as half of them.
        """
        said = self.mentions(headings)
        found = np.full(len(said), NOISE, np.int64)
        for _ in range(ROUNDS if headings else 0):
            closeness, (most, half) = self.closeness(said, found)
            is_said = (
                (said == TITLE) | ((said == TEXT) & (closeness >= most)) | ((said == PASSING) & (closeness >= half))
            )
            best = np.where(is_said, said + closeness, -1.0)
            placed = np.where(is_said.any(axis=1), best.argmax(axis=1), NOISE)
            if np.array_equal(placed, found):
                break
            found = placed
        return found

    def closeness(self, said: NDArray[np.float64], found: Labels) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Cosines, of shape (papers, headings), with the mean of the papers that say it.

        And the cosine that most of those papers have, and that half of them have: of shape (2, headings).
        """
        columns, usual = [], []
        for i in range(said.shape[1]):
            own = (said[:, i] > 0) & (found == i)
            own = own if own.any() else said[:, i] > 0
            mean = self.vectors[own].mean(axis=0)
            columns.append(self.vectors @ (mean / max(float(np.linalg.norm(mean)), 1e-12)))
            usual.append(np.quantile(columns[-1][own], (1 - MOST, 0.5)))
        return np.stack(columns, axis=1), np.stack(usual, axis=1)

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
        said = self.phrases.mentions(heading.wanted, papers)
        titles, saying = sum(level == TITLE for level in said), sum(level > 0 for level in said)
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
    field: Field, headings: Sequence[Heading], most: int | None = None, formula: Formula = "bounded"
) -> list[Cluster]:
    """Lines of work, largest first, then narrow ones, aspects and `KINDS` of work, last `OTHER_WORK`.

    At most ``most`` lines under the headings, and none narrow then. Empty where nothing names papers enough.
    """
    headings, found = field.keep(headings)
    largest = sorted(range(len(headings)), key=lambda i: (-int(np.sum(found == i)), i))[:most]
    if is_cut := len(largest) < len(headings):
        headings, found = field.keep([headings[i] for i in sorted(largest)])
    kinds, found = _label_kinds(field.papers, found, field.enough, field.avoid)
    headings, found = _broaden(field, found, headings)
    aspects, found = _label_aspects(field, found, headings)
    if not headings and not aspects:
        return []
    taken = [*(heading.text for heading in headings), *aspects.values()]
    narrow, found = ({}, found) if is_cut else _label_narrow(field, found, taken)
    if np.sum(found == NOISE) < field.least and headings:
        closeness, _ = field.closeness(field.mentions(headings), found)
        found = np.where(found == NOISE, closeness.argmax(axis=1), found)
    order = sorted(range(len(headings)), key=lambda i: (-int(np.sum(found == i)), i))
    named = {i: headings[i].text for i in order} | narrow | aspects | kinds
    return _name_lines(field, named | ({NOISE: OTHER_WORK} if NOISE in found else {}), found, formula)


def _broaden(field: Field, found: Labels, headings: Sequence[Heading]) -> tuple[list[Heading], Labels]:
    """The headings, less specific where further titles enough say the less specific one; the labels with those."""
    broadened, labelled = list(headings), found.copy()
    for i, heading in enumerate(headings):
        aspect = find_broader(heading.text, field.papers, field.topic)
        if aspect is None or any(is_like(aspect.heading, one.text) for one in broadened if one is not heading):
            continue
        rows = [j for j in np.flatnonzero(labelled == NOISE) if aspect.said.search(field.papers[int(j)].title)]
        if len(rows) >= field.least:
            broadened[i] = replace(heading, text=aspect.heading)
            labelled[rows] = i
    return broadened, labelled


def _label_aspects(field: Field, found: Labels, headings: Sequence[Heading]) -> tuple[dict[int, str], Labels]:
    """The heading of each aspect of the papers that have no label by a new label, and the labels.

    Papers with an aspect that is like a heading are under that where they are as close to it as most are.
    """
    labelled, names = found.copy(), {}
    if headings:
        closeness, (most, _) = field.closeness(field.mentions(headings), found)
        for i, heading in enumerate(headings):
            like = find_like(heading.text, field.papers, field.topic)
            labelled[(labelled == NOISE) & like & (closeness[:, i] >= most[i])] = i
    rows = np.flatnonzero(labelled == NOISE)
    avoid = [*field.avoid, *(heading.text for heading in headings)]
    aspects = find_aspects([field.papers[int(row)] for row in rows], field.papers, field.topic, field.least, avoid)
    for label, (name, own) in enumerate(aspects.items(), start=int(found.max()) + 1):
        names[label] = name
        labelled[rows[own]] = label
    return names, labelled


def _label_narrow(field: Field, found: Labels, avoid: Sequence[str]) -> tuple[dict[int, str], Labels]:
    """The heading of each line of ``least`` papers or more among those without a label, by a new label; the labels."""
    rows = np.flatnonzero(found == NOISE)
    if len(rows) <= 2 * field.least:
        return {}, found
    others = [field.papers[int(row)] for row in rows]
    rest = replace(
        field,
        phrases=field.phrases.regroup([others]),
        vectors=field.vectors[rows],
        avoid=[*field.avoid, *avoid],
    )
    labelled, names = found.copy(), {}
    headings, placed = rest.keep(find_headings(rest, np.full(len(rows), NOISE)))
    first = int(found.max()) + 1
    for i, heading in enumerate(headings):
        names[first + i] = heading.text
        labelled[rows[placed == i]] = first + i
    return names, labelled


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
    terms = rank_terms(field.phrases.regroup(groups), field.topic, formula, telling=True)
    topical = stems_of(field.topic)
    return [
        Cluster(name, () if name == OTHER_WORK else _leave_out_name(ranked, topical | stems_of(name)), tuple(group))
        for name, ranked, group in zip(names.values(), terms, groups, strict=True)
    ]


def _leave_out_name(terms: Sequence[str], said: Collection[str]) -> tuple[str, ...]:
    """The terms that say more than the heading and the topic do."""
    return tuple(term for term in terms if not stems_of(term).issubset(said))


def gather_lines(lines: Sequence[Cluster], enough: int, most: int) -> list[Cluster]:
    """The lines of work as sections, at most ``most`` of them, each of papers enough.

    The aspects of one group are parts of one section; what is too small for one is part of a last one.
    """
    named = sorted((line for line in lines if not (group_of(line.name) or _stands(line))), key=_count_papers)
    sections = [line for line in named if len(line.papers) >= enough][:most]
    small = [line for line in named if line not in sections]
    gathered: list[Cluster] = []
    for group in dict.fromkeys(group_of(line.name) for line in lines if group_of(line.name)):
        parts = sorted(
            (line for line in lines if group_of(line.name) == group), key=lambda p: (is_group(p.name), -len(p.papers))
        )
        shared = f"{FURTHER_OF}{group}" if len(parts) > 1 else group
        parts = [replace(part, name=shared) if is_group(part.name) else part for part in parts]
        if len(parts) > 1:
            gathered.append(join_lines(_name_together(parts, group), parts))
        else:
            (gathered if len(parts[0].papers) >= enough else small).extend(parts)
    further = [join_lines(_name_together(small, FURTHER), small)] if len(small) > 1 else small
    return [*sections, *sorted(gathered, key=_count_papers), *further, *filter(_stands, lines)]


def _name_together(parts: Sequence[Cluster], group: str) -> str:
    """The parts' names as one heading; the ``group``'s where they are many or more than one joins two already."""
    joined = [part.name for part in parts if " and " in part.name]
    if len(parts) > MOST_JOINED or len(joined) > 1 or (is_group(group) and any(is_group(p.name) for p in parts)):
        return group
    plain = [part.name for part in parts if part.name not in joined]
    return ", ".join([*plain, *joined]) if joined else list_words(plain)


def _count_papers(line: Cluster) -> int:
    """For the largest first."""
    return -len(line.papers)


def add_foundations(lines: Sequence[Cluster], papers: Sequence[Paper], least: int) -> list[Cluster]:
    """The lines of work, and last before the other work the papers that do not name the topic.

    Fewer than ``least`` of those are other work.
    """
    named = [line for line in lines if line.name != OTHER_WORK]
    others = [paper for line in lines if line.name == OTHER_WORK for paper in line.papers]
    if len(papers) >= least:
        named.append(Cluster(FOUNDATIONS, (), tuple(papers)))
    else:
        others += papers
    return [*named, Cluster(OTHER_WORK, (), tuple(others))] if others else named


def _stands(line: Cluster) -> bool:
    """Whether it is a kind of work, or the work that nothing names."""
    return line.name in KINDS or line.name == OTHER_WORK


def join_lines(name: str, parts: Sequence[Cluster]) -> Cluster:
    """One cluster of several, which are its parts."""
    return Cluster(name, (), tuple(paper for part in parts for paper in part.papers), tuple(parts))


def join_smallest(lines: Sequence[Cluster], count: int) -> list[Cluster]:
    """So many lines of work: the largest, and the others as parts of one, which two of them name where it is all."""
    if len(lines) == count:
        return list(lines)
    named = sorted((line for line in lines if not _stands(line)), key=_count_papers)
    kept = named[: count - 1]
    parts = [part for line in lines if line not in kept for part in (line.parts or (line,))]
    subjects = sorted((part for part in parts if not _stands(part) and " and " not in part.name), key=_count_papers)
    name = FURTHER if kept or not subjects else " and ".join(part.name for part in subjects[:2])
    return [*kept, join_lines(name, parts)]
