"""How papers are grouped: the options of the cluster paper, the choices made of them, and how good the groups are.

Li et al., "Cluster-Based Effective Generation of AI-Driven Literature Surveys" (NLPCC 2024), 3.1 and 4.3. Where the
paper leaves the number of clusters to chance, the silhouette decides.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.naming import clustering
from engine.naming.clustering import ALGORITHMS, NOISE, Algorithm, Labels, Points, Reduction
from engine.naming.phrases import Formula
from engine.retrieval.embedding import Vectors
from engine.text import terms
from engine.values import Cluster

SPELT: Mapping[Algorithm, str] = {
    "k-means": "k-means",
    "dbscan": "DBSCAN",
    "agglomerative": "agglomerative clustering",
}

FEWEST, MOST, PAPERS_A_GROUP = 5, 12, 10
"""Groups that the silhouette chooses among: the published range, 5 to a tenth of the papers, and no more than a reader
takes in. Below 50 papers that range is empty: then from 3 (2 of fewer than 15 papers) to 5."""

SMALLEST_GROUP = 3
"""Papers; a smaller group goes to the nearest, unless so many groups were asked for."""

TERMS_JUDGED = 5
"""Terms of a group, the best, by which it is judged."""


@dataclass(frozen=True, slots=True)
class GroupingOptions:
    """What a lab chooses: the algorithm (``None``: picked by the seed), the rule for k, the paper's ablation."""

    algorithm: Algorithm | None = "k-means"
    published_k: bool = False
    random_groups: bool = False
    reduction: Reduction = "spectral"
    formula: Formula = "bounded"

    def choose_algorithm(self, seed: int, attempt: int) -> Algorithm:
        """The algorithm of the options, or the seed's pick; another one each time another outline is wanted."""
        first = self.algorithm or random.Random(seed).choice(ALGORITHMS)
        return ALGORITHMS[(ALGORITHMS.index(first) + attempt) % len(ALGORITHMS)]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The group of each paper, by which algorithm, the mean silhouette, and what a person should know of it."""

    labels: Labels
    algorithm: Algorithm
    silhouette: float
    notes: tuple[str, ...] = ()


def group_papers(
    vectors: Vectors, options: GroupingOptions, seed: int, attempt: int = 0, wanted: int | None = None
) -> Grouping:
    """The papers with these vectors in groups; as many as ``wanted``, where there are papers enough."""
    algorithm = options.choose_algorithm(seed, attempt)
    if len(vectors) <= SMALLEST_GROUP:
        return Grouping(np.zeros(len(vectors), np.int64), algorithm, 0.0)
    points = clustering.reduce_dimensions(vectors, seed + attempt, options.reduction)
    k = count_groups(points, options, seed + attempt, wanted)
    found = clustering.labels(points, algorithm, k, seed + attempt)
    notes: list[str] = []
    if algorithm == "dbscan" and clustering.is_degenerate(found):
        algorithm = "k-means"
        found = clustering.labels(points, algorithm, k, seed + attempt)
        notes.append("DBSCAN told no groups apart here; these are by k-means.")
    if noise := int(np.sum(found == NOISE)):
        said = "paper lies in no cluster and stands" if noise == 1 else "papers lie in no cluster and stand"
        notes.append(f"{noise} {said} with the nearest one.")
        found = clustering.reassign_noise(points, found)
    if wanted is None and not options.published_k:
        found = clustering.dissolve_small(points, found, SMALLEST_GROUP)
        if len(np.unique(found)) == 1:
            found = clustering.split_in_two(points, SMALLEST_GROUP)
    if options.random_groups:
        found = np.random.default_rng(seed + attempt).permutation(found)
        notes.append("These groups are drawn at random, as large as the clusters: SCHOLIUM_WITHOUT has “clustering”.")
    return Grouping(found, algorithm, clustering.measure_silhouette(points, found), tuple(notes))


def count_groups(points: Points, options: GroupingOptions, seed: int, wanted: int | None) -> int:
    """How many groups to make of the papers with these points."""
    papers = len(points)
    if wanted is not None:
        return min(max(1, wanted), papers // 2)
    if options.published_k:
        return clustering.draw_cluster_count(papers, seed)
    most = min(MOST, max(FEWEST, papers // PAPERS_A_GROUP), papers // SMALLEST_GROUP)
    fewest = FEWEST if papers >= FEWEST * PAPERS_A_GROUP else 3 if papers >= 15 else 2
    return clustering.best_cluster_count(points, (fewest, most), seed)


def judge_representations(groups: Sequence[Cluster]) -> float:
    """The share of papers that say one of their group's best terms: a clustering is judged by these too (K15)."""
    told: list[bool] = []
    for group in groups:
        wanted = [set(terms(term)) for term in group.terms[:TERMS_JUDGED]]
        said = (set(terms(f"{paper.title} {paper.content}")) for paper in group.papers)
        told += [any(term <= one for term in wanted) for one in said]
    return sum(told) / len(told) if told else 0.0
