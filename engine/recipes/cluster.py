"""Cluster-based survey generation (Li et al., NLPCC 2024) with the extractive writer.

Papers are embedded, reduced, clustered and named by c-TF-IDF; clusters become sections, clusters inside
them subsections. Where the paper leaves the number of clusters to chance, the silhouette decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.gathering.foundations import find_foundations
from engine.gathering.search import require_papers
from engine.gathering.synonyms import say_otherwise
from engine.naming.clustering import (
    ALGORITHMS,
    NOISE,
    OTHER_WORK,
    Algorithm,
    Labels,
    Reduction,
    best_cluster_count,
    clusters,
    dissolve_small,
    draw_cluster_count,
    is_degenerate,
    is_rest,
    labels,
    pick_algorithm,
    reassign_noise,
    reduce_dimensions,
    split_in_two,
)
from engine.naming.lines_of_work import (
    Field,
    add_foundations,
    divide_by_headings,
    find_headings,
    find_lines_of_work,
    gather_lines,
    join_smallest,
)
from engine.naming.phrases import Formula, GroupedPhrases
from engine.recipes.keyword_search import KeywordSearch
from engine.retrieval.embedding import Vectors, embed_papers
from engine.revising.either_way import RevisedEitherWay
from engine.run import SURVEY_STEPS, CallChain, Progress, RunContext, Step, WritingPlan, WritingTask
from engine.session.kept_text import put_kept_parts
from engine.survey import Survey
from engine.text import to_title_case
from engine.values import (
    Brief,
    Cluster,
    Outline,
    OutlineNode,
    Paper,
    PaperSelection,
)
from engine.writing.assembly import (
    OPEN_PROBLEMS_NODE,
    FieldView,
    assemble_survey,
    frame_outline,
    least_tokens,
    mark_thin,
    supply_papers,
    words_for_each,
)
from engine.writing.clustered import place_papers, plan_refinement, write_clustered, write_headings
from engine.writing.division import divide_by_years, make_section, name_cautiously
from engine.writing.drafting import Assignment
from engine.writing.estimates import Steps, plan_subsections
from engine.writing.field_overview import write_overview
from engine.writing.field_views import find_nearby
from engine.writing.notices import word_quoted_length
from engine.writing.open_problems import find_open_problems
from engine.writing.reading_map import (
    collect_material,
    lines_of,
    write_introduction,
    write_line,
    write_open_problems,
)

METHOD = "This survey was put together without a language model, from sentences about the papers it cites."

SPELT: Mapping[Algorithm, str] = {
    "k-means": "k-means",
    "dbscan": "DBSCAN",
    "agglomerative": "agglomerative clustering",
}

SMALLEST_DIVIDED = 10
"""Papers a section needs to be divided into subsections."""

LARGEST_SECTIONS = 8

MANY_PAPERS, MOST_LINES = 100, 12
"""Lines of work at most, in a survey of so many papers."""

PAPERS_A_SECTION = 8
"""Papers for each cluster, where it is not asked how many there are to be."""

SMALLEST_SECTION = 3
"""Papers; a smaller section is no line of work, unless so many sections were asked for."""

MOST_PARTS = 4
"""Subsections of a section that a language model gives headings."""

LARGE_SECTION = 40
"""Papers from which a section is large; a smaller one is divided where half of it is in lines of work."""

LEAST_COVERED = 1 / 3
"""Share of a large section's papers that have to be in its lines of work for it to be divided."""

SMALLEST_REST = 20
"""Papers of no line of work that are divided by how close they are, where each part gets a heading."""

SMALLEST_PART = 6
"""Papers; a smaller subsection goes into the one that is nearest to it."""

REPEATED_LESS = 0.05
"""Share of the words in which the sections of other recipes repeat one another: these have no papers in common."""

ADDED_PAPERS = 12
"""Papers for a section that the person added."""


