"""The shared-list test: whether sections cite what other sections cite at the same place (D1).

A program that gives every section the papers of the first section's subsections leaves a trace: subsections of
different sections share citations when they stand at the same position, and not otherwise.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from engine.evaluation.documents import CitedClaim, Document
from engine.evaluation.scores import Score

SUSPICIOUS = 1.5
"""A ratio above this is what the public code of AutoSurvey and SurveyForge shows."""


def shared_lists(document: Document, claims: Sequence[CitedClaim]) -> tuple[Score, ...]:
    """Mean Jaccard of cited works between subsections of different sections, same position against other positions."""
    cited = _by_position(document, claims)
    same: list[float] = []
    other: list[float] = []
    for i, (section, position, names) in enumerate(cited):
        for section_2, position_2, names_2 in cited[i + 1 :]:
            if section != section_2:
                (same if position == position_2 else other).append(len(names & names_2) / len(names | names_2))
    if not same or not other:
        return (Score("shared lists", None, "fewer than two sections with subsections that cite"),)
    at_same, elsewhere = statistics.fmean(same), statistics.fmean(other)
    how = "mean Jaccard of the works cited by subsections of different sections"
    scores = (
        Score("citation overlap, same position", at_same, how),
        Score("citation overlap, other positions", elsewhere, how),
    )
    if elsewhere == 0:
        return (*scores, Score("shared lists", None, "subsections at other positions share nothing"))
    ratio = at_same / elsewhere
    meaning = (
        "suspicious: sections seem to have been written from one another's papers"
        if ratio > SUSPICIOUS
        else "as expected of sections that were written from their own papers"
    )
    return (*scores, Score("shared lists", ratio, meaning))


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
