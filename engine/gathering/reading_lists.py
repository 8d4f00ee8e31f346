"""A person's own list of papers instead of a search: the closed reference set of the cluster-based generator (K11)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from engine.errors import UserError
from engine.gathering.candidates import FoundPapers
from engine.retrieval.matching import SURE, MatchedLine, match_line
from engine.run import Progress, RunContext
from engine.text import shorten
from engine.values import FoundPaper, PaperKey, PaperSelection, Reason

AT_ONCE = 4


async def gather_list(lines: Sequence[str], context: RunContext) -> PaperSelection:
    """The papers of the list in its order, with each line's match. Raises `UserError` where no paper of it is known."""
    found, search = await _match_all(lines, context), FoundPapers()
    known = search.known
    taken = [known.add(item.paper) if item.paper else None for item in found]
    listed = [
        replace(f.listed, key=known.key_of(key)) if key else f.listed for f, key in zip(found, taken, strict=True)
    ]
    reasons: dict[PaperKey, Reason] = {}
    for rank, line in enumerate(listed, start=1):
        if line.key is not None:
            reasons.setdefault(line.key, Reason(line.line, rank, "list"))
    sure = {line.key for line in listed if line.certainty >= SURE}
    if not known.papers:
        asked = " and online sources" if context.online else "; online=yes looks further"
        which = f"None of the {len(lines)} lines" if len(lines) > 1 else f"“{shorten(lines[0], 80)}”"
        raise UserError(f"{which} is {'a' if len(lines) > 1 else 'no'} paper known to the library{asked}.")
    papers = list(known.papers.values())
    search.note_search("your list", f"{len(listed)} {'line' if len(listed) == 1 else 'lines'}", len(papers))
    retracted = frozenset(paper.key for paper in papers if paper.retracted)
    if context.online:
        with search.note_failure("retractions", "the papers of the list", "retractions not checked"):
            retracted |= await context.online.find_retracted(papers)
    papers = [replace(paper, retracted=paper.key in retracted) for paper in papers]
    sure -= retracted
    return PaperSelection(
        tuple(FoundPaper(paper, 1.0 / (at + 1), (reasons[paper.key],)) for at, paper in enumerate(papers)),
        excluded=tuple(paper.key for paper in papers if paper.key not in sure),
        searches=tuple(search.records),
        repeats=known.repeats,
        listed=tuple(listed),
    )


async def _match_all(lines: Sequence[str], context: RunContext) -> list[MatchedLine]:
    gate = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def one(line: str) -> MatchedLine:
        nonlocal done
        async with gate:
            found = await match_line(line, context.library, context.online)
        done += 1
        await context.progress(Progress("list", done, len(lines), line))
        return found

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(line)) for line in lines]
    return [task.result() for task in tasks]
