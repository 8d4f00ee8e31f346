"""What is shared: with a human survey words and headings, between sections their lists of references."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from engine.evaluation.documents import CitedClaim, Document
from engine.evaluation.scores import Score, f1
from engine.retrieval.embedding import Embedder, Vectors

SHORTEST_CHUNK = 100
"""Characters a chunk needs to be scored by SurGE's variant."""


def rouge(candidate: str, reference: str) -> tuple[float, float, float]:
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-L over whole texts, as in NLPCC 2024 task 6."""
    own, other = _tokenize(candidate), _tokenize(reference)
    if not own or not other:
        return 0.0, 0.0, 0.0
    from rouge_score.rouge_scorer import RougeScorer

    found = RougeScorer(["rouge1", "rouge2"]).score(reference, candidate)
    return found["rouge1"].fmeasure, found["rouge2"].fmeasure, _longest(own, other)


def _tokenize(text: str, *, stemmed: bool = False) -> list[str]:
    from rouge_score.tokenizers import DefaultTokenizer

    words: list[str] = DefaultTokenizer(stemmed).tokenize(text)
    return words


def _longest(own: list[str], other: list[str]) -> float:
    """ROUGE-L by rapidfuzz: the table of the package rouge-score takes gigabytes for two surveys."""
    common = LCSseq.similarity(own, other)
    return f1(common / len(own), common / len(other)) if own and other else 0.0


def rouge_by_chunks(candidate: Document, reference: Document) -> float:
    """SurGE's variant of ROUGE-L: each part's best match among the other's parts, stemmed, and the mean of those."""
    own, others = (
        [_tokenize(text, stemmed=True) for text in document.part_texts() if len(text) >= SHORTEST_CHUNK]
        for document in (candidate, reference)
    )
    best = [max((_longest(chunk, other) for other in others), default=0.0) for chunk in own]
    return statistics.fmean(best) if best else 0.0


def soft_cardinality(vectors: Vectors, *, clipped: bool = False) -> float:
    """card(T) = Σ_i 1 / Σ_j sim(t_i, t_j) of unit vectors (Fränti; STORM, SurGE); ``clipped``: none below 0."""
    if len(vectors) == 0:
        return 0.0
    similarity = vectors @ vectors.T
    if clipped:
        similarity = np.clip(similarity, 0.0, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return float((1.0 / similarity.sum(axis=1)).sum())


def soft_heading_recall(candidate: Sequence[str], reference: Sequence[str], embedder: Embedder) -> tuple[float, float]:
    """c(R ∩ G) / c(R) with c(R ∩ G) = c(R) + c(G) − c(R ∪ G): how much of the reference's headings is there.

    First as published, where cosines may be negative and the result may leave 0 to 1; then clipped, where neither is.
    """
    if not candidate:
        return 0.0, 0.0
    vectors = embedder.embed([*candidate, *reference])
    recall = []
    for clipped in (False, True):
        parts = (vectors[: len(candidate)], vectors[len(candidate) :], vectors)
        own, wanted, both = (soft_cardinality(part, clipped=clipped) for part in parts)
        recall.append((wanted + own - both) / wanted)
    return recall[0], min(1.0, max(0.0, recall[1]))


SUSPICIOUS = 1.5
"""A ratio above this is what the public code of AutoSurvey and SurveyForge shows."""

PERMUTATIONS = 1_000


def measure_shared_lists(document: Document, claims: Sequence[CitedClaim], seed: int = 0) -> tuple[Score, ...]:
    """Mean Jaccard of the works cited by subsections of different sections, at the same position and at others.

    The ratio shows whether sections were given one another's papers (D1); its 95 % interval is by permutation.
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
