"""Papers → clusters, as in "Cluster-Based Effective Generation of AI-Driven Literature Surveys".

Vectors are reduced to few dimensions, the points clustered by one of three algorithms, and the clusters named by
c-TF-IDF; all of it is the same on every processor and with any number of threads.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from engine.naming.headings import name_groups
from engine.naming.phrases import Formula
from engine.retrieval.embedding import Vectors
from engine.values import Cluster, Paper

Reduction = Literal["spectral", "umap"]
REDUCTION_NEIGHBOURS = 15
REDUCED_DIMENSIONS = 5
FAINT = 1e-4
"""Weight of an edge between papers that are no neighbours; it keeps groups that share none in one graph."""
DIFFUSION_STEPS = 2
"""How much coarse structure counts more than fine: measured best of 0 to 8 by silhouette."""

DIGITS = 4
"""Decimal places in which distances and likenesses are compared: processors differ in the seventh at most."""

PERPLEXITY = 30.0
"""t-SNE's usual number of neighbours; it has to be smaller than the number of papers."""

_ONE_REDUCTION = threading.Lock()
"""Where neither OpenMP nor TBB is installed, numba ends the whole process if two threads reduce at once."""

Points: TypeAlias = NDArray[np.float64]

Algorithm = Literal["k-means", "agglomerative", "dbscan"]
ALGORITHMS: tuple[Algorithm, ...] = ("k-means", "agglomerative", "dbscan")

AlgorithmChoice = Literal["k-means", "agglomerative", "dbscan", "random"]
"""“random” picks one by the seed for each survey, as published."""

DBSCAN_SMALLEST_CLUSTER = 5
STARTS, ROUNDS = 4, 100
"""Runs of k-means, each from other centres, and how often each moves them at most."""

LARGEST_SHARE, MOST_NOISE = 0.8, 0.5
"""Shares from which DBSCAN's result tells nothing apart: of the clustered papers in one cluster, of papers in none."""

Labels: TypeAlias = NDArray[np.int64]

NOISE = -1
"""Label of a paper that is in no group."""


def reduce_dimensions(vectors: Vectors, seed: int, reduction: Reduction = "spectral") -> Points:
    """The vectors (unit length) in 5 dimensions; with 16 papers or fewer, which have too few neighbours, by PCA.

    ``umap`` is the published reduction. ``spectral`` takes the same number of neighbours and dimensions, needs no
    compiling of 17 s, and its clusters fit the vectors as well; it sees only how alike papers are, which is the same
    on every processor.
    """
    exact = vectors.astype(np.float64)
    with threadpool_limits(1):
        if len(vectors) <= REDUCTION_NEIGHBOURS + 1:
            return project(exact, REDUCED_DIMENSIONS)
        return _reduce_spectrally(exact) if reduction == "spectral" else _reduce_by_umap(vectors, seed)


def project(vectors: Points | Vectors, dimensions: int) -> Points:
    """The first principal components, the largest coordinate of each positive; fewer where there are no more."""
    exact = np.asarray(vectors, np.float64)
    if len(exact) < 2:
        return np.zeros((len(exact), 1))
    left, singular, _ = np.linalg.svd(exact - exact.mean(axis=0), full_matrices=False)
    kept = min(dimensions, len(exact) - 1, exact.shape[1])
    return _fix_signs(left[:, :kept] * singular[:kept])


def lay_out(vectors: Vectors, seed: int) -> Points:
    """The vectors as points of a plane, near one another where they are alike (t-SNE)."""
    from sklearn.manifold import TSNE

    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    with threadpool_limits(1):
        tsne = TSNE(2, perplexity=perplexity, init="pca", random_state=seed)
        return np.asarray(tsne.fit_transform(np.asarray(vectors)))


def _fix_signs(points: Points) -> Points:
    """The same points with the largest coordinate of each dimension positive: solvers give either sign."""
    largest = np.abs(points.round(DIGITS)).argmax(axis=0)
    return np.asarray(points * np.where(points[largest, np.arange(points.shape[1])] < 0, -1.0, 1.0))


