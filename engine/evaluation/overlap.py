"""How much a survey shares with a human one: words (ROUGE) and headings (soft heading recall)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq

from engine.evaluation.documents import Document
from engine.evaluation.scores import f1
from engine.retrieval.embedding import Embedder, Vectors

SHORTEST_CHUNK = 100
"""Characters a chunk needs to be scored by SurGE's variant."""


@dataclass(frozen=True, slots=True)
class Rouge:
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-L."""

    one: float
    two: float
    longest: float

    def mean(self) -> float:
        """NLPCC's RougeAvg."""
        return (self.one + self.two + self.longest) / 3


def rouge(candidate: str, reference: str) -> Rouge:
    """F1 over whole texts, as in NLPCC 2024 task 6."""
    own, other = _tokenize(candidate), _tokenize(reference)
    if not own or not other:
        return Rouge(0.0, 0.0, 0.0)
    from rouge_score.rouge_scorer import RougeScorer

    found = RougeScorer(["rouge1", "rouge2"]).score(reference, candidate)
    return Rouge(found["rouge1"].fmeasure, found["rouge2"].fmeasure, _longest(own, other))


def _tokenize(text: str, *, stemmed: bool = False) -> list[str]:
    from rouge_score.tokenizers import DefaultTokenizer

    words: list[str] = DefaultTokenizer(stemmed).tokenize(text)
    return words


def _longest(own: list[str], other: list[str]) -> float:
    """ROUGE-L by rapidfuzz: the table of the package rouge-score takes gigabytes for two surveys."""
    common = LCSseq.similarity(own, other)
    return f1(common / len(own), common / len(other)) if own and other else 0.0


def rouge_by_chunks(candidate: Document, reference: Document) -> float:
    """SurGE's variant of ROUGE-L: each part's best match among the other's parts, stemmed, and the mean of those.

    Parts of less than 100 characters are left out.
    """
    own, others = (
        [_tokenize(text, stemmed=True) for text in document.part_texts() if len(text) >= SHORTEST_CHUNK]
        for document in (candidate, reference)
    )
    best = [max((_longest(chunk, other) for other in others), default=0.0) for chunk in own]
    return statistics.fmean(best) if best else 0.0


def soft_cardinality(vectors: Vectors, *, clipped: bool = False) -> float:
    """card(T) = Σ_i 1 / Σ_j sim(t_i, t_j): how many different things are there (Fränti; STORM, SurGE).

    ``vectors`` has a unit vector in each row. The published measure takes cosines as they are; ``clipped``, those below
    0 count as 0.
    """
    if len(vectors) == 0:
        return 0.0
    similarity = vectors @ vectors.T
    if clipped:
        similarity = np.clip(similarity, 0.0, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return float((1.0 / similarity.sum(axis=1)).sum())


def soft_heading_recall(
    candidate: Sequence[str], reference: Sequence[str], embedder: Embedder, *, clipped: bool = False
) -> float:
    """c(R ∩ G) / c(R) with c(R ∩ G) = c(R) + c(G) − c(R ∪ G): how much of the reference's headings is there.

    As published, where cosines may be negative and the result may leave 0 to 1; ``clipped``, neither happens.
    Raises `ValueError` where the reference has no headings.
    """
    if not reference:
        raise ValueError("the reference has no headings")
    if not candidate:
        return 0.0
    vectors = embedder.embed([*candidate, *reference])
    own, other = vectors[: len(candidate)], vectors[len(candidate) :]
    wanted = soft_cardinality(other, clipped=clipped)
    shared = wanted + soft_cardinality(own, clipped=clipped) - soft_cardinality(vectors, clipped=clipped)
    recall = float(shared / wanted)
    return min(1.0, max(0.0, recall)) if clipped else recall
