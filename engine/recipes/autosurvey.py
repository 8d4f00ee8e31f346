"""AutoSurvey (Wang et al., NeurIPS 2024), algorithm 1, without its barriers and without writing text twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.gathering.search import require_papers
from engine.gathering.subsection_papers import search_sections
from engine.limits import Limits
from engine.recipes.bases import Trials
from engine.run import CallChain, RunContext, WritingTask
from engine.session.events import Candidate
from engine.values import Brief, FoundPaper, Outline, PaperSelection
from engine.writing.assembly import assign, supply_papers
from engine.writing.composing import Composition, with_bodies
from engine.writing.drafting import ALL_STEPS, Steps
from engine.writing.estimates import plan_subsections
from engine.writing.field_views import compose_survey
from engine.writing.notices import list_read, name_contents
from engine.writing.planning import Planner

METHOD = "This survey was written by a language model from the {} of the papers it cites{}."
AND_TEXTS = " and from the openings of those whose texts could be read"
SECTIONS = 8


@dataclass(frozen=True, slots=True)
class AutoSurveyRecipe(Trials):
    """The recipe with its options, and the switches of the paper's ablations."""

    retrieve: bool = True
    """Without it every subsection is written from the same papers, the first of the initial retrieval."""
    writing: Steps = ALL_STEPS
    cite_known: bool = False
    name: str = "autosurvey"
    source: str = "Wang et al., AutoSurvey: Large Language Models Can Automatically Write Surveys, NeurIPS 2024"
    needs_model: bool = True
    follows_template: bool = True

    def paper_count(self, limits: Limits) -> int:
        """It plans from many, and retrieves for each subsection among them."""
        return limits.outline_papers

    def plan_trial(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """Every subsection: noted, drafted, checked; then the whole read once more, and framed."""
        return plan_subsections(task, limits, assign(task.brief, task.outline), self.writing)

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """O = Outline(T, P_init)."""
        papers = require_papers(selection)[: context.limits.outline_papers]
        planner = Planner(brief.purpose, context, papers, self.whole_abstracts, brief.template)
        return await planner.outline(brief.sections or SECTIONS, brief.topic)

    async def write_trial(self, task: WritingTask, context: RunContext) -> Candidate:
        """S_i = Draft(O_i, P_sec); R_i = Refine(S_i); F_t = Merge(R_1 … R_n)."""
        brief, count, included = task.brief, context.limits.papers_per_node, task.selection.list_included()
        outline = await supply_papers(task.outline, included, context)
        brought: tuple[FoundPaper, ...] = ()
        if self.retrieve:
            outline, brought = await search_sections(outline, brief, task.selection, context)
        else:
            outline = outline.give_papers(lambda _: [paper.key for paper in included[:count]])
        papers = await with_bodies((*included, *(item.paper for item in brought)), context)
        assignment = replace(assign(brief, outline, context.attempt), cite_known=self.cite_known)
        known = {item.paper.key: item for item in brought}
        composition = Composition(assignment, papers, context, self.writing, known=known)
        read = [key for key, paper in papers.items() if paper.body]
        method = METHOD.format(name_contents(papers.values()), AND_TEXTS if read else "")
        survey = await compose_survey(composition, replace(task, outline=outline), method)
        survey = replace(survey, facts=(*survey.facts, list_read(read))) if read else survey
        cited = {paper.key for paper in survey.references}
        kept = (*task.selection.found, *(item for key, item in composition.known.items() if key in cited))
        return Candidate(replace(task.selection, found=kept), task.outline, survey)
