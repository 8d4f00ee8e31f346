"""A section or a group of papers divided by how alike its papers are, and the sections that clusters become."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np

from engine.naming.clustering import (
    Labels,
    best_cluster_count,
    clusters,
    dissolve_small,
    labels,
    name_years,
    split_in_two,
)
from engine.naming.headings import rank_headings, rank_terms
from engine.naming.lines_of_work import CANDIDATES
from engine.naming.phrases import GroupedPhrases
from engine.retrieval.embedding import Vectors, embed_papers
from engine.run import RunContext
from engine.session.outline_edits import node_at, papers_of, split
from engine.values import Cluster, Outline, OutlineNode, Paper, PaperKey, PaperSelection, walk_outline
from engine.writing.assembly import mark_thin
from engine.writing.paper_tables import name_work
from engine.writing.reading_map import SET_APART

MOST_PARTS, SMALLEST_PART = 4, 3
"""Sections that one is divided into at most, and the papers that each has at least."""


def divide_section(
    outline: Outline,
    place: str,
    selection: PaperSelection,
    topic: str,
    context: RunContext,
    *,
    at_random: bool = False,
) -> Outline:
    """The outline with the section of that number divided by its papers into two to four on its level.

    A group is named by its terms, as all groups are before their headings are written; a section gets a heading that
    half of its papers say. Each part takes the hints of its papers. With ``at_random`` the parts are as large, and the
    papers of each drawn at random. Raises `UserError` where the outline has no such section.
    """
    node = node_at(outline, place)
    papers = papers_of(node, selection)
    vectors = embed_papers(context.embedder, papers)
    found = _tell_apart(vectors, context.seed)
    if at_random:
        found = np.random.default_rng(context.seed).permutation(found)
    taken = [node.title for _, node in walk_outline(outline.nodes)]
    if outline.is_grouping:
        parts = clusters(papers, found, topic, avoid=taken)
    else:
        parts = name_cautiously(papers, vectors, found, topic, taken)
    sections = (take_hints(make_section(part), node.all_hints()) for part in parts)
    return split(place, tuple(mark_thin(section, context.limits) for section in sections))(outline)


def _tell_apart(vectors: Vectors, seed: int) -> Labels:
    """The clusters with the best silhouette; where all but one are small, a cut at the widest gap."""
    k = best_cluster_count(vectors, (2, min(MOST_PARTS, len(vectors) // SMALLEST_PART)), seed)
    found = dissolve_small(vectors, labels(vectors, "k-means", k, seed), SMALLEST_PART)
    return found if len(np.unique(found)) > 1 else split_in_two(vectors, SMALLEST_PART)


def divide_by_years(papers: Sequence[Paper], parts: int, topic: str, least: int) -> list[Cluster]:
    """Work up to a year, from one to another, and since one: as alike in size as whole years allow.

    At most ``parts``, each of ``least`` papers or more; papers without a year are with the newest. One cluster, named
    for its years, where no year divides them.
    """
    years = sorted(p.year for p in papers if p.year) or [0]
    starts: list[int] = []
    for i in range(1, parts):
        start = years[i * len(years) // parts]
        if start > (starts or years)[-1] or (not starts and start > years[0]):
            starts.append(start)
    newest = years[-1] + 1
    bounds = [years[0], *starts, newest]
    groups = [[p for p in papers if low <= (p.year or newest - 1) < high] for low, high in pairwise(bounds)]
    if len(groups) > 1 and min(map(len, groups)) < least:
        return divide_by_years(papers, parts - 1, topic, least)
    terms = rank_terms(GroupedPhrases(groups), topic, "bounded", telling=True)
    spans = [[p.year for p in group if p.year] or [bounds[0]] for group in groups]
    names = [name_years(min(span), max(span), i, len(groups)) for i, span in enumerate(spans)]
    return [Cluster(name, ranked, tuple(group)) for name, ranked, group in zip(names, terms, groups, strict=True)]


def name_cautiously(
    papers: Sequence[Paper],
    vectors: Vectors,
    found: Labels,
    topic: str,
    avoid: Collection[str] = (),
    *,
    by_phrases_only: bool = False,
) -> list[Cluster]:
    """The clusters, the largest first, each with a heading that half of its papers say; else as work close to one.

    That one is the best known among the central half of the cluster. ``by_phrases_only``: where one has no such
    heading, there are no clusters.
    """
    rows = sorted((np.flatnonzero(found == label) for label in np.unique(found)), key=lambda r: (-len(r), r[0]))
    phrases = GroupedPhrases([[papers[int(row)] for row in members] for members in rows])
    terms = rank_terms(phrases, topic, "bounded", telling=True)
    named: list[Cluster] = []
    for i, (members, group) in enumerate(zip(rows, phrases.groups, strict=True)):
        taken = [*avoid, *(cluster.name for cluster in named)]
        fitting = (
            heading.text
            for heading in islice(rank_headings(phrases, i, topic, taken), CANDIDATES)
            if sum(level > 0 for level in phrases.mentions(heading.wanted, group)) >= len(group) / 2
        )
        title = next(fitting, "")
        if not title and by_phrases_only:
            return []
        closeness = vectors[members] @ vectors[members].mean(axis=0)
        central = [group[int(j)] for j in np.argsort(-closeness)[: (len(group) + 1) // 2]]
        named.append(Cluster(title or f"Work Close to {_name_in_heading(central)}", terms[i], tuple(group)))
    return named


def _name_in_heading(papers: Sequence[Paper]) -> str:
    """The best known of the papers: the method's name and its authors, or the authors and the year."""
    best_known = max(papers, key=lambda p: p.citations or 0)
    work = name_work(best_known)
    return work if "(" in work or not best_known.year else f"{work} ({best_known.year})"


def make_section(cluster: Cluster) -> OutlineNode:
    """The undivided section of a cluster."""
    described = SET_APART + ", ".join(cluster.terms[:5]) if cluster.terms else ""
    return OutlineNode(cluster.name, described, tuple(paper.key for paper in cluster.papers))


def take_hints(section: OutlineNode, hint_papers: Sequence[PaperKey]) -> OutlineNode:
    """The section with those of the hints that come from its papers."""
    return replace(section, hint_papers=tuple(key for key in hint_papers if key in section.papers))
