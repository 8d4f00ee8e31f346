"""AutoSurvey (Wang et al., NeurIPS 2024), algorithm 1, without its barriers and without writing text twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import LanguageModelError
from engine.gathering.search import require_papers
from engine.limits import Limits
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill
from engine.recipes.keyword_search import KeywordSearch
from engine.retrieval.embedding import embed_papers
from engine.revising.model_changes import RevisedByModel
from engine.run import CallChain, PlannedCall, RunContext, WritingPlan, WritingTask
from engine.session.kept_text import KeptText
from engine.survey import Survey, walk
from engine.values import (
    Brief,
    Outline,
    PaperSelection,
)
from engine.writing.assembly import (
    add_warnings,
    assemble_survey,
    count_references,
    supply_papers,
    with_same_papers,
    words_for_each,
)
from engine.writing.composing import Composition, with_bodies
from engine.writing.drafting import Assignment, JudgeAnswer
from engine.writing.estimates import PROMPT_OVERHEAD, Steps, plan_subsections
from engine.writing.field_views import view_field
from engine.writing.notices import with_notice
from engine.writing.planning import Planner

METHOD = "This survey was written by a language model from the abstracts of the papers it cites{}."
AND_TEXTS = " and from the openings of those whose texts could be read"
SECTIONS = 8
JUDGE_TOKENS = 40
"""What a judge answers: three scores."""


@dataclass(frozen=True, slots=True)
class AutoSurveyRecipe(KeywordSearch, RevisedByModel):
    """The recipe with its options: candidates (N), and the switches of the paper's ablations.

    Without ``retrieve`` every subsection is written from the same papers, the first of the initial retrieval.
    """

    candidates: int = 1
    retrieve: bool = True
    check: bool = True
    connect: bool = True
    whole_abstracts: bool = False
    name: str = "autosurvey"
    source: str = "Wang et al., AutoSurvey: Large Language Models Can Automatically Write Surveys, NeurIPS 2024"
    needs_model: bool = True

    def paper_count(self, limits: Limits) -> int:
        """It plans from many, and retrieves for each subsection among them."""
        return limits.outline_papers

    def plan_calls(self, plan: WritingPlan) -> Sequence[CallChain]:
        """Every subsection of every trial, and the judge's call for each trial where there are several."""
        brief = plan.brief
        task = Assignment(brief.topic, plan.outline, words_for_each(brief, plan.outline), audience=brief.audience)
        steps = Steps(check=self.check, connect=self.connect)
        chains = plan_subsections(plan, task, steps)
        chains += plan_subsections(replace(plan, kept=KeptText()), task, steps) * (self.candidates - 1)
        if self.candidates > 1:
            written = sum(chain[0].output_tokens for chain in chains) // self.candidates
            chains += [(PlannedCall("judging", written + PROMPT_OVERHEAD, JUDGE_TOKENS),)] * self.candidates
        return chains

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """O = Outline(T, P_init)."""
        planner = await _planner(brief, selection, context, whole_abstracts=self.whole_abstracts)
        return await planner.outline(brief.sections or SECTIONS)

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """F_t for each of N trials; F_best = Evaluate(F_1 … F_N)."""
        count = context.limits.papers_per_node
        papers = task.selection.included()
        outline = await asyncio.to_thread(supply_papers, task.outline, papers, context.embedder, count)
        outline = outline if self.retrieve else with_same_papers(outline, [p.key for p in papers[:count]])
        first = replace(task, outline=outline)
        trials = [
            await self._trial(
                first if t == 0 else replace(first, finished={}), _trial_context(context, t, self.candidates)
            )
            for t in range(self.candidates)
        ]
        if len(trials) == 1:
            return trials[0]
        scores = [await _score(context.require_model(), task.brief, survey, i) for i, survey in enumerate(trials)]
        best = max(range(len(trials)), key=lambda i: (sum(scores[i]), -i))
        names = (f"Candidate {i}, coverage/structure/relevance" for i in range(1, len(trials) + 1))
        judged = tuple((name, "/".join(map(str, score))) for name, score in zip(names, scores, strict=True))
        return replace(trials[best], facts=(*trials[best].facts, *judged))

    async def _trial(self, task: WritingTask, context: RunContext) -> Survey:
        """S_i = Draft(O_i, P_sec); R_i = Refine(S_i); F_t = Merge(R_1 … R_n)."""
        papers = await with_bodies({p.key: p for p in task.selection.included()}, context)
        brief, outline = task.brief, task.outline
        assignment = Assignment(brief.topic, outline, words_for_each(brief, outline), context.attempt, brief.audience)
        composition = Composition(context.require_model(), assignment, papers, context, self.check, self.connect)
        sections = await composition.sections(task.finished)
        if not sections:
            raise LanguageModelError(f"Nothing could be written: {composition.warnings[0].detail}", retryable=True)
        read = sum(bool(paper.body) for paper in papers.values())
        sections, field = await view_field(task, sections, context)
        survey = assemble_survey(task, sections, METHOD.format(AND_TEXTS if read else ""), field)
        if composition.abstract:
            counted = count_references(survey)
            abstract = f"{counted} {composition.abstract.text}"
            survey = with_notice(replace(survey, abstract=abstract, tally=composition.abstract.tally))
        if read:
            survey = replace(survey, facts=(*survey.facts, ("Papers read beyond the abstract", str(read))))
        return add_warnings(survey, composition.warnings)


def _trial_context(context: RunContext, trial: int, trials: int) -> RunContext:
    """The context of one trial: the first goes on with what stays, each has a number of its own in every attempt."""
    return replace(context, attempt=context.attempt * trials + trial, kept=context.kept if trial == 0 else {})


async def _planner(brief: Brief, selection: PaperSelection, context: RunContext, *, whole_abstracts: bool) -> Planner:
    papers = require_papers(selection)[: context.limits.outline_papers]
    model = context.require_model()
    vectors = await asyncio.to_thread(embed_papers, context.embedder, papers)
    return Planner(model, brief.topic, papers, vectors, context, whole_abstracts)


async def _score(model: LanguageModel, brief: Brief, survey: Survey, at: int) -> tuple[int, int, int]:
    text = "\n\n".join(f"{number} {s.title}\n{s.text}" for number, s in walk(survey.sections))
    prompt = fill("autosurvey/judge", topic=data(brief.topic), survey=data(text))
    answer = await model.answer_typed(Request("judging", f"judge/{at}", prompt, 512, 0.0), JudgeAnswer)
    return answer.coverage, answer.structure, answer.relevance
