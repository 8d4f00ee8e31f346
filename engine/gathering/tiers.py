"""Which of the papers found are the core of a topic, and which are near it. Nothing is judged to be off the topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True)
class Subject:
    """Words that a survey is about, and how common they are in the library."""

    text: str
    counts: TopicCounts


@dataclass(frozen=True, slots=True)
class Tiers:
    """What relates each paper to the topic, from 0 to 3 (`CORE`); whether it is core, and whether it is near."""

    related: Scores
    core: NDArray[np.bool_]
    near: NDArray[np.bool_]


def measure_words(subject: Subject, papers: Sequence[Paper]) -> WordEvidence:
    """How the papers say a subject; the first of them tell its abbreviations."""
    topic = with_abbreviations(read_topic(subject.text), [paper.abstract for paper in papers[:SEEDS]])
    counts = subject.counts
    rarities = rarity(counts.papers_with, counts.papers) if counts.papers_with else None
    return measure_texts(topic, [paper.title for paper in papers], [paper.content for paper in papers], rarities)


def has_signal(subject: Subject, words: WordEvidence) -> bool:
    """Whether several papers say more of a subject than of as many words drawn by chance."""
    topic = read_topic(subject.text)
    count = len(topic.stems) - len(topic.uncounted)
    if count == 0:
        return False
    said = np.sort(words.said)[::-1][: SIGNAL_PAPERS if subject.counts.papers >= SMALL_LIBRARY else 1]
    return bool(len(said) and said[-1] > min(CHANCE_OF_TWO, CHANCE / count))


def has_known_signal(subject: Subject, words: WordEvidence) -> bool:
    """The same of a question, in which a word may stand that no paper has."""
    counts = subject.counts
    topic = read_topic(subject.text)
    weights = rarity(counts.papers_with, counts.papers) ** 2 if counts.papers_with else np.ones(len(topic.stems))
    said = [at for at in range(len(topic.stems)) if at not in topic.uncounted]
    known = [at for at in said if not counts.papers_with or counts.papers_with[at]]
    share = float(weights[known].sum() / max(1e-9, weights[said].sum()))
    return has_signal(subject, replace(words, said=words.said / max(1e-9, share)))


def divide_papers(subjects: Sequence[WordEvidence], vectors: Vectors) -> Tiers:
    """The tiers of papers (row i of every array) by the nearest of ``subjects``; all near where none says a word."""
    related = np.max([_relate(words, vectors) for words in subjects], axis=0)
    core = related >= CORE
    return Tiers(related, core, ((related >= NEAR) | (related.max(initial=0.0) == 0.0)) & ~core)


def _relate(words: WordEvidence, vectors: Vectors) -> Scores:
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
