"""Reading the studies of a quick review: what each says to the questions, or why it says nothing (Jarvis)."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.errors import LimitExceeded, RetrievalError, ScholiumError
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.attempts import try_work
from engine.llm.model import PlainText, Request, TypedAnswer, WrittenKey, tokens_of
from engine.llm.prompting import data, fill, paper_block
from engine.reading.full_text import FullText, take_fitting
from engine.reviews.review_search import ReviewScope
from engine.run import Progress, ReviewDraft, RunContext, ignore
from engine.text import clean, inert, sentences, shorten
from engine.values import FoundPaper, LeftOut, Paper, Passage

AT_ONCE = 5
"""Calls in flight (Jarvis)."""

TOGETHER = 4
"""Papers that one call reads: the rules and the questions are sent once for all of them."""

EXPECTED_TOKENS = 200
"""What one paper read takes of the review's share, before any was read."""

TEMPERATURE = 0.3
TEXT_S = 5.0
"""Seconds that one source may take to give a paper's text (Jarvis)."""

TEXT_SHARE = 0.75
"""Of the tokens of the review, what is read of one full text at most (Jarvis)."""

MOST_READ = 36
"""Papers read for one review, so that it stays quick."""

ABSTRACT_TOKENS = 600
SUMMARY_CHARACTERS = 900
LINE_CHARACTERS = 320

NO_ROOM = "it is relevant, but the summaries before it filled their share of the tokens (`share=`)"

Evidence = Literal[
    "experiment",
    "randomised trial",
    "observational study",
    "benchmark",
    "method",
    "theory",
    "simulation",
    "qualitative study",
    "case study",
    "review",
    "meta-analysis",
    "other",
]


class StudyAnswer(TypedAnswer):
    """What a study says to the questions; the reason comes first because reasoning makes the decision better."""

    key: WrittenKey
    reason: PlainText
    relevant: bool
    questions: list[int]
    evidence: Evidence
    argument: PlainText
    insight: PlainText
    limitation: PlainText
    figures: PlainText
    summary: PlainText


class StudiesAnswer(TypedAnswer):
    """What each of the papers says."""

    studies: list[StudyAnswer]


@dataclass(frozen=True, slots=True)
class Study:
    """A paper that says something to the questions, with the text that was read of it, and what it says."""

    found: FoundPaper
    said: StudyAnswer
    """Of each text its first sentences; of the questions those there are."""

    @property
    def paper(self) -> Paper:
        """The paper as it was read."""
        return self.found.paper

    def entry(self) -> Paper:
        """The paper with the summary in place of its text, as later prompts have it."""
        said = self.said
        lines = (
            f"Kind of evidence: {said.evidence}",
            f"Argument: {said.argument}",
            f"Key insight: {said.insight}",
            f"Limitation: {said.limitation}" if said.limitation else "",
            f"Figures: {said.figures}" if said.figures else "",
            said.summary,
        )
        return replace(self.paper, abstract=" ".join(line for line in lines if line), summary="", body=())

    def tokens(self) -> int:
        """Tokens of the entry."""
        return tokens_of(paper_block([self.entry()], SUMMARY_CHARACTERS))


@dataclass
class Reading:
    """What came of reading: the studies, the papers read and left out with the reason, and how many were not read."""

    quota: int | None = None
    """Tokens that the studies' entries may have together."""
    studies: list[Study] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    unread: int = 0
    unjudged: int = 0
    """Papers whose call failed."""
    stopped: str = ""
    """Why reading ended before its time; empty where it did not."""
    used: int = 0
    read: int = 0
    full: bool = False

    def has_room(self, in_flight: int) -> bool:
        """Whether more will likely fit, when the papers that are being read are counted as the ones before."""
        if self.full or self.quota is None or not (self.studies or in_flight):
            return not self.full
        each = self.used / self.read if self.read else EXPECTED_TOKENS
        return self.used + in_flight * each < self.quota

    def take(self, outcome: Study | LeftOut | None) -> None:
        """Count what came of a paper, ``None`` where the model failed; a study without room is left out."""
        self.read += 1
        match outcome:
            case LeftOut():
                self.left_out.append(outcome)
            case None:
                self.unjudged += 1
            case Study():
                more = self.used + outcome.tokens()
                self.full = self.full or (self.quota is not None and bool(self.studies) and more > self.quota)
                if self.full:
                    self.left_out.append(LeftOut(replace(outcome.paper, body=()), "no room", NO_ROOM))
                else:
                    self.studies.append(outcome)
                    self.used = more


