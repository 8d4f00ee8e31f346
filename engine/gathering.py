"""From keywords to the papers of a survey: search each, fuse, filter; every paper keeps its reasons."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from engine.errors import UserError
from engine.keywords import SELECTORS, Selector, expand_keywords
from engine.retrieval.embedding import embed_papers
from engine.retrieval.ranking import SEEDS, closeness, reciprocal_rank_fusion
from engine.run import Progress, RunContext
from engine.values import (
    Brief,
    FoundPaper,
    Keyword,
    KeywordPool,
    Paper,
    PaperKey,
    PaperSelection,
    Query,
    Reason,
    SearchRecord,
)

TYPICAL = 0.05
"""A paper belongs to the topic when it is as close to the papers that name the topic as all but the least
typical twentieth of those are to one another."""


async def propose_keywords(brief: Brief, context: RunContext, selector: Selector = "farthest") -> KeywordPool:
    """The topic and keywords from clusters of what it finds; each refused proposal brings another selector."""
    await context.progress(Progress("keywords"))

    async def search(text: str) -> Sequence[FoundPaper]:
        await context.progress(Progress("keywords", detail=text))
        return await context.library.search(Query(text, 200, "relevance", brief.years))

    chosen = SELECTORS[(SELECTORS.index(selector) + context.attempt) % len(SELECTORS)]
    pool, _ = await expand_keywords([Keyword(brief.topic, "topic")], search, context.embedder, context.limits, chosen)
    return pool


async def gather(
    brief: Brief, pool: KeywordPool, limit: int, context: RunContext, *, coarse_filter: bool = True
) -> PaperSelection:
    """At most ``limit`` papers, best first; raises `UserError` where the library has none.

    Ranks of all keywords are fused, the topic weighing as much as all others together; then the coarse
    filter (SurveyX, 3.2) drops what is popular but far from the topic.
    """
    rankings: list[Sequence[FoundPaper]] = []
    searches: list[SearchRecord] = []
    today = datetime.now(UTC).date().isoformat()
    for number, keyword in enumerate(pool.keywords):
        await context.progress(Progress("searching", number, len(pool.keywords), keyword.text))
        depth = max(limit, context.limits.candidate_papers) if number == 0 else SEEDS
        found = await context.library.search(Query(keyword.text, depth, years=brief.years))
        rankings.append(found)
        searches.append(SearchRecord(context.library.name, keyword.text, today, len(found)))
    await context.progress(Progress("filtering", len(pool.keywords), len(pool.keywords)))
    fused = _fused(rankings, pool)
    if not fused:
        raise UserError(_nothing_found(brief))
    if not coarse_filter:
        return PaperSelection(tuple(fused[:limit]), searches=tuple(searches))
    seeds = await context.library.search(Query(brief.topic, SEEDS, "relevance", brief.years))
    typical = await asyncio.to_thread(_typical, [f.paper for f in fused], [f.paper for f in seeds], context)
    kept = [item for item, belongs in zip(fused, typical, strict=True) if belongs]
    return PaperSelection(tuple(kept[:limit]), searches=tuple(searches), filtered=len(fused) - len(kept))


def needed_papers(selection: PaperSelection) -> tuple[Paper, ...]:
    """The papers that may be used; raises `UserError` where all are excluded."""
    papers = selection.included()
    if not papers:
        raise UserError("All papers are excluded. Include some again, for example: include 1")
    return papers


def _nothing_found(brief: Brief) -> str:
    years = "" if brief.years.first is None and brief.years.last is None else f" from {brief.years}"
    return (
        f"The library has no paper{years} about “{brief.topic[:80]}”. "
        "Try other words, wider years, or add papers with: scholium ingest FILE"
    )


def _fused(rankings: Sequence[Sequence[FoundPaper]], pool: KeywordPool) -> list[FoundPaper]:
    papers: dict[PaperKey, Paper] = {}
    reasons: dict[PaperKey, list[Reason]] = {}
    for keyword, found in zip(pool.keywords, rankings, strict=True):
        for rank, item in enumerate(found, start=1):
            papers[item.paper.key] = item.paper
            reasons.setdefault(item.paper.key, []).append(Reason(keyword.text, rank))
    order = list(papers)
    index = {key: i for i, key in enumerate(order)}
    weights = [float(max(1, len(rankings) - 1)), *[1.0] * (len(rankings) - 1)]
    scores = reciprocal_rank_fusion([[index[f.paper.key] for f in found] for found in rankings], weights)
    best = sorted(scores, key=lambda i: (-scores[i], i))
    return [FoundPaper(papers[order[i]], scores[i], tuple(reasons[order[i]])) for i in best]


def _typical(papers: Sequence[Paper], seeds: Sequence[Paper], context: RunContext) -> NDArray[np.bool_]:
    if len(seeds) < 2:
        return np.ones(len(papers), dtype=bool)
    vectors = embed_papers(context.embedder, [*papers, *seeds])
    body, core = vectors[: len(papers)], vectors[len(papers) :]
    among = np.array([closeness(core[i : i + 1], np.delete(core, i, axis=0))[0] for i in range(len(core))])
    result: NDArray[np.bool_] = closeness(body, core) >= np.quantile(among, TYPICAL) - 1e-6
    return result
