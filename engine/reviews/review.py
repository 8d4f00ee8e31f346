"""Writing a quick review: an answer to each question, the table of the studies, conclusions with their support."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import Field

from engine.checking.check import CheckedText, CheckTask, check_section
from engine.citations import cite, remove_addresses, remove_citations
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import PlainText, Request, TypedAnswer, WrittenKey
from engine.llm.prompting import data, fill, paper_block
from engine.quoting.attribution import name_paper
from engine.reviews.review_search import ReviewScope
from engine.reviews.studies import Study
from engine.run import Progress, ReviewDraft, RunContext
from engine.survey import Claim, Section, SurveyWarning, Table
from engine.text import clean, inert, sentences, shorten
from engine.values import OutlineNode, Paper, PaperKey
from engine.writing.drafting import read_draft
from engine.writing.model_text import HeadingText
from engine.writing.notices import sum_of

ENTRY_TOKENS = 400
"""Of one study's summary, in the prompts that write from summaries."""

WORDS_PER_QUESTION = 160
LEAST_WORDS = 40
MOST_CONCLUSIONS = 5
FOLLOW_UPS = 3
HEADER = ("Study", "Questions", "Evidence", "Argument", "Key insight", "Limitation it names", "Figures")
WIDTHS = (3, 2, 3, 6, 6, 6, 3)
"""Shares of the columns: sentences need more room than names and numbers."""


class ConclusionAnswer(TypedAnswer):
    """A sentence and the keys of all studies that support it; what others found instead, and their keys."""

    statement: PlainText
    papers: list[WrittenKey]
    otherwise: PlainText = ""
    others: list[WrittenKey] = Field(default_factory=list)


class ConclusionsAnswer(TypedAnswer):
    """What follows from the studies, and what one would ask next."""

    conclusions: list[ConclusionAnswer] = Field(min_length=1)
    follow_up: list[HeadingText] = Field(min_length=2)


