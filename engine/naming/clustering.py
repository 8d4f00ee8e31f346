"""Papers → clusters, as in "Cluster-Based Effective Generation of AI-Driven Literature Surveys".

Vectors are reduced, clustered by one of three algorithms, and named by c-TF-IDF.
"""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.naming.headings import name_groups
from engine.naming.phrases import Formula
from engine.retrieval.embedding import Vectors
from engine.values import Cluster, Paper

Algorithm = Literal["k-means", "agglomerative", "dbscan"]
ALGORITHMS: tuple[Algorithm, ...] = ("k-means", "agglomerative", "dbscan")

AlgorithmChoice = Literal["k-means", "agglomerative", "dbscan", "random"]
"""“random” picks one by the seed for each survey, as published."""

Reduction = Literal["spectral", "umap"]
REDUCTION_NEIGHBOURS = 15
REDUCED_DIMENSIONS = 5
FAINT = 1e-4
"""Weight of an edge between papers that are no neighbours; it keeps groups that share none in one graph."""
DIFFUSION_STEPS = 2
"""How much coarse structure counts more than fine: measured best of 0 to 8 by silhouette."""

_ONE_REDUCTION = threading.Lock()
"""Where neither OpenMP nor TBB is installed, numba ends the whole process if two threads reduce at once."""
DBSCAN_SMALLEST_CLUSTER = 5
STARTS = 4
"""Runs of k-means, each from other centres."""
DISTINCT_DIGITS = 4
"""Decimal places in which points differ that are told apart; there are no more clusters than such points."""

BEYOND_BEND, CURVE_SHARES = 2.0, (0.9, 0.8, 0.7, 0.6, 0.5)
LARGEST_SHARE, MOST_NOISE = 0.8, 0.5
"""Shares from which DBSCAN's result tells nothing apart: of the clustered papers in one cluster, of papers in none."""

Labels: TypeAlias = NDArray[np.int64]

NOISE = -1
"""Label of a paper that is in no group."""

OTHER_WORK = "Other Work"
"""Heading of the papers that are in no group."""

_YEARS = re.compile(r"Work (?:of|since|up to|from \d+ to) \d+")


def name_years(first: int, last: int, place: int, parts: int) -> str:
    """Heading of papers of no group that are divided into ``parts`` by their years."""
    if first == last:
        return f"Work of {first}"
    if place == parts - 1:
        return f"Work since {first}"
    return f"Work up to {last}" if place == 0 else f"Work from {first} to {last}"


def is_rest(title: str) -> bool:
    """Whether the heading stands over papers of no group, all or those of some years."""
    return title == OTHER_WORK or bool(_YEARS.fullmatch(title))


def pick_algorithm(seed: int) -> Algorithm:
    """One of the three at random, as the paper does for each survey; the same seed picks the same."""
    return random.Random(seed).choice(ALGORITHMS)


def reduce_dimensions(vectors: Vectors, seed: int, reduction: Reduction = "spectral") -> Vectors:
    """The vectors (unit length) in 5 dimensions; with 16 papers or fewer, which have too few neighbours, by PCA.

    ``umap`` is the published reduction. ``spectral`` takes the same number of neighbours and dimensions, needs no
    compiling of 17 s, and its clusters fit the vectors as well.
    """
    count = len(vectors)
    if count <= REDUCTION_NEIGHBOURS + 1:
        from sklearn.decomposition import PCA

        components = min(REDUCED_DIMENSIONS, count - 1, vectors.shape[1])
        if components < 1:
            return np.zeros((count, 1), np.float32)
        principal: Vectors = PCA(components, random_state=seed).fit_transform(vectors)
        return principal
    match reduction:
        case "spectral":
            return _reduce_spectrally(vectors)
        case "umap":
            return _reduce_by_umap(vectors, seed)


