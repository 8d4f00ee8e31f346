"""The baseline of NLPCC 2024, task 6: outline from all titles, parts with references, abstract, sections, combined."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.errors import ScholiumError
from engine.gathering.search import require_papers
from engine.llm.attempts import try_all
from engine.llm.model import PlainText, Request, TypedAnswer, tokens_of
from engine.llm.prompting import data, fill, paper_block, paper_tokens
from engine.recipes.bases import KeywordSearch
from engine.run import CallChain, PlannedCall, Progress, RunContext, WritingPlan, WritingTask
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
from engine.writing.estimates import PROMPT_OVERHEAD, plan_subsections
from engine.writing.planning import OutlineAnswer, Plan, outline_text, word_undivided

METHOD = (
    "This survey was written by the baseline of the NLPCC 2024 task: a language model allocated the references to "
    "sections by their titles and wrote from their abstracts. Its abstract and summary were written from the titles "
    "alone, and nobody checked them."
)
SECTIONS = 8
STEPS = Steps(check=False, review=False, frame=False, notes=False)
FRAME_TOKENS = 200
"""Abstract and closing summary, as they are written."""

MOST_PAPERS = 400
"""References of the task's largest surveys; all their titles go into one prompt."""


class PartAnswer(Plan):
    """A subsection with the keys of its references."""

    papers: list[str]


class PartsAnswer(TypedAnswer):
    """The subsections of a section."""

    subsections: list[PartAnswer]


class FrameAnswer(TypedAnswer):
    """Abstract and closing summary."""

    abstract: PlainText
    summary: PlainText


@dataclass(frozen=True, slots=True)
class OrganiserRecipe(KeywordSearch):
    """The five steps (K12)."""

    expand_keywords: bool = False
    name: str = "organiser"
    source: str = "the organiser's baseline of NLPCC 2024, shared task 6 (in Li et al., NLPCC 2024)"
    needs_model: bool = True

    def plan_calls(self, plan: WritingPlan) -> Sequence[CallChain]:
        """The frame, and one call for each subsection; nothing is checked."""
        words = words_for_each(plan.brief, plan.outline)
        task = Assignment(plan.brief.topic, plan.outline, words, prompt="organiser/section")
        listed = [replace(paper, abstract="", summary="") for paper in list(plan.papers.values())[:MOST_PAPERS]]
        read = sum(paper_tokens(paper) for paper in listed) + tokens_of(outline_text(plan.outline)) + PROMPT_OVERHEAD
        return [(PlannedCall("drafting", read, FRAME_TOKENS),), *plan_subsections(plan, task, STEPS)]

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
        await context.progress(Progress("dividing", 0, len(nodes)))
        came = await try_all(self._divide(brief, top, at, titles, context) for at in range(len(nodes)))
        known, divided = {p.key for p in papers}, list[OutlineNode]()
        for node, answer in zip(nodes, came, strict=True):
            parts = () if isinstance(answer, ScholiumError) else answer.subsections
            allocated = (dict.fromkeys(PaperKey(key.strip("[]@ ")) for key in part.papers) for part in parts)
            own = [tuple(key for key in keys if key in known) for keys in allocated]  # what a model makes up goes
            children = (OutlineNode(p.title, p.description, keys) for p, keys in zip(parts, own, strict=True))
            divided.append(mark_thin(replace(node, children=tuple(children)), context.limits))
        failed = ((node, why) for node, why in zip(nodes, came, strict=True) if isinstance(why, ScholiumError))
        return replace(top, nodes=tuple(divided), notes=tuple(word_undivided(node, why) for node, why in failed))

    async def _divide(self, brief: Brief, top: Outline, at: int, titles: str, context: RunContext) -> PartsAnswer:
        shown = {"outline": outline_text(top), "papers": titles, "number": str(at + 1)}
        prompt = fill("organiser/parts", topic=data(brief.topic), title=data(top.nodes[at].title), **shown)
        request = Request("outline", f"parts/{at + 1}", prompt, 4_096, 1.0)
        return await context.require_model().answer_typed(request, PartsAnswer)

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
        composition = Composition(model, assignment, {p.key: p for p in papers}, context, STEPS)
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
