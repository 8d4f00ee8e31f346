"""Reading the studies of a quick review: what each says to the questions, or why it says nothing (Jarvis)."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.errors import LanguageModelError, LimitExceeded, RetrievalError
from engine.gathering.review_scope import ReviewScope
from engine.gathering.review_search import is_open
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer, tokens_of
from engine.llm.prompting import data, fill, paper_block
from engine.reading.full_text import FullText
from engine.reading.open_access import FullTexts
from engine.run import Progress, ReviewDraft, RunContext
from engine.text import clean, inert, sentences, shorten
from engine.values import FoundPaper, LeftOut, Paper, Passage

AT_ONCE = 5
"""Summaries in flight (Jarvis)."""

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

    reason: PlainText
    relevant: bool
    questions: list[int]
    evidence: Evidence
    argument: PlainText
    insight: PlainText
    limitation: PlainText
    figures: PlainText
    summary: PlainText


@dataclass(frozen=True, slots=True)
class Study:
    """A paper that says something to the questions, with the text that was read of it, and what it says."""

    found: FoundPaper
    questions: tuple[int, ...]
    """Numbers (from 1) of the questions it has something to say about."""
    evidence: Evidence
    argument: str
    insight: str
    limitation: str
    figures: str
    summary: str

    @property
    def paper(self) -> Paper:
        """The paper as it was read."""
        return self.found.paper

    def entry(self) -> Paper:
        """The paper with the summary in place of its text, as later prompts have it."""
        lines = (
            f"Kind of evidence: {self.evidence}",
            f"Argument: {self.argument}",
            f"Key insight: {self.insight}",
            f"Limitation: {self.limitation}" if self.limitation else "",
            f"Figures: {self.figures}" if self.figures else "",
            self.summary,
        )
        return replace(self.paper, abstract=" ".join(line for line in lines if line), summary="", body=())

    def tokens(self) -> int:
        """Tokens of the entry."""
        return tokens_of(paper_block([self.entry()], SUMMARY_CHARACTERS))


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading: the studies, the papers read and left out with the reason, and how many were not read."""

    studies: tuple[Study, ...]
    left_out: tuple[LeftOut, ...] = ()
    unread: int = 0
    unjudged: int = 0
    """Papers whose call failed."""
    stopped: str = ""
    """Why reading ended before its time; empty where it did not."""


async def read_studies(
    request: str, scope: ReviewScope, candidates: Sequence[FoundPaper], quota: int | None, context: RunContext
) -> Reading:
    """Read papers in their order, `AT_ONCE` at a time, until the summaries fill ``quota`` tokens (``None``: all).

    Papers are settled in their order, so that the same papers are kept however fast each call is. Where a limit is
    reached, what was read by then stays.
    """
    model = context.require_model()
    waiting = deque(candidates)
    reading: deque[tuple[FoundPaper, asyncio.Task[Study | LeftOut | LimitExceeded | None]]] = deque()
    studies: list[Study] = []
    out: list[LeftOut] = []
    used = read = unjudged = 0
    full, stopped = False, ""

    def is_room() -> bool:
        """Whether one more will likely fit, when those that are being read are counted as the ones before."""
        if quota is None or not studies:
            return True
        return used + len(reading) * used / max(1, read) < quota

    async with asyncio.TaskGroup() as group:
        while True:
            while waiting and len(reading) < AT_ONCE and not full and is_room():
                found = waiting.popleft()
                reading.append((found, group.create_task(_read(request, scope, found, model, context))))
            if not reading:
                break
            found, task = reading.popleft()
            outcome = await task
            if isinstance(outcome, LimitExceeded):
                full, stopped = True, str(outcome)
                continue
            read += 1
            if isinstance(outcome, LeftOut):
                out.append(outcome)
            elif outcome is None:
                unjudged += 1
            elif full or (quota is not None and studies and used + outcome.tokens() > quota):
                full = True
                out.append(LeftOut(replace(outcome.paper, body=()), "no room", NO_ROOM))
            else:
                studies.append(outcome)
                used += outcome.tokens()
            await context.progress(Progress("reading studies", read, len(candidates), found.paper.title))
            await context.reviewing(ReviewDraft(scope.title, scope.questions, tuple(s.found for s in studies)))
    unread = len(candidates) - len(studies) - len(out) - unjudged
    return Reading(tuple(studies), tuple(out), unread, unjudged, stopped)