@dataclass
class ReviewWriting:
    """One review as it is written; ``warnings`` collects what a reader should know."""

    request: str
    scope: ReviewScope
    studies: Sequence[Study]
    context: RunContext
    warnings: list[SurveyWarning] = field(default_factory=list)

    @property
    def papers(self) -> tuple[Paper, ...]:
        """The studies' papers, with the texts that were read."""
        return tuple(study.paper for study in self.studies)

    async def write_findings(self) -> tuple[Section, ...]:
        """An answer to each research question, all at once; each is shown as soon as it is checked.

        A question whose answer cannot be written is named in the warnings; the others stay.
        """
        done: dict[int, Section] = {}

        async def one(number: int, question: str) -> None:
            try:
                found = await self._answer(number, question)
            except (LanguageModelError, LimitExceeded) as error:
                self.warnings.append(SurveyWarning("unfinished", question, str(error)))
                return
            if found.text:
                done[number] = Section(question, found.text, found.claims, tally=found.tally)
                shown = tuple(done[i] for i in sorted(done))
                await self.context.progress(Progress("writing", len(done), len(self.scope.questions), question))
                studies = tuple(study.found for study in self.studies)
                await self.context.reviewing(ReviewDraft(self.scope.title, self.scope.questions, studies, shown))

        async with asyncio.TaskGroup() as group:
            for number, question in enumerate(self.scope.questions, start=1):
                group.create_task(one(number, question))
        return tuple(done[i] for i in sorted(done))

    async def _answer(self, number: int, question: str) -> CheckedText:
        prompt = fill(
            "quick/answer",
            request=data(self.request),
            questions=self.scope.number_questions(),
            papers=self._entries(),
            number=str(number),
            question=data(question),
            words=str(WORDS_PER_QUESTION),
        )
        request = Request("drafting", f"answer/{number}", prompt, WORDS_PER_QUESTION * 5, 0.7)
        draft = read_draft(await self.context.require_model().text(request), OutlineNode(question), self.papers)
        self.warnings += draft.warnings
        # What was shown are summaries: the numbers of their sentences are none of the papers'.
        return await self._check(question, remove_addresses(draft.text))

    async def write_table(self) -> Section:
        """What the studies say, side by side; a cell whose sentence does not hold stays empty."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._check_column(name)) for name in ("argument", "insight", "limitation", "figures")
            ]
        columns = [task.result() for task in tasks]
        held = [
            {c.citations[0].key: c for c in column.claims if len({cited.key for cited in c.citations}) == 1}
            for column in columns
        ]
        rows = tuple(
            (
                cite_by_name(study.paper),
                ", ".join(map(str, study.said.questions)),
                study.said.evidence,
                *(strip_citations(c.text) if (c := column.get(study.paper.key)) else "" for column in held),
            )
            for study in self.studies
        )
        claims = tuple(claim for column in held for claim in column.values())
        table = Table("The studies and what they say to the questions.", HEADER, rows, WIDTHS)
        return Section("Studies", "", claims, tables=(table,), tally=sum_of([column.tally for column in columns]))

    async def _check_column(self, name: str) -> CheckedText:
        """One sentence about each study."""
        cells = [(study.paper.key, getattr(study.said, name)) for study in self.studies]
        lines = [f"{cell.rstrip(' .!?')} {cite([key])}." for key, cell in cells if cell]
        return await self._check(name, "\n\n".join(lines))

    async def draw_conclusions(self, findings: Sequence[Section]) -> tuple[Section | None, tuple[str, ...]]:
        """What follows, each conclusion with the number of studies that support it, and the follow-up questions."""
        prompt = fill(
            "quick/conclusions",
            request=data(self.request),
            questions=self.scope.number_questions(),
            papers=self._entries(),
            draft=data("\n\n".join(section.text for section in findings)),
        )
        answer = await self.context.require_model().answer_typed(
            Request("drafting", "conclusions", prompt, 1_024, 0.3), ConclusionsAnswer
        )
        drawn = answer.conclusions[:MOST_CONCLUSIONS]
        sides = [(self._cite(one.statement, one.papers), self._cite(one.otherwise, one.others)) for one in drawn]
        checked = await self._check("Conclusions", "\n\n".join(line for pair in sides for line in pair if line))
        held = {claim.was or claim.text: count_support(claim, len(self.studies)) for claim in checked.claims}
        both = [[held.pop(line) for line in pair if line in held] for pair in sides]
        claims = tuple(claim for pair in both for claim in pair)
        text = "\n".join(f"- {' Against that: '.join(claim.text for claim in pair)}" for pair in both if pair)
        asked = [shorten(inert(question), 200) for question in answer.follow_up if question]
        section = Section("Conclusions", text, claims, tally=checked.tally) if claims else None
        return section, tuple(dict.fromkeys(asked))[:FOLLOW_UPS]

    def _cite(self, statement: str, keys: Sequence[PaperKey]) -> str:
        """The statement as one sentence with those of its studies that there are; empty without any."""
        known = {study.paper.key for study in self.studies}
        cited = [key for key in keys if key in known]
        sentence = next(iter(sentences(inert(clean(statement)))), "").rstrip(" .!?")
        return f"{sentence} {cite(cited)}." if cited and sentence else ""

    def _entries(self) -> str:
        return paper_block([study.entry() for study in self.studies], ENTRY_TOKENS)

    async def _check(self, title: str, text: str) -> CheckedText:
        if not text:
            return CheckedText("")
        task = CheckTask(title, text, self.papers, self.request, title)
        checked = await check_section(self.context.require_model(), task)
        self.warnings += checked.warnings
        return checked


def count_support(claim: Claim, studies: int) -> Claim:
    """The conclusion with the number of studies that support it: those of its citations that were checked."""
    held = [c for c in claim.citations if c.verdict != "unsupported"]
    keys = dict.fromkeys(c.key for c in held)
    text = f"{strip_citations(claim.text)} ({len(keys)} of {studies} studies) {cite(keys)}."
    return replace(claim, text=text, citations=tuple(held))


def strip_citations(text: str) -> str:
    """A sentence without its citations and its full stop."""
    return remove_citations(text).rstrip(" .")


def cite_by_name(paper: Paper) -> str:
    """First author, year and citation, as a table names a study."""
    return f"{inert(name_paper(paper))} {cite([paper.key])}"
