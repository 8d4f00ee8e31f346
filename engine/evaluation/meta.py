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