def _reduce_spectrally(vectors: Points) -> Points:
    """A diffusion map (Coifman and Lafon, 2006) of the graph of nearest neighbours."""
    from scipy.linalg import eigh

    closeness = np.clip(vectors @ vectors.T, 0.0, 1.0)
    np.fill_diagonal(closeness, 0.0)
    near = np.argsort(-closeness.round(DIGITS), axis=1, kind="stable")[:, :REDUCTION_NEIGHBOURS]
    graph = np.full_like(closeness, FAINT)
    rows = np.arange(len(vectors))[:, None]
    graph[rows, near] += closeness[rows, near]
    graph = np.maximum(graph, graph.T)
    degrees = graph.sum(axis=1)
    walk = graph / np.sqrt(np.outer(degrees, degrees))
    last = len(vectors) - 2  # the largest eigenvector is the same for all papers
    values, eigenvectors = eigh(walk, subset_by_index=[last - REDUCED_DIMENSIONS + 1, last])
    points: Points = eigenvectors / np.sqrt(degrees)[:, None] * np.clip(values, 0.0, 1.0) ** DIFFUSION_STEPS
    return _fix_signs(points * np.sqrt(degrees.sum()))


def _reduce_by_umap(vectors: Vectors, seed: int) -> Points:
    from umap import UMAP  # compiles itself on import, which takes seconds

    reducer = UMAP(
        n_neighbors=REDUCTION_NEIGHBOURS,
        n_components=REDUCED_DIMENSIONS,
        metric="cosine",
        min_dist=0.0,
        random_state=seed,
        n_jobs=1,
    )
    with _ONE_REDUCTION:
        return np.asarray(reducer.fit_transform(vectors), np.float64)