async def _read(
    request: str, scope: ReviewScope, found: FoundPaper, model: LanguageModel, context: RunContext
) -> Study | LeftOut | LimitExceeded | None:
    """The study, the reason it is left out, the limit that was reached, or ``None`` where the model failed."""
    paper = await add_text(found.paper, context)
    if not paper.content and not paper.body:
        return LeftOut(paper, "not relevant", "no source has an abstract or a text of it")
    prompt = fill(
        "quick/study",
        request=data(request),
        questions=scope.number_questions(),
        paper=paper_block([paper], ABSTRACT_TOKENS),
    )
    step = f"study/{paper.key}"
    try:
        answer = await model.answer_typed(Request("reading", step, prompt, 1_024, TEMPERATURE), StudyAnswer)
    except LanguageModelError:
        return None
    except LimitExceeded as error:
        return error
    reason = _line(answer.reason) or "no reason was given"
    if not answer.relevant:
        return LeftOut(replace(paper, body=()), "not relevant", reason)
    return Study(
        replace(found, paper=paper, judgement=reason),
        tuple(sorted({n for n in answer.questions if 1 <= n <= len(scope.questions)})),
        answer.evidence,
        _line(answer.argument),
        _line(answer.insight),
        _line(answer.limitation),
        keep_known_figures(answer.figures, paper),
        shorten(inert(clean(answer.summary)), SUMMARY_CHARACTERS),
    )


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PARTS = re.compile(r"(?:;|,\s+(?=\D)|\.\s+)(?:\s*and\s+)?")


def _line(text: str) -> str:
    """The first sentence, in which nothing is a citation."""
    whole = inert(clean(text))
    first = next(iter(sentences(whole)), whole)
    return shorten(first, LINE_CHARACTERS)


def keep_known_figures(said: str, paper: Paper) -> str:
    """The parts of a list of figures whose numbers all stand in the paper's text; a model's arithmetic is left out."""
    text = " ".join((paper.title, paper.content, *(passage.text for passage in paper.body)))
    known = set(_NUMBER.findall(text.replace(",", "")))
    parts = [part.strip() for part in _PARTS.split(inert(clean(said))) if part.strip()]
    kept = [part for part in parts if (found := _NUMBER.findall(part.replace(",", ""))) and set(found) <= known]
    return shorten("; ".join(part.rstrip(".") for part in kept), LINE_CHARACTERS)


async def add_text(paper: Paper, context: RunContext) -> Paper:
    """The paper with the best text there is: its discussion, else its opening, else an abstract of another source.

    Each source has `TEXT_S` seconds; what it does not give by then is done without.
    """
    most = int(TEXT_SHARE * context.limits.review_tokens)
    if context.texts and (is_open(paper) or paper.content == ""):
        text = await _read_text(context.texts, paper)
        if text:
            return replace(paper, body=choose_passages(text, most))
    if paper.content or context.online is None:
        return paper
    abstract = await context.online.abstract_of(paper, TEXT_S)
    return replace(paper, abstract=abstract) if abstract else paper


async def _read_text(texts: FullTexts, paper: Paper) -> FullText | None:
    """The full text, ``None`` where there is none or it does not come in time."""
    try:
        async with asyncio.timeout(TEXT_S):
            return (await texts.read([paper], 1, _watch_nothing)).get(paper.key)
    except (TimeoutError, RetrievalError):
        return None


async def _watch_nothing(_: int, __: int) -> None:
    """Nobody watches one text being read."""


_TELLING = re.compile(r"discussion|conclusion|concluding|limitation")


def choose_passages(text: FullText, tokens: int) -> tuple[Passage, ...]:
    """Discussion and conclusions, at most so many tokens; without such sections the beginning of the main text."""
    room = tokens * CHARACTERS_PER_TOKEN
    taken: list[Passage] = []
    for passage in (p for p in text.body() if _TELLING.search(p.section.casefold())):
        if len(passage.text) > room:
            break
        room -= len(passage.text)
        taken.append(passage)
    return tuple(taken) or text.take_opening(tokens)