def _reduce_spectrally(vectors: Vectors) -> Vectors:
    """A diffusion map (Coifman and Lafon, 2006) of the graph of nearest neighbours."""
    from scipy.linalg import eigh

    closeness = np.clip(vectors @ vectors.T, 0.0, 1.0).astype(np.float64)
    np.fill_diagonal(closeness, 0.0)
    near = np.argpartition(-closeness, REDUCTION_NEIGHBOURS, axis=1)[:, :REDUCTION_NEIGHBOURS]
    graph = np.full_like(closeness, FAINT)
    rows = np.arange(len(vectors))[:, None]
    graph[rows, near] += closeness[rows, near]
    graph = np.maximum(graph, graph.T)
    degrees = graph.sum(axis=1)
    walk = graph / np.sqrt(np.outer(degrees, degrees))
    last = len(vectors) - 2  # the largest eigenvector is the same for all papers
    values, eigenvectors = eigh(walk, subset_by_index=[last - REDUCED_DIMENSIONS + 1, last])
    points: Vectors = eigenvectors / np.sqrt(degrees)[:, None] * np.clip(values, 0.0, 1.0) ** DIFFUSION_STEPS
    scaled: Vectors = (points * np.sqrt(degrees.sum())).astype(np.float32)
    return scaled


def _reduce_by_umap(vectors: Vectors, seed: int) -> Vectors:
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
        points: Vectors = reducer.fit_transform(vectors)
    return points


