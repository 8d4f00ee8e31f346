"""STORM's outline (Shao et al., NAACL 2024): readers with different perspectives ask, papers answer, and again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from pydantic import Field

from engine.gathering.search import require_papers
from engine.llm.attempts import try_any
from engine.llm.model import PlainText, TypedAnswer
from engine.llm.prompting import data
from engine.quoting.abstracts import show_gists
from engine.recipes.autosurvey import SECTIONS, AutoSurveyRecipe
from engine.retrieval.embedding import Vectors, embed_papers, nearest
from engine.run import Progress, RunContext
from engine.values import Brief, Outline, OutlineNode, Paper, PaperSelection
from engine.writing.planning import MOST_SUBSECTIONS, Asking, DividedPlan, OutlineAnswer, Plan

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
        papers, asking = require_papers(selection)[: context.limits.outline_papers], Asking(brief.topic, context)
        shown = await asyncio.to_thread(show_gists, papers[:SHOWN])
        answer = await asking.ask(
            PerspectivesAnswer, "perspectives", "storm/perspectives", 1_024, papers=shown, count=str(PERSPECTIVES)
        )
        people = answer.people[:PERSPECTIVES]
        await context.progress(Progress("outlining", 0, len(people)))
        vectors = await asyncio.to_thread(embed_papers, context.embedder, papers)
        talks, failed = await try_any(
            _converse(asking, i, person, papers, vectors) for i, person in enumerate(people, start=1)
        )
        asked = list({one.question: one for talk in talks for one in talk}.values())
        notes = [f"{len(failed)} of {len(people)} readers could not be asked: {failed[0]}"] if failed else []
        outlined = await asking.ask(
            OutlineAnswer[DividedPlan[AnsweringPart]],
            "storm",
            "storm/outline",
            4_096,
            asked="\n".join(f"{n}. {one.show()}" for n, one in enumerate(asked, start=1)),
            sections=str(brief.sections or SECTIONS),
            parts=str(MOST_SUBSECTIONS),
        )
        count = context.limits.papers_per_node
        outline = outlined.outline("STORM", lambda section: _answer_parts(section.subsections, asked, count))
        return replace(outline, notes=tuple(notes))


async def _converse(
    asking: Asking, number: int, person: PerspectiveAnswer, papers: Sequence[Paper], vectors: Vectors
) -> list[Asked]:
    """What one reader asks, each turn after hearing what papers say to the one before; row i is paper i."""
    heard: list[Asked] = []
    context = asking.context
    for turn in range(ROUNDS):
        answer = await asking.ask(
            QuestionsAnswer,
            f"questions/{number}/{turn}",
            "storm/questions",
            512,
            role=data(person.role),
            concern=data(person.concern),
            asked="\n".join(one.show(with_gists=True) for one in heard) or "(nothing yet)",
            count=str(QUESTIONS),
        )
        questions = answer.questions[:QUESTIONS]
        about = await asyncio.to_thread(context.embedder.embed, questions)
        near = (tuple(nearest(papers, vectors, one, context.limits.papers_per_node)) for one in about)
        heard += map(Asked, questions, near)
    return heard


def _answer_parts(parts: Sequence[AnsweringPart], asked: Sequence[Asked], count: int) -> Iterator[OutlineNode]:
    """The subsections, each with the papers of its questions in turn; one without a question gets its papers later."""
    for part in parts[:MOST_SUBSECTIONS]:
        answered = [asked[n - 1].papers for n in dict.fromkeys(part.questions) if 1 <= n <= len(asked)]
        in_turn = (paper.key for papers in zip_longest(*answered) for paper in papers if paper)
        yield part.node(islice(dict.fromkeys(in_turn), count))