async def read_studies(
    request: str, scope: ReviewScope, candidates: Sequence[FoundPaper], quota: int | None, context: RunContext
) -> Reading:
    """Read papers in their order, `TOGETHER` in a call, until the summaries fill ``quota`` tokens (``None``: all).

    Papers are settled in their order, so that the same papers are kept however fast each call is. Where a limit is
    reached, what was read by then stays.
    """
    result, waiting = Reading(quota), deque(candidates)
    reading: deque[tuple[list[FoundPaper], asyncio.Task[list[Study | LeftOut | None] | ScholiumError]]] = deque()
    async with asyncio.TaskGroup() as group:
        while True:
            while waiting and len(reading) < AT_ONCE and result.has_room(sum(len(some) for some, _ in reading)):
                together = [waiting.popleft() for _ in range(min(TOGETHER, len(waiting)))]
                reading.append((together, group.create_task(try_work(_read(request, scope, together, context)))))
            if not reading:
                break
            together, task = reading.popleft()
            came = await task
            if isinstance(came, LimitExceeded):
                result.full, result.stopped, came = True, str(came), []  # what it read is unread
            for outcome in [None] * len(together) if isinstance(came, ScholiumError) else came:
                result.take(outcome)
            await context.progress(Progress("reading studies", result.read, len(candidates), together[-1].paper.title))
            await context.reviewing(ReviewDraft(scope.title, scope.questions, tuple(s.found for s in result.studies)))
    result.unread = len(candidates) - len(result.studies) - len(result.left_out) - result.unjudged
    return result


async def _read(
    request: str, scope: ReviewScope, together: Sequence[FoundPaper], context: RunContext
) -> list[Study | LeftOut | None]:
    """What came of each of the papers, in their order, by one call; raises what the call raises."""
    async with asyncio.TaskGroup() as group:
        adding = [group.create_task(add_text(found.paper, context)) for found in together]
    papers = [task.result() for task in adding]
    answers: dict[str, StudyAnswer] = {}
    if readable := [paper for paper in papers if paper.content or paper.body]:
        prompt = fill(
            "quick/study",
            request=data(request),
            questions=scope.number_questions(),
            papers=paper_block(readable, ABSTRACT_TOKENS),
        )
        asked = Request("reading", f"study/{readable[0].key}", prompt, 1_024 * len(readable), TEMPERATURE)
        came = await context.require_model().answer_typed(asked, StudiesAnswer)
        answers = {answer.key: answer for answer in came.studies}
    return [
        _settle(replace(found, paper=paper), answers.get(paper.key), len(scope.questions))
        for found, paper in zip(together, papers, strict=True)
    ]


def _settle(found: FoundPaper, answer: StudyAnswer | None, questions: int) -> Study | LeftOut | None:
    paper = found.paper
    if not paper.content and not paper.body:
        return LeftOut(paper, "not relevant", "no source has an abstract or a text of it")
    if answer is None:
        return None
    reason = _line(answer.reason) or "no reason was given"
    if not answer.relevant:
        return LeftOut(replace(paper, body=()), "not relevant", reason)
    said = {name: _line(getattr(answer, name)) for name in ("argument", "insight", "limitation", "figures")}
    summary = shorten(inert(clean(answer.summary)), SUMMARY_CHARACTERS)
    asked = sorted({n for n in answer.questions if 1 <= n <= questions})
    return Study(
        replace(found, judgement=reason), answer.model_copy(update={**said, "questions": asked, "summary": summary})
    )


def _line(text: str) -> str:
    """The first sentence, in which nothing is a citation."""
    whole = inert(clean(text))
    first = next(iter(sentences(whole)), whole)
    return shorten(first, LINE_CHARACTERS)


async def add_text(paper: Paper, context: RunContext) -> Paper:
    """The paper with the best text there is: its discussion, else its opening, else an abstract of another source."""
    if context.texts and (paper.is_open or paper.content == ""):
        try:
            async with asyncio.timeout(TEXT_S):
                text = (await context.texts.read([paper], 1, ignore)).get(paper.key)
        except (TimeoutError, RetrievalError):
            text = None
        if text:
            return replace(paper, body=choose_passages(text, int(TEXT_SHARE * context.limits.review_tokens)))
    if paper.content or context.online is None:
        return paper
    abstract = await context.online.abstract_of(paper, TEXT_S)
    return replace(paper, abstract=abstract) if abstract else paper


_TELLING = re.compile(r"discussion|conclusion|concluding|limitation")


def choose_passages(text: FullText, tokens: int) -> tuple[Passage, ...]:
    """Discussion and conclusions, at most so many tokens; without such sections the beginning of the main text."""
    telling = (passage for passage in text.body() if _TELLING.search(passage.section.casefold()))
    return tuple(take_fitting(telling, tokens * CHARACTERS_PER_TOKEN)) or text.take_opening(tokens)
