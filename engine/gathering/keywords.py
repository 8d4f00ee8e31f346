"""Keyword expansion: from a topic to a pool of search phrases (SurveyX, algorithm 1, and its three ways to choose)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import ScholiumError
from engine.llm.attempts import try_all
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.naming.clustering import divide_by_means
from engine.naming.headings import rank_terms
from engine.naming.phrases import GroupedPhrases
from engine.retrieval.embedding import Vectors, embed_papers, ready
from engine.run import RunContext
from engine.text import clean, shorten
from engine.values import Keyword, KeywordOrigin, KeywordPool, Paper, PaperKey

Selector = Literal["farthest", "surveyx", "prose", "formula"]
SELECTORS: tuple[Selector, ...] = ("farthest", "surveyx", "prose", "formula")

RELEVANCE_FLOOR = 0.2
"""Least cosine between a keyword and the topic for `farthest`: twice the mean cosine (0.1) that two random
abstracts of a broad computer-science library have under latent semantic analysis."""

CLUSTERED_PAPERS = 150
"""Papers, the first found, that are clustered for candidates: more bring the same phrases and cost seconds."""

SHOWN_PAPERS = 15
"""Papers of a cluster that are shown, drawn at random (SurveyX's code)."""

LONGEST_KEYWORD, MOST_WORDS = 60, 5
"""Characters and words of a keyword; a longer one is not taken."""


class ClusterKeyword(TypedAnswer):
    """The keyword of a cluster; empty where none fits."""

    cluster: int
    keyword: str


class KeywordsAnswer(TypedAnswer):
    """A keyword for each cluster."""

    keywords: list[ClusterKeyword]


async def name_clusters(
    divided: Sequence[Sequence[Sequence[Paper]]], topic: str, model: LanguageModel, seed: int
) -> tuple[list[list[str]], str]:
    """The model's keyword for each cluster of every round, empty where it gives none; and why a call failed."""

    async def name(clusters: Sequence[Sequence[Paper]]) -> list[str]:
        generator = random.Random(seed)
        shown = (generator.sample(list(papers), min(SHOWN_PAPERS, len(papers))) for papers in clusters)
        blocks = "\n\n".join(
            f"Cluster {number}:\n" + "\n".join(f"- {data(shorten(paper.title, 200))}" for paper in papers)
            for number, papers in enumerate(shown, start=1)
        )
        prompt = fill("gathering/keywords", topic=data(topic), known=data(topic), clusters=blocks)
        request = Request("outline", f"keywords/{len(clusters) - 1}", prompt, 512, 0.3)
        answer = await model.answer_typed(request, KeywordsAnswer)
        named = {item.cluster: clean(item.keyword).strip(" .,;“”\"'") for item in answer.keywords}
        usable = {n: word for n, word in named.items() if len(word) <= LONGEST_KEYWORD and word.count(" ") < MOST_WORDS}
        return [usable.get(number, "") for number in range(1, len(clusters) + 1)]

    came = await try_all(name(clusters) for clusters in divided)
    failure = next((str(one) for one in came if isinstance(one, ScholiumError)), "")
    pairs = zip(came, divided, strict=True)
    return [[""] * len(own) if isinstance(one, ScholiumError) else one for one, own in pairs], failure


Search = Callable[[str], Awaitable[Sequence[Paper]]]
"""A phrase → the papers that it brings beside those that are known."""


def select(candidates: Vectors, topic: Vectors, pool: Vectors, selector: Selector) -> int | None:
    """Index of the chosen candidate; ``None`` where the selector accepts none of them.

    ``candidates`` and ``pool``, the keywords chosen so far without the topic, have shape (n, dimensions), ``topic``
    (dimensions,). SurveyX's formula is k* = argmin(R1 + R2), R1 = rank of the mean cosine, R2 = rank of -max cosine;
    its prose and code rank by distances, the code with the topic twice; ours takes the farthest.
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


def _ranks(values: Vectors) -> NDArray[np.int64]:
    return np.argsort(np.argsort(values, kind="stable"), kind="stable")


async def expand_keywords(
    topic: Keyword,
    papers: Sequence[Paper],
    search: Search,
    context: RunContext,
    selector: Selector = "farthest",
) -> KeywordPool:
    """The topic and keywords of its papers, until θ papers, `Limits.keyword_rounds`, or fewer papers than clusters."""
    limits, embedder = context.limits, ready(context.embedder, papers)
    known: dict[PaperKey, Paper] = {paper.key: paper for paper in papers}
    about = list(papers[:CLUSTERED_PAPERS])
    vectors = await asyncio.to_thread(embed_papers, embedder, about) if about else np.zeros((0, 1), np.float32)
    most = min(limits.keyword_rounds + 1, limits.keywords, len(about) // 2)
    rounds = await asyncio.to_thread(lambda: [_cluster(about, vectors, groups) for groups in range(2, most + 1)])
    divided = list(filter(None, rounds))
    named, failure = [[""] * len(clusters) for clusters in divided], ""
    if context.model:
        named, failure = await name_clusters(divided, topic.text, context.model, context.seed + context.attempt)
    said = await asyncio.to_thread(GroupedPhrases, [about])
    pool = [topic]
    tried = {topic.text.casefold()}
    for clusters, names in zip(divided, named, strict=True):
        if len(known) >= limits.candidate_papers:
            break
        terms = await asyncio.to_thread(rank_terms, said.regroup(clusters), topic.text)
        candidates = _join_candidates(names, terms, tried)
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
    return KeywordPool(tuple(pool), f"These keywords come from the papers alone ({failure})" if failure else "")


def _join_candidates(
    named: Sequence[str], terms: Sequence[Sequence[str]], tried: Collection[str]
) -> dict[str, KeywordOrigin]:
    """One candidate for each cluster that was not tried: its given name before the best of its own terms."""
    candidates: dict[str, KeywordOrigin] = {}
    for name, own in zip(named, terms, strict=True):
        fresh = next((term for term in own if term.casefold() not in tried and term not in candidates), "")
        if name and name.casefold() not in tried:
            candidates.setdefault(name, "model")
        elif fresh:
            candidates[fresh] = "library"
    return candidates


def _cluster(papers: Sequence[Paper], vectors: Vectors, groups: int) -> list[list[Paper]]:
    """The papers in so many clusters; none where they cannot be told apart."""
    if len(np.unique(vectors, axis=0)) < groups:
        return []
    labels = divide_by_means(vectors, groups)
    return [[p for p, label in zip(papers, labels, strict=True) if label == g] for g in range(max(labels) + 1)]
