"""Keyword expansion: from a topic to a pool of search phrases (SurveyX, algorithm 1).

Cluster the abstracts of the papers known into (pool size + 1) clusters, take a keyword from each, choose one by a
selector, search it. The paper's prose, its formula and its code choose differently; all three are here, and our own,
which does what the prose wants.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.gathering.keyword_naming import ClusterNamer
from engine.naming.clustering import divide_by_means
from engine.retrieval.embedding import Vectors, embed_papers, ready
from engine.run import RunContext
from engine.text import STOP_WORDS, stem, terms
from engine.values import Keyword, KeywordOrigin, Paper, PaperKey

Selector = Literal["farthest", "surveyx", "prose", "formula"]
SELECTORS: tuple[Selector, ...] = ("farthest", "surveyx", "prose", "formula")

RELEVANCE_FLOOR = 0.2
"""Least cosine between a keyword and the topic for `farthest`: twice the mean cosine (0.1) that two random
abstracts of a broad computer-science library have under latent semantic analysis."""

CLUSTERED_PAPERS = 150
"""Papers, the first found, that are clustered for candidates: more bring the same phrases and cost seconds."""

LEAST_PAPERS = 3
"""Papers of a cluster that must say a phrase."""

Search = Callable[[str], Awaitable[Sequence[Paper]]]
"""A phrase → the papers that it brings beside those that are known."""


def select(candidates: Vectors, topic: Vectors, pool: Vectors, selector: Selector) -> int | None:
    """Index of the chosen candidate; ``None`` where the selector accepts none of them.

    ``candidates`` and ``pool`` have shape (n, dimensions), ``topic`` (dimensions,); ``pool`` holds the
    keywords chosen so far without the topic.

    - prose: nearest on average, and farthest from its farthest; ranks added.
    - formula: k* = argmin(R1 + R2), R1 = rank of the mean cosine, R2 = rank of -max cosine, ascending.
    - surveyx (the code): R1 = rank of the mean distance, descending, the topic counted twice; R2 = rank of
      the largest distance, ascending.
    - farthest: of those at least `RELEVANCE_FLOOR` from the topic, the one whose nearest keyword is farthest.
    """
    if len(candidates) == 0:
        return None
    reference = np.vstack([topic[None], pool]) if len(pool) else topic[None]
    similarity = np.round(candidates @ reference.T, 5)
    distance = 1.0 - similarity
    match selector:
        case "prose":
            return int(np.argmin(_ranks(distance.mean(axis=1)) + _ranks(-distance.max(axis=1))))
        case "formula":
            return int(np.argmin(_ranks(similarity.mean(axis=1)) + _ranks(-similarity.max(axis=1))))
        case "surveyx":
            weights = np.array([2.0, *[1.0] * (len(reference) - 1)])
            mean = (distance * weights).sum(axis=1) / weights.sum()
            return int(np.argmin(_ranks(-mean) + _ranks(distance.max(axis=1))))
        case "farthest":
            relevant = np.flatnonzero(similarity[:, 0] >= RELEVANCE_FLOOR)
            if len(relevant) == 0:
                return None
            return int(relevant[np.argmin(similarity[relevant].max(axis=1))])


def _ranks(values: Vectors) -> NDArray[np.float64]:
    """Rank from 0 in ascending order; equal values keep their order."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks


