"""The shared-list test: whether sections cite what other sections cite at the same place (D1).

A program that gives every section the papers of the first section's subsections leaves a trace: subsections of
different sections share citations when they stand at the same position, and not otherwise. Whether the trace is more
than chance is tested by permuting the positions within each section.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.documents import CitedClaim, Document
from engine.evaluation.scores import Score

SUSPICIOUS = 1.5
"""A ratio above this is what the public code of AutoSurvey and SurveyForge shows."""

LEAST_PAIRS = 6
"""Fewest pairs of subsections at the same position; with fewer, one citation decides."""

LEAST_SHARED = 20
"""Fewest works shared, counted over all pairs; with fewer, the ratio is one of two numbers close to zero."""

PERMUTATIONS = 1_000


def measure_shared_lists(document: Document, claims: Sequence[CitedClaim], seed: int = 0) -> tuple[Score, ...]:
    """Mean Jaccard of cited works between subsections of different sections, same position against other positions.

    The ratio of the two comes with its 95 % interval by permutation: what it would be if positions meant nothing.
    """
    cited = _by_position(document, claims)
    if len({section for section, _, _ in cited}) < 2:
        return (Score("shared lists", None, "not measurable: fewer than two sections with subsections that cite"),)
    sections = np.array([section for section, _, _ in cited])
    positions = np.array([position for _, position, _ in cited])
    names = [works for _, _, works in cited]
    jaccard = np.array([[len(a & b) / len(a | b) for b in names] for a in names])
    different = np.triu(sections[:, None] != sections[None, :], 1)
    same = different & (positions[:, None] == positions[None, :])
    shared = sum(len(a & b) for i, a in enumerate(names) for j, b in enumerate(names) if different[i, j])
    how = "mean Jaccard of the works cited by subsections of different sections"
    at_same, elsewhere = _means(jaccard, different, same)
    scores = (
        Score("citation overlap, same position", at_same, f"{how}; {int(same.sum())} pairs"),
        Score("citation overlap, other positions", elsewhere, f"{how}; {int((different & ~same).sum())} pairs"),
    )
    if at_same is None or not elsewhere or same.sum() < LEAST_PAIRS or shared < LEAST_SHARED:
        why = (
            f"not measurable: {int(same.sum())} pairs at the same position and {shared} shared works; at least "
            f"{LEAST_PAIRS} and {LEAST_SHARED} are needed, some of them at other positions"
        )
        return (*scores, Score("shared lists", None, why))
    low, high = _by_chance(jaccard, different, (sections, positions), seed)
    ratio = at_same / elsewhere
    chance = f"by chance {low:.2f} to {high:.2f} (95 % of {PERMUTATIONS:,} permutations)"
    if ratio > max(SUSPICIOUS, high):
        meaning = f"suspicious: sections seem to have been written from one another's papers; {chance}"
    else:
        meaning = f"as expected of sections that were written from their own papers; {chance}"
    return (*scores, Score("shared lists", ratio, meaning))


def _means(
    jaccard: NDArray[np.float64], different: NDArray[np.bool_], same: NDArray[np.bool_]
) -> tuple[float | None, float | None]:
    """Mean overlap at the same and at other positions; ``None`` where there is no such pair."""
    other = different & ~same
    return (
        float(jaccard[same].mean()) if same.any() else None,
        float(jaccard[other].mean()) if other.any() else None,
    )


def _by_chance(
    jaccard: NDArray[np.float64],
    different: NDArray[np.bool_],
    places: tuple[NDArray[np.int_], NDArray[np.int_]],
    seed: int,
) -> tuple[float, float]:
    """The interval that holds 95 % of the ratios when positions are permuted within each section."""
    sections, positions = places
    chance = np.random.default_rng(seed)
    groups = [np.flatnonzero(sections == section) for section in np.unique(sections)]
    drawn: list[float] = []
    for _ in range(PERMUTATIONS):
        mixed = positions.copy()
        for group in groups:
            mixed[group] = chance.permutation(mixed[group])
        at_same, elsewhere = _means(jaccard, different, different & (mixed[:, None] == mixed[None, :]))
        if at_same is not None and elsewhere:
            drawn.append(at_same / elsewhere)
    low, high = np.percentile(drawn, [2.5, 97.5]) if drawn else (0.0, np.inf)
    return float(low), float(high)


def _by_position(document: Document, claims: Sequence[CitedClaim]) -> list[tuple[int, int, frozenset[str]]]:
    """Section, position in it, and works cited, of every subsection that cites; deeper parts count to theirs."""
    names: dict[tuple[int, int], set[str]] = {}
    section = position = 0
    at: list[tuple[int, int]] = []
    for part in document.parts:
        if part.level <= 1:
            section, position = section + 1, 0
        elif part.level == 2:
            position += 1
        at.append((section, position))
    for claim in claims:
        if at[claim.part][1]:
            names.setdefault(at[claim.part], set()).update(claim.names)
    return [(s, p, frozenset(cited)) for (s, p), cited in sorted(names.items())]
