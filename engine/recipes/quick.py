"""An answer with sources in two minutes (Diament Carmel, "AI Powered Literature Review", 2023)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from engine.checking.check import CLAIMS_PER_CALL
from engine.errors import LanguageModelError, LimitExceeded, UserError
from engine.limits import Limits
from engine.options import QuickOptions
from engine.reviews.review import MOST_CONCLUSIONS, WORDS_PER_QUESTION, ReviewWriting
from engine.reviews.review_report import (
    QUOTED_STUDIES,
    ReviewParts,
    assemble_review,
    explain_nothing_relevant,
    quote_review,
    select_papers,
    tell_reading,
)
from engine.reviews.review_search import QUESTIONS, ReviewSearch, plan_review
from engine.reviews.studies import AT_ONCE, MOST_READ, TEXT_SHARE, TOGETHER, Reading, read_studies
from engine.run import CallChain, PlannedCall, Progress, Recipe, RunContext, Step
from engine.session.events import Review
from engine.survey import Section, SurveyWarning
from engine.values import Brief, Keyword, KeywordPool, Paper
from engine.writing.estimates import mean_tokens, plan_check, plan_repairs, tokens_drafted, with_checks

SCOPE_TOKENS, SCOPE_WRITTEN = 670, 150
"""Tokens that the plan of a review reads and writes."""

STUDY_OVERHEAD, STUDY_WRITTEN = 620, 280
"""Tokens of the rules and the JSON schema with which papers are read, and of what is said of each."""

ENTRY_TOKENS, ENTRY_SHARE, MOST_ENTRY_TOKENS = 180, 0.38, 310
"""One study in the prompts that write from summaries: its fields, and of its summary so many tokens for each of the
paper that was read, up to the summary's full length; the review's share of tokens holds as many as fit."""

RELEVANT = 0.8
"""Share of the papers read that say something to the questions."""

UNDER_WAY = 1
"""Papers that are being read when the review is full."""

WRITING_OVERHEAD, CONCLUSIONS_WRITTEN = 340, 250

CHECKED_COLUMNS = 4
"""Columns of the table whose sentences are checked."""

CARRIED = 20
"""Papers of the review before that the next one begins with."""


@dataclass(frozen=True, slots=True)
class QuickRecipe(Recipe):
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
        """Its plan, the papers that are read `TOGETHER` in a call, table, answers and conclusions."""
        options = brief.quick or QuickOptions()
        paper = round(TEXT_SHARE * limits.review_tokens) if with_texts else round(mean_tokens(papers))
        entry = min(MOST_ENTRY_TOKENS, round(ENTRY_TOKENS + ENTRY_SHARE * paper))
        fitting = limits.review_tokens * options.share // (100 * entry)
        read = min(MOST_READ, options.space, round(fitting / RELEVANT) + UNDER_WAY)
        studies = min(fitting, round(read * RELEVANT))
        if options.only_search:
            read, studies = options.space, round(options.space * RELEVANT)
        sizes = [min(TOGETHER, read - first) for first in range(0, read, TOGETHER)]
        reading = [PlannedCall("reading", STUDY_OVERHEAD + count * paper, count * STUDY_WRITTEN) for count in sizes]
        chains: list[CallChain] = [(PlannedCall("outline", SCOPE_TOKENS, SCOPE_WRITTEN),)]
        chains += [tuple(reading[at::AT_ONCE]) for at in range(min(len(reading), AT_ONCE))]
        cells = plan_check(min(studies, CLAIMS_PER_CALL))
        chains += [(cells,)] * (CHECKED_COLUMNS * -(-studies // CLAIMS_PER_CALL))
        if options.only_search:
            return chains
        written = tokens_drafted(WORDS_PER_QUESTION)
        drafting = WRITING_OVERHEAD + studies * entry
        answers = with_checks([PlannedCall("drafting", drafting, written)], WORDS_PER_QUESTION) * QUESTIONS
        concluded = PlannedCall("drafting", drafting + QUESTIONS * written, CONCLUSIONS_WRITTEN)
        again = plan_repairs(WORDS_PER_QUESTION, QUESTIONS)
        return [*chains, *answers, (concluded, plan_check(MOST_CONCLUSIONS)), *again]

    async def review(self, brief: Brief, carried: Sequence[Paper], context: RunContext) -> Review:
        """Plan, search, read, write. Raises `UserError` with what to change where no paper is relevant."""
        options = brief.quick or QuickOptions()
        await context.progress(Progress("planning", detail=brief.topic))
        scope = await plan_review(brief.topic, brief.years, context.model, brief.kinds)
        search = ReviewSearch(brief=brief, context=context, space=options.space)
        search.take(carried[:CARRIED], "the review before")
        queries = await search.run(brief.topic, scope)
        candidates = await search.candidates(scope, options.sampling, context.seed + context.attempt)
        if not candidates:
            raise UserError(explain_nothing_relevant(brief, ()))
        most = QUOTED_STUDIES if context.model is None else MOST_READ
        shown = candidates[: options.space if options.only_search else min(options.space, most)]
        if context.model is None:
            selection = select_papers(search, shown, Reading(unread=len(candidates) - len(shown)))
            parts = await asyncio.to_thread(quote_review, scope, selection, context.embedder, options)
        else:
            # A search without a review reads all.
            quota = None if options.only_search else context.limits.review_tokens * options.share // 100
            reading = await read_studies(brief.topic, scope, shown, quota, context)
            if reading.stopped and not reading.studies:
                raise LimitExceeded(reading.stopped)
            if not reading.studies:
                raise UserError(explain_nothing_relevant(brief, reading.left_out))
            reading.unread += len(candidates) - len(shown)
            selection = select_papers(search, [s.found for s in reading.studies], reading)
            writing = ReviewWriting(brief.topic, scope, reading.studies, context)
            parts = await _write_parts(writing, reading, only_search=options.only_search)
        survey = assemble_review(brief, scope, queries, selection, parts)
        pool = KeywordPool((Keyword(brief.topic, "topic"), *(Keyword(q.words(), "library") for q in queries)))
        return Review(pool, selection, survey)


async def _write_parts(writing: ReviewWriting, reading: Reading, *, only_search: bool) -> ReviewParts:
    """Table and answers at the same time, then the conclusions; what fails is reported, and the rest is kept."""
    if only_search:
        return ReviewParts(await writing.write_table(), warnings=tuple(writing.warnings))
    async with asyncio.TaskGroup() as group:
        tabulated = group.create_task(writing.write_table())
        answered = group.create_task(writing.write_findings())
    findings = answered.result()
    drawn: tuple[Section | None, tuple[str, ...]] = (None, ())
    try:
        drawn = await writing.draw_conclusions(findings) if findings else drawn
    except (LanguageModelError, LimitExceeded) as error:
        writing.warnings.append(SurveyWarning("unfinished", "Conclusions", str(error)))
    return ReviewParts(tabulated.result(), findings, *drawn, tell_reading(reading), tuple(writing.warnings))