async def expand_keywords(
    topic: Keyword,
    papers: Sequence[Paper],
    search: Search,
    context: RunContext,
    selector: Selector = "farthest",
    namer: ClusterNamer | None = None,
) -> tuple[Keyword, ...]:
    """The topic and the keywords found in its papers.

    It ends at θ papers, at `Limits.keyword_rounds`, or when there are fewer papers than clusters; a keyword that brings
    nothing is dropped.
    """
    limits, embedder = context.limits, ready(context.embedder, papers)
    known: dict[PaperKey, Paper] = {paper.key: paper for paper in papers}
    about = list(papers[:CLUSTERED_PAPERS])
    vectors = await asyncio.to_thread(embed_papers, embedder, about) if about else np.zeros((0, 1), np.float32)
    most = min(limits.keyword_rounds + 1, limits.keywords, len(about) // 2)
    divided = await asyncio.to_thread(lambda: [_cluster(about, vectors, groups) for groups in range(2, most + 1)])
    named = await _name_all(divided, topic, namer)
    pool = [topic]
    tried = {topic.text.casefold()}
    for clusters, names in zip(divided, named, strict=True):
        if len(known) >= limits.candidate_papers:
            break
        terms_of = await asyncio.to_thread(choose_terms, clusters, topic.text, tried)
        candidates = _join_candidates(names, terms_of, tried)
        if not candidates:
            continue
        phrases = [*candidates, *(keyword.text for keyword in pool)]
        embedded = await asyncio.to_thread(embedder.embed, phrases)
        count = len(candidates)
        chosen = select(embedded[:count], embedded[count], embedded[count + 1 :], selector)
        if chosen is None:
            break
        text = list(candidates)[chosen]
        tried.add(text.casefold())
        brought = [paper for paper in await search(text) if paper.key not in known]
        if brought:
            pool.append(Keyword(text, candidates[text], len(brought)))
            known |= {paper.key: paper for paper in brought}
    return tuple(pool)


async def _name_all(
    divided: Sequence[Sequence[Sequence[Paper]]], topic: Keyword, namer: ClusterNamer | None
) -> list[list[str]]:
    """The names of the clusters of every round, all asked for at once; empty where there are none."""
    if namer is None:
        return [[""] * len(clusters) for clusters in divided]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(namer.name(clusters, [topic])) for clusters in divided]
    return [task.result() for task in tasks]


def _join_candidates(named: Sequence[str], terms_of: Sequence[str], tried: set[str]) -> dict[str, KeywordOrigin]:
    """One candidate for each cluster, its given name before its own term."""
    candidates: dict[str, KeywordOrigin] = {}
    for name, term in zip(named, terms_of, strict=True):
        if name and name.casefold() not in tried:
            candidates.setdefault(name, "model")
        elif term:
            candidates.setdefault(term, "library")
    return candidates


def _cluster(papers: Sequence[Paper], vectors: Vectors, groups: int) -> list[list[Paper]]:
    """The papers in so many clusters; none where they cannot be told apart."""
    if len(np.unique(vectors, axis=0)) < groups:
        return []
    labels = divide_by_means(vectors, groups)
    return [[p for p, label in zip(papers, labels, strict=True) if label == g] for g in range(max(labels) + 1)]


_SEGMENT = re.compile(r"[.,;:!?()\[\]“”\"\n]+")
_WORD = re.compile(r"[^\W\d_][\w-]*")

Phrase = tuple[str, ...]


def choose_terms(clusters: Sequence[Sequence[Paper]], topic: str, tried: set[str]) -> list[str]:
    """The best unused phrase of each cluster by c-TF-IDF (Grootendorst 2022), as it is mostly written; or nothing.

    A phrase is two or three words that follow one another, none a stop word, and not only the topic's.
    """
    own = frozenset(terms(topic))
    written: defaultdict[Phrase, Counter[str]] = defaultdict(Counter)
    counts = [_count_phrases(papers, own, written) for papers in clusters]
    everywhere: Counter[Phrase] = sum(counts, Counter())
    mean = sum(everywhere.values()) / max(1, len(counts))
    chosen = []
    used = set(tried)
    for count in counts:
        said = [phrase for phrase, times in count.items() if times >= LEAST_PAPERS]
        said.sort(key=lambda phrase: (-count[phrase] * float(np.log1p(mean / everywhere[phrase])), phrase))
        forms = (written[phrase].most_common(1)[0][0] for phrase in said)
        term = next((form for form in forms if form.casefold() not in used), "")
        chosen.append(term)
        used.add(term.casefold())
    return chosen


def _count_phrases(
    papers: Sequence[Paper], own: frozenset[str], written: dict[Phrase, Counter[str]]
) -> Counter[Phrase]:
    """In how many papers each phrase stands; ``written`` gets its forms."""
    count: Counter[Phrase] = Counter()
    for paper in papers:
        found: dict[Phrase, str] = {}
        for segment in _SEGMENT.split(f"{paper.title}. {paper.content}"):
            run = _WORD.findall(segment)
            for pair in pairwise(run):
                if STOP_WORDS.isdisjoint(word.lower() for word in pair):
                    found.setdefault(tuple(stem(word.lower()) for word in pair), " ".join(pair))
        said = {phrase: form for phrase, form in found.items() if not own.issuperset(phrase)}
        count.update(said.keys())
        for phrase, form in said.items():
            written[phrase][form] += 1
    return count
