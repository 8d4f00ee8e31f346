"""Cluster-based survey generation (Li et al., NLPCC 2024) with the extractive writer.

Papers are embedded, reduced, clustered and named by c-TF-IDF; clusters become sections, clusters inside
them subsections. Where the paper leaves the number of clusters to chance, the silhouette decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.gathering.keywords import Selector
from engine.gathering.search import gather, propose_keywords, require_papers
from engine.limits import Limits
from engine.naming.clustering import (
    ALGORITHMS,
    Algorithm,
    Reduction,
    best_cluster_count,
    clusters,
    draw_cluster_count,
    labels,
    pick_algorithm,
    reassign_noise,
    reduce_dimensions,
)
from engine.retrieval.embedding import Vectors, embed_papers
from engine.revising.extractive_answers import answer_by_quotation
from engine.revising.extractive_changes import change_by_quotation
from engine.run import Answer, CallChain, Progress, RunContext
from engine.survey import FieldMap, Section, SectionChange, Survey
from engine.text import heading, list_words
from engine.values import (
    Brief,
    Cluster,
    KeywordPool,
    Outline,
    OutlineNode,
    Paper,
    PaperKey,
    PaperSelection,
)
from engine.writing.assembly import (
    SET_APART,
    assemble_survey,
    conclusion,
    field_map,
    frame_outline,
    introduction,
    mark_thin,
    supply_papers,
    words_for_each,
)
from engine.writing.extractive import passage

METHOD = "This survey was put together without a language model, from sentences about the papers it cites."

SMALLEST_DIVIDED = 10
"""Papers a section needs to be divided into subsections."""

LARGEST_SECTIONS = 8

ADDED_PAPERS = 12
"""Papers for a section that the person added."""


@dataclass(frozen=True, slots=True)
class ClusterRecipe:
    """The recipe with its options: the algorithm (``None``: picked by the seed) and the rule for k."""

    algorithm: Algorithm | None = "k-means"
    published_k: bool = False
    reduction: Reduction = "spectral"
    selector: Selector = "farthest"
    name: str = "cluster"
    source: str = "Li et al., Cluster-Based Effective Generation of AI-Driven Literature Surveys, NLPCC 2024"

    needs_model: bool = False

    def paper_count(self, limits: Limits) -> int:
        """As many as a person reads through."""
        return limits.survey_papers

    def plan_calls(
        self, brief: Brief, outline: Outline, papers: Mapping[PaperKey, Paper], limits: Limits
    ) -> Sequence[CallChain]:
        """None: no language model takes part."""
        return ()

    async def keywords(self, brief: Brief, context: RunContext) -> KeywordPool:
        """The topic and keywords from clusters of what it finds."""
        return await propose_keywords(brief, context, self.selector)

    async def papers(self, brief: Brief, pool: KeywordPool, limit: int, context: RunContext) -> PaperSelection:
        """What the keywords find, fused and filtered."""
        return await gather(brief, pool, limit, context)

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Clusters become sections, clusters within them subsections."""
        papers = require_papers(selection)
        await context.progress(Progress("grouping", 0, len(papers)))
        vectors = await asyncio.to_thread(embed_papers, context.embedder, papers)
        main = await asyncio.to_thread(self._sections, papers, vectors, brief, context)
        nodes = []
        for done, cluster in enumerate(main):
            await context.progress(Progress("dividing", done, len(main), cluster.name))
            node = await asyncio.to_thread(_divide_section, cluster, brief, context)
            nodes.append(mark_thin(node, context.limits))
        method = f"{len(main)} clusters by {self._algorithm(context)}"
        return Outline(f"{heading(brief.topic)}: A Survey", frame_outline(nodes, brief.topic), method)

    def _algorithm(self, context: RunContext) -> Algorithm:
        """The algorithm of the settings, or the seed's pick; another one each time another outline is wanted."""
        first = self.algorithm or pick_algorithm(context.seed)
        return ALGORITHMS[(ALGORITHMS.index(first) + context.attempt) % len(ALGORITHMS)]

    def _sections(self, papers: Sequence[Paper], vectors: Vectors, brief: Brief, context: RunContext) -> list[Cluster]:
        if len(papers) < 4:
            return clusters(papers, np.zeros(len(papers), np.int64), brief.topic)
        seed = context.seed + context.attempt
        points = reduce_dimensions(vectors, seed, self.reduction)
        if brief.sections is not None:
            k = min(max(1, brief.sections - 2), len(papers) // 2)
        elif self.published_k:
            k = draw_cluster_count(len(papers), seed)
        else:
            k = best_cluster_count(
                points, (4 if len(papers) >= 40 else 2, min(LARGEST_SECTIONS, len(papers) // 4)), seed
            )
        return clusters(papers, reassign_noise(points, labels(points, self._algorithm(context), k, seed)), brief.topic)

    async def write(
        self,
        brief: Brief,
        selection: PaperSelection,
        outline: Outline,
        finished: Mapping[int, Section],
        context: RunContext,
    ) -> Survey:
        """Quote, section by section; what is ``finished`` stays."""
        included = selection.included()
        papers = {paper.key: paper for paper in included}
        outline = await asyncio.to_thread(supply_papers, outline, included, context.embedder, ADDED_PAPERS)
        budget = words_for_each(brief, outline)
        sections = dict(finished)
        for i, node in enumerate(outline.nodes):
            await context.progress(Progress("writing", len(sections), len(outline.nodes), node.title))
            if i in sections:
                continue
            if node.role == "introduction":
                section = introduction(node, brief, outline, papers)
                section = replace(
                    section, figures=section.figures + await asyncio.to_thread(_map, outline, papers, context)
                )
            elif node.role == "conclusion":
                section = conclusion(node, outline, papers)
            else:
                section = await asyncio.to_thread(_write_section, node, papers, budget, context)
            sections[i] = section
            await context.section_finished(section, i)
        return assemble_survey(brief, outline, sections, selection, METHOD)

    async def revise(
        self,
        brief: Brief,
        selection: PaperSelection,
        survey: Survey,
        change: SectionChange,
        context: RunContext,
    ) -> Survey:
        """Quote for the section what the change wants."""
        return await asyncio.to_thread(change_by_quotation, selection, survey, change, context.embedder)

    async def answer(
        self, brief: Brief, question: str, selection: PaperSelection, survey: Survey, context: RunContext
    ) -> Answer:
        """The sentences of the gathered papers that speak to the question."""
        return await asyncio.to_thread(answer_by_quotation, question, selection, survey, context)


def _divide_section(cluster: Cluster, brief: Brief, context: RunContext) -> OutlineNode:
    """A section, with its subsections where there are papers enough for two."""
    keys = tuple(paper.key for paper in cluster.papers)
    described = SET_APART + ", ".join(cluster.terms[:5]) if cluster.terms else ""
    if len(cluster.papers) < SMALLEST_DIVIDED:
        return OutlineNode(cluster.name, described, keys)
    vectors = embed_papers(context.embedder, cluster.papers)
    k = best_cluster_count(vectors, (2, min(4, len(cluster.papers) // context.limits.thin_evidence)), context.seed)
    parts = clusters(cluster.papers, labels(vectors, "k-means", k, context.seed), f"{brief.topic} {cluster.name}")
    children = tuple(
        OutlineNode(
            c.name,
            SET_APART + ", ".join(c.terms[:5]) if c.terms else "",
            tuple(p.key for p in c.papers),
        )
        for c in parts
    )
    return (
        OutlineNode(cluster.name, described, children=children)
        if len(parts) > 1
        else OutlineNode(cluster.name, described, keys)
    )


def _write_section(node: OutlineNode, papers: Mapping[PaperKey, Paper], budget: int, context: RunContext) -> Section:
    """The section and its subsections, each quoted from the papers meant for it."""
    own = [papers[k] for k in node.papers if k in papers][: context.limits.papers_per_node]
    below = tuple(_write_section(child, papers, budget, context) for child in node.children)
    if below:
        text = (
            f"This line of work is followed in {len(below)} parts: {list_words(child.title for child in below)}. "
            f"It rests on {len(node.all_papers())} of the papers gathered."
        )
        return Section(node.title, text, sections=below)
    written = passage(own, f"{node.title}. {node.description}", budget, context.embedder)
    text = written.text or "The papers gathered for this section have no sentence that can stand by itself."
    return Section(node.title, text, written.claims)


def _map(outline: Outline, papers: Mapping[PaperKey, Paper], context: RunContext) -> tuple[FieldMap, ...]:
    placed = [(papers[k], n.title) for n in outline.nodes if n.role == "body" for k in n.all_papers() if k in papers]
    if not placed:
        return ()
    vectors = embed_papers(context.embedder, [paper for paper, _ in placed])
    figure = field_map(vectors, [group for _, group in placed])
    return (figure,) if figure else ()
