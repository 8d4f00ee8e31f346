"""What a scorer gives: a figure with its unit, and how it was obtained; averages as papers print them; rankings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

import numpy as np

from engine.rubrics import AUTOSURVEY, CRITERIA, Criterion


@dataclass(frozen=True, slots=True)
class Score:
    """One figure. ``value`` is ``None`` where it could not be measured, and ``how`` then says why."""

    name: str
    value: float | None
    how: str
    spread: float | None = None
    """Standard deviation of what ``value`` is the mean of."""
    details: tuple[str, ...] = ()


_COUNTED = (
    *("words", "headings", "figures", "tables", "references", "references cited", "citations", "claims"),
    *("shared lists", "hours of people", "surveys of people per hour"),
)
_FALLING = ("references real with", "references not found", "unsupported", "citation overlap")
"""How the names of figures begin of which less is better."""


def describe_scale(name: str) -> str:
    """``of 1, higher is better`` for a figure by its name; empty for what is counted, such as references and hours."""
    if name in _COUNTED:
        return ""
    top = 5 if name in CRITERIA or name.startswith("average of") else 1
    return f"of {top}, {'lower' if name.startswith(_FALLING) else 'higher'} is better"


def truncate(value: float, digits: int = 2) -> float:
    """Cut, not rounded: how AutoSurvey prints its averages (4.616 becomes 4.61)."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_DOWN))


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation of a sample; the deviation of one value is 0 (AE14)."""
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def score_criteria(given: Mapping[Criterion, Sequence[float]], how: str) -> dict[str, Score]:
    """Each criterion's mean and spread; AutoSurvey's harmonic mean of three, truncated, and SurveyX's of five (AE8)."""
    means = {criterion: mean_and_spread(given[criterion]) for criterion in CRITERIA if given.get(criterion)}
    scores: dict[str, Score] = {c: Score(c, mean, how, spread) for c, (mean, spread) in means.items()}
    if means.keys() >= set(AUTOSURVEY):
        name, three = "average of three, AutoSurvey's", [means[criterion][0] for criterion in AUTOSURVEY]
        scores[name] = Score(name, truncate(statistics.harmonic_mean(three)), f"harmonic mean, truncated; {how}")
    if means.keys() == set(CRITERIA):
        name, five = "average of five, SurveyX's", [mean for mean, _ in means.values()]
        scores[name] = Score(name, statistics.fmean(five), f"arithmetic mean; {how}")
    return scores


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


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Spearman's rho of two rankings of the same three things or more, and its 95 % bootstrap interval (AE9)."""
    from scipy import stats

    rho, given = float(stats.spearmanr(one, other).statistic), np.array([one, other])
    picks = np.random.default_rng(0).integers(len(one), size=(RESAMPLES, len(one)))
    resampled = (given[:, pick] for pick in picks)
    drawn = [stats.spearmanr(*both).statistic for both in resampled if np.ptp(both, axis=1).all()]
    low, high = np.percentile(drawn, [2.5, 97.5]) if drawn else (rho, rho)
    return rho, (float(low), float(high))
