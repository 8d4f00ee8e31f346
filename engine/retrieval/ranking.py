"""Orders papers by relevance and by how likely a survey cites them. Pure functions over arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Vectors
from engine.retrieval.topic_words import Scores
from engine.values import Paper, Ranking

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


def measure_popularity(papers: Sequence[Paper], this_year: int) -> Scores:
    """The `popularity` of papers that are in no index; shape (papers,)."""
    counts = np.array([np.nan if paper.citations is None else float(paper.citations) for paper in papers])
    return popularity(counts, np.array([paper.year or 0 for paper in papers], np.int64), this_year)


BM25_WEIGHT = 0.5
CITED_WEIGHT = 1.25
"""Weights of what is known about a paper beside its closeness to the topic (weight 1), each measured in standard
deviations over the library. That is what makes them serve every topic: a word that few papers have spreads little,
so that naming it counts for much, and a word that thousands have counts for little beside being cited.

From a grid of .3 to 1 and 1 to 1.5 on `../shared` (November 2026, recall at 300 and 1200): broad .511 and .756, narrow
.940 and .964, medical topics .460 and .829, medical titles .328 and .778. Words alone: .233 and .418, .936 and .956,
.303 and .689, .162 and .480; without words .428 at 1200 on broad topics; without citations .31 at 300. Chosen
by the two other fields alone, the weights lose at most .04 on the third."""


def standardise(values: Scores, usual: Scores | None = None, weights: Scores | None = None) -> Scores:
    """In standard deviations from the mean of what is usual, by default of the values themselves; 0 if all are alike.

    Usual values may have ``weights``, since each may stand for a different number of papers.
    """
    over = values if usual is None else usual
    mean = np.average(over, weights=weights)
    spread = np.sqrt(np.average((over - mean) ** 2, weights=weights))
    result: Scores = np.zeros_like(values) if spread < 1e-12 else (values - mean) / spread
    return result


def score_papers(bm25: Scores, near: Scores, cited: Scores, ranking: Ranking) -> Scores:
    """How likely a survey cites each paper, or, by ``relevance``, how much it is on topic; evidence is standardised."""
    scores: Scores = near + BM25_WEIGHT * bm25
    if ranking == "survey":
        scores += CITED_WEIGHT * cited
    return scores


def find_seeds(bm25: Scores) -> NDArray[np.int64]:
    """Rows of the papers that stand for the topic: the first by its words, at most `SEEDS`."""
    best = order_best(bm25, SEEDS)
    return best[bm25[best] > 0]


DECIMALS = 4
"""Scores are compared so exactly: what the last bits of a product of matrices are depends on the processor."""


def order_best(values: Scores, count: int, ties: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Rows of the greatest values, at most so many, the greatest first; equal ones by ``ties``, or in their order."""
    rounded = np.round(values, DECIMALS)
    rows = np.arange(len(values))
    if count < len(values):
        least = np.partition(rounded, len(values) - count)[len(values) - count]
        rows = np.flatnonzero(rounded >= least)
    second = rows if ties is None else ties[rows]
    best: NDArray[np.int64] = rows[np.lexsort((second, -rounded[rows]))][:count]
    return best