@dataclass(frozen=True, slots=True)
class ClusterRecipe(KeywordSearch, RevisedEitherWay):
    """The recipe with its options: the algorithm (``None``: picked by the seed) and the rule for k."""

    algorithm: Algorithm | None = "k-means"
    published_k: bool = False
    random_groups: bool = False
    reduction: Reduction = "spectral"
    formula: Formula = "bounded"
    name: str = "cluster"
    source: str = "Li et al., Cluster-Based Effective Generation of AI-Driven Literature Surveys, NLPCC 2024"

    needs_model: bool = False
    steps: frozenset[Step] = SURVEY_STEPS | {"headings"}

    def plan_calls(self, plan: WritingPlan) -> Sequence[CallChain]:
        """Every subsection, as a language model would write it; without one there are none to pay."""
        words, least = words_for_each(plan.brief, plan.outline), least_tokens(plan.brief, plan.outline)
        task = Assignment(plan.brief.topic, plan.outline, words, least_tokens=least)
        steps = Steps(frame=False, lost_besides=-REPEATED_LESS)
        return [*plan_subsections(plan, task, steps), *plan_refinement(task, list(plan.papers.values()))]

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Clusters become sections, clusters within them subsections; with a language model they are approved first."""
        papers = require_papers(selection)
        foundations = () if context.model else _find_foundations(papers, selection, brief)
        papers = tuple(paper for paper in papers if paper not in foundations)
        await context.progress(Progress("grouping", 0, len(papers)))
        vectors = await asyncio.to_thread(embed_papers, context.embedder, papers)
        notes: list[str] = []
        found, algorithm = await asyncio.to_thread(self._label, papers, vectors, brief, context, notes)
        main = await asyncio.to_thread(self._sections, papers, vectors, found, brief, context)
        main = add_foundations(main, foundations, SMALLEST_SECTION)
        is_plain = context.model or self.random_groups or self.published_k
        one, many = ("group", "groups") if is_plain else ("line of work", "lines of work")
        count = len(main) if is_plain else sum(not is_rest(cluster.name) for cluster in main)
        kind = (one if count == 1 else many) + ("" if is_plain else ", found by their phrases in clusters")
        told = (
            f"{count} {kind} by {SPELT[algorithm]}."
            if count
            else f"By years: no line of work was found in clusters by {SPELT[algorithm]}."
        )
        method = " ".join((told, *notes))
        nodes: list[OutlineNode] = []
        used = [one.name for cluster in main for one in (cluster, *cluster.parts)]
        for done, cluster in enumerate(main):
            await context.progress(Progress("dividing", done, len(main), cluster.name))
            node = await asyncio.to_thread(_divide_section, cluster, brief, context, tuple(used), self.formula)
            used += [child.title for child in node.children]
            nodes.append(mark_thin(node, context.limits))
        title = f"{to_title_case(brief.topic)}: A Survey"
        if context.model:
            places = await asyncio.to_thread(place_papers, papers, vectors)
            return Outline(title, tuple(nodes), method, tuple(notes), is_grouping=True, places=places)
        if said := word_quoted_length(brief):
            notes.append(f"{said}.")
        framed = frame_outline(nodes, brief.topic)
        if await asyncio.to_thread(find_open_problems, papers):
            framed = (*framed, OPEN_PROBLEMS_NODE)
        return Outline(title, framed, method, tuple(notes))

    async def headings(
        self, brief: Brief, selection: PaperSelection, grouping: Outline, context: RunContext
    ) -> Outline:
        """Headings and subheadings for the groups that a person approved."""
        return await write_headings(brief, grouping, {p.key: p for p in selection.list_included()}, context)

    def _algorithm(self, context: RunContext) -> Algorithm:
        """The algorithm of the settings, or the seed's pick; another one each time another outline is wanted."""
        first = self.algorithm or pick_algorithm(context.seed)
        return ALGORITHMS[(ALGORITHMS.index(first) + context.attempt) % len(ALGORITHMS)]

    def _label(
        self, papers: Sequence[Paper], vectors: Vectors, brief: Brief, context: RunContext, notes: list[str]
    ) -> tuple[Labels, Algorithm]:
        """The cluster of each paper, and by what; ``notes`` gets what a person should know of them."""
        algorithm = self._algorithm(context)
        if len(papers) < 4:
            return np.zeros(len(papers), np.int64), algorithm
        seed = context.seed + context.attempt
        points = reduce_dimensions(vectors, seed, self.reduction)
        k = self._count(points, brief, context)
        found = labels(points, algorithm, k, seed)
        if algorithm == "dbscan" and is_degenerate(found):
            algorithm = "k-means"
            found = labels(points, algorithm, k, seed)
            notes.append("DBSCAN told no groups apart here; these are by k-means.")
        if noise := int(np.sum(found == NOISE)):
            said = "paper lies in no cluster and stands" if noise == 1 else "papers lie in no cluster and stand"
            notes.append(f"{noise} {said} with the nearest one.")
            found = reassign_noise(points, found)
        if brief.sections is None and not self.published_k:
            found = dissolve_small(points, found, SMALLEST_SECTION)
            if len(np.unique(found)) == 1:
                found = split_in_two(points, SMALLEST_SECTION)
        if self.random_groups:  # the paper's ablation: as many groups of the same sizes, at random (4.3)
            found = np.random.default_rng(seed).permutation(found)
            notes.append(
                "These groups are drawn at random, as large as the clusters: SCHOLIUM_WITHOUT has “clustering”."
            )
        return found, algorithm

    def _sections(
        self, papers: Sequence[Paper], vectors: Vectors, found: Labels, brief: Brief, context: RunContext
    ) -> list[Cluster]:
        """The clusters with their names; without a language model the lines of work that they hold."""
        if len(papers) < 4 or self.random_groups or context.model or self.published_k:
            return clusters(papers, found, brief.topic, self.formula)
        return self._lines(papers, vectors, found, brief)

    def _lines(self, papers: Sequence[Paper], vectors: Vectors, found: Labels, brief: Brief) -> list[Cluster]:
        """Lines of work and the rest; the papers by their years where there are no lines.

        Where so many sections are asked for and there are more or fewer lines, the clusters.
        """
        field = Field(GroupedPhrases([papers]), vectors, _names_of_topic(brief), SMALLEST_SECTION)
        asked = brief.sections and max(1, brief.sections - 2)
        largest = MOST_LINES if len(papers) >= MANY_PAPERS else LARGEST_SECTIONS
        lines = divide_by_headings(field, find_headings(field, found), formula=self.formula)
        lines = gather_lines(lines, field.enough, largest)
        if asked and len(lines) >= asked:
            return join_smallest(lines, asked)
        if asked:
            return name_cautiously(papers, vectors, found, brief.topic)
        if len(lines) > 1:
            return lines
        parts = max(2, min(LARGEST_SECTIONS // 2, len(papers) // PAPERS_A_SECTION))
        return divide_by_years(papers, parts, brief.topic, SMALLEST_SECTION)

    def _count(self, points: Vectors, brief: Brief, context: RunContext) -> int:
        """How many clusters to make of the papers with these points."""
        papers, seed = len(points), context.seed + context.attempt
        if brief.sections is not None:
            return min(max(1, brief.sections - 2), papers // 2)
        if self.published_k:
            return draw_cluster_count(papers, seed)
        fewest = _fewest_sections(papers)
        if context.model:
            return best_cluster_count(points, (fewest, min(LARGEST_SECTIONS, papers // 4)), seed)
        return max(fewest, min(LARGEST_SECTIONS, papers // PAPERS_A_SECTION))  # those that nothing names are given up

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """Section by section, by the language model or in quotations; what is finished stays."""
        if context.model:
            return tell_grouping(await write_clustered(task, context), task.outline)
        brief, included = task.brief, task.selection.list_included()
        outline = await asyncio.to_thread(supply_papers, task.outline, included, context.embedder, ADDED_PAPERS)
        material = await asyncio.to_thread(collect_material, brief, included)
        lines = lines_of(outline, material)
        sections = dict(task.finished)
        for i, node in enumerate(outline.nodes):
            await context.progress(Progress("writing", len(sections), len(outline.nodes), node.title))
            if i in sections:
                continue
            match node.role:
                case "introduction":
                    section = await asyncio.to_thread(write_introduction, node, material, lines, context.embedder)
                case "conclusion":
                    section = write_open_problems(node, lines)
                case "body":
                    section = await asyncio.to_thread(write_line, node, material, i)
                    section = put_kept_parts(section, node, str(i + 1), context.kept)
            sections[i] = section
            await context.section_finished(section, i)
        nearby = await find_nearby(brief, included, context, [line.title for line in lines])
        field = FieldView(write_overview(brief.topic, lines), material.names, nearby)
        return tell_grouping(assemble_survey(replace(task, outline=outline), sections, METHOD, field), outline)


def tell_grouping(survey: Survey, outline: Outline) -> Survey:
    """The survey with how its papers were grouped among its facts, as the outline tells."""
    return replace(survey, facts=(*survey.facts, ("Grouping", outline.method))) if outline.method else survey


def _fewest_sections(papers: int) -> int:
    return 5 if papers >= 100 else 4 if papers >= 40 else 2


def _find_foundations(papers: Sequence[Paper], selection: PaperSelection, brief: Brief) -> tuple[Paper, ...]:
    """The foundations among the papers, where others are left and so many sections are not asked for."""
    keys = find_foundations(selection, brief.topic)
    found = tuple(paper for paper in papers if paper.key in keys)
    return found if brief.sections is None and len(found) < len(papers) else ()


def _names_of_topic(brief: Brief) -> str:
    """The topic and its other names, none of which divides its papers."""
    return " ".join((brief.topic, *say_otherwise(brief.topic)))


def _divide_section(
    cluster: Cluster, brief: Brief, context: RunContext, avoid: tuple[str, ...], formula: Formula
) -> OutlineNode:
    """A section, with its subsections where there are papers enough for two; none has a name to ``avoid``.

    Without a language model, which gives parts headings of its own, each part has a name that its papers say.
    """
    whole, papers = make_section(cluster), cluster.papers
    if cluster.parts:
        return replace(whole, papers=(), children=tuple(map(make_section, cluster.parts)))
    if len(papers) < SMALLEST_DIVIDED:
        return whole
    vectors = embed_papers(context.embedder, papers)
    topic = f"{_names_of_topic(brief)} {cluster.name}"
    if cluster.name == OTHER_WORK and len(papers) >= SMALLEST_REST:
        k = min(LARGEST_SECTIONS, len(papers) // PAPERS_A_SECTION)
        found = dissolve_small(vectors, labels(vectors, "k-means", k, context.seed), SMALLEST_PART)
        parts = name_cautiously(papers, vectors, found, brief.topic, avoid, by_phrases_only=True)
        parts = parts or divide_by_years(papers, min(LARGEST_SECTIONS // 2, k), brief.topic, SMALLEST_PART)
    elif context.model:
        k = best_cluster_count(vectors, (2, min(MOST_PARTS, len(papers) // context.limits.thin_evidence)), context.seed)
        found = dissolve_small(vectors, labels(vectors, "k-means", k, context.seed), SMALLEST_PART)
        parts = clusters(papers, found, topic, formula, avoid)
    else:
        k = max(2, min(LARGEST_SECTIONS, len(papers) // PAPERS_A_SECTION))
        found = labels(vectors, "k-means", k, context.seed)
        field = Field(GroupedPhrases([papers]), vectors, topic, SMALLEST_PART, avoid)
        parts = find_lines_of_work(field, found, k, formula)
    named = sum(len(part.papers) for part in parts if part.name != OTHER_WORK)
    if len(parts) < 2 or named < (LEAST_COVERED if len(papers) >= LARGE_SECTION else 1 / 2) * len(papers):
        return whole
    return replace(whole, papers=(), children=tuple(map(make_section, parts)))
