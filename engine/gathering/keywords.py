"""Keyword expansion: from a topic to a pool of search phrases (SurveyX, algorithm 1).

While fewer than θ papers are known: cluster their abstracts into (pool size + 1) clusters, take a keyword
from each, choose one by a selector, search it. The paper's prose, its formula and its code choose
differently; all three are here, and our own, which does what the prose wants.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence, Set
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.limits import Limits
from engine.naming.headings import name_groups
from engine.retrieval.embedding import Embedder, Vectors, embed_papers
from engine.values import FoundPaper, Keyword, KeywordPool, Paper, PaperKey

Selector = Literal["farthest", "surveyx", "prose", "formula"]
SELECTORS: tuple[Selector, ...] = ("farthest", "surveyx", "prose", "formula")

RELEVANCE_FLOOR = 0.2
"""Least cosine between a keyword and the topic for `farthest`: twice the mean cosine (0.1) that two random
abstracts of a broad computer-science library have under latent semantic analysis."""

CLUSTERED_PAPERS = 150
"""Papers, the first found, that are clustered for candidates: more bring the same phrases and cost seconds."""

Search = Callable[[str], Awaitable[Sequence[FoundPaper]]]

ReadPhrase = Callable[[str, Sequence[Paper], KeywordPool], Awaitable[str]]
"""A candidate, the papers known, and the pool → the phrase as papers write it, or nothing where it is no keyword."""


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
    read: ReadPhrase | None = None,
) -> tuple[KeywordPool, tuple[Paper, ...]]:
    """The pool grown from ``start`` (the topic first), and the papers found on the way.

    ``read`` says how a candidate is written, or that it is none. It ends at θ papers, at `Limits.keyword_rounds`, when
    no candidate is left, or when there are fewer papers than clusters; a keyword that finds nothing is dropped.
    """
    known: dict[PaperKey, Paper] = {}
    dropped: set[str] = set()
    vectors_of: dict[PaperKey, Vectors] = {}
    pool = [await _search_keyword(keyword, search, known) for keyword in start]
    for _ in range(limits.keyword_rounds):
        groups = len(pool) + 1
        if len(known) >= limits.candidate_papers or len(known) < 2 * groups or len(pool) >= limits.keywords:
            break
        papers = list(known.values())[:CLUSTERED_PAPERS]
        candidates = await asyncio.to_thread(name_clusters, papers, groups, pool, (dropped, vectors_of), embedder)
        if read is not None:
            written = {c: await read(c, papers, KeywordPool(tuple(pool))) for c in candidates}
            dropped.update(c.casefold() for c, form in written.items() if not form)
            if written and not any(written.values()):
                continue
            candidates = list(dict.fromkeys(form for form in written.values() if form))
        vectors = await asyncio.to_thread(embedder.embed, [*candidates, *(k.text for k in pool)])
        topic, others = vectors[len(candidates)], vectors[len(candidates) + 1 :]
        chosen = select(vectors[: len(candidates)], topic, others, selector)
        if chosen is None:
            break
        keyword = await _search_keyword(Keyword(candidates[chosen], "library"), search, known)
        if keyword.found:
            pool.append(keyword)
        else:
            dropped.add(keyword.text.casefold())
    return KeywordPool(tuple(pool)), tuple(known.values())


async def _search_keyword(keyword: Keyword, search: Search, known: dict[PaperKey, Paper]) -> Keyword:
    found = await search(keyword.text)
    for item in found:
        known.setdefault(item.paper.key, item.paper)
    return Keyword(keyword.text, keyword.origin, len(found))


def name_clusters(
    papers: Sequence[Paper],
    groups: int,
    pool: Sequence[Keyword],
    seen: tuple[Set[str], dict[PaperKey, Vectors]],
    embedder: Embedder,
) -> list[str]:
    """The best unused term of each cluster, by c-TF-IDF; what is embedded is added to what was ``seen``."""
    dropped, vectors_of = seen
    if new := [paper for paper in papers if paper.key not in vectors_of]:
        vectors_of.update(zip((paper.key for paper in new), embed_papers(embedder, new), strict=True))
    vectors = np.array([vectors_of[paper.key] for paper in papers])
    if len(np.unique(vectors, axis=0)) < groups:
        return []
    from sklearn.cluster import KMeans

    labels = KMeans(groups, random_state=42, n_init=1).fit_predict(vectors)
    used = {*dropped, *(k.text.casefold() for k in pool)}
    names = name_groups(
        [[p for p, label in zip(papers, labels, strict=True) if label == g] for g in range(groups)],
        pool[0].text,
    )
    terms: dict[str, None] = {}
    for name in names:
        fresh = [t for t in name.terms if t.casefold() not in used and t.casefold() not in terms]
        # A phrase searches better than a word: a word alone belongs to many fields.
        fresh.sort(key=lambda term: " " not in term)
        terms.update({fresh[0]: None} if fresh else {})
    return list(terms)
