"""Which of the papers found are the core of a topic, and which are near it. Nothing is judged to be off the topic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.ranking import DECIMALS, SEEDS, closeness
from engine.retrieval.topic_words import Scores, WordEvidence, measure_texts, rarity, read_topic, with_abbreviations
from engine.values import Paper

CORE, NEAR = 2.55, 0.4
"""Least relatedness of a paper of the core, and of one that is near. Three shares are added: of the topic's words, by
squared rarity, what the title says, and what title or abstract say; and the paper's closeness, where 0 is that of the
farthest found and 1 of those that say the topic best. Titles read in November 2026: .95 of the core of 25 topics is
about the topic, and .90 of forty others of twelve fields (2.45: .93 and .89; by words alone .55 and .59). `NEAR` goes
with `search.TOPIC_FIRST`: with .5 broad topics have .461 and titles .328 at 300, with .3 narrow ones .946."""

WHOLE = 1.9
"""Shares in title and in text, added, of a paper that says the whole topic."""

FARTHEST = 0.05
"""Share of the papers found that are as far from the topic as papers are."""

LEAST_DISTANCE = 0.1
"""Cosine that both are at least apart: where all that was found is about the topic all of it is close."""

MOST_REFERENCES, LEAST_REFERENCES = 200, 8
"""Papers of the topic that others are held against, at most, and those that say the topic best, at least."""

SPREAD = 0.1
"""Share of the references that may be less close to the rest of them than another paper of the topic."""

CHANCE_OF_TWO, CHANCE = 0.55, 1.75
"""What the fifth paper at most says of a query of k words drawn by chance (.95 quantile over two libraries, 150 queries
of each length) is about 1.75 / k; two are often said together, so a little more than one is asked for."""

SIGNAL_PAPERS = 3
"""Fewer papers on a topic are no survey: the third best has to say more than chance does."""

SMALL_LIBRARY = 100
"""In a smaller library one paper on a topic is a signal."""


def measure_words(subject: TopicCounts, papers: Sequence[Paper]) -> WordEvidence:
    """How the papers say a subject; the first of them tell its abbreviations."""
    topic = with_abbreviations(read_topic(subject.topic), [paper.abstract for paper in papers[:SEEDS]])
    rarities = rarity(subject.papers_with, subject.papers) if subject.papers_with else None
    return measure_texts(topic, [paper.title for paper in papers], [paper.content for paper in papers], rarities)


def has_signal(subject: TopicCounts, words: WordEvidence, *, is_question: bool = False) -> bool:
    """Whether several papers say more of a subject than of as many words drawn by chance.

    Of a question, in which a word may stand that no paper has, only the words that some paper has are counted.
    """
    topic = read_topic(subject.topic)
    counted = [at for at in range(len(topic.stems)) if at not in topic.uncounted]
    if not counted:
        return False
    share = 1.0
    if is_question and subject.papers_with:
        weights = rarity(subject.papers_with, subject.papers) ** 2
        share = weights[[at for at in counted if subject.papers_with[at]]].sum() / weights[counted].sum()
    said = np.sort(words.said)[::-1][: SIGNAL_PAPERS if subject.papers >= SMALL_LIBRARY else 1]
    return bool(len(said) and said[-1] > share * min(CHANCE_OF_TWO, CHANCE / len(counted)))


def relate_papers(words: WordEvidence, vectors: Vectors) -> Scores:
    """What relates papers (row i of every array) to what ``words`` say, from 0 to 3 (`CORE`)."""
    said = words.titled + words.said
    best = np.argsort(-said, kind="stable")[: max(LEAST_REFERENCES, int((said >= WHOLE).sum()))]
    if not said[best].any():
        return said
    middle = said[best] @ vectors[best]
    close = np.round(vectors @ (middle / max(1e-9, float(np.linalg.norm(middle)))), DECIMALS)
    far, full = np.quantile(close, FARTHEST), np.median(close[best])
    related: Scores = said + np.clip(1.0 - (full - close) / max(LEAST_DISTANCE, full - far), 0.0, 1.0)
    return np.round(related, DECIMALS)


def are_close(vectors: Vectors, references: Vectors) -> NDArray[np.bool_]:
    """Which papers are as close to the references as nearly all of these are to each other; shape (papers,)."""
    among = references @ references.T
    np.fill_diagonal(among, -1.0)
    usual = np.sort(among, axis=1)[:, -min(10, len(references) - 1) :].mean(axis=1).astype(np.float64)
    least = np.quantile(np.round(usual, DECIMALS), SPREAD)
    close: NDArray[np.bool_] = np.round(closeness(vectors, references), DECIMALS) >= least
    return close
