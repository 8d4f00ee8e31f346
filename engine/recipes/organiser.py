"""The baseline of NLPCC 2024, task 6: outline from all titles, parts with references, abstract, sections, combined.

Li et al. (NLPCC 2024), 4.1, describe its five steps; nothing is retrieved for a section and nothing is checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import ScholiumError
from engine.gathering.search import require_papers
from engine.llm.model import PlainText, Request, TypedAnswer, tokens_of
from engine.llm.prompting import data, fill, paper_block, paper_tokens
from engine.recipes.bases import KeywordSearch
from engine.revising.model_changes import RevisedByModel
from engine.run import CallChain, PlannedCall, Progress, RunContext, WritingPlan, WritingTask
from engine.session.kept_text import parts_to_write
from engine.survey import Section, Survey
from engine.text import clean, inert
from engine.values import Brief, Outline, OutlineNode, PaperKey, PaperSelection
from engine.writing.assembly import (
    add_warnings,
    assemble_survey,
    fail_with_nothing,
    mark_thin,
    supply_papers,
    words_for_each,
)
from engine.writing.composing import Composition
from engine.writing.drafting import Assignment, Steps
from engine.writing.estimates import PROMPT_OVERHEAD, tokens_drafted
from engine.writing.model_text import HeadingText
from engine.writing.planning import OutlineAnswer, outline_text, try_work, word_undivided

METHOD = (
    "This survey was written by the baseline of the NLPCC 2024 task: a language model allocated the references to "
    "sections by their titles and wrote from their abstracts. Its abstract and summary were written from the titles "
    "alone, and nobody checked them."
)
SECTIONS = 8
FRAME_TOKENS = 200
"""Abstract and closing summary, as they are written."""

MOST_PAPERS = 400
"""References of the task's largest surveys; all their titles go into one prompt."""


class PartAnswer(TypedAnswer):
    """A subsection with the keys of its references."""

    title: HeadingText
    description: PlainText
    papers: list[str]


class PartsAnswer(TypedAnswer):
    """The subsections of a section."""

    subsections: list[PartAnswer]


class FrameAnswer(TypedAnswer):
    """Abstract and closing summary."""

    abstract: PlainText
    summary: PlainText


@dataclass(frozen=True, slots=True)
class OrganiserRecipe(KeywordSearch, RevisedByModel):
    """The five steps (K12)."""

    expand_keywords: bool = False
    name: str = "organiser"
    source: str = "the organiser's baseline of NLPCC 2024, shared task 6 (in Li et al., NLPCC 2024)"
    needs_model: bool = True

    def plan_calls(self, plan: WritingPlan) -> Sequence[CallChain]:
        """The frame, and one call for each subsection; nothing is checked."""
        words = words_for_each(plan.brief, plan.outline)
        written = tokens_drafted(words)
        listed = [replace(paper, abstract="", summary="") for paper in list(plan.papers.values())[:MOST_PAPERS]]
        read = sum(paper_tokens(paper) for paper in listed) + tokens_of(outline_text(plan.outline)) + PROMPT_OVERHEAD
        chains: list[CallChain] = [(PlannedCall("drafting", read, FRAME_TOKENS),)]
        for _, node in parts_to_write(plan.outline, plan.kept):
            own = [plan.papers[key] for key in node.papers if key in plan.papers][: plan.limits.papers_per_node]
            read = sum(paper_tokens(paper) for paper in own)
            chains.append((PlannedCall("drafting", read + PROMPT_OVERHEAD, written),))
        return chains

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Steps 1 and 2: sections from all titles, then the parts of each with the references allocated to them."""
        papers = require_papers(selection)[:MOST_PAPERS]
        model, titles = context.require_model(), paper_block([replace(p, abstract="") for p in papers], 0)
        await context.progress(Progress("outlining"))
        prompt = fill(
            "organiser/outline", topic=data(brief.topic), papers=titles, sections=str(brief.sections or SECTIONS)
        )
        plan = await model.answer_typed(Request("outline", "outline", prompt, 2_048, 1.0), OutlineAnswer)
        nodes = tuple(OutlineNode(s.title, s.description) for s in plan.sections)
        top = Outline(plan.title, nodes, "the organiser's baseline")
        known = {p.key for p in papers}
        notes: list[str] = []

        async def divided(number: int, node: OutlineNode) -> OutlineNode:
            asked = fill(
                "organiser/parts",
                topic=data(brief.topic),
                outline=outline_text(top),
                papers=titles,
                number=str(number),
                title=data(node.title),
            )
            request = Request("outline", f"parts/{number}", asked, 4_096, 1.0)
            answer = await try_work(model.answer_typed(request, PartsAnswer))
            if isinstance(answer, ScholiumError):
                notes.append(word_undivided(node, answer))
                return node
            parts = []
            for part in answer.subsections:
                keys = dict.fromkeys(PaperKey(key.strip("[]@ ")) for key in part.papers)
                own = tuple(key for key in keys if key in known)  # what a model makes up is left out
                parts.append(OutlineNode(part.title, part.description, own))
            return replace(node, children=tuple(parts))

        await context.progress(Progress("dividing", 0, len(nodes)))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(divided(i, node)) for i, node in enumerate(nodes, start=1)]
        nodes = tuple(mark_thin(task.result(), context.limits) for task in tasks)
        return replace(top, nodes=nodes, notes=tuple(notes))

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """Steps 3 to 5: abstract and summary, every section at the same time, put together."""
        papers = task.selection.list_included()[:MOST_PAPERS]
        model, brief = context.require_model(), task.brief
        outline = await asyncio.to_thread(
            supply_papers, task.outline, papers, context.embedder, context.limits.papers_per_node
        )
        prompt = fill(
            "organiser/frame",
            topic=data(brief.topic),
            outline=outline_text(outline),
            papers=paper_block([replace(p, abstract="") for p in papers], 0),
        )
        assignment = Assignment(brief.topic, outline, words_for_each(brief, outline), prompt="organiser/section")
        steps = Steps(check=False, review=False, frame=False, notes=False)
        composition = Composition(model, assignment, {p.key: p for p in papers}, context, steps)
        async with asyncio.TaskGroup() as group:
            framed = group.create_task(
                model.answer_typed(Request("drafting", "frame", prompt, 2_048, 1.0), FrameAnswer)
            )
            written = group.create_task(composition.write(task.finished))
        sections = written.result()
        if not sections:
            raise fail_with_nothing(composition.warnings)
        survey = assemble_survey(replace(task, outline=outline), sections, METHOD)
        frame = framed.result()
        closing = Section("Summary", inert(clean(frame.summary)))
        whole = replace(survey, abstract=inert(clean(frame.abstract)), sections=(*survey.sections, closing))
        return add_warnings(whole, composition.warnings)
