"""Which of the papers found are about the topic, which are its foundations, and whether there are enough.

A paper is about the topic when it names it, by words that are rare in the library, and means by them what the
others mean who name it. Nothing is filled up: where a library has nine papers about a topic, nine are proposed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from engine.gathering.mentions import Mention, Mentions, measure_mentions
from engine.gathering.word_rarity import measure_rarity
from engine.retrieval.embedding import Embedder, Vectors, embed_papers
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.ranking import SEEDS, closeness, measure_popularity
from engine.retrieval.topic_words import Scores, read_topic
from engine.text import STOP_WORDS, stem, terms
from engine.values import Coverage, FoundPaper, Paper, Reason

LEAST_CORE = 8
"""Papers that name the topic in their titles or repeatedly tell what it means; where they are fewer, those that name it
once do as well."""

LEAST_SEEDS = 3
"""Fewer papers do not tell what is close to the topic; then only its words decide."""

SALIENT, PROMINENT = 2, 3
"""Sentences that must have each word of the topic (the title is two) where one sentence names it, and where none."""

LOW, USUAL, TYPICAL, CENTRAL = 0.1, 0.25, 0.5, 0.75
"""Shares of the core that may be less close to the rest of the core than a paper which is about the topic."""

OTHER_MEANING, OTHER_FIELD = 0.75, 0.9
"""A paper that names the topic in its title, but not word for word, means something else by it where it is less close
than this share of `LOW`; than the second, where the topic has common words only, which stand together in many
fields."""

MEANS_SAME = 0.5
"""Where this share of the titles that have the topic's words, but not its phrases, is as close as `LOW`, the words mean
the same apart: "navigation of mobile robots", but not "codes for fast search"."""

SEVERAL = 3
MOSTLY_IN_TITLE, MAINLY_IN_TITLE, WHOLE = 0.5, 0.67, 0.99
"""Shares of the topic in the title. Where it has the first, for a topic that needs several words, or else the second,
the other words need not be salient, nor close together."""

MOST_CITED = 0.95
"""Of the papers that name the topic in a sentence, those cited more than this share are its origins: they are about it
whatever their titles say."""

WELL_CITED, MUCH_CITED = 25.0, 100.0
"""Citations a year: with the first, a close paper is about the topic whose title has all words needed but those of any
method ("Semi-Supervised Classification with Graph Convolutional Networks"); with the second, any close one is a
foundation."""

SIMILAR_SHARE = 40
"""For at most one of so many papers about the topic, a foundation is proposed only because it is close and cited."""

SMALL_LIBRARY = 1_000
"""A smaller library is somebody's collection: what is typical of the topic's papers there belongs if it says the
topic's rarest word, and so does what names it, however far it is from the others."""

DEVOTED = 1 / 3
"""Where this share of a small library names the topic, the library is on it, and `OTHER_MEANING` suffices."""

FOUNDATION_SHARE = 6
"""At most one of so many papers proposed is a foundation: it does not name the topic, but papers on it build on it."""

NAMING_PAPERS, NAMING_SHARE = 2, 0.02
"""Papers about the topic that must say a foundation's name in their abstracts: so many, and this share of them."""

_NAME = re.compile(r"\b(?=\w*[A-Z0-9]\w*[A-Z])(?=\w*[A-Z])[A-Z][\w-]{2,}\b")
"""A name that is no word: it has two capital letters, or a figure before one."""

FEW = 20
"""With fewer papers about the topic, a person is asked before anything is written from them."""

NEXT_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Relevance:
    """For each paper whether it is about the topic, and its closeness to those that are.

    Those ``named`` name the topic itself and come first: not only what a person added, and not by closeness alone.
    Those ``founding`` are much cited and as close to the topic as most of its papers, named or not. Those about it are
    ``sure`` where the title names it, or the text does again and again, and they are close to the others; those
    ``missed`` have its words, but are too far from it for where they have them.
    """

    about: NDArray[np.bool_]
    named: NDArray[np.bool_]
    close: Scores
    founding: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    missed: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Subject:
    """Words that a survey is about, how common they are in the library, whether a person added them to the topic.

    The first papers, so many as ``telling``, tell how they are said and what they mean; none: all papers do.
    """

    text: str
    counts: TopicCounts
    is_added: bool = False
    telling: int | None = None

    @property
    def is_of_small_library(self) -> bool:
        """Whether the library is known to be a `SMALL_LIBRARY`."""
        return 0 < self.counts.papers < SMALL_LIBRARY


