"""Headings for groups of papers: phrases of their titles that c-TF-IDF sets apart from the other groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from engine.naming.phrases import Counts, Formula, GroupedPhrases, c_tf_idf, stems_of
from engine.text import american_stem, to_title_case
from engine.values import Cluster, Paper

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


def name_groups(
    groups: Sequence[Sequence[Paper]], topic: str, formula: Formula = "bounded", avoid: Collection[str] = ()
) -> list[Cluster]:
    """The groups, each with a name that tells it from the others; the topic itself names nothing.

    No heading is a part of another one, or of one of those to ``avoid``. ``formula`` decides the order of the terms.
    """
    phrases = GroupedPhrases(groups)
    topical = _topical_stems(phrases, topic)
    taken = [stems for title in avoid if (stems := stems_of(title) - topical)]
    named: list[Cluster] = []
    for row, telling in enumerate(_rank(phrases, topical, formula)):
        chosen = _choose(phrases, row, telling, topical, taken)
        taken += (phrases.parts[phrase] - topical for phrase in chosen)
        title = to_title_case(" and ".join(map(phrases.form, chosen))) or f"Group {row + 1}"
        named.append(Cluster(title, tuple(map(phrases.form, telling)), tuple(groups[row])))
    return named


def rank_terms(phrases: GroupedPhrases, topic: str) -> list[tuple[str, ...]]:
    """The terms that set each group apart, by c-TF-IDF, best first, as they are written; a group may have none."""
    ranked = _rank(phrases, _topical_stems(phrases, topic), "bounded")
    return [tuple(map(phrases.form, terms)) for terms in ranked]


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
    """The readable phrases that set each group apart, the best first, none a part of another."""
    least = 2 if len(phrases.groups) > 1 else 1
    vocabulary = sorted(
        p for p, n in sum(phrases.papers, Counter()).items() if n >= least and phrases.parts[p] - topical
    )
    if not vocabulary:
        return [[] for _ in phrases.groups]
    frequencies, titles = _tabulate(phrases.papers, vocabulary), _tabulate(phrases.titles, vocabulary)
    weights = c_tf_idf(_tabulate(phrases.occurrences, vocabulary) if formula == "published" else frequencies, formula)
    weights *= np.log1p(titles) * np.array([1.0 + LONGER * phrase.count(" ") for phrase in vocabulary])
    sizes = np.array([max(1, len(group)) for group in phrases.groups], float)[:, None]
    inside, outside = frequencies / sizes, (frequencies.sum(axis=0) - frequencies) / np.maximum(1, sizes.sum() - sizes)
    apart = (inside >= SET_APART * outside) & (frequencies >= np.maximum(LEAST_SAYING, SHARE_SAYING * sizes))
    alone = np.array([" " not in phrase for phrase in vocabulary])
    apart &= titles >= np.where(alone, np.maximum(2, WORD_ALONE * sizes), np.minimum(2, np.ceil(sizes / 12)))
    rarer_elsewhere: Counts = (inside / (inside + outside + 1e-12)) ** SHARPNESS
    ranking: Counts = np.where(apart, weights * rarer_elsewhere, 0.0).round(DIGITS)
    return [
        _distinct(phrases, [vocabulary[i] for i in np.argsort(-own, kind="stable") if own[i] > 0]) for own in ranking
    ]


def _tabulate(counts: Sequence[dict[str, int]], vocabulary: Sequence[str]) -> Counts:
    return np.array([[found.get(phrase, 0) for phrase in vocabulary] for found in counts], float)


def _distinct(phrases: GroupedPhrases, ranked: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for phrase in filter(phrases.reads_well, ranked[:MOST_CANDIDATES]):
        if not any(f" {phrase} " in f" {other} " or f" {other} " in f" {phrase} " for other in chosen):
            chosen.append(phrase)
    return chosen[:MOST_TERMS]


def _choose(
    phrases: GroupedPhrases,
    row: int,
    telling: Sequence[str],
    topical: frozenset[str],
    taken: Sequence[frozenset[str]],
) -> list[str]:
    """The best phrase, or else the usual one, unlike what is ``taken``; two where few of the papers say the first."""
    size, said, titles = len(phrases.groups[row]), phrases.papers[row], phrases.titles[row]
    usual = sorted((p for p in titles if " " in p and phrases.reads_well(p)), key=lambda p: (-said[p], -titles[p], p))
    own = {phrase: phrases.parts[phrase] - topical for phrase in (*telling, *usual)}
    fresh = [p for p, stems in own.items() if stems and not any(stems <= t or t <= stems for t in taken)]
    if not fresh or said[fresh[0]] >= NAMED_BY_ONE * size:
        return fresh[:1]
    second = (p for p in fresh[1:] if p in telling and not phrases.parts[p] & phrases.parts[fresh[0]])
    return [fresh[0], *list(second)[:1]]
