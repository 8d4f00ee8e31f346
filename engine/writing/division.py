"""A section divided by how alike its papers are, and the sections that groups of papers become."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.naming import clustering
from engine.naming.clustering import Labels, Points
from engine.quoting.reading_map import SET_APART
from engine.retrieval.embedding import Vectors, embed_papers
from engine.run import RunContext
from engine.session.outline_edits import node_at, papers_of, splice
from engine.values import Cluster, Outline, OutlineNode, PaperSelection, walk_outline

MOST_PARTS, SMALLEST_PART = 4, 3
"""Sections that one is divided into at most, and the papers that each has at least."""

TERMS_TOLD = 5
"""Terms of a group that its section's description lists."""


def divide_section(outline: Outline, place: str, selection: PaperSelection, topic: str, context: RunContext) -> Outline:
    """The outline with that section divided by its papers into two to four. Raises `UserError` where there is none."""
    node = node_at(outline, place)
    papers = papers_of(node, selection)
    found = tell_apart(embed_papers(context.embedder, papers), MOST_PARTS, SMALLEST_PART, context.seed)
    if len(np.unique(found)) == 1:
        found = clustering.split_in_two(embed_papers(context.embedder, papers), SMALLEST_PART)
    taken = [node.title for _, node in walk_outline(outline.nodes)]
    parts = clustering.clusters(papers, found, topic, avoid=taken)
    made, hints = map(make_section, parts), node.all_hints()
    sections = (replace(one, hint_papers=tuple(key for key in hints if key in one.papers)) for one in made)
    return splice(outline, place, *sections)


def tell_apart(points: Points | Vectors, most: int, least: int, seed: int) -> Labels:
    """The clusters with the best silhouette, at most so many, none with fewer papers than ``least``."""
    k = clustering.best_cluster_count(points, (2, min(most, len(points) // least)), seed)
    return clustering.dissolve_small(points, clustering.divide_by_means(points, k, seed), least)


def make_section(cluster: Cluster) -> OutlineNode:
    """The undivided section of a cluster."""
    described = SET_APART + ", ".join(cluster.terms[:TERMS_TOLD]) if cluster.terms else ""
    return OutlineNode(cluster.name, described, tuple(paper.key for paper in cluster.papers))