def measure_relevance(
    subjects: Sequence[Subject], papers: Sequence[Paper], embedder: Embedder, accepted: Sequence[Paper] = ()
) -> Relevance:
    """What words and meaning tell; ``accepted`` papers, which a person left in, stand for the topic too.

    A paper about one of the subjects is about the topic. Runs for a while: call it in a thread.
    """
    vectors = embed_papers(embedder, [*papers, *accepted])
    body, liked = vectors[: len(papers)], vectors[len(papers) :]
    measured = [_measure_subject(subject, papers, body, liked, embedder) for subject in subjects]
    about = np.logical_or.reduce([one.about for one in measured])
    return Relevance(
        about,
        np.logical_or.reduce([one.named & (not s.is_added) for s, one in zip(subjects, measured, strict=True)]),
        np.max([one.close for one in measured], axis=0),
        np.logical_or.reduce([one.founding & (not s.is_added) for s, one in zip(subjects, measured, strict=True)]),
        np.logical_or.reduce([one.sure for one in measured]),
        np.logical_or.reduce([one.missed for one in measured]) & ~about,
    )


def _measure_subject(
    subject: Subject, papers: Sequence[Paper], vectors: Vectors, liked: Vectors, embedder: Embedder
) -> Relevance:
    """Which papers name one subject, and mean by it what most papers mean that name it."""
    telling = len(papers) if subject.telling is None else subject.telling
    is_small = subject.is_of_small_library
    mentions = _find_mentions(subject, papers, embedder, telling)
    levels = mentions.levels
    prominent, salient = mentions.salience >= PROMINENT, mentions.salience >= SALIENT
    titled = mentions.in_title >= (MOSTLY_IN_TITLE if mentions.needed >= SEVERAL else MAINLY_IN_TITLE)
    often = levels >= Mention.REPEATEDLY
    once = (levels == Mention.ONCE) & (salient | titled)
    scattered = (levels == Mention.SCATTERED) & (titled | (prominent & (mentions.in_title >= MOSTLY_IN_TITLE)))
    is_telling = np.arange(len(papers)) < telling
    collected = is_small & (often | once | ((levels == Mention.SCATTERED) & salient) | titled)
    core = _find_core(mentions, once, scattered, is_telling)
    seeds = np.concatenate([vectors[core], liked])
    if len(seeds) < LEAST_SEEDS:
        about = often | once | collected
        missed = mentions.nearly_named() & ~about
        return Relevance(about, about, mentions.present, np.zeros_like(about), levels == Mention.IN_TITLE, missed)
    close, among = _closeness_to(vectors, seeds, core), _closeness_among(seeds)
    low, usual, typical, central = bars = np.quantile(among, (LOW, USUAL, TYPICAL, CENTRAL)) - 1e-6
    origin = _find_most_cited(papers, levels >= Mention.ONCE, telling)
    raised = np.where(mentions.key_in_title, 0, 1)

    def bar(least: NDArray[np.int64] | int) -> Scores:
        """The bar of that number from the lowest; one more where the title does not have the key words."""
        return bars[np.minimum(least + raised, len(bars) - 1)]

    def mean_same(apart: NDArray[np.bool_]) -> bool:
        """Whether the words of the topic mean the same in titles that have them apart."""
        known = apart & is_telling
        return bool((close[known] >= low).sum() >= MEANS_SAME * known.sum())

    is_apart = (levels < Mention.IN_TITLE) & (mentions.in_title >= WHOLE)
    means_same = mean_same(is_apart)
    other = low * (OTHER_MEANING if mentions.has_rare else OTHER_FIELD)
    about = (
        mentions.verbatim
        | (_is_in_title(mentions) | mentions.main_in_title) & (close >= other)
        | (mentions.head_in_title & (close >= np.where(is_apart, usual if means_same else typical, low)))
        | (mentions.rest_unsaid & ~is_apart & (close >= np.where(mentions.present >= WHOLE, usual, central)))
        | ((levels == Mention.REPEATEDLY) & (close >= bar(np.where(prominent, 0, 1))))
        | (once & (close >= bar(np.where(prominent, 1, 2))))
        | (origin & salient & (close >= other))
        | ((levels == Mention.SCATTERED) & salient & (close >= central))
        | (scattered & (close >= np.where(mentions.in_title >= WHOLE, usual, np.where(titled, typical, central))))
    )
    about &= ~mentions.apart | (
        close >= (usual if mean_same(mentions.apart & (mentions.in_title >= WHOLE)) else typical)
    )
    yearly = np.expm1(measure_popularity(papers, datetime.now(UTC).year))
    about |= mentions.method_unsaid & (close >= usual) & (yearly >= WELL_CITED)
    if about[:telling].sum() < LEAST_CORE:
        about |= mentions.nearly_in_title & (close >= low)
    about = named = about | collected
    is_devoted = named.sum() >= DEVOTED * subject.counts.papers
    about = named | (_may_belong(subject, papers) & (close >= (other if is_devoted else low)))
    sure = named & np.where(levels == Mention.IN_TITLE, close >= low, often & prominent & (close >= typical))
    missed = mentions.nearly_named() & ~about
    return Relevance(about, named, close, (close >= low) & (yearly >= MUCH_CITED), sure, missed)


