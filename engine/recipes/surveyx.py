"""SurveyX (Liang et al., 2025): preparation with an attribute forest, then outline, main body and post-refinement."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import ScholiumError
from engine.gathering.search import require_papers
from engine.limits import Limits
from engine.llm.attempts import try_work
from engine.reading.trees.forests import TreeIndex
from engine.recipes.bases import Trials
from engine.recipes.surveyx_material import Rewriting, plan_trees, prepare
from engine.recipes.surveyx_outline import OutlineSteps
from engine.recipes.surveyx_pictures import FigureSearch, add_paper_figures
from engine.recipes.surveyx_tables import add_figures_and_tables
from engine.run import SURVEY_STEPS, CallChain, PlannedCall, RunContext, Step, WritingTask
from engine.session.events import Candidate
from engine.session.kept_text import parts_to_write
from engine.values import Brief, Outline, Paper, PaperSelection
from engine.writing.assembly import add_warnings, assign, supply_papers
from engine.writing.composing import Composition
from engine.writing.drafting import Steps
from engine.writing.estimates import PROMPT_OVERHEAD, expect_claims, mean_tokens, plan_subsections, tokens_drafted
from engine.writing.field_views import compose_survey
from engine.writing.notices import list_read

METHOD = (
    "This survey was written by a language model, by SurveyX's method, from notes on the papers it cites; a note "
    "counts only where the paper's own sentences have its numbers, its names and half of its other words."
)
SECTIONS = 8
PLANNED_FROM = 60
"""Titles and abstracts that the main sections are planned from (SurveyX's code; its paper: none)."""

GIST = 0.28
"""What of a paper's tree says where it belongs, in abstracts; measured on 400 papers."""

HEAD_TOKENS = 35
"""Key, title, author and year of a paper in a prompt."""

EDIT_TOKENS, EDITED_SHARE, FOUND = 45, 0.2, 4
"""One edited sentence, how many sentences are, and the papers that rewriting finds for a subsection."""

TABLE_ROWS, ROW_TOKENS = 10, 90
"""Rows of a section's table, and the tokens of one as it is written."""


@dataclass(frozen=True, slots=True)
class SurveyXRecipe(Trials):
    """The recipe with its options and the switches of the paper's ablations (4.2)."""

    grow_trees: bool = True
    optimise_outline: bool = True
    rewrite: bool = True
    draw_tables: bool = True
    planned_from: int = PLANNED_FROM
    paper_figures: int = 0
    look: bool = False
    """Whether the model looks at the pictures and chooses."""
    name: str = "surveyx"
    source: str = "Liang et al., SurveyX: Academic Survey Automation via Large Language Models, 2025"
    needs_model: bool = True
    steps: frozenset[Step] = SURVEY_STEPS | {"prepare"}

    def plan_trial(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """Notes, drafts and checks as for any survey, the rewriting of each draft, and the cells of the tables."""
        assignment = assign(task.brief, task.outline)
        chains = plan_subsections(task, limits, assignment, Steps(in_turn=True))
        due = sum(node.role == "body" for _, node in parts_to_write(task.outline, task.kept))
        claims = expect_claims(assignment.words)
        shown = HEAD_TOKENS + GIST * mean_tokens(task.selection.list_included())
        if self.rewrite:
            read = PROMPT_OVERHEAD + tokens_drafted(assignment.words) + round((claims + FOUND) * shown)
            chains += [(PlannedCall("checking", read, round(EDITED_SHARE * claims * EDIT_TOKENS)),)] * due
        if self.draw_tables and due:
            body = sum(node.role == "body" for node in task.outline.nodes)
            read = PROMPT_OVERHEAD + round(TABLE_ROWS * shown)
            chains += [(PlannedCall("extraction", read, TABLE_ROWS * ROW_TOKENS),)] * body
        return chains

    def plan_preparation(self, papers: Sequence[Paper], full_texts: int) -> Sequence[CallChain]:
        """The calls that make the trees of so many full texts, as if the forest had none of them."""
        return plan_trees(papers[:full_texts], min(full_texts, len(papers))) if self.grow_trees else ()

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """The attribute forest (3.1.2), then outline optimisation (3.2.1)."""
        papers = require_papers(selection)
        sections, planned = brief.sections or SECTIONS, papers[: self.planned_from]
        steps = OutlineSteps(brief.topic, context)
        if not self.optimise_outline:
            return await steps.draft_whole(sections, planned, papers)
        async with asyncio.TaskGroup() as tasks:
            drafting = tasks.create_task(try_work(steps.draft_primary(sections, planned)))
            preparing = tasks.create_task(prepare(papers, context, with_trees=self.grow_trees))
        primary, material = drafting.result(), preparing.result()
        if isinstance(primary, ScholiumError):
            raise primary
        hints = await steps.mount_hints(primary, material)
        outline = await steps.reorganise(await steps.divide_sections(primary, hints))
        return replace(outline, notes=(*outline.notes, *steps.notes, *material.explain_missing()))

    async def write_trial(self, task: WritingTask, context: RunContext) -> Candidate:
        """The main body from hints (3.2.2), each subsection seeing those before it, rewritten by the forest (3.2.3)."""
        included = task.selection.list_included()
        material = await prepare(included, context, with_trees=self.grow_trees)
        outline = await supply_papers(task.outline, included, context)
        assignment = replace(assign(task.brief, outline, context.attempt), prompt="surveyx/draft")
        index = await asyncio.to_thread(TreeIndex, list(material.trees.values()), context.embedder)
        rewriting = Rewriting(context, material, index)
        papers = {key: material.evidence(key) for key in material.papers}
        rework = rewriting.rewrite if self.rewrite else None
        composition = Composition(assignment, papers, context, Steps(in_turn=True), rework)
        whole, warnings = replace(task, outline=outline), composition.warnings
        survey = await compose_survey(composition, whole, METHOD, tables=False, figures=self.draw_tables)
        if self.draw_tables:
            survey = await add_figures_and_tables(survey, outline, material, context.require_model(), warnings)
        if context.texts and self.paper_figures:
            search = FigureSearch(material, context, context.texts, self.paper_figures, self.look)
            survey = await add_paper_figures(survey, outline, search, warnings)
        facts = (
            ("Papers with an attribute tree", f"{len(material.trees):,}"),
            list_read(material.read_in_full()),
            ("Citations removed and added in rewriting", f"{rewriting.removed:,} and {rewriting.added:,}"),
        )
        survey = add_warnings(replace(survey, facts=(*survey.facts, *facts)), warnings)
        return Candidate(task.selection, task.outline, survey)
