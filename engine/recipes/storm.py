"""STORM's outline (Shao et al., NAACL 2024): readers with different perspectives ask, papers answer, and again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from pydantic import Field

from engine.gathering.search import require_papers
from engine.llm.attempts import try_any
from engine.llm.model import PlainText, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.quoting.abstracts import show_gists
from engine.recipes.autosurvey import SECTIONS, AutoSurveyRecipe
from engine.retrieval.embedding import embed_papers, nearest
from engine.run import Progress, RunContext
from engine.values import Brief, Outline, OutlineNode, Paper, PaperSelection
from engine.writing.assembly import mark_thin
from engine.writing.model_text import HeadingText
from engine.writing.planning import MOST_SUBSECTIONS, Plan, with_roles

PERSPECTIVES, ROUNDS, QUESTIONS = 4, 2, 3
"""Readers, how often each asks (the paper: up to five turns), and questions of one turn."""

SHOWN, HEARD = 40, 3
"""Papers from which the readers are named, and papers that answer one question in the conversation."""


class PerspectiveAnswer(TypedAnswer):
    """A reader, and what they want to know."""

    role: PlainText
    concern: PlainText


class PerspectivesAnswer(TypedAnswer):
    """The readers."""

    people: list[PerspectiveAnswer] = Field(min_length=2)


class QuestionsAnswer(TypedAnswer):
    """What a reader asks next."""

    questions: list[PlainText] = Field(min_length=1)


class AnsweringPart(Plan):
    """A subsection, and the numbers of the questions that it answers."""

    questions: list[int]


class AnsweringSection(Plan):
    """A section with its subsections."""

    subsections: list[AnsweringPart]


class AnsweringOutline(TypedAnswer):
    """The outline."""

    title: HeadingText
    sections: list[AnsweringSection] = Field(min_length=2)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the papers nearest to it, best first."""

    question: str
    papers: tuple[Paper, ...]

    def show(self, *, with_gists: bool = False) -> str:
        """The question over its first papers: their titles alone, or with what each contributes."""
        first = self.papers[:HEARD]
        told = show_gists(first) if with_gists else "\n".join(f"- {data(paper.title)}" for paper in first)
        return f"{data(self.question)}\n{told}"


@dataclass(frozen=True, slots=True)
class StormRecipe(AutoSurveyRecipe):
    """The recipe; all but its outline is AutoSurvey's."""

    name: str = "storm"
    source: str = "Shao et al., Assisting in Writing Wikipedia-like Articles From Scratch with LLMs, NAACL 2024"
    follows_template: bool = False

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """Perspectives, then conversations side by side, then an outline of what was asked."""
        papers = require_papers(selection)[: context.limits.outline_papers]
        shown = await asyncio.to_thread(show_gists, papers[:SHOWN])
        prompt = fill("storm/perspectives", topic=data(brief.topic), papers=shown, count=str(PERSPECTIVES))
        request = Request("outline", f"perspectives/{context.attempt}", prompt, 1_024, 1.0)
        people = (await context.require_model().answer_typed(request, PerspectivesAnswer)).people[:PERSPECTIVES]
        await context.progress(Progress("outlining", 0, len(people)))
        talking = (self._converse(brief.topic, i, person, papers, context) for i, person in enumerate(people, 1))
        talks, failed = await try_any(talking)
        asked = list({one.question: one for talk in talks for one in talk}.values())
        notes = [f"{len(failed)} of {len(people)} readers could not be asked: {failed[0]}"] if failed else []
        outline = await self._outline_questions(brief, asked, context)
        nodes = tuple(mark_thin(node, context.limits) for node in outline.nodes)
        return replace(outline, nodes=nodes, notes=tuple(notes))

    async def _converse(
        self, topic: str, number: int, person: PerspectiveAnswer, papers: Sequence[Paper], context: RunContext
    ) -> list[Asked]:
        """What one reader asks, each turn after hearing what papers say to the one before."""
        heard: list[Asked] = []
        vectors = await asyncio.to_thread(embed_papers, context.embedder, papers)
        for turn in range(ROUNDS):
            prompt = fill(
                "storm/questions",
                topic=data(topic),
                role=data(person.role),
                concern=data(person.concern),
                asked="\n".join(one.show(with_gists=True) for one in heard) or "(nothing yet)",
                count=str(QUESTIONS),
            )
            request = Request("outline", f"questions/{context.attempt}/{number}/{turn}", prompt, 512, 1.0)
            answer = await context.require_model().answer_typed(request, QuestionsAnswer)
            questions = answer.questions[:QUESTIONS]
            about = await asyncio.to_thread(context.embedder.embed, questions)
            count = context.limits.papers_per_node
            heard += [
                Asked(question, tuple(nearest(papers, vectors, one, count)))
                for question, one in zip(questions, about, strict=True)
            ]
        return heard

    async def _outline_questions(self, brief: Brief, asked: Sequence[Asked], context: RunContext) -> Outline:
        prompt = fill(
            "storm/outline",
            topic=data(brief.topic),
            asked="\n".join(f"{n}. {one.show()}" for n, one in enumerate(asked, start=1)),
            sections=str(brief.sections or SECTIONS),
            parts=str(MOST_SUBSECTIONS),
        )
        request = Request("outline", f"storm/{context.attempt}", prompt, 4_096, 1.0)
        answer = await context.require_model().answer_typed(request, AnsweringOutline)
        tops = with_roles([OutlineNode(section.title, section.description) for section in answer.sections])
        count = context.limits.papers_per_node
        nodes = [
            top if top.role != "body" else replace(top, children=_answer_parts(section, asked, count))
            for top, section in zip(tops, answer.sections, strict=True)
        ]
        return Outline(answer.title, tuple(nodes), "STORM")


def _answer_parts(section: AnsweringSection, asked: Sequence[Asked], count: int) -> tuple[OutlineNode, ...]:
    """The subsections, each with the papers of its questions in turn; one without a question gets its papers later."""
    made: list[OutlineNode] = []
    for part in section.subsections[:MOST_SUBSECTIONS]:
        answered = [asked[n - 1].papers for n in dict.fromkeys(part.questions) if 1 <= n <= len(asked)]
        in_turn = (paper for papers in zip_longest(*answered) for paper in papers if paper)
        keys = tuple(dict.fromkeys(paper.key for paper in in_turn))[:count]
        made.append(OutlineNode(part.title, part.description, keys))
    return tuple(made)
