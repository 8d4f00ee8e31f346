"""From a question in free words to its title, questions and queries (Jarvis' first prompt), and their papers."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from pydantic import Field as Bounded

from engine.errors import RetrievalError
from engine.gathering.candidates import FoundPapers
from engine.gathering.tiers import has_signal, measure_words
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.options import PaperKind, Sampling
from engine.retrieval.libraries.combined import leaves_out
from engine.retrieval.online.queries import BooleanQuery, Field, plain_phrase
from engine.retrieval.online.sources import PaperSearch
from engine.retrieval.ranking import measure_popularity
from engine.run import Progress, RunContext
from engine.text import clean, inert, sentences, shorten, to_title_case
from engine.values import ALL_YEARS, Brief, FoundPaper, Paper, Query, YearRange

QUESTIONS = 3
QUERIES = 3
TITLE_CHARACTERS = 160
QUESTION_CHARACTERS = 300
MOST_GROUPS, MOST_PHRASES = 6, 6


class QueryAnswer(TypedAnswer):
    """Groups that must all match, each by any of its phrases."""

    groups: list[list[str]] = Bounded(min_length=1)


class ScopeAnswer(TypedAnswer):
    """The plan of a review."""

    title: PlainText
    questions: list[PlainText] = Bounded(min_length=QUESTIONS, max_length=QUESTIONS)
    queries: list[QueryAnswer] = Bounded(min_length=QUERIES, max_length=QUERIES)
    first_year: int | None
    last_year: int | None
    kinds: list[PaperKind]
    fields: list[Field]
    life_sciences: bool


class QueriesAnswer(TypedAnswer):
    """Other words for the same search."""

    queries: list[QueryAnswer] = Bounded(min_length=1)


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """What a quick review asks and searches; the first question is the main one."""

    title: str
    questions: tuple[str, ...]
    queries: tuple[BooleanQuery, ...]
    life_sciences: bool = False

    def number_questions(self) -> str:
        """The questions as prompts have them."""
        return "\n".join(f"{i}. {data(question)}" for i, question in enumerate(self.questions, start=1))


async def plan_review(
    request: str, years: YearRange, model: LanguageModel | None, kinds: tuple[PaperKind, ...] = ()
) -> ReviewScope:
    """The scope of a review, in one call; ``years`` and ``kinds`` are those that were set apart from the request.

    A year that the model names counts where that one, or the one before or after ("after 2019"), stands in the request.
    """
    if model is None:
        return plan_by_rule(request, years, kinds)
    prompt = fill("quick/scope", request=data(request))
    answer = await model.answer_typed(Request("outline", "scope", prompt, 1_024, 0.3), ScopeAnswer)
    said = {int(number) + step for number in re.findall(r"\d{4}", request) for step in (-1, 0, 1)}
    first, last = (year if year in said else None for year in (answer.first_year, answer.last_year))
    years = YearRange(first, last) if years == ALL_YEARS else years
    bounds = BooleanQuery((), years, kinds or tuple(answer.kinds), tuple(answer.fields))
    queries = dict.fromkeys(query for q in answer.queries if (query := _query(q.groups, bounds)).groups)
    found = tuple(queries) or plan_by_rule(request, years, kinds).queries
    title = shorten(inert(clean(answer.title)).rstrip("."), TITLE_CHARACTERS) or to_title_case(request)
    questions = tuple(shorten(inert(next(iter(sentences(q)), "")), QUESTION_CHARACTERS) for q in answer.questions)
    return ReviewScope(title, questions, found, answer.life_sciences)


def plan_by_rule(request: str, years: YearRange, kinds: tuple[PaperKind, ...] = ()) -> ReviewScope:
    """The scope of a review without a language model: the request as it is, what all studies are asked, all places."""
    line = " ".join(request.strip(" ?.!").split())
    asked = f"{line[:1].upper()}{line[1:]}{'?' if request.strip().endswith('?') else ''}"
    questions = (asked, "Which methods and data do the studies use?", "What do the studies leave open?")
    return ReviewScope(
        shorten(asked, TITLE_CHARACTERS),
        tuple(shorten(question, QUESTION_CHARACTERS) for question in questions),
        (_query([[line]], BooleanQuery((), years, kinds)),),
        life_sciences=True,
    )


async def plan_other_queries(
    request: str, scope: ReviewScope, tried: Sequence[BooleanQuery], found: int, model: LanguageModel | None
) -> tuple[BooleanQuery, ...]:
    """Queries in other words, none of which was tried; none without a language model, since all words were ranked."""
    if model is None:
        return ()
    prompt = fill(
        "quick/queries",
        request=data(request),
        questions=scope.number_questions(),
        found=str(found),
        queries=data("\n".join(query.render() for query in tried)),
    )
    answer = await model.answer_typed(Request("outline", f"queries/{len(tried)}", prompt, 512, 0.5), QueriesAnswer)
    known = {query.groups for query in tried}
    new = dict.fromkeys(query for q in answer.queries if (query := _query(q.groups, tried[0])).groups not in known)
    return tuple(query for query in new if query.groups)[:QUERIES]


def _query(groups: Sequence[Sequence[str]], bounds: BooleanQuery) -> BooleanQuery:
    """Phrases without operators within the same bounds; empty ones and empty groups are left out."""
    kept = (tuple(dict.fromkeys(p for phrase in group if (p := plain_phrase(phrase)))) for group in groups)
    return replace(bounds, groups=tuple(group[:MOST_PHRASES] for group in kept if group)[:MOST_GROUPS])


LEAST_PAPERS = 10
MOST_RETRIES = 2
"""Fewer papers than that are looked for with other words, so often (Jarvis)."""

PLACE_S = 20.0
"""Seconds that one query may take in one place: the others do not wait for it any longer."""

RELEVANCE, CITATIONS, FULL_TEXT = 0.6, 0.25, 0.15
"""Weights by which papers are chosen for reading (today's Jarvis)."""


_Searched = tuple[str, BooleanQuery, Sequence[Paper], str]
"""What one place gave for a query: its name, the query, the papers and a note."""


@dataclass(kw_only=True)
class ReviewSearch(FoundPapers):
    """What was found so far for a quick review."""

    brief: Brief
    context: RunContext
    space: int
    """Papers taken of each query in each place, the best first."""

    async def run(self, request: str, scope: ReviewScope) -> tuple[BooleanQuery, ...]:
        """Search until there are papers enough or nothing else is left to try; the queries that were made.

        Raises `RetrievalError` where nothing was found because no place answered.
        """
        tried = list(scope.queries)
        await self._search(scope.queries, scope)
        for _ in range(MOST_RETRIES):
            if len(self.known.papers) >= LEAST_PAPERS:
                break
            count = len(self.known.papers)
            others = await plan_other_queries(request, scope, tried, count, self.context.model)
            if not others:
                break
            tried += others
            await self._search(others, scope)
        if not self.known.papers and self.records and all(record.note for record in self.records):
            raise RetrievalError(f"No place could be searched. {self.records[0].note}", retryable=True)
        return tuple(tried)

    async def _search(self, queries: Sequence[BooleanQuery], scope: ReviewScope) -> None:
        await self.context.progress(Progress("searching", detail="; ".join(query.render() for query in queries)))
        online = self.context.online
        async with asyncio.TaskGroup() as group:
            has_library = self.brief.library or self.context.library.name != "no library"
            tasks = [group.create_task(self._in_library(query)) for query in queries if has_library]
            if online:
                searched = online.places(life_sciences=scope.life_sciences)
                tasks += [group.create_task(self._online(place, query)) for query in queries for place in searched]
        for task in tasks:  # in the order of the queries, whoever answered first
            place, query, papers, note = task.result()
            self.take([paper for paper in papers if not leaves_out(self.brief, paper)], str(query))
            self.note_search(place, str(query), len(papers), note)

    async def _in_library(self, query: BooleanQuery) -> _Searched:
        """The most relevant papers; none where the library says no more of the query than by chance."""
        library, text = self.context.library, query.words()
        found = await library.search(Query(text, self.space, "relevance", query.years))
        papers = [item.paper for item in found]
        subject = await library.count_topic(text)
        if not has_signal(subject, await asyncio.to_thread(measure_words, subject, papers), is_question=True):
            papers = []
        return library.name, query, papers, ""

    async def _online(self, place: PaperSearch, query: BooleanQuery) -> _Searched:
        try:
            async with asyncio.timeout(PLACE_S):
                papers, _ = await place.find(query, self.space)
        except TimeoutError:
            return place.name, query, (), f"gave no answer within {PLACE_S:.0f} seconds"
        except RetrievalError as error:
            return place.name, query, (), f"left out: {error}"
        return place.name, query, papers, ""

    async def candidates(self, scope: ReviewScope, sampling: Sampling, seed: int) -> list[FoundPaper]:
        """The papers in the order in which they are read: by their weights, or at random as published.

        Those that a query names literally come first. Where no language model will judge them, they stay as they were
        found: those first that decide the question.
        """
        fused = [item for item in self.fuse() if not item.paper.retracted]
        scores = weigh_papers(fused, datetime.now(UTC).year) if self.context.model else [item.score for item in fused]
        weighted = [replace(item, score=float(score)) for item, score in zip(fused, scores, strict=True)]
        weighted.sort(key=lambda item: (not any(query.names(item.paper) for query in scope.queries), -item.score))
        if sampling == "random":
            weighted = weighted[: self.space]
            random.Random(seed).shuffle(weighted)
        return weighted


def weigh_papers(found: Sequence[FoundPaper], this_year: int) -> list[float]:
    """For each paper 0.6 · relevance + 0.25 · citations + 0.15 · full text, each from 0 to 1."""
    if not found:
        return []
    cited = measure_popularity([item.paper for item in found], this_year)
    parts = np.array([[item.score for item in found], cited, [item.paper.is_open for item in found]], np.float64)
    parts -= parts.min(axis=1, keepdims=True)
    parts /= np.maximum(parts.max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    weighted: list[float] = (np.array([RELEVANCE, CITATIONS, FULL_TEXT]) @ parts).tolist()
    return weighted
