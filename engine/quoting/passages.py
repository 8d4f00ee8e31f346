"""A passage quoted from papers: central sentences that do not repeat one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.quoting.abstracts import AbstractSentence, quotable, quote_sentences
from engine.reading.sentence_roles import STATEMENTS, Statement
from engine.retrieval.embedding import Embedder, Vectors
from engine.survey import Claim
from engine.values import Paper

REDUNDANT = 0.85
"""Cosine from which two sentences say the same."""


def choose_sentences(
    candidates: Sequence[AbstractSentence], vectors: Vectors, centre: Vectors, budget_words: int
) -> list[int]:
    """Indices of central sentences that do not repeat one another, up to the budget; better papers come first.

    Maximal marginal relevance: closeness to the ``centre`` against likeness to what is chosen already; a
    paper that has been quoted gives way to one that has not, so that many papers are heard.
    """
    relevance = vectors @ centre
    order = list(dict.fromkeys(s.paper.key for s in candidates))
    standing = {key: 1.0 - rank / len(order) for rank, key in enumerate(order)}
    redundancy = np.zeros(len(candidates))
    quoted: dict[str, int] = {}
    stated: dict[Statement, int] = {}
    picked: list[int] = []
    used = 0
    left = set(range(len(candidates)))
    while left and used < budget_words:
        best = max(
            left,
            key=lambda i: (
                relevance[i]
                + 0.15 * standing[candidates[i].paper.key]
                - 0.5 * redundancy[i]
                - 0.4 * quoted.get(candidates[i].paper.key, 0)
                - 0.04 * stated.get(candidates[i].statement, 0)
            ),
        )
        left.discard(best)
        sentence = candidates[best]
        if redundancy[best] >= REDUNDANT or quoted.get(sentence.paper.key, 0) >= 2:
            continue
        picked.append(best)
        quoted[sentence.paper.key] = quoted.get(sentence.paper.key, 0) + 1
        stated[sentence.statement] = stated.get(sentence.statement, 0) + 1
        redundancy = np.maximum(redundancy, vectors @ vectors[best])
        used += len(sentence.text.split()) + 12
    return picked


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """Quoted text ready for a section, with its claims."""

    text: str
    claims: tuple[Claim, ...]


def passage(papers: Sequence[Paper], about: str, budget_words: int, embedder: Embedder) -> QuotedPassage:
    """About so many words quoted from the papers: first problems, then contributions, then findings."""
    candidates = [sentence for paper in papers for sentence in quotable(paper)]
    if not candidates:
        return QuotedPassage("", ())
    vectors = embedder.embed([about, *(s.text for s in candidates)])
    body = vectors[1:]
    centre = body.mean(axis=0) + vectors[0]
    norm = float(np.linalg.norm(centre))
    picked = choose_sentences(candidates, body, centre / norm if norm else centre, budget_words)
    paragraphs: list[str] = []
    claims: list[Claim] = []
    for statement in STATEMENTS:
        part = [candidates[i] for i in picked if candidates[i].statement == statement]
        part.sort(key=lambda s: (s.paper.year or 9_999, s.paper.key, s.position))
        written = [quote_sentences(group) for group in _by_paper(part)]
        claims += written
        paragraphs += [" ".join(c.text for c in written[i : i + 4]) for i in range(0, len(written), 4)]
    return QuotedPassage("\n\n".join(paragraphs), tuple(claims))


def _by_paper(sentences_: Sequence[AbstractSentence]) -> list[list[AbstractSentence]]:
    groups: dict[str, list[AbstractSentence]] = {}
    for sentence in sentences_:
        groups.setdefault(sentence.paper.key, []).append(sentence)
    return list(groups.values())
