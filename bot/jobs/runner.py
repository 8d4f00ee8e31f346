"""What a job does: the piece of the recipe, its time limit, and its endings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from bot.store.ledger import Payer
from engine.errors import LimitExceeded, ScholiumError, ServiceError, UserError, find_known
from engine.evaluation.citation_quality import ModelEntailment, RuleEntailment
from engine.evaluation.documents import from_survey
from engine.evaluation.measures import Evaluation, EvaluationTools, evaluate_document
from engine.gathering.reading_lists import gather_list
from engine.llm.meter import Usage
from engine.retrieval.online.wikipedia import Wikipedia
from engine.revising.background import add_background
from engine.revising.gaps import FieldGaps, find_field_gaps
from engine.revising.question_search import search_question
from engine.run import (
    STEP_MISSING,
    Answer,
    Progress,
    Recipe,
    ReviewDraft,
    RunContext,
    WritingTask,
)
from engine.session.events import Job, Review, Written
from engine.session.state import State, SurveySession
from engine.survey import Section, Survey, SurveyWarning
from engine.values import Brief, KeywordPool, Outline, Paper, PaperSelection
from engine.writing.division import divide_section
from engine.writing.notices import record_prompts, state_length

log = structlog.get_logger()

Result = KeywordPool | PaperSelection | Outline | Survey | Written | Review | Answer | FieldGaps | Evaluation


@dataclass(frozen=True)
class JobContext:
    """What a job works with: the recipe, and the context made for its library."""

    recipe: Recipe
    context: RunContext
    wikipedia: Wikipedia


@dataclass(frozen=True)
class JobListener:
    """Who hears of a job: its progress, each finished section, its end."""

    progressed: Callable[[Progress], Awaitable[None]]
    section_finished: Callable[[Section, int], Awaitable[None]]
    answering: Callable[[Answer], Awaitable[None]]
    reviewing: Callable[[ReviewDraft], Awaitable[None]]
    done: Callable[[Result], Awaitable[None]]
    failed: Callable[[ScholiumError | None], Awaitable[None]]


class JobContexts(Protocol):
    """Builds what a job works with."""

    async def build_job_context(self, session: SurveySession, payer: Payer, listener: JobListener) -> JobContext:
        """The library that the session names, its recipe, the model on the payer's account."""
        ...

    async def spent(self, session_id: str) -> dict[str, Usage]:
        """What the session's calls used, by kind of step."""
        ...

    def expect_seconds(self, session: SurveySession) -> float | None:
        """How long writing the session's outline will take, by its calls; ``None`` where no language model writes."""
        ...


async def run(
    session: SurveySession, job: Job, make: Callable[[], Awaitable[JobContext]], listener: JobListener, limit_s: float
) -> None:
    """Do the job; every ending reaches the listener, but for being cancelled, which was asked for."""
    try:
        async with asyncio.timeout(limit_s):
            result = await perform(job, session.state, await make())
    except TimeoutError:
        await listener.failed(LimitExceeded(f"This took longer than {limit_s:,.0f} seconds and was stopped."))
    except Exception as error:  # the one place where our own faults end; the person must get an answer
        known = find_known(error)
        if known is None:
            log.exception("job failed", job=job.id, kind=job.kind)
        await listener.failed(known)
    else:
        await listener.done(result)


async def perform(job: Job, state: State, job_context: JobContext) -> Result:
    """The piece of the recipe that the job asks for. Raises `UserError` where a step before is missing."""
    recipe, brief = job_context.recipe, state.brief
    context = replace(job_context.context, attempt=state.attempt)
    match job.kind, state:
        case "keywords", State(brief=Brief()):
            return await recipe.keywords(_require_brief(brief), context)
        case "papers", State(keywords=KeywordPool() as pool):
            return await recipe.papers(
                _require_brief(brief), pool, state.paper_limit, _add_curation(context, state.papers)
            )
        case "list", State(brief=Brief()):
            return await gather_list(job.lines, context)
        case "outline" | "headings", State(papers=PaperSelection() as selection):
            planning = replace(job_context, context=context)
            return await _plan(_require_brief(brief), selection, state.outline, job, planning)
        case "divide", State(papers=PaperSelection() as selection, outline=Outline() as outline):
            topic = _require_brief(brief).topic
            return await asyncio.to_thread(
                divide_section, outline, job.section, selection, topic, context, at_random=recipe.random_groups
            )
        case "write", State(papers=PaperSelection() as selection, outline=Outline() as outline):
            writing = replace(context, kept={part.place: part for part in state.kept})
            task = WritingTask(_require_brief(brief), selection, outline, dict(state.sections))
            return await _write(recipe, task, writing)
        case "review", State(brief=Brief() as brief):
            carried = state.papers.list_included() if state.papers else ()
            return await _review(brief, carried, replace(job_context, context=context))
        case "gaps", State(papers=PaperSelection() as selection):
            topic, seed = _require_brief(brief).topic, context.seed
            return await asyncio.to_thread(find_field_gaps, selection.list_included(), topic, context.embedder, seed)
        case _, State(brief=Brief() as brief, papers=PaperSelection() as selection, survey=Survey() as survey):
            return await _about_survey(job, brief, selection, survey, replace(job_context, context=context))
        case _:
            raise UserError(STEP_MISSING)