def draw_cluster_count(references: int, seed: int) -> int:
    """A random integer in [5, references/10]; below 50 references that range is empty, and it is 5 or less."""
    upper = references // 10
    if upper < 5:
        return max(1, min(5, references // 3))
    return random.Random(seed).randint(5, upper)


def best_cluster_count(points: Points | Vectors, bounds: tuple[int, int], seed: int) -> int:
    """The least k within bounds whose k-means clusters have the highest mean silhouette; 1 for too few points."""
    low, high = max(2, bounds[0]), min(bounds[1], _count_distinct(points) - 1)
    if high < low:
        return 1
    scores = {k: measure_silhouette(points, divide_by_means(points, k, seed)) for k in range(low, high + 1)}
    return max(scores, key=lambda k: (scores[k], -k))


def measure_silhouette(points: Points | Vectors, found: Labels) -> float:
    """The mean silhouette (Rousseeuw, 1987), from -1 to 1; 0 for one cluster, or as many as points."""
    from sklearn.metrics import silhouette_score

    if not 1 < len(np.unique(found)) < len(found):
        return 0.0
    return round(float(silhouette_score(_distances(points, points), found, metric="precomputed")), DIGITS)


def divide_by_means(points: Points | Vectors, k: int, seed: int = 0) -> Labels:
    """The cluster of each point, from 0: the best of `STARTS` runs of k-means++; fewer than ``k`` if one stays empty.

    Sums are taken in one order, so that every processor divides alike.
    """
    exact = np.asarray(points, np.float64)
    runs = [_run_means(exact, k, np.random.default_rng(seed + start)) for start in range(STARTS)]
    found = min(runs, key=lambda run: run[0])[1]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _run_means(points: Points, k: int, chance: np.random.Generator) -> tuple[float, Labels]:
    """One run of k-means++: the sum of squared distances to the centres, and the cluster of each point."""
    centres = points[[int(chance.integers(len(points)))]]
    while len(centres) < k:
        far = (_distances(points, centres) ** 2).min(axis=1).cumsum()
        chosen = min(int(np.searchsorted(far, chance.random() * far[-1], side="right")), len(points) - 1)
        centres = np.vstack([centres, points[[chosen]]])
    found = np.full(len(points), -1)
    distances = _distances(points, centres)
    for _ in range(ROUNDS):
        nearest = distances.round(DIGITS).argmin(axis=1)
        if np.array_equal(nearest, found):
            break
        found = nearest
        centres = np.array([points[found == i].mean(axis=0) if np.any(found == i) else centres[i] for i in range(k)])
        distances = _distances(points, centres)
    return round(float((distances[np.arange(len(points)), found] ** 2).sum()), DIGITS), found


def _distances(points: Points | Vectors, others: Points | Vectors) -> Points:
    """Euclidean distances, shape (points, others), by SciPy, which needs no linear algebra for them."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(points, others), np.float64)


def _count_distinct(points: Points | Vectors) -> int:
    return len(np.unique(points.round(DIGITS), axis=0))


def labels(points: Points | Vectors, algorithm: Algorithm, k: int, seed: int) -> Labels:
    """The cluster of each point, from 0; `NOISE` for DBSCAN's outliers. DBSCAN finds its own k and radius."""
    k = min(k, _count_distinct(points))
    if len(points) <= k or k <= 1:
        return np.zeros(len(points), np.int64) if k <= 1 else np.arange(len(points))
    match algorithm:
        case "k-means":
            return divide_by_means(points, k, seed)
        case "agglomerative":
            from scipy.cluster.hierarchy import fcluster, linkage

            merged = linkage(np.asarray(points, np.float64), "ward")
            return np.asarray(fcluster(merged, k, "maxclust") - 1, np.int64)
        case "dbscan":
            from sklearn.cluster import HDBSCAN

            # DBSCAN at every radius, of which the most stable clusters stay (Campello et al., 2013).
            least = min(DBSCAN_SMALLEST_CLUSTER, len(points))
            scan = HDBSCAN(least, metric="precomputed", copy=True)
            return np.asarray(scan.fit_predict(_distances(points, points).round(DIGITS)), np.int64)


def reassign_noise(points: Points | Vectors, found: Labels) -> Labels:
    """Noise points moved to the cluster whose centre is nearest; all in one cluster where all are noise."""
    homes = [label for label in np.unique(found) if label != NOISE]
    if not homes:
        return np.zeros(len(found), np.int64)
    centres = np.array([points[found == label].mean(axis=0) for label in homes])
    nearest = _distances(points, centres).argmin(axis=1)
    return np.where(found == NOISE, np.array(homes)[nearest], found)


def dissolve_small(points: Points | Vectors, found: Labels, least: int) -> Labels:
    """Clusters of fewer than ``least`` points given up, their points moved to the nearest that is left."""
    sizes = {label: int(np.sum(found == label)) for label in np.unique(found)}
    small = [label for label, size in sizes.items() if size < least]
    return reassign_noise(points, np.where(np.isin(found, small), NOISE, found))


def split_in_two(points: Points | Vectors, least: int) -> Labels:
    """Two halves along the direction of most variance; one cluster where they had fewer than ``least`` points."""
    found = np.zeros(len(points), np.int64)
    if len(points) >= 2 * least:
        order = np.argsort(project(points, 1)[:, 0].round(DIGITS), kind="stable")
        found[order[len(points) // 2 :]] = 1
    return found


def clusters(
    papers: Sequence[Paper], found: Labels, topic: str, formula: Formula = "bounded", avoid: Collection[str] = ()
) -> list[Cluster]:
    """Named clusters, the largest first; papers keep their order. No name is one of those to ``avoid``."""
    groups = [[p for p, label in zip(papers, found, strict=True) if label == value] for value in np.unique(found)]
    return name_groups(sorted(groups, key=len, reverse=True), topic, formula, avoid)


def is_degenerate(found: Labels) -> bool:
    """Whether DBSCAN told nothing apart: fewer than two clusters, nearly all in one, or most of it noise."""
    sizes = [int(np.sum(found == label)) for label in np.unique(found) if label != NOISE]
    inside = sum(sizes)
    return len(sizes) < 2 or max(sizes) > LARGEST_SHARE * inside or inside < (1 - MOST_NOISE) * len(found)
