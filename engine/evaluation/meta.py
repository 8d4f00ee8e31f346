"""Judging the judges: rankings compared with people's, and people's with one another."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

RESAMPLES = 2_000


def rank_correlation(one: Sequence[float], other: Sequence[float], seed: int = 0) -> tuple[float, tuple[float, float]]:
    """Spearman's rho of two rankings of the same things, and its 95 % bootstrap interval (AE9).

    Raises `ValueError` for fewer than three or different numbers of things.
    """
    if len(one) != len(other) or len(one) < 3:
        raise ValueError("two rankings of the same three or more things are needed")
    from scipy import stats

    rho = float(stats.spearmanr(one, other).statistic)
    chance = random.Random(seed)
    drawn = []
    for _ in range(RESAMPLES):
        picks = [chance.randrange(len(one)) for _ in one]
        a, b = [one[i] for i in picks], [other[i] for i in picks]
        if len(set(a)) > 1 and len(set(b)) > 1:
            drawn.append(float(stats.spearmanr(a, b).statistic))
    low, high = np.percentile(drawn, [2.5, 97.5]) if drawn else (rho, rho)
    return rho, (float(low), float(high))


def krippendorff_alpha(units: Sequence[Sequence[int]]) -> float | None:
    """Krippendorff's alpha of ordinal values: 1 is perfect agreement, 0 what chance gives, below 0 is worse.

    Each unit is what was rated, with the values that raters gave it; one with fewer than two says nothing. ``None``
    where no unit has two, or where all values are the same. (Krippendorff, Content Analysis, 2004, chapter 11.)
    """
    pairable = [unit for unit in units if len(unit) > 1]
    levels = sorted({value for unit in pairable for value in unit})
    if len(levels) < 2:
        return None
    at = {value: i for i, value in enumerate(levels)}
    together = np.zeros((len(levels), len(levels)))
    for unit in pairable:
        counts = np.bincount([at[value] for value in unit], minlength=len(levels)).astype(float)
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    each = together.sum(axis=0)
    below = np.cumsum(each) - each / 2
    distance = (below[:, None] - below[None, :]) ** 2
    observed = float((together * distance).sum())
    expected = float((np.outer(each, each) * distance).sum()) / (each.sum() - 1)
    return float(1 - observed / expected)
