"""The shared-list test: whether sections cite what other sections cite at the same place (D1).

A program that gives every section the papers of the first section's subsections leaves a trace: subsections of
different sections share citations when they stand at the same position, and not otherwise. Whether the trace is more
than chance is tested by permuting the positions within each section.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.documents import CitedClaim, Document
from engine.evaluation.scores import Score

SUSPICIOUS = 1.5
"""A ratio above this is what the public code of AutoSurvey and SurveyForge shows."""

PERMUTATIONS = 1_000


def measure_shared_lists(document: Document, claims: Sequence[CitedClaim], seed: int = 0) -> tuple[Score, ...]:
    """Mean Jaccard of cited works between subsections of different sections, same position against other positions.

    The ratio of the two comes with its 95 % interval by permutation: what it would be if positions meant nothing.
    """
    cited = _by_position(document, claims)
    if len({section for section, _ in cited}) < 2:
        return (Score("shared lists", None, "not measurable: fewer than two sections with subsections that cite"),)
    sections, positions = np.array(list(cited)).T
    pairs = [(i, j) for i, j in combinations(range(len(cited)), 2) if sections[i] != sections[j]]
    one, other = np.array(pairs).T
    works = list(cited.values())
    jaccard = np.array([len(works[i] & works[j]) / len(works[i] | works[j]) for i, j in pairs])

    def compare(places: NDArray[np.int_]) -> tuple[float, float]:
        """The mean overlap of pairs at the same position, and of all others; NaN where there are none."""
        same = places[one] == places[other]
        return (jaccard[same].mean() if same.any() else np.nan), (jaccard[~same].mean() if not same.all() else np.nan)

    at_same, elsewhere = compare(positions)
    how = f"mean Jaccard of the works cited by subsections of different sections, {len(pairs)} pairs"
    scores = (
        Score("citation overlap, same position", None if np.isnan(at_same) else float(at_same), how),
        Score("citation overlap, other positions", None if np.isnan(elsewhere) else float(elsewhere), how),
    )
    if np.isnan(at_same) or not elsewhere > 0:
        why = "not measurable: no subsections at the same position, or none that share works at other positions"
        return (*scores, Score("shared lists", None, why))
    chance, ratios = np.random.default_rng(seed), []
    groups = [np.flatnonzero(sections == section) for section in np.unique(sections)]
    for _ in range(PERMUTATIONS):
        mixed = positions.copy()
        for group in groups:
            mixed[group] = chance.permutation(mixed[group])
        here, there = compare(mixed)
        ratios.append(here / there if there else np.inf)
    low, high = np.percentile(ratios, [2.5, 97.5])
    ratio = float(at_same / elsewhere)
    by_chance = f"by chance {low:.2f} to {high:.2f} (95 % of {PERMUTATIONS:,} permutations)"
    if ratio > max(SUSPICIOUS, high):
        meaning = f"suspicious: sections seem to have been written from one another's papers; {by_chance}"
    else:
        meaning = f"as expected of sections that were written from their own papers; {by_chance}"
    return (*scores, Score("shared lists", ratio, meaning))


def _by_position(document: Document, claims: Sequence[CitedClaim]) -> dict[tuple[int, int], set[str]]:
    """The works cited by each subsection, by its section and its position in it; deeper parts count to theirs."""
    section = position = 0
    at: list[tuple[int, int]] = []
    for part in document.parts:
        if part.level <= 1:
            section, position = section + 1, 0
        elif part.level == 2:
            position += 1
        at.append((section, position))
    names: dict[tuple[int, int], set[str]] = {}
    for claim in claims:
        if at[claim.part][1]:
            names.setdefault(at[claim.part], set()).update(claim.names)
    return dict(sorted(names.items()))
