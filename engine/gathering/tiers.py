"""Which of the papers found are the core of a topic, and which are near it. Nothing is judged to be off the topic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.ranking import DECIMALS, SEEDS, closeness
from engine.retrieval.topic_words import Scores, WordEvidence, measure_texts, rarity, read_topic, with_abbreviations
from engine.values import Paper

IN_TITLE, IN_TEXT = 0.65, 0.95
"""Shares of the topic, by squared rarity, that a title or a text must say to name it. On the ten narrow topics of
`../shared/corpus` the core then has .911 of the papers wanted among 74; with .6 and .85 (which take emotion recognition
for speech emotion recognition) .946 among 106, with .75 of the title .880 among 72."""

FIRST = 300
"""What only the text names is core among so many first papers; beyond, a title has to, and only where the core is not
larger than that. With all 1,200, broad topics have .423 at 300 in place of .467."""

TOP, FEW_ARE_FIRST = 50, 20
"""A paper among so many first ones, and the first of so many, both by words and by closeness, is core where it says
half of the topic."""

MOST_REFERENCES, LEAST_REFERENCES = 200, 8
"""Papers of the core that others are held against; fewer do not tell how close a paper of the topic is."""

SPREAD = 0.1
"""Share of the core that may be less close to the rest of it than another paper of the core, or one near it."""

CHANCE_OF_TWO, CHANCE = 0.55, 1.75
"""What the fifth paper at most says of a query of k words drawn by chance (.95 quantile over two libraries, 150 queries
of each length): .59 to .65 of 3 words, .45 to .51 of 4, .34 to .40 of 5, .25 to .33 of 7, .19 to .24 of 10: about
1.75 / k. Two words are often said together by chance; a little more than one of them is asked for."""

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
    """For each paper whether it is core, and whether it is as close to the core as most of it is to itself."""

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
    """The tiers of ranked papers, best first; a paper that names one of the ``subjects`` names the topic.

    Row i of each evidence and of ``vectors`` is paper i.
    """
    place = np.arange(len(vectors))
    titled = np.max([words.titled for words in subjects], axis=0)
    said = np.max([words.said for words in subjects], axis=0)
    named = (titled >= IN_TITLE) | ((said >= IN_TEXT) & (place < FIRST))
    seeds = vectors[np.argsort(-subjects[0].bm25, kind="stable")[:SEEDS]]
    top = _is_among_first(subjects[0].bm25) & _is_among_first(closeness(vectors, seeds)) & (said >= 0.5)
    references = np.flatnonzero(named if named.sum() >= LEAST_REFERENCES else named | top)
    if len(references) < LEAST_REFERENCES:
        core = named | top
        return Tiers(core, ~core)
    references = references[:: math.ceil(len(references) / MOST_REFERENCES)]
    close = are_close(vectors, vectors[references])
    core = (named & close) | top
    if core.sum() > FIRST:
        core &= place < FIRST
    return Tiers(core, ~core & close)


def are_close(vectors: Vectors, references: Vectors) -> NDArray[np.bool_]:
    """Which papers are as close to the references as nearly all of these are to each other; shape (papers,)."""
    close: NDArray[np.bool_] = np.round(closeness(vectors, references), DECIMALS) >= np.quantile(
        _closeness_among(references), SPREAD
    )
    return close


def _is_among_first(values: Scores) -> NDArray[np.bool_]:
    first = np.zeros(len(values), np.bool_)
    most = min(TOP, len(values) // FEW_ARE_FIRST)
    first[np.argsort(-np.round(values, DECIMALS), kind="stable")[:most]] = True
    return first


def _closeness_among(vectors: Vectors) -> Scores:
    """For each vector the mean cosine to its closest others; shape (number of vectors,)."""
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, -1.0)
    best = np.sort(similarity, axis=1)[:, -min(10, len(vectors) - 1) :]
    rounded: Scores = np.round(best.mean(axis=1).astype(np.float64), DECIMALS)
    return rounded
