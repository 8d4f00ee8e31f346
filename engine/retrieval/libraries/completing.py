"""Records that came from a person's list, with what a library knows of the same papers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from engine.retrieval.libraries.library import Library
from engine.retrieval.merging.merged_papers import find_same, merge_records
from engine.values import Paper, PaperKey, Query

NEAREST_TITLES = 5
"""Papers of a library among which one is looked for by its title."""


async def complete_records(papers: Sequence[Paper], library: Library) -> list[Paper]:
    """Each paper in order; one without an abstract is merged, field by field, with the library's record of it.

    It is found by its identifiers, else by its title where both say the same of it. Its key stays.
    """
    poor = [paper for paper in papers if not paper.abstract]
    if not poor:
        return list(papers)
    names = list(dict.fromkeys(name for paper in poor for name in (paper.key, *paper.identifiers)))
    by_name = {name: known for known in await library.get(names) for name in (known.key, *known.identifiers)}
    whole = await asyncio.gather(*(_complete(paper, by_name, library) for paper in poor))
    completed = dict(zip((paper.key for paper in poor), whole, strict=True))
    return [completed.get(paper.key, paper) for paper in papers]


async def _complete(paper: Paper, by_name: dict[PaperKey, Paper], library: Library) -> Paper:
    known = next((by_name[name] for name in (paper.key, *paper.identifiers) if name in by_name), None)
    if known is None:
        near = [item.paper for item in await library.search(Query(paper.title[:300], NEAREST_TITLES, "title"))]
        known = next(iter(find_same(paper, near)), None)
    return merge_records(paper, replace(known, key=paper.key)) if known else paper
