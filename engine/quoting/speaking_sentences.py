"""Which sentences of papers speak to a question, by the words that they share with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.quoting.abstracts import AbstractSentence
from engine.reading.sentence_roles import Statement
from engine.retrieval.embedding import Embedder
from engine.text import terms

NEEDED_COVERAGE = 0.5
"""A sentence speaks to a question when it and its paper's title hold at least half of what the question asks
for, rare terms counting more."""


def find_speaking(
    question: str,
    asked: Sequence[str],
    candidates: Sequence[AbstractSentence],
    embedder: Embedder,
    closer: Mapping[Statement, float] | None = None,
) -> list[AbstractSentence]:
    """The candidate of each paper that speaks best to a question, the best first; empty where none speaks to it.

    ``asked`` are the stems that the question asks for; ``closer`` is added to the closeness (a cosine) of sentences by
    what they state.
    """
    if not asked or not candidates:
        return []
    # A term that every paper has asks for little, one that none has for most.
    held = [set(terms(f"{p.title}. {p.content}")) for p in {s.paper.key: s.paper for s in candidates}.values()]
    rarity = {t: float(np.log1p(len(held) / (3 + sum(t in words for words in held)))) for t in asked}
    said = [set(terms(f"{s.paper.title}. {s.text}")) for s in candidates]
    coverage = np.array([sum(w for t, w in rarity.items() if t in there) for there in said]) / sum(rarity.values())
    speaking = np.flatnonzero(coverage >= NEEDED_COVERAGE)
    if len(speaking) == 0:
        return []
    chosen = [candidates[int(i)] for i in speaking]
    vectors = embedder.embed([question, *(s.text for s in chosen)])
    closeness = vectors[1:] @ vectors[0] + 0.5 * coverage[speaking]
    if closer:
        closeness = closeness + np.array([closer.get(s.statement, 0.0) for s in chosen])
    best: dict[str, AbstractSentence] = {}
    for i in np.argsort(-closeness, kind="stable"):
        best.setdefault(chosen[int(i)].paper.key, chosen[int(i)])
    return list(best.values())
