"""Vectors of papers in few dimensions, the same on every processor and with any number of threads."""

from __future__ import annotations

import threading
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from engine.retrieval.embedding import Vectors

Reduction = Literal["spectral", "umap"]
REDUCTION_NEIGHBOURS = 15
REDUCED_DIMENSIONS = 5
FAINT = 1e-4
"""Weight of an edge between papers that are no neighbours; it keeps groups that share none in one graph."""
DIFFUSION_STEPS = 2
"""How much coarse structure counts more than fine: measured best of 0 to 8 by silhouette."""

DIGITS = 4
"""Decimal places in which distances and likenesses are compared: processors differ in the seventh at most."""

_ONE_REDUCTION = threading.Lock()
"""Where neither OpenMP nor TBB is installed, numba ends the whole process if two threads reduce at once."""

Points: TypeAlias = NDArray[np.float64]


def reduce_dimensions(vectors: Vectors, seed: int, reduction: Reduction = "spectral") -> Points:
    """The vectors (unit length) in 5 dimensions; with 16 papers or fewer, which have too few neighbours, by PCA.

    ``umap`` is the published reduction. ``spectral`` takes the same number of neighbours and dimensions, needs no
    compiling of 17 s, and its clusters fit the vectors as well; it sees only how alike papers are, which is the same
    on every processor.
    """
    exact = vectors.astype(np.float64)
    with threadpool_limits(1):
        if len(vectors) <= REDUCTION_NEIGHBOURS + 1:
            return _reduce_to_principal(exact)
        return _reduce_spectrally(exact) if reduction == "spectral" else _reduce_by_umap(vectors, seed)


def _reduce_to_principal(vectors: Points) -> Points:
    """The first principal components, the largest coordinate of each positive."""
    if len(vectors) < 2:
        return np.zeros((len(vectors), 1))
    left, singular, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    kept = min(REDUCED_DIMENSIONS, len(vectors) - 1, vectors.shape[1])
    return fix_signs(left[:, :kept] * singular[:kept])


def fix_signs(points: Points) -> Points:
    """The same points with the largest coordinate of each dimension positive: solvers give either sign."""
    largest = np.abs(points.round(DIGITS)).argmax(axis=0)
    turned: Points = points * np.where(points[largest, np.arange(points.shape[1])] < 0, -1.0, 1.0)
    return turned


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
    return fix_signs(points * np.sqrt(degrees.sum()))


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
        points: Points = np.asarray(reducer.fit_transform(vectors), np.float64)
    return points