def _may_belong(subject: Subject, papers: Sequence[Paper]) -> NDArray[np.bool_]:
    """Which papers of a small library say the rarest word of a subject, or a part of it; none of a larger one.

    Without it ("retrieval" of "retrieval-augmented") much is close there that has nothing to do with the topic.
    """
    if not subject.is_of_small_library:
        return np.zeros(len(papers), np.bool_)
    rarest = read_topic(subject.text).stems[int(measure_rarity(subject.text, subject.counts).argmax())]
    parts = {stem(part) for part in rarest.split("-")} - STOP_WORDS
    said = (frozenset(terms(f"{paper.title} {paper.content}".replace("-", " "))) for paper in papers)
    return np.array([bool(parts & stems) for stems in said], np.bool_)


def _is_in_title(mentions: Mentions) -> NDArray[np.bool_]:
    """Which titles have the topic, or all its words where the text has it: "From Simultaneous to Streaming Speech"."""
    is_said = (mentions.levels >= Mention.REPEATEDLY) & (mentions.in_title >= WHOLE)
    result: NDArray[np.bool_] = is_said | (mentions.levels == Mention.IN_TITLE)
    return result


def _find_mentions(subject: Subject, papers: Sequence[Paper], embedder: Embedder, telling: int) -> Mentions:
    """How each paper names the subject; what all papers of a small library have is implied by nothing."""
    implied = frozenset[int]() if subject.is_of_small_library else subject.counts.implied
    rarities = measure_rarity(subject.text, subject.counts)
    return measure_mentions(subject.text, rarities, implied, papers, embedder, telling)


