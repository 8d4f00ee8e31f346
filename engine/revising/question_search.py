"""Further papers for one question about a finished survey, which stays as it is."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from engine.errors import RetrievalError
from engine.retrieval.libraries.combined import complete_records
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.run import RunContext
from engine.values import Brief, FoundPaper, PaperSelection, Query

FURTHER_PAPERS = 40
"""Papers that are searched for one question, from the library and from online sources each."""


async def search_question(
    question: str, brief: Brief, selection: PaperSelection, context: RunContext
) -> tuple[PaperSelection, int]:
    """The papers with those that a search for the question finds, and how many are new.

    A paper that the person left out stays out. Online sources that cannot be asked add nothing.
    """
    found = [item.paper for item in await context.library.search(Query(question, FURTHER_PAPERS))]
    if context.online:
        with suppress(RetrievalError):
            online = (await context.online.search(question, FURTHER_PAPERS, brief.years)).papers
            found += await complete_records(online, context.library)
    known = MergedPapers()
    keys = {known.add(item.paper) for item in selection.found}
    for paper in found:
        known.add(paper)
    new = [paper for key, paper in known.papers.items() if key not in keys and paper.content]
    before = tuple(replace(item, paper=known.papers[known.key_of(item.paper.key)]) for item in selection.found)
    return replace(selection, found=(*before, *(FoundPaper(paper, 0.0) for paper in new))), len(new)
