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

LEAST_PAIRS, LEAST_SHARED = 6, 20
"""Fewest pairs of subsections at the same position, and works shared over all pairs: with fewer, one citation decides,
or the ratio is one of two numbers close to zero."""

PERMUTATIONS = 1_000

Flags = NDArray[np.bool_]


def measure_shared_lists(document: Document, claims: Sequence[CitedClaim], seed: int = 0) -> tuple[Score, ...]:
    """Mean Jaccard of cited works between subsections of different sections, same position against other positions.

    The ratio of the two comes with its 95 % interval by permutation: what it would be if positions meant nothing.
    """
    cited = _by_position(document, claims)
    if len({section for section, _ in cited}) < 2:
        return (Score("shared lists", None, "not measurable: fewer than two sections with subsections that cite"),)
    sections, positions = np.array(list(cited)).T
    common = np.array([[len(a & b) for b in cited.values()] for a in cited.values()])
    jaccard = common / np.array([[len(a | b) for b in cited.values()] for a in cited.values()])
    different = np.triu(sections[:, None] != sections[None, :], 1)

    def compare(places: NDArray[np.int_]) -> tuple[Flags, float | None, float | None]:
        """Which pairs are at the same position, and the mean overlap there and elsewhere, if any."""
        same = different & (places[:, None] == places[None, :])
        here, other = jaccard[same], jaccard[different & ~same]
        return same, float(here.mean()) if here.size else None, float(other.mean()) if other.size else None

    same, at_same, elsewhere = compare(positions)
    pairs, shared = int(same.sum()), int(common[different].sum())
    how = "mean Jaccard of the works cited by subsections of different sections"
    scores = (
        Score("citation overlap, same position", at_same, f"{how}; {pairs} pairs"),
        Score("citation overlap, other positions", elsewhere, f"{how}; {int(different.sum()) - pairs} pairs"),
    )
    if at_same is None or not elsewhere or pairs < LEAST_PAIRS or shared < LEAST_SHARED:
        why = (
            f"not measurable: {pairs} pairs at the same position and {shared} shared works; at least "
            f"{LEAST_PAIRS} and {LEAST_SHARED} are needed, some of them at other positions"
        )
        return (*scores, Score("shared lists", None, why))
    chance, drawn = np.random.default_rng(seed), []
    groups = [np.flatnonzero(sections == section) for section in np.unique(sections)]
    for _ in range(PERMUTATIONS):
        mixed = positions.copy()
        for group in groups:
            mixed[group] = chance.permutation(mixed[group])
        _, here, other = compare(mixed)
        drawn += [here / other] if here is not None and other else []
    low, high = np.percentile(drawn, [2.5, 97.5]) if drawn else (0.0, np.inf)
    ratio = at_same / elsewhere
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