def draw_cluster_count(references: int, seed: int) -> int:
    """A random integer in [5, references/10]; below 50 references that range is empty, and it is 5 or less."""
    upper = references // 10
    if upper < 5:
        return max(1, min(5, references // 3))
    return random.Random(seed).randint(5, upper)


def best_cluster_count(points: Vectors, bounds: tuple[int, int], seed: int) -> int:
    """The k within bounds (both included) whose k-means clusters have the highest mean silhouette."""
    low, high = max(2, bounds[0]), min(bounds[1], len(points) - 1)
    if high < low:
        return 1
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    scores = {
        k: float(silhouette_score(points, KMeans(k, random_state=seed, n_init=4).fit_predict(points)))
        for k in range(low, high + 1)
        if len(np.unique(points, axis=0)) > k
    }
    return max(scores, key=lambda k: scores[k]) if scores else 1


def divide_by_means(points: Vectors, k: int, seed: int = 0) -> Labels:
    """The cluster of each point, from 0: the best of `STARTS` runs of k-means++; fewer than ``k`` if one stays empty.

    By SciPy, which loads in a third of scikit-learn's time. Needs ``k`` points that differ.
    """
    from scipy.cluster.vq import ClusterError, kmeans2

    exact = points.astype(np.float64)
    runs: list[tuple[float, Labels]] = []
    for start in range(STARTS):
        try:
            centres, found = kmeans2(exact, k, minit="++", rng=seed + start, missing="raise")
        except ClusterError:  # a cluster stays empty from this start
            continue
        runs.append((float(((exact - centres[found]) ** 2).sum()), found))
    return min(runs, key=lambda run: run[0])[1] if runs else divide_by_means(points, k - 1, seed)


def labels(points: Vectors, algorithm: Algorithm, k: int, seed: int) -> Labels:
    """The cluster of each point, from 0; `NOISE` for DBSCAN's outliers. DBSCAN finds its own k."""
    k = min(k, len(np.unique(points.round(DISTINCT_DIGITS), axis=0)))
    if len(points) <= k or k <= 1:
        return np.zeros(len(points), np.int64) if k <= 1 else np.arange(len(points))
    from sklearn.cluster import AgglomerativeClustering, KMeans

    match algorithm:
        case "k-means":
            found = KMeans(k, random_state=seed, n_init=4).fit_predict(points)
        case "agglomerative":
            found = AgglomerativeClustering(k).fit_predict(points)
        case "dbscan":
            found = _cluster_by_density(points)
    result: Labels = np.asarray(found, np.int64)
    return result


def reassign_noise(points: Vectors, found: Labels) -> Labels:
    """Noise points moved to the cluster whose centre is nearest; all in one cluster where all are noise."""
    homes = [label for label in np.unique(found) if label != NOISE]
    if not homes:
        return np.zeros(len(found), np.int64)
    centres = np.array([points[found == label].mean(axis=0) for label in homes])
    nearest = np.argmin(((points[:, None, :] - centres[None]) ** 2).sum(axis=2), axis=1)
    result: Labels = np.where(found == NOISE, np.array(homes)[nearest], found)
    return result


def dissolve_small(points: Vectors, found: Labels, least: int) -> Labels:
    """Clusters of fewer than ``least`` points given up, their points moved to the nearest that is left."""
    sizes = {label: int(np.sum(found == label)) for label in np.unique(found)}
    small = [label for label, size in sizes.items() if size < least]
    return reassign_noise(points, np.where(np.isin(found, small), NOISE, found))


def split_in_two(points: Vectors, least: int) -> Labels:
    """Two clusters of ``least`` points or more: cut at the widest gap along the direction of most variance.

    One cluster where there are fewer than twice as many points.
    """
    found = np.zeros(len(points), np.int64)
    if len(points) < 2 * least:
        return found
    centred = points - points.mean(axis=0)
    along = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
    order = np.argsort(along, kind="stable")
    gaps = np.diff(along[order])[least - 1 : len(points) - least]
    found[order[least + int(np.argmax(gaps)) :]] = 1
    return found


def clusters(
    papers: Sequence[Paper],
    found: Labels,
    topic: str,
    formula: Formula = "bounded",
    avoid: Collection[str] = (),
) -> list[Cluster]:
    """Named clusters, the largest first; papers keep their order, and noise becomes a cluster of its own.

    No name is one of those to ``avoid``.
    """
    groups = [[p for p, label in zip(papers, found, strict=True) if label == value] for value in np.unique(found)]
    noise = NOISE in found
    order = sorted(range(len(groups)), key=lambda i: (noise and i == 0, -len(groups[i])))
    names = name_groups([groups[i] for i in order], topic, formula, avoid)
    named = [Cluster(n.heading, n.terms, tuple(groups[i])) for n, i in zip(names, order, strict=True)]
    if noise:
        named[-1] = Cluster(OTHER_WORK, (), named[-1].papers)
    return named


def is_degenerate(found: Labels) -> bool:
    """Whether DBSCAN told nothing apart: fewer than two clusters, nearly all in one, or most of it noise."""
    sizes = [int(np.sum(found == label)) for label in np.unique(found) if label != NOISE]
    inside = sum(sizes)
    return len(sizes) < 2 or max(sizes) > LARGEST_SHARE * inside or inside < (1 - MOST_NOISE) * len(found)


def _cluster_by_density(points: Vectors) -> Labels:
    """DBSCAN with the widest radius of `_radii` that tells groups apart; with the widest of all where none does."""
    from sklearn.cluster import DBSCAN

    tried = (DBSCAN(eps=radius, min_samples=DBSCAN_SMALLEST_CLUSTER).fit_predict(points) for radius in _radii(points))
    widest = next(tried)
    return next((found for found in (widest, *tried) if not is_degenerate(found)), widest)


def _radii(points: Vectors) -> list[float]:
    """Radii from the curve of the points' distances to their fifth neighbour, the widest first.

    One is a little beyond the curve's bend, which is the distance farthest below the line from its first point to its
    last (Satopää et al., 2011); the others are quantiles, for groups of unlike density and curves without a bend.
    """
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=min(DBSCAN_SMALLEST_CLUSTER, len(points))).fit(points)
    distances, _ = near.kneighbors(points)
    curve = np.sort(distances[:, -1])
    bend = float(curve[int(np.argmax(np.linspace(curve[0], curve[-1], len(curve)) - curve))]) * BEYOND_BEND
    return sorted((max(radius, 1e-6) for radius in (bend, *np.quantile(curve, CURVE_SHARES).tolist())), reverse=True)
