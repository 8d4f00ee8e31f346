"""Which of the papers found are about the topic, which are its foundations, and whether there are enough.

A paper is about the topic when it names it, by words that are rare in the library, and means by them what the
others mean who name it. Nothing is filled up: where a library has nine papers about a topic, nine are proposed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding import Embedder, Vectors, embed_papers
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.ranking import SEEDS, closeness
from engine.retrieval.topic_words import Scores, WordEvidence, measure_texts, rarity, read_topic, with_abbreviations
from engine.text import terms
from engine.values import Coverage, FoundPaper, Paper, Reason

NAMED = 0.75
PARTLY_NAMED = 0.5
HINTED = 0.2
"""Shares of the topic (`WordEvidence.in_text`) from which a paper names it, names most of it, hints at it."""

WHOLE = 0.99
LEAST_WHOLE = 8
"""Where so many papers have every word of the topic, they tell what it means, and not those that have a part of it."""

LEAST_CORE = 3
"""Fewer papers do not tell what is close to the topic; then only its words decide."""

TYPICAL, USUAL, CENTRAL = 0.05, 0.25, 0.75
"""A paper must be as close to the core as all but this share of the core is to itself: one that names the topic, one
that names most of it, one that hints at it, or is a foundation."""

SMALL_LIBRARY = 1_000
"""A smaller library is somebody's collection: what is typical of the topic's papers there belongs, named or not."""

FOUNDATION_SHARE = 6
"""At most one of so many papers proposed is a foundation: close to the topic and much cited, without naming it."""

FEW = 20
"""With fewer papers about the topic, a person is asked before anything is written from them."""

NEXT_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Relevance:
    """For each paper whether it is about the topic, whether it is close enough for a foundation, and its closeness."""

    about: NDArray[np.bool_]
    related: NDArray[np.bool_]
    close: Scores


@dataclass(frozen=True, slots=True)
class Subject:
    """Words that a survey is about, and how common they are in the library."""

    text: str
    counts: TopicCounts


def measure_relevance(
    subjects: Sequence[Subject], papers: Sequence[Paper], embedder: Embedder, accepted: Sequence[Paper] = ()
) -> Relevance:
    """What words and meaning tell; ``accepted`` papers, which a person left in, stand for the topic too.

    A paper about one of the subjects is about the topic. Runs for a while: call it in a thread.
    """
    measured = [_measure_words(subject, papers) for subject in subjects]
    named = np.max([words.in_text for words in measured], axis=0)
    whole = np.flatnonzero((np.max([words.present for words in measured], axis=0) >= WHOLE) & (named >= PARTLY_NAMED))
    core = whole if len(whole) >= LEAST_WHOLE else np.flatnonzero(named >= NAMED)
    core = core[np.argsort(-named[core], kind="stable")][:SEEDS]
    vectors = embed_papers(embedder, [*papers, *accepted])
    body, seeds = vectors[: len(papers)], np.concatenate([vectors[core], vectors[len(papers) :]])
    if len(seeds) < LEAST_CORE:
        return Relevance(named >= NAMED, np.zeros(len(papers), bool), named)
    close, among = closeness(body, seeds), _closeness_among(seeds)
    typical, usual, central = np.quantile(among, (TYPICAL, USUAL, CENTRAL)) - 1e-6
    about = ((named >= NAMED) & (close >= typical)) | ((named >= PARTLY_NAMED) & (close >= usual))
    if len(seeds) >= LEAST_WHOLE:
        about |= (named >= HINTED) & (close >= central)
    if 0 < subjects[0].counts.papers < SMALL_LIBRARY:
        about |= close >= typical
    return Relevance(about, (close >= central) & (len(seeds) >= LEAST_WHOLE), close)


def select_foundations(found: Sequence[FoundPaper], relevance: Relevance, limit: int) -> list[FoundPaper]:
    """At most ``limit`` papers that are not about the topic but belong to a survey of it, in the order they were found.

    Papers that the papers found cite come first: that is what a foundation is. Then what is close and much cited.
    """
    pairs = [
        (item, near)
        for item, is_about, near in zip(found, relevance.about, relevance.related, strict=True)
        if not is_about
    ]
    cited = [item for item, _ in pairs if _is_cited(item)]
    related = [_marked(item) for item, near in pairs if near and not _is_cited(item)]
    return [*cited, *related][:limit]


def measure_coverage(
    found: Sequence[FoundPaper], relevance: Relevance, chosen: Sequence[FoundPaper], foundations: int
) -> Coverage:
    """How well the topic is covered, and what comes next where it is covered by few papers."""
    about = int(relevance.about.sum())
    if about >= FEW:
        return Coverage(about, foundations)
    taken = {item.paper.key for item in chosen}
    order = (found[int(i)].paper for i in np.argsort(-relevance.close, kind="stable"))
    nearest = [paper.title for paper in order if paper.key not in taken]
    return Coverage(about, foundations, tuple(nearest[:NEXT_SHOWN]))


def _is_cited(item: FoundPaper) -> bool:
    return any(reason.by == "cited" for reason in item.reasons)


def _marked(item: FoundPaper) -> FoundPaper:
    return replace(item, reasons=(*item.reasons, Reason("close to the topic and much cited", 1, "foundation")))


def _measure_words(subject: Subject, papers: Sequence[Paper]) -> WordEvidence:
    """How much of a subject each paper names."""
    said = read_topic(subject.text)
    words = with_abbreviations(said, [paper.content for paper in papers[:SEEDS]])
    counts = subject.counts
    is_counted = counts.papers > 0 and len(counts.papers_with) == len(said.stems)
    rarities = rarity(counts.papers_with, counts.papers) if is_counted else None
    return measure_texts(words, [p.title for p in papers], [p.content for p in papers], rarities)


_JOINED = re.compile(r"\s+(?:and|versus|vs\.?|&)\s+", re.I)


def split_topic(topic: str) -> list[str]:
    """The topic, and the two topics that it joins where both have words enough to be topics of their own."""
    parts = _JOINED.split(topic)
    if len(parts) == 2 and all(len(terms(part)) > 1 for part in parts):
        return [topic, *parts]
    return [topic]


def _closeness_among(seeds: Vectors) -> Scores:
    """The closeness of each seed to the others."""
    return np.array([closeness(seeds[i : i + 1], np.delete(seeds, i, axis=0))[0] for i in range(len(seeds))])
