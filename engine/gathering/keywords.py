"""Keyword expansion: from a topic to a pool of search phrases (SurveyX, algorithm 1).

While fewer than θ papers are known: cluster their abstracts into (pool size + 1) clusters, take a keyword
from each, choose one by a selector, search it. The paper's prose, its formula and its code choose
differently; all three are here, and our own, which does what the prose wants.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import LimitExceeded
from engine.limits import Limits
from engine.naming.clustering import divide_by_means
from engine.naming.headings import rank_terms
from engine.naming.phrases import GroupedPhrases
from engine.retrieval.embedding import Embedder, Vectors, embed_papers
from engine.values import FoundPaper, Keyword, KeywordOrigin, KeywordPool, Paper, PaperKey

Selector = Literal["farthest", "surveyx", "prose", "formula"]
SELECTORS: tuple[Selector, ...] = ("farthest", "surveyx", "prose", "formula")

RELEVANCE_FLOOR = 0.2
"""Least cosine between a keyword and the topic for `farthest`: twice the mean cosine (0.1) that two random
abstracts of a broad computer-science library have under latent semantic analysis."""

CLUSTERED_PAPERS = 150
"""Papers, the first found, that are clustered for candidates: more bring the same phrases and cost seconds."""

NameClusters = Callable[[Sequence[Sequence[Paper]], Sequence[Keyword]], Awaitable[Sequence[str]]]
"""The papers of each cluster and the pool → a keyword for each cluster, empty where there is none."""

Search = Callable[[str], Awaitable[Sequence[FoundPaper]]]

ReadPhrase = Callable[[str, Sequence[Paper], KeywordPool], Awaitable[str]]
"""A candidate, the papers known, and the pool → the phrase as papers write it, or nothing where it is no keyword."""


FindPapers = Callable[[str], Sequence[Paper]]


@dataclass(frozen=True, slots=True)
class CandidateWording:
    """How candidates are worded: ``name`` names clusters, ``read`` says how one is written, or that it is none.

    The terms of a cluster stand in where it is given no name that can be read. Where ``find`` finds papers about the
    topic that have a phrase, `farthest` compares what these papers mean, since two words by themselves mean little.
    ``is_closed``: no keyword finds papers that the topic has not found, so that the clusters of every round are known
    at first, and all are named at once.
    """

    read: ReadPhrase | None = None
    name: NameClusters | None = None
    find: FindPapers | None = None
    is_closed: bool = False


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
    similarity = candidates @ reference.T
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
    start: Sequence[Keyword],
    search: Search,
    embedder: Embedder,
    limits: Limits,
    selector: Selector = "farthest",
    wording: CandidateWording = CandidateWording(),
) -> tuple[KeywordPool, tuple[Paper, ...]]:
    """The pool grown from ``start`` (the topic first), and the papers found on the way.

    It ends at θ papers, at `Limits.keyword_rounds`, when no candidate is left, or when there are fewer papers than
    clusters; a keyword that finds nothing is dropped.
    """
    known: dict[PaperKey, Paper] = {}
    dropped: set[str] = set()
    vectors_of: dict[PaperKey, Vectors] = {}
    pool = [await _search_keyword(keyword, search, known) for keyword in start]
    clusters = PaperClusters((), pool[0].text, vectors_of, embedder)
    names: dict[int, Sequence[str]] = {}
    for _ in range(limits.keyword_rounds):
        groups = len(pool) + 1
        if len(known) >= limits.candidate_papers or len(known) < 2 * groups or len(pool) >= limits.keywords:
            break
        papers = list(known.values())[:CLUSTERED_PAPERS]
        if len(papers) != len(clusters.papers):
            clusters, names = PaperClusters(papers, pool[0].text, vectors_of, embedder), {}
        if groups not in names:
            most = min(limits.keywords, len(start) + limits.keyword_rounds, len(known) // 2)
            due = range(groups, (most if wording.is_closed else groups) + 1)
            names = await _name_clusters(clusters, due, pool, wording.name)
        terms = await asyncio.to_thread(clusters.choose_terms, groups, pool, dropped)
        candidates, unreadable = await _read_candidates(names[groups], terms, papers, pool, dropped, wording.read)
        dropped |= unreadable
        if unreadable and not candidates:
            continue
        find = wording.find if selector == "farthest" else None
        phrases = [*candidates, *(k.text for k in pool)]
        vectors = await asyncio.to_thread(_embed_phrases, phrases, find, vectors_of, embedder)
        topic, others = vectors[len(candidates)], vectors[len(candidates) + 1 :]
        chosen = select(vectors[: len(candidates)], topic, others, selector)
        if chosen is None:
            break
        text = list(candidates)[chosen]
        keyword = await _search_keyword(Keyword(text, candidates[text]), search, known)
        if keyword.found:
            pool.append(keyword)
        else:
            dropped.add(keyword.text.casefold())
    return KeywordPool(tuple(pool)), tuple(known.values())


async def _name_clusters(
    clusters: PaperClusters, numbers: Sequence[int], pool: Sequence[Keyword], name: NameClusters | None
) -> dict[int, Sequence[str]]:
    """The names of so many clusters, for each of the numbers, all asked for at once; empty where there are none.

    While they are awaited the papers are read for the clusters' own terms.
    """
    divided = await asyncio.to_thread(lambda: {groups: clusters.divide(groups) for groups in numbers})
    unnamed: dict[int, Sequence[str]] = {groups: [""] * len(found) for groups, found in divided.items()}
    if name is None:
        return unnamed

    named: dict[int, Sequence[str]] = {}
    refused: list[LimitExceeded] = []

    async def ask(groups: int) -> None:
        try:
            named[groups] = await name(divided[groups], pool)
        except LimitExceeded as error:  # calls in flight finish
            refused.append(error)

    async with asyncio.TaskGroup() as group:
        for groups in (groups for groups, found in divided.items() if found):
            group.create_task(ask(groups))
        group.create_task(asyncio.to_thread(clusters.read_phrases))
    if refused:
        raise refused[0]
    return unnamed | named


async def _read_candidates(
    named: Sequence[str],
    terms: Sequence[str],
    papers: Sequence[Paper],
    pool: Sequence[Keyword],
    dropped: Set[str],
    read: ReadPhrase | None,
) -> tuple[dict[str, KeywordOrigin], set[str]]:
    """One candidate for each cluster, its given name before its own term; and what cannot be read, case-folded."""
    used = {*dropped, *(keyword.text.casefold() for keyword in pool)}
    unused = dict.fromkeys(phrase for phrase in (*named, *terms) if phrase and phrase.casefold() not in used)
    keywords = KeywordPool(tuple(pool))
    written = {phrase: await read(phrase, papers, keywords) if read else phrase for phrase in unused}
    candidates: dict[str, KeywordOrigin] = {}
    for name, term in zip(named, terms, strict=True):
        if form := written.get(name, ""):
            candidates.setdefault(form, "model")
        elif form := written.get(term, ""):
            candidates.setdefault(form, "library")
    return candidates, {phrase.casefold() for phrase, form in written.items() if not form}


async def _search_keyword(keyword: Keyword, search: Search, known: dict[PaperKey, Paper]) -> Keyword:
    found = await search(keyword.text)
    for item in found:
        known.setdefault(item.paper.key, item.paper)
    return Keyword(keyword.text, keyword.origin, len(found))


def _embed_phrases(
    phrases: Sequence[str], find: FindPapers | None, vectors_of: dict[PaperKey, Vectors], embedder: Embedder
) -> Vectors:
    """The vectors of phrases, shape (phrases, dimensions): the middle of the papers that have one, if any is found."""
    vectors = embedder.embed(list(phrases))
    for row, phrase in enumerate(phrases):
        if find and (papers := find(phrase)):
            middle = _embed_once(papers, vectors_of, embedder).mean(axis=0)
            vectors[row] = middle / max(1e-9, float(np.linalg.norm(middle)))
    return vectors


def _embed_once(papers: Sequence[Paper], vectors_of: dict[PaperKey, Vectors], embedder: Embedder) -> Vectors:
    """The papers' vectors; ``vectors_of`` is filled with new ones."""
    if new := [paper for paper in papers if paper.key not in vectors_of]:
        vectors_of.update(zip((paper.key for paper in new), embed_papers(embedder, new), strict=True))
    return np.array([vectors_of[paper.key] for paper in papers])


