"""Orders papers by relevance and by how likely a survey cites them. Pure functions over arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Vectors

Scores = NDArray[np.float64]

FUSION_CONSTANT = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009)."""

SEEDS = 100
"""First results by words that stand for the topic: few enough to be about it, enough to show its parts."""

NEIGHBOURS = 10
"""A paper belongs to a field when it is close to some part of it, here to a tenth of the seeds, rather
than to the field's average, which is nobody's subject."""


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[int]], weights: Sequence[float] | None = None
) -> dict[int, float]:
    """Item → Σ weight / (60 + rank), rank from 1, over the rankings that hold the item."""
    fused: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(ranking, start=1):
            fused[item] = fused.get(item, 0.0) + weight / (FUSION_CONSTANT + rank)
    return fused


def standardise(values: Scores) -> Scores:
    """Mean 0, standard deviation 1; all zero where the values do not differ."""
    spread = float(values.std())
    if spread < 1e-12:
        return np.zeros_like(values)
    result: Scores = (values - values.mean()) / spread
    return result


def closeness(vectors: Vectors, seeds: Vectors) -> Scores:
    """For each vector the mean cosine to its `NEIGHBOURS` closest seeds; shape (number of vectors,)."""
    similarity = vectors @ seeds.T
    near = min(NEIGHBOURS, similarity.shape[1])
    best = np.partition(similarity, similarity.shape[1] - near, axis=1)[:, -near:]
    result: Scores = best.mean(axis=1).astype(np.float64)
    return result


def popularity(citations: Scores, years: NDArray[np.int64], this_year: int) -> Scores:
    """log(1 + citations per year of age); an unknown count (NaN) takes the median of its year.

    The logarithm because citation counts are spread over five orders of magnitude: a paper cited ten
    times as often is one step, not ten times, more likely to be in a survey.
    """
    known_years = np.where(years > 0, years, this_year)
    rate: Scores = np.log1p(citations / np.maximum(1, this_year - known_years + 1))
    unknown = np.isnan(rate)
    if unknown.all():
        return np.zeros(len(rate))
    overall = float(np.median(rate[~unknown]))
    for year in np.unique(known_years[unknown]):
        same_year = known_years == year
        counted = same_year & ~unknown
        rate[same_year & unknown] = float(np.median(rate[counted])) if counted.any() else overall
    return rate


def survey_scores(relevance: Scores, cited: Scores) -> Scores:
    """Relevance finds the field, being cited tells which of its papers a survey cites.

    Both are standardised over the library and weigh the same: that is the logarithm of a product of two
    odds, and leaves no weight to be tuned.
    """
    combined: Scores = standardise(relevance) + standardise(cited)
    return combined
