"""The baseline of NLPCC 2024, task 6: outline from all titles, parts with references, abstract, sections, combined."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from engine.gathering.search import require_papers
from engine.limits import Limits
from engine.llm.model import PlainText, Request, TypedAnswer, WrittenKey, tokens_of
from engine.llm.prompting import data, fill, paper_block, paper_tokens
from engine.recipes.bases import KeywordSearch
from engine.run import CallChain, PlannedCall, Progress, RunContext, WritingTask
from engine.survey import Section, Survey
from engine.text import clean, inert
from engine.values import Brief, Outline, OutlineNode, PaperKey, PaperSelection
from engine.writing.assembly import add_warnings, assemble_survey, assign, fail_with_nothing, supply_papers
from engine.writing.composing import Composition
from engine.writing.drafting import Steps
from engine.writing.estimates import PROMPT_OVERHEAD, plan_subsections
from engine.writing.planning import Asking, OutlineAnswer, PartsAnswer, Plan, divide_outline, outline_text

METHOD = (
    "This survey was written by the baseline of the NLPCC 2024 task: a language model allocated the references to "
    "sections by their titles and wrote from their abstracts. Its abstract and summary were written from the titles "
    "alone, and nobody checked them."
)
SECTIONS = 8
PROMPT = "organiser/section"
STEPS = Steps(check=False, review=False, frame=False, notes=False)
FRAME_TOKENS = 200
"""Abstract and closing summary, as they are written."""

MOST_PAPERS = 400
"""References of the task's largest surveys; all their titles go into one prompt."""


class PartAnswer(Plan):
    """A subsection with the keys of its references."""

    papers: list[WrittenKey]

    def list_papers(self, known: Collection[PaperKey]) -> Iterable[PaperKey]:
        """Those of its references that there are, each once: what a model makes up goes."""
        return dict.fromkeys(key for key in self.papers if key in known)


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

    def plan_calls(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """The frame, and one call for each subsection; nothing is checked."""
        assignment = replace(assign(task.brief, task.outline), prompt=PROMPT)
        listed = [replace(paper, abstract="", summary="") for paper in task.selection.list_included()[:MOST_PAPERS]]
        read = sum(paper_tokens(paper) for paper in listed) + tokens_of(outline_text(task.outline)) + PROMPT_OVERHEAD
        return [(PlannedCall("drafting", read, FRAME_TOKENS),), *plan_subsections(task, limits, assignment, STEPS)]

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Steps 1 and 2: sections from all titles, then the parts of each with the references allocated to them."""
        papers = require_papers(selection)[:MOST_PAPERS]
        asking, titles = Asking(brief.topic, context), paper_block([replace(p, abstract="") for p in papers], 0)
        await context.progress(Progress("outlining"))
        shown = {"papers": titles, "sections": str(brief.sections or SECTIONS)}
        plan = await asking.ask(OutlineAnswer[Plan], "outline", "organiser/outline", 2_048, 1.0, **shown)
        nodes = tuple(section.node() for section in plan.sections)
        top = Outline(plan.title, nodes, "the organiser's baseline")
        await context.progress(Progress("dividing", 0, len(nodes)))
        known = {paper.key for paper in papers}

        async def allocate(at: int) -> list[OutlineNode]:
            shown = {"title": data(nodes[at].title), "outline": outline_text(top), "papers": titles}
            step, number = f"parts/{at + 1}", str(at + 1)
            answer = await asking.ask(
                PartsAnswer[PartAnswer], step, "organiser/parts", 4_096, 1.0, number=number, **shown
            )
            return [part.node(part.list_papers(known)) for part in answer.subsections]

        return await divide_outline(top, {at: allocate(at) for at in range(len(nodes))})

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """Steps 3 to 5: abstract and summary, every section at the same time, put together."""
        papers = task.selection.list_included()[:MOST_PAPERS]
        model, brief = context.require_model(), task.brief
        outline = await supply_papers(task.outline, papers, context)
        prompt = fill(
            "organiser/frame",
            topic=data(brief.topic),
            outline=outline_text(outline),
            papers=paper_block([replace(p, abstract="") for p in papers], 0),
        )
        assignment = replace(assign(brief, outline), prompt=PROMPT)
        composition = Composition(assignment, {p.key: p for p in papers}, context, STEPS)
        async with asyncio.TaskGroup() as group:
            framed = group.create_task(
                model.answer_typed(Request("drafting", "frame", prompt, 2_048, 1.0), FrameAnswer)
            )
            written = group.create_task(composition.write(task.kept))
        sections = written.result()
        if not sections:
            raise fail_with_nothing(composition.warnings)
        survey = assemble_survey(replace(task, outline=outline), sections, METHOD)
        frame = framed.result()
        closing = Section("Summary", inert(clean(frame.summary)))
        whole = replace(survey, abstract=inert(clean(frame.abstract)), sections=(*survey.sections, closing))
        return add_warnings(whole, composition.warnings)
