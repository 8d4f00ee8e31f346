"""An answer with sources in two minutes (Diament Carmel, "AI Powered Literature Review", 2023).

One call plans, all queries run in all places at once, five papers are read at a time, each answered question is checked
as soon as it is written. Without a language model the answer is quotations.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import LanguageModelError, LimitExceeded, UserError
from engine.gathering.review_scope import ReviewScope, plan_review
from engine.gathering.review_search import ReviewSearch
from engine.gathering.studies import MOST_READ, Reading, read_studies
from engine.limits import Limits
from engine.options import QuickOptions
from engine.recipes.quick_costs import plan_quick_review
from engine.revising.either_way import RevisedEitherWay
from engine.run import CallChain, Progress, RunContext, Step
from engine.session.events import Review
from engine.survey import Section, SurveyWarning
from engine.text import shorten
from engine.values import (
    Brief,
    FoundPaper,
    Keyword,
    KeywordPool,
    LeftOut,
    Paper,
    PaperSelection,
)
from engine.writing.review import ReviewWriting
from engine.writing.review_report import (
    METHOD,
    QUOTED_METHOD,
    QUOTED_STUDIES,
    SEARCHED_METHOD,
    ReviewParts,
    assemble_review,
    quote_review,
    quote_table,
)

CARRIED = 20
"""Papers of the review before that the next one begins with."""


@dataclass(frozen=True, slots=True)
class QuickRecipe(RevisedEitherWay):
    """The recipe; what a review looks at stands in the brief's `QuickOptions`."""

    name: str = "quick"
    source: str = "Diament Carmel, AI Powered Literature Review, 2023"
    needs_model: bool = False
    steps: frozenset[Step] = frozenset({"review"})

    def paper_count(self, limits: Limits) -> int:
        """As many as it reads at most."""
        return MOST_READ

    def plan_review_calls(
        self, brief: Brief, limits: Limits, papers: Sequence[Paper] = (), *, with_texts: bool = False
    ) -> Sequence[CallChain]:
        """Its plan, the papers that are read, table, answers and conclusions."""
        return plan_quick_review(brief.quick or QuickOptions(), limits, papers, with_texts=with_texts)

    async def review(self, brief: Brief, carried: Sequence[Paper], context: RunContext) -> Review:
        """Plan, search, read, write. Raises `UserError` with what to change where no paper is relevant."""
        options = brief.quick or QuickOptions()
        await context.progress(Progress("planning", detail=brief.topic))
        scope = await plan_review(brief.topic, brief.years, context.model)
        search = ReviewSearch(brief=brief, context=context, space=options.space, places=frozenset(options.places))
        search.take(carried[:CARRIED], "the review before")
        queries = await search.run(brief.topic, scope)
        candidates = await search.candidates(scope, options.sampling, context.seed + context.attempt)
        if not candidates:
            raise UserError(explain_nothing_relevant(brief, ()))
        most = QUOTED_STUDIES if context.model is None else MOST_READ
        shown = candidates[: options.space if options.only_search else min(options.space, most)]
        if context.model is None:
            selection = _selection(search, shown, Reading((), unread=len(candidates) - len(shown)))
            parts, method = await asyncio.to_thread(_quote_parts, scope, selection, options, context)
        else:
            reading = await read_studies(brief.topic, scope, shown, _quota(options, context), context)
            if reading.stopped and not reading.studies:
                raise LimitExceeded(reading.stopped)
            if not reading.studies:
                raise UserError(explain_nothing_relevant(brief, reading.left_out))
            unread = reading.unread + len(candidates) - len(shown)
            selection = _selection(search, [s.found for s in reading.studies], replace(reading, unread=unread))
            writing = ReviewWriting(brief.topic, scope, reading.studies, context)
            parts = await _write_parts(writing, reading, only_search=options.only_search)
            method = SEARCHED_METHOD if options.only_search else METHOD
        survey = assemble_review(brief, scope, queries, selection, parts, method)
        pool = KeywordPool((Keyword(brief.topic, "topic"), *(Keyword(q.words(), "library") for q in queries)))
        return Review(pool, selection, survey)


def _quota(options: QuickOptions, context: RunContext) -> int | None:
    """Tokens that the summaries may fill; a search without a review reads all."""
    return None if options.only_search else context.limits.review_tokens * options.share // 100


def _quote_parts(
    scope: ReviewScope, selection: PaperSelection, options: QuickOptions, context: RunContext
) -> tuple[ReviewParts, str]:
    if options.only_search:
        return ReviewParts(quote_table(selection)), SEARCHED_METHOD
    return quote_review(scope, selection, context.embedder), QUOTED_METHOD


async def _write_parts(writing: ReviewWriting, reading: Reading, *, only_search: bool) -> ReviewParts:
    """Table and answers at the same time, then the conclusions; what fails is reported, and the rest is kept."""
    if only_search:
        return ReviewParts(await writing.write_table(), warnings=tuple(writing.warnings))
    async with asyncio.TaskGroup() as group:
        tabulated = group.create_task(writing.write_table())
        answered = group.create_task(writing.write_findings())
    studies, findings = tabulated.result(), answered.result()
    conclusions: Section | None = None
    follow_up: tuple[str, ...] = ()
    try:
        if findings:
            conclusions, follow_up = await writing.draw_conclusions(findings)
    except (LanguageModelError, LimitExceeded) as error:
        writing.warnings.append(SurveyWarning("unfinished", "Conclusions", str(error)))
    limits = _read_from(reading)
    return ReviewParts(studies, findings, conclusions, follow_up, limits, tuple(writing.warnings))


def _selection(search: ReviewSearch, used: Sequence[FoundPaper], reading: Reading) -> PaperSelection:
    """The papers of the review, and what became of the others."""
    retracted = tuple(paper for paper in search.known.papers.values() if paper.retracted)
    found = tuple(replace(item, paper=replace(item.paper, body=())) for item in used)
    return PaperSelection(
        (*found, *(FoundPaper(paper, 0.0) for paper in retracted)),
        excluded=tuple(paper.key for paper in retracted),
        searches=tuple(search.records),
        left_out=reading.left_out,
        repeats=search.known.repeats,
        beyond=reading.unread + reading.unjudged,
    )


def _read_from(reading: Reading) -> tuple[str, ...]:
    """What the studies were read from, and what could not be read."""
    short = [study.paper for study in reading.studies if not study.paper.body]
    whole, summaries = len(reading.studies) - len(short), sum(not paper.abstract for paper in short)
    failed, stopped = reading.unjudged, reading.stopped.rstrip(".")
    said = [f"Of {whole} the discussion or the text was read."] if whole else []
    text = "abstract" if not summaries else "summary" if summaries == len(short) else "abstract or a summary"
    said += [f"Of {len(short) if whole else 'each'} only the {text} was read."] if short else []
    unread = "1 paper" if failed == 1 else f"{failed} papers"
    said += [f"{unread} could not be read because the language model failed."] if failed else []
    said += [f"Reading ended early: {stopped}."] if stopped else []
    return tuple(said)


def explain_nothing_relevant(brief: Brief, left_out: Sequence[LeftOut]) -> str:
    """No paper helps: what to change, and why the first ones that were read do not."""
    where = "" if brief.online else ", or search online too (`online=yes`)"
    read = f" {len(left_out)} papers were read." if left_out else ""
    reasons = "".join(f"\n- {shorten(out.paper.title, 100)}: {out.reason}" for out in left_out[:3])
    return f"No relevant paper was found.{read} Ask in other words, look at more papers (`papers=100`){where}.{reasons}"
