"""From a question in free words to a title, three research questions and three queries (Jarvis' first prompt)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import Field as Bounded

from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.options import PaperKind
from engine.retrieval.online.queries import BooleanQuery, Field, plain_phrase
from engine.text import clean, inert, sentences, shorten, to_title_case
from engine.values import ALL_YEARS, YearRange

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
    subject: str = ""
    """The request itself, within a sentence; empty where a language model planned."""

    def restrict(self, kinds: tuple[PaperKind, ...]) -> ReviewScope:
        """With these kinds of publication in every query, where a person named some."""
        return replace(self, queries=tuple(replace(q, kinds=kinds) for q in self.queries)) if kinds else self

    def number_questions(self) -> str:
        """The questions as prompts have them."""
        return "\n".join(f"{i}. {data(question)}" for i, question in enumerate(self.questions, start=1))


async def plan_review(request: str, years: YearRange, model: LanguageModel | None) -> ReviewScope:
    """The scope of a review, in one call; ``years`` are those that were set apart from the request's words.

    A year that the model names counts where that one, or the one before or after ("after 2019"), stands in the request.
    """
    if model is None:
        return plan_by_rule(request, years)
    prompt = fill("quick/scope", request=data(request))
    answer = await model.answer_typed(Request("outline", "scope", prompt, 1_024, 0.3), ScopeAnswer)
    said = {int(number) + step for number in re.findall(r"\d{4}", request) for step in (-1, 0, 1)}
    first, last = (year if year in said else None for year in (answer.first_year, answer.last_year))
    years = YearRange(first, last) if years == ALL_YEARS else years
    bounds = BooleanQuery((), years, tuple(answer.kinds), tuple(answer.fields))
    queries = dict.fromkeys(query for q in answer.queries if (query := _query(q.groups, bounds)).groups)
    found = tuple(queries) or plan_by_rule(request, years).queries
    title = shorten(inert(clean(answer.title)).rstrip("."), TITLE_CHARACTERS) or to_title_case(request)
    questions = tuple(shorten(inert(next(iter(sentences(q)), "")), QUESTION_CHARACTERS) for q in answer.questions)
    return ReviewScope(title, questions, found, answer.life_sciences)


def plan_by_rule(request: str, years: YearRange) -> ReviewScope:
    """The scope of a review without a language model: the request as it is, the one question, in all places."""
    line = " ".join(request.strip(" ?.!").split())
    asked = f"{line[:1].upper()}{line[1:]}{'?' if request.strip().endswith('?') else ''}"
    return ReviewScope(
        shorten(asked, TITLE_CHARACTERS),
        (shorten(asked, QUESTION_CHARACTERS),),
        (_query([[line]], BooleanQuery((), years)),),
        life_sciences=True,
        subject=line,
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