async def _write(recipe: Recipe, task: WritingTask, context: RunContext) -> Written:
    """All that were written; each says how long it is."""
    written = await recipe.write_candidates(task, context)
    measured = (replace(one, survey=_finish(task.brief, one.survey, context)) for one in written.candidates)
    return replace(written, candidates=tuple(measured))


def _finish(brief: Brief, survey: Survey, context: RunContext) -> Survey:
    """With what is said of a text once it stands: its length, and the prompts where a model wrote it."""
    measured = state_length(brief, survey, is_quoted=context.model is None)
    return record_prompts(measured) if context.model else measured


async def _about_survey(
    job: Job, brief: Brief, selection: PaperSelection, survey: Survey, job_context: JobContext
) -> Result:
    context = job_context.context
    match job.kind:
        case "revise" if job.change:
            changed = await job_context.recipe.revise(brief, selection, survey, job.change, context)
            return _finish(brief, changed, context)
        case "answer":
            asking = replace(context, asked=job.before)
            if not job.searches:
                return await job_context.recipe.answer(brief, job.question, selection, survey, asking)
            wider, new = await search_question(job.question, brief, selection, context)
            answer = await job_context.recipe.answer(brief, job.question, wider, survey, asking)
            return replace(answer, searched=new)
        case "background":
            return await add_background(brief, selection, survey, job_context.wikipedia, context)
        case "evaluate":
            tools = replace(_evaluation_tools(context), survey=survey)
            return await evaluate_document(from_survey(survey), brief.topic, tools)
        case _:
            raise UserError(STEP_MISSING)


async def _plan(
    brief: Brief, selection: PaperSelection, grouping: Outline | None, job: Job, job_context: JobContext
) -> Outline:
    recipe, context = job_context.recipe, job_context.context
    if job.kind == "outline":
        return await recipe.outline(brief, selection, context)
    if grouping is None:
        raise UserError(STEP_MISSING)
    return await recipe.headings(brief, selection, grouping, context)


async def _review(brief: Brief, carried: Sequence[Paper], job_context: JobContext) -> Review:
    """The quick review, with background where it is wanted; where none can be had, that is said in the review."""
    found = await job_context.recipe.review(brief, carried, job_context.context)
    if not (brief.quick and brief.quick.background):
        return found
    survey = found.survey
    opened = replace(survey, sections=(Section("Background", ""), *survey.sections))
    try:
        told = await add_background(brief, found.papers, opened, job_context.wikipedia, job_context.context)
    except (UserError, ServiceError) as error:
        warning = SurveyWarning("unfinished", "Background", str(error))
        return replace(found, survey=replace(survey, warnings=(*survey.warnings, warning)))
    return replace(found, survey=told)


def _add_curation(context: RunContext, before: PaperSelection | None) -> RunContext:
    """With what the person thinks of the former proposal, where they have left out some of it."""
    if before is None or not before.excluded:
        return context
    refused = tuple(f.paper for f in before.found if f.paper.key in before.excluded)
    return replace(context, accepted=before.list_included(), refused=refused)


def _evaluation_tools(context: RunContext) -> EvaluationTools:
    """The session's own model judges where there is one; else a rule decides, and is named."""
    entailment = (
        ModelEntailment(context.model, "the model that wrote it") if context.model else RuleEntailment(context.embedder)
    )
    judges = {"the model that wrote it": context.model} if context.model else {}

    async def told(stage: str) -> None:
        await context.progress(Progress("judging", detail=stage))

    return EvaluationTools(context.library, context.embedder, entailment, judges, progress=told)


def _require_brief(brief: Brief | None) -> Brief:
    if brief is None:
        raise UserError("Name a topic first.")
    return brief
