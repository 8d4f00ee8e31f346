"""The command `bench questions`: how well questions are answered by quotation, and questions for the knowledge test."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from rich.console import Console

from bot.app import open_app
from bot.bench.checks import LabelledClaim
from bot.bench.yardstick_report import ReportOptions, print_report, read_json_lines
from engine.errors import UserError
from engine.evaluation.knowledge import Question, make_questions
from engine.limits import Limits
from engine.retrieval.embedding import Embedder, LatentSemanticAnalysis
from engine.revising.sentence_ranking import SIGNAL, measure_signal, rank_sentences
from engine.values import Paper, Query

LISTS = TypeAdapter(list[Question])

DEPTHS = (1, 3, 10)
"""Sentences among which one of the paper that answers is looked for."""


async def print_answers(console: Console, data: Path, options: ReportOptions) -> int:
    """Ask each true claim of a file as a question of all papers of its set."""
    claims = [claim for claim in read_json_lines(data, LabelledClaim) if claim.label]
    sets = dict.fromkeys(claim.ds for claim in claims)
    document = {"sets": [_measure_set(name, [c for c in claims if c.ds == name]) for name in sets]}
    print_report(console, "Questions answered by quotation", document, options)
    return 0


def _measure_set(name: str, claims: Sequence[LabelledClaim]) -> dict[str, Any]:
    """Shares of questions whose paper ranks among the first; that show something; that do so without that paper."""
    papers = list({claim.paper.content: claim.paper for claim in claims}.values())
    embedder = LatentSemanticAnalysis.fit([paper.content for paper in papers])
    asked = [_ask(claim, papers, embedder) for claim in claims]
    ranked = {f"@{depth}": statistics.fmean(rank <= depth for rank, _, _ in asked) for depth in DEPTHS}
    shown, without = (statistics.fmean(one[place] >= SIGNAL for one in asked) for place in (1, 2))
    return {"set": name, "questions": len(claims), "ranked": ranked, "shown": shown, "shown_without": without}


def _ask(claim: LabelledClaim, papers: Sequence[Paper], embedder: Embedder) -> tuple[float, float, float]:
    """The rank of the first sentence of the paper that answers, and the signal with that paper and without it."""
    found = rank_sentences(claim.claim, papers, embedder)
    own = [one.paper.content == claim.paper.content for one in found]
    others = [one for one, is_own in zip(found, own, strict=True) if not is_own]
    rank = own.index(True) + 1 if True in own else float("inf")
    return rank, measure_signal(found), measure_signal(others)


async def write_questions(
    console: Console, topics: Sequence[str], library_name: str, count: int, seed: int, output: Path
) -> int:
    """``count`` questions for each topic into one file; raises `UserError` where a topic gives none."""
    made: list[Question] = []
    async with open_app() as app:
        library = await app.open_library(library_name)
        for topic in topics:
            found = await library.search(Query(topic, Limits().survey_papers))
            own = make_questions([item.paper for item in found], topic, count, seed)
            if not own:
                raise UserError(
                    f"No title of the library's papers on “{topic}” begins with the name of what it proposes."
                )
            console.print(f"{topic}: {len(own)} of {count} questions", markup=False, highlight=False)
            made += own
    try:
        await asyncio.to_thread(output.write_bytes, LISTS.dump_json(made, indent=1))
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror or error}.") from error
    console.print(f"Written: {output}", markup=False, highlight=False)
    return 0
