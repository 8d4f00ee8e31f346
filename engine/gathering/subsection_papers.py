"""Papers of the whole library for each subsection, by what it is to say (AutoSurvey, algorithm 1, line 5)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.gathering.candidates import SEARCHES_AT_ONCE
from engine.gathering.tiers import MOST_REFERENCES, are_close
from engine.retrieval.embedding import embed_papers
from engine.retrieval.ranking import DECIMALS
from engine.run import RunContext
from engine.values import Brief, FoundPaper, Outline, OutlineNode, Paper, PaperKey, PaperSelection, Query, Reason


async def search_sections(
    outline: Outline, brief: Brief, selection: PaperSelection, context: RunContext
) -> tuple[Outline, tuple[FoundPaper, ...]]:
    """The outline with the nearest papers of each subsection, and those that no search for the topic had proposed."""
    known = [*(item.paper for item in selection.found), *(item.paper for item in selection.left_out)]
    exclude = frozenset(key for paper in known for key in (paper.key, *paper.identifiers))
    parts, places = outline.list_parts(), asyncio.Semaphore(SEARCHES_AT_ONCE)

    async def search(node: OutlineNode) -> list[Paper]:
        query = Query(node.describe(), context.limits.papers_per_node, "relevance", brief.years, exclude)
        async with places:
            return [item.paper for item in await context.library.search(query) if not item.paper.retracted]

    async with asyncio.TaskGroup() as group:
        searches = [group.create_task(search(node)) for node in parts]
    found = [task.result() for task in searches]
    return await asyncio.to_thread(_share_out, outline, found, selection, context) if any(found) else (outline, ())


def _share_out(
    outline: Outline, found: Sequence[Sequence[Paper]], selection: PaperSelection, context: RunContext
) -> tuple[Outline, tuple[FoundPaper, ...]]:
    """The papers of each part, of its own and of those ``found`` for it; see `search_sections`."""
    parts, included = outline.list_parts(), {paper.key: paper for paper in selection.list_included()}
    papers = {**included, **{paper.key: paper for own in found for paper in own}}
    row = {key: at for at, key in enumerate(papers)}
    vectors = embed_papers(context.embedder, list(papers.values()))
    close = are_close(vectors, vectors[: min(len(included), MOST_REFERENCES)])
    given: dict[OutlineNode, Sequence[PaperKey]] = {}
    brought: dict[PaperKey, FoundPaper] = {}
    for node, new, about in zip(parts, found, context.embedder.embed([p.describe() for p in parts]), strict=True):
        near = [paper for paper in new if close[row[paper.key]]]
        keys = [key for key in (*node.papers, *(paper.key for paper in near)) if key in row]
        likeness = np.round(vectors[[row[key] for key in keys]] @ about, DECIMALS)
        order = np.argsort(-likeness, kind="stable")[: context.limits.papers_per_node]
        given[node] = [keys[int(at)] for at in order]
        for rank, paper in enumerate(near, start=1):
            if paper.key in given[node]:
                before = brought.get(paper.key, FoundPaper(paper, 0.0, tier="near"))
                brought[paper.key] = replace(before, reasons=(*before.reasons, Reason(node.title, rank)))
    return outline.give_papers(lambda node: given.get(node, node.papers)), tuple(brought.values())
