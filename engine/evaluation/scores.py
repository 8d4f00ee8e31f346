"""What a scorer gives: a figure with its unit, and how it was obtained; averages as papers print them; rankings."""

from __future__ import annotations

import math
import random
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

import numpy as np

from engine.rubrics import CRITERIA


@dataclass(frozen=True, slots=True)
class Score:
    """One figure. ``value`` is ``None`` where it could not be measured, and ``how`` then says why."""

    name: str
    value: float | None
    how: str
    spread: float | None = None
    """Standard deviation of what ``value`` is the mean of."""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """What the best value of a figure is, and whether more of it is better."""

    top: int
    rises: bool = True


_SCALES = (
    (r"references (?:real with wrong metadata|not found)|unsupported: .+|citation overlap.*", Scale(1, rises=False)),
    (rf"{'|'.join(CRITERIA)}|average of .+", Scale(5)),
    (
        r"citation .+|references real|reference coverage|claims whose sources .+|closeness .+|relevance .+|"
        r"semantic relevance|ROUGE.*|soft heading recall.*|final score.*|IoU|knowledge .+",
        Scale(1),
    ),
)


def scale_of(name: str) -> Scale | None:
    """The scale of a figure by its name; ``None`` for what is counted, such as references and hours."""
    return next((scale for pattern, scale in _SCALES if re.fullmatch(pattern, name)), None)


def truncate(value: float, digits: int = 2) -> float:
    """Cut, not rounded: how AutoSurvey prints its averages (4.616 becomes 4.61)."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_DOWN))


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation of a sample; the deviation of one value is 0 (AE14)."""
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def f1(precision: float, recall: float) -> float:
    """2PR / (P + R), 0 where both are 0 (XE2)."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


EXPERTS = 10
TOKENS_PER_HOUR = 2_000
READING_HOURS = 5.0


def human_hours(tokens: int) -> float:
    """Hours that ten experts need: T_r + L/(E·M) + ½·L/(E·M), reading, writing, refining (AutoSurvey, AE1)."""
    writing = tokens / (EXPERTS * TOKENS_PER_HOUR)
    return READING_HOURS + writing + 0.5 * writing


def surveys_per_hour(hours: float) -> float:
    """Speed = 1/Time; infinite for no time."""
    return 1 / hours if hours else math.inf


def average_final(rouge_average: float, heading_recall: float) -> float:
    """The mean of both, as NLPCC 2024 task 6 defines its final score; its table 1 prints other values (D8)."""
    return (rouge_average + heading_recall) / 2


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
