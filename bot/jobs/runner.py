"""What a job does: the piece of the recipe, its time limit, and its endings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.errors import ServiceError, UserError
from engine.evaluation.documents import from_survey
from engine.evaluation.measures import Evaluation, EvaluationTools, evaluate_document
from engine.evaluation.quality import entail_by_model, entail_by_rule
from engine.gathering.reading_lists import gather_list
from engine.revising.answers import answer_question, search_question
from engine.revising.background import add_background
from engine.revising.gaps import FieldGaps, find_field_gaps
from engine.revising.model_changes import revise_survey
from engine.run import STEP_MISSING, Answer, Progress, Recipe, RunContext, WritingTask
from engine.session.events import Job, Review, Written
from engine.session.kept_text import KeptText
from engine.session.state import State
from engine.survey import Section, Survey, SurveyWarning
from engine.values import Brief, KeywordPool, Outline, Paper, PaperSelection
from engine.writing.division import divide_section
from engine.writing.notices import record_prompts, state_length

Result = KeywordPool | PaperSelection | Outline | Survey | Written | Review | Answer | FieldGaps | Evaluation


async def perform(job: Job, state: State, recipes: Mapping[str, Recipe], context: RunContext) -> Result:
    """The piece of the recipe that the job asks for. Raises `UserError` where a step before is missing."""
    if (brief := state.brief) is None:
        raise UserError(STEP_MISSING)
    recipe, context = recipes[brief.recipe], replace(context, attempt=state.attempt)
    match job.kind, state:
        case "keywords", _:
            return await recipe.keywords(brief, context)
        case "papers", State(keywords=KeywordPool() as pool):
            return await recipe.papers(brief, pool, state.paper_limit, _add_curation(context, state.papers))
        case "list", _:
            return await gather_list(job.lines, context)
        case "outline", State(papers=PaperSelection() as selection):
            return await recipe.outline(brief, selection, context)
        case "headings", State(papers=PaperSelection() as selection, outline=Outline() as groups):
            return await recipe.headings(brief, selection, groups, context)
        case "divide", State(papers=PaperSelection() as selection, outline=Outline() as groups):
            return await asyncio.to_thread(divide_section, groups, job.section, selection, brief.topic, context)
        case _:
            return await _write(job, brief, state, recipe, context)


async def _write(job: Job, brief: Brief, state: State, recipe: Recipe, context: RunContext) -> Result:
    """What comes after the outline: the survey or review, and what is done with it."""
    match job.kind, state:
        case "write", State(papers=PaperSelection() as selection, outline=Outline() as outline):
            task = WritingTask(brief, selection, outline, KeptText(state.sections, state.kept))
            written = await recipe.write_candidates(task, context)
            finished = (replace(one, survey=_finish(brief, one.survey, context)) for one in written.candidates)
            return replace(written, candidates=tuple(finished))
        case "review", _:
            return await _review(brief, state.papers.list_included() if state.papers else (), recipe, context)
        case "gaps", State(papers=PaperSelection() as selection):
            of = selection.list_included()
            return await asyncio.to_thread(find_field_gaps, of, brief.topic, context.embedder, context.seed)
        case "revise", State(papers=PaperSelection() as selection, survey=Survey() as survey) if job.change:
            return _finish(brief, await revise_survey(brief, selection, survey, job.change, context), context)
        case "answer", State(papers=PaperSelection() as selection, survey=Survey() as survey):
            asking = replace(context, asked=job.before)
            if not job.searches:
                return await answer_question(brief, job.question, selection, survey, asking)
            wider, new = await search_question(job.question, brief, selection, context)
            return replace(await answer_question(brief, job.question, wider, survey, asking), searched=new)
        case "background", State(papers=PaperSelection() as selection, survey=Survey() as survey):
            return await add_background(brief, selection, survey, context)
        case "evaluate", State(survey=Survey() as survey):
            tools = replace(_evaluation_tools(context), survey=survey)
            return await evaluate_document(from_survey(survey), brief.topic, tools)
        case _:
            raise UserError(STEP_MISSING)


def _finish(brief: Brief, survey: Survey, context: RunContext) -> Survey:
    """With what is said of a text once it stands: its length, and the prompts where a model wrote it."""
    measured = state_length(brief, survey, is_quoted=context.model is None)
    return record_prompts(measured) if context.model else measured


async def _review(brief: Brief, carried: Sequence[Paper], recipe: Recipe, context: RunContext) -> Review:
    """The quick review, with background where it is wanted; where none can be had, that is said in the review."""
    found = await recipe.review(brief, carried, context)
    if not (brief.quick and brief.quick.background):
        return found
    survey = found.survey
    opened = replace(survey, sections=(Section("Background", ""), *survey.sections))
    try:
        told = await add_background(brief, found.papers, opened, context)
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
    name, model = "the model that wrote it", context.model
    entailment = entail_by_model(model, name) if model else entail_by_rule(context.embedder)
    return EvaluationTools(
        context.library,
        context.embedder,
        entailment,
        {name: model} if model else {},
        progress=lambda stage: context.progress(Progress("judging", detail=stage)),
    )
