"""Cluster-based survey generation (Li et al., NLPCC 2024), with a reading map where there is no language model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.gathering.search import require_papers
from engine.limits import Limits
from engine.naming.clustering import clusters, reduce_dimensions
from engine.naming.grouping import SPELT, Grouping, GroupingOptions, group_papers, judge_representations
from engine.naming.phrases import Formula
from engine.quoting.field_overview import write_overview
from engine.quoting.reading_map import lines_of, write_group, write_introduction
from engine.recipes.bases import KeywordSearch
from engine.retrieval.embedding import embed_papers
from engine.run import SURVEY_STEPS, CallChain, Progress, RunContext, Step, WritingTask
from engine.session.kept_text import put_kept_parts
from engine.survey import Section, Survey
from engine.text import to_title_case
from engine.values import Brief, Cluster, Outline, OutlineNode, PaperSelection
from engine.writing.assembly import assemble_survey, assign, frame_outline, supply_papers
from engine.writing.clustered import place_papers, plan_refinement, write_clustered, write_headings
from engine.writing.division import make_section, tell_apart
from engine.writing.drafting import Steps
from engine.writing.estimates import plan_subsections
from engine.writing.field_views import find_nearby
from engine.writing.notices import word_quoted_length

METHOD = "This reading map was put together without a language model, from sentences about the papers it cites."

SMALLEST_DIVIDED, SMALLEST_PART, MOST_PARTS = 15, 5, 8
"""Papers that a section needs to be divided into subsections, papers of each, and how many there are at most."""

ADDED_PAPERS = 12
"""Papers for a section that the person added."""


@dataclass(frozen=True, slots=True)
class ClusterRecipe(KeywordSearch):
    """The recipe, and how it groups papers."""

    options: GroupingOptions = field(default_factory=GroupingOptions)
    name: str = "cluster"
    source: str = "Li et al., Cluster-Based Effective Generation of AI-Driven Literature Surveys, NLPCC 2024"

    needs_model: bool = False
    steps: frozenset[Step] = SURVEY_STEPS | {"headings"}

    def plan_calls(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """Every subsection, as a language model would write it; without one there are none to pay."""
        assignment = assign(task.brief, task.outline)
        return [*plan_subsections(task, limits, assignment, Steps(frame=False)), *plan_refinement(assignment)]

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Clusters become sections, clusters within them subsections; with a language model they are approved first."""
        papers = require_papers(selection)
        await context.progress(Progress("grouping", 0, len(papers)))
        vectors = await asyncio.to_thread(embed_papers, context.embedder, papers)
        frame = 2 if context.model else 1  # introduction and conclusion; a reading map concludes nothing
        wanted = None if brief.sections is None else brief.sections - frame
        grouping = await asyncio.to_thread(group_papers, vectors, self.options, context.seed, context.attempt, wanted)
        groups = await asyncio.to_thread(clusters, papers, grouping.labels, brief.topic, self.options.formula)
        nodes: list[OutlineNode] = []
        used = [group.name for group in groups]
        for done, group in enumerate(groups):
            await context.progress(Progress("dividing", done, len(groups), group.name))
            node = await asyncio.to_thread(_divide, group, brief, context, tuple(used), self.options.formula)
            used += [child.title for child in node.children]
            nodes.append(node)
        title, method = f"{to_title_case(brief.topic)}: A Survey", _describe(grouping, groups)
        if context.model:
            places = await asyncio.to_thread(place_papers, papers, vectors)
            return Outline(title, tuple(nodes), method, grouping.notes, is_grouping=True, places=places)
        said = word_quoted_length(brief)
        notes = (*grouping.notes, f"{said}.") if said else grouping.notes
        return Outline(title, frame_outline(nodes, brief.topic), method, notes)

    async def headings(
        self, brief: Brief, selection: PaperSelection, grouping: Outline, context: RunContext
    ) -> Outline:
        """Headings and subheadings for the groups that a person approved."""
        return await write_headings(brief, grouping, {p.key: p for p in selection.list_included()}, context)

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """Section by section, by the language model or as a reading map; what is finished stays."""
        if context.model:
            return tell_grouping(await write_clustered(task, context), task.outline)
        included = task.selection.list_included()
        outline = await supply_papers(task.outline, included, context, ADDED_PAPERS)
        papers = {paper.key: paper for paper in included}
        lines = lines_of(outline, papers)
        sections, parts = dict(task.kept.sections), {part.place: part for part in task.kept.parts}
        for i, node in enumerate(outline.nodes):
            await context.progress(Progress("writing", len(sections), len(outline.nodes), node.title))
            if i in sections:
                continue
            match node.role:
                case "introduction":
                    section = await asyncio.to_thread(write_introduction, node, task.brief, lines, context.embedder)
                case "conclusion":
                    section = Section(node.title, "")
                case "body":
                    section = await asyncio.to_thread(write_group, node, papers)
                    section = put_kept_parts(section, node, str(i + 1), parts)
            sections[i] = section
            await context.section_finished(section, i)
        nearby = await find_nearby(task.brief, included, context, [line.title for line in lines])
        overview = write_overview(task.brief.topic, lines)
        survey = assemble_survey(replace(task, outline=outline), sections, METHOD, overview, nearby)
        return tell_grouping(survey, outline)


def tell_grouping(survey: Survey, outline: Outline) -> Survey:
    """The survey with how its papers were grouped among its facts, as the outline tells."""
    return replace(survey, facts=(*survey.facts, ("Grouping", outline.method))) if outline.method else survey


def _describe(grouping: Grouping, groups: Sequence[Cluster]) -> str:
    """How many groups by which algorithm, and how good they are by their places and by their terms."""
    told = f"{len(groups)} {'group' if len(groups) == 1 else 'groups'} by {SPELT[grouping.algorithm]}."
    if len(groups) > 1:
        said = judge_representations(groups)
        told += f" Silhouette {grouping.silhouette:.2f}; {said:.0%} of the papers say a term of their group."
    return " ".join((told, *grouping.notes))


def _divide(group: Cluster, brief: Brief, context: RunContext, avoid: tuple[str, ...], formula: Formula) -> OutlineNode:
    """A section, with its subsections where there are papers enough for two; none has a name to ``avoid``."""
    whole, papers = make_section(group), group.papers
    if len(papers) < SMALLEST_DIVIDED:
        return whole
    points = reduce_dimensions(embed_papers(context.embedder, papers), context.seed)
    found = tell_apart(points, MOST_PARTS, SMALLEST_PART, context.seed)
    parts = clusters(papers, found, f"{brief.topic} {group.name}", formula, avoid)
    if len(parts) < 2:
        return whole
    return replace(whole, papers=(), children=tuple(map(make_section, parts)))