class PaperClusters:
    """Papers in any number of clusters, with the terms that set these apart; each paper is read once."""

    def __init__(
        self, papers: Sequence[Paper], topic: str, vectors_of: dict[PaperKey, Vectors], embedder: Embedder
    ) -> None:
        """``vectors_of`` is filled with new ones."""
        self.papers = papers
        self._topic = topic
        self._vectors_of = vectors_of
        self._embedder = embedder
        self._divided: dict[int, list[list[Paper]]] = {}
        self._phrases: GroupedPhrases | None = None

    def divide(self, groups: int) -> list[list[Paper]]:
        """The papers in so many clusters; none where they cannot be told apart."""
        if groups not in self._divided:
            self._divided[groups] = self._cluster(groups)
        return self._divided[groups]

    def _cluster(self, groups: int) -> list[list[Paper]]:
        vectors = _embed_once(self.papers, self._vectors_of, self._embedder)
        if len(np.unique(vectors, axis=0)) < groups:
            return []
        labels = divide_by_means(vectors, groups)
        return [[p for p, label in zip(self.papers, labels, strict=True) if label == g] for g in range(max(labels) + 1)]

    def read_phrases(self) -> GroupedPhrases:
        """The papers' phrases, read once; all papers in one group."""
        if self._phrases is None:
            self._phrases = GroupedPhrases([self.papers])
        return self._phrases

    def choose_terms(self, groups: int, pool: Sequence[Keyword], dropped: Set[str]) -> list[str]:
        """The best unused term of each cluster, by c-TF-IDF; empty where all of its terms are used."""
        clusters = self.divide(groups)
        if not clusters:
            return []
        phrases = self.read_phrases().regroup(clusters)
        used = {*dropped, *(k.text.casefold() for k in pool)}
        chosen: list[str] = []
        for terms in rank_terms(phrases, self._topic, "bounded"):
            fresh = [term for term in terms if term.casefold() not in used]
            # A phrase searches better than a word: a word alone belongs to many fields.
            fresh.sort(key=lambda term: " " not in term)
            chosen.append(fresh[0] if fresh else "")
            used.add(chosen[-1].casefold())
        return chosen