def _find_core(
    mentions: Mentions, once: NDArray[np.bool_], scattered: NDArray[np.bool_], is_telling: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The papers that tell what the topic means, at most `SEEDS`; those that name it often, if enough do."""
    often = (mentions.levels >= Mention.REPEATEDLY) & is_telling
    core = np.flatnonzero(often & ~mentions.apart)
    if len(core) < LEAST_CORE:
        core = np.flatnonzero(often)
    for more, least in (
        (once, LEAST_CORE),
        (scattered, LEAST_CORE),
        (mentions.levels >= Mention.SCATTERED, LEAST_SEEDS),
    ):
        if len(core) < least:
            core = np.union1d(core, np.flatnonzero(more & is_telling & mentions.key_in_title))
    return core[np.argsort(-mentions.levels[core], kind="stable")][:SEEDS]


def _find_most_cited(papers: Sequence[Paper], named: NDArray[np.bool_], telling: int) -> NDArray[np.bool_]:
    """Which of the papers ``named`` are cited most: as much as `MOST_CITED` of the first ``telling`` ones."""
    cited = np.array([paper.citations or 0 for paper in papers])
    if not named[:telling].any():
        return np.zeros_like(named)
    least = max(1, np.quantile(cited[:telling][named[:telling]], MOST_CITED))
    most: NDArray[np.bool_] = named & (cited >= least)
    return most


def select_foundations(found: Sequence[FoundPaper], relevance: Relevance, limit: int) -> list[FoundPaper]:
    """At most ``limit`` papers that are not about the topic, but that the topic's own papers build on.

    Those that the papers found cite come first, in the order they were found. Then those whose name ("CodeBERT: …")
    several abstracts of the topic's own papers say, the most often said first; then those that are much cited and close
    to the topic.
    """
    own = [item.paper for item, is_about in zip(found, relevance.about, strict=True) if is_about]
    others = [item for item, is_about in zip(found, relevance.about, strict=True) if not is_about]
    founding = {item.paper.key for item, is_one in zip(found, relevance.founding, strict=True) if is_one}
    cited = [item for item in others if is_cited(item)]
    said = Counter(name for paper in own for name in {*_NAME.findall(paper.content)})
    named = [(said[name], item) for item in others if (name := _read_name(item.paper.title)) and not is_cited(item)]
    least = max(NAMING_PAPERS, NAMING_SHARE * len(own))
    named = [(times, item) for times, item in named if times >= least]
    named.sort(key=lambda pair: -pair[0])
    taken = {item.paper.key for _, item in named}
    similar = [item for item in others if item.paper.key in founding - taken and not is_cited(item)]
    reasons = [(item, Reason("named by the topic's papers", times, "foundation")) for times, item in named]
    for item in similar[: len(own) // SIMILAR_SHARE]:
        reasons += [(item, Reason("close to the topic's papers", item.paper.citations or 0, "similar"))]
    marked = [replace(item, reasons=(*item.reasons, reason)) for item, reason in reasons]
    return [*cited, *marked][:limit]


def order_missed(relevance: Relevance) -> NDArray[np.int64]:
    """The papers that fall short of the floor, the closest to the topic first."""
    rows = np.flatnonzero(relevance.missed)
    closest: NDArray[np.int64] = rows[np.argsort(-relevance.close[rows], kind="stable")]
    return closest


def measure_coverage(
    found: Sequence[FoundPaper], relevance: Relevance, chosen: Sequence[FoundPaper], about: int, foundations: int
) -> Coverage:
    """How well the topic is covered by ``about`` papers, and what comes next where these are few."""
    if about >= FEW:
        return Coverage(about, foundations)
    taken = {item.paper.key for item in chosen}
    order = (found[int(i)].paper for i in np.argsort(-relevance.close, kind="stable"))
    nearest = [paper.title for paper in order if paper.key not in taken]
    return Coverage(about, foundations, tuple(nearest[:NEXT_SHOWN]))


def is_cited(item: FoundPaper) -> bool:
    """Whether the papers found cite it, as a citation graph says."""
    return any(reason.by == "cited" for reason in item.reasons)


def _read_name(title: str) -> str:
    """The name that a title gives to what the paper is about ("CodeBERT: …"); empty where it gives none."""
    name, colon, _ = title.partition(":")
    return name if colon and _NAME.fullmatch(name) else ""


def _closeness_to(vectors: Vectors, seeds: Vectors, own: NDArray[np.int64]) -> Scores:
    """The closeness of each paper to the seeds; row ``own[i]`` is seed i, which does not count for itself."""
    close = closeness(vectors, seeds)
    close[own] = _closeness_among(seeds)[: len(own)]
    return close


def _closeness_among(seeds: Vectors) -> Scores:
    """The closeness of each seed to the others."""
    return np.array([closeness(seeds[i : i + 1], np.delete(seeds, i, axis=0))[0] for i in range(len(seeds))])
