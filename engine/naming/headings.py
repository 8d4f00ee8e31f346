"""Headings for groups of papers: phrases of their titles that c-TF-IDF sets apart from the other groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from engine.naming.phrases import Counts, Formula, GroupedPhrases, c_tf_idf, stems_of
from engine.text import american_stem, to_title_case
from engine.values import Paper

SET_APART = 1.5
"""How much more frequent a term is in a group than in the others for it to set the group apart."""

LONGER = 2.0
"""How much more a phrase counts for each word beyond the first: single words are seldom headings."""

SHARPNESS = 3.0
"""Power of the share of a term's frequency that is the group's: a term of all groups names none."""

LEAST_SAYING, SHARE_SAYING = 2, 0.06
"""Papers of a group, and share of them, that say a term which sets the group apart."""

WORD_ALONE = 0.3
"""Share of a group's titles that have a word for it alone to set the group apart."""

NAMED_BY_ONE = 0.3
"""Share of a group's papers from which one phrase names it; where fewer say it, a second joins it."""

MOST_TERMS, MOST_CANDIDATES = 8, 400
DIGITS = 9
"""Decimal places in which weights are compared, so that every processor ranks alike; ties go by phrase."""


@dataclass(frozen=True, slots=True)
class GroupName:
    """A heading for a group of papers, and its distinguishing terms, best first."""

    heading: str
    terms: tuple[str, ...]


def name_groups(
    groups: Sequence[Sequence[Paper]], topic: str, formula: Formula = "bounded", avoid: Collection[str] = ()
) -> list[GroupName]:
    """A name for each group that tells it from the others; the topic itself names nothing.

    No heading is a part of another one, or of one of those to ``avoid``. ``formula`` decides the order of the terms.
    """
    phrases = GroupedPhrases(groups)
    topical = _topical_stems(phrases, topic)
    taken = [stems_of(title) - topical for title in avoid]
    names: list[GroupName] = []
    for row, terms in enumerate(_rank(phrases, topical, formula)):
        usual = (phrase for phrase in _rank_usual(phrases, row) if phrases.parts[phrase] - topical)
        # Neither a part of what is said before, nor with it as its part.
        fresh = [
            phrase
            for phrase in (*terms, *usual)
            if (said := phrases.parts[phrase] - topical) and not any(said <= t or t <= said for t in taken if t)
        ]
        chosen = _choose(phrases, row, fresh, terms[:MOST_TERMS])
        taken += (phrases.parts[phrase] - topical for phrase in chosen)
        title = to_title_case(" and ".join(map(phrases.form, chosen))) or f"Group {row + 1}"
        names.append(GroupName(title, tuple(map(phrases.form, terms[:MOST_TERMS]))))
    return names


def rank_terms(phrases: GroupedPhrases, topic: str) -> list[tuple[str, ...]]:
    """The terms that set each group apart, by c-TF-IDF, best first, as they are written; a group may have none.

    Each stands in titles, and papers enough of the group say it.
    """
    ranked = _rank(phrases, _topical_stems(phrases, topic), "bounded")
    return [tuple(map(phrases.form, terms[:MOST_TERMS])) for terms in ranked]


def _topical_stems(phrases: GroupedPhrases, topic: str) -> frozenset[str]:
    """Stems of the topic's words, and of the abbreviations and long forms of them that the papers use."""
    stems = set(stems_of(topic) | stems_of(topic.replace("-", "")))
    for short, long in sorted(phrases.long_forms.items()):
        if stems_of(long) <= stems:
            stems |= {american_stem(short.lower()), american_stem(f"{short}s".lower())}
        elif short.casefold() in topic.casefold().split():
            stems |= stems_of(long)
    return frozenset(stems)


def _rank(phrases: GroupedPhrases, topical: frozenset[str], formula: Formula) -> list[list[str]]:
    """The readable phrases that set each group apart, the best first, none a part of a better one or the other way."""
    vocabulary = sorted(
        phrase
        for phrase, count in phrases.everywhere.items()
        if (count > 1 or len(phrases.groups) < 2) and phrases.parts[phrase] - topical
    )
    if not vocabulary:
        return [[] for _ in phrases.groups]
    frequencies = _tabulate(phrases.papers, vocabulary)
    counted = phrases.occurrences if formula == "published" else phrases.papers
    weights = c_tf_idf(_tabulate(counted, vocabulary), formula)
    weights *= np.array([1.0 + LONGER * phrase.count(" ") for phrase in vocabulary])
    sizes = np.array([max(1, len(group)) for group in phrases.groups], float)[:, None]
    inside, outside = frequencies / sizes, (frequencies.sum(axis=0) - frequencies) / np.maximum(1, sizes.sum() - sizes)
    apart = (inside >= SET_APART * outside) & (frequencies >= np.maximum(LEAST_SAYING, SHARE_SAYING * sizes))
    titles = _tabulate(phrases.titles, vocabulary)
    alone = np.array([" " not in phrase for phrase in vocabulary])
    apart &= titles >= np.where(alone, np.maximum(2, WORD_ALONE * sizes), np.minimum(2, np.ceil(sizes / 12)))
    weights *= np.log1p(titles)
    rarer_elsewhere: Counts = (inside / (inside + outside + 1e-12)) ** SHARPNESS
    ranking: Counts = np.where(apart, weights * rarer_elsewhere, 0.0).round(DIGITS)
    ranked = []
    for row, own in enumerate(ranking):
        order = [vocabulary[int(i)] for i in np.argsort(-own, kind="stable")[:MOST_CANDIDATES] if own[i] > 0]
        readable = [phrase for phrase in order if phrases.reads_well(phrase)]
        ranked.append(_distinct([p for p in readable if not phrases.is_part_of_longer(p, row, readable)]))
    return ranked


def _rank_usual(phrases: GroupedPhrases, row: int) -> list[str]:
    """Phrases of a group's titles that do not set it apart, those of most papers first."""
    found = [p for p in phrases.titles[row] if " " in p and phrases.reads_well(p)]
    return sorted(found, key=lambda p: (-phrases.papers[row][p], -phrases.titles[row][p], p))[:MOST_CANDIDATES]


def _tabulate(counts: Sequence[dict[str, int]], vocabulary: Sequence[str]) -> Counts:
    return np.array([[found.get(phrase, 0) for phrase in vocabulary] for found in counts], float)


def _distinct(ranked: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for phrase in ranked:
        if not any(f" {phrase} " in f" {other} " or f" {other} " in f" {phrase} " for other in chosen):
            chosen.append(phrase)
    return chosen


def _choose(phrases: GroupedPhrases, row: int, fresh: Sequence[str], telling: Collection[str]) -> list[str]:
    """The best phrase; where few papers say it, also the next of the ``telling`` ones that shares no word with it.

    A word alone names a group only where a large share of its titles has it.
    """
    size = len(phrases.groups[row])
    fitting = [p for p in fresh if " " in p or phrases.titles[row][p] >= max(2, WORD_ALONE * size)] or list(fresh[:1])
    if not fitting or phrases.papers[row][fitting[0]] >= NAMED_BY_ONE * size:
        return fitting[:1]
    apart = (p for p in fitting[1:] if p in telling and not phrases.parts[p] & phrases.parts[fitting[0]])
    return [fitting[0], *list(apart)[:1]]
