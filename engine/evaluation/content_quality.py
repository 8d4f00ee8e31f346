"""Content quality, 1 to 5, by several judges; pairwise comparison with positions swapped."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from pydantic import Field

from engine.evaluation.documents import Document
from engine.evaluation.scores import Score, score_criteria
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.rubrics import CRITERIA, Criterion, list_levels

LONGEST_READ = 400_000
"""Characters of a survey that a judge reads."""


class Grade(TypedAnswer):
    """A judge's score with its reason."""

    reason: str
    score: int = Field(ge=1, le=5)


class PreferenceAnswer(TypedAnswer):
    """Which of two surveys is better."""

    reason: str
    better: Literal["first", "second", "equal"]


async def grade_content(document: Document, topic: str, judges: Mapping[str, LanguageModel]) -> tuple[Score, ...]:
    """Each criterion by each judge: mean over judges, their spread, and the reasons; then both averages."""
    if not judges:
        return (Score("content quality", None, "no judge: configure a language model"),)
    text = _as_text(document)[:LONGEST_READ]

    async def grade(criterion: Criterion, judge: LanguageModel) -> Grade:
        prompt = fill(
            "evaluation/grade",
            topic=data(topic),
            survey=data(text),
            criterion=criterion,
            levels=list_levels(criterion),
        )
        return await judge.answer_typed(Request("judging", f"grade/{criterion}", prompt, 512, 0.0), Grade)

    asking = [asyncio.gather(*(grade(criterion, judge) for judge in judges.values())) for criterion in CRITERIA]
    given = dict(zip(CRITERIA, await asyncio.gather(*asking), strict=True))
    points = {criterion: [float(a.score) for a in own] for criterion, own in given.items()}
    scores = score_criteria(points, f"1 to 5, judged by {', '.join(judges)}")
    for criterion, own in given.items():
        reasons = tuple(f"{name}: {a.score}: {a.reason}" for name, a in zip(judges, own, strict=True))
        scores[criterion] = replace(scores[criterion], details=reasons)
    return tuple(scores.values())


async def compare_surveys(
    first: Document, second: Document, topic: str, judges: Mapping[str, LanguageModel]
) -> tuple[float, float]:
    """How often the first survey is preferred, asked in both orders (AE9), and how often the order does not matter.

    A draw is half. Raises `ValueError` for no judge.
    """
    if not judges:
        raise ValueError("there is no judge")

    async def ask(a: Document, b: Document, judge: LanguageModel) -> PreferenceAnswer:
        texts = (data(_as_text(d)[: LONGEST_READ // 2]) for d in (a, b))
        prompt = fill("evaluation/compare", topic=data(topic), first=next(texts), second=next(texts))
        return await judge.answer_typed(Request("judging", "compare", prompt, 512, 0.0), PreferenceAnswer)

    value = {"first": 1.0, "second": 0.0, "equal": 0.5}
    wins, same = [], []
    for judge in judges.values():
        straight, swapped = await asyncio.gather(ask(first, second, judge), ask(second, first, judge))
        one, two = value[straight.better], 1 - value[swapped.better]
        wins += [one, two]
        same.append(float(one == two))
    return statistics.fmean(wins), statistics.fmean(same)


def _as_text(document: Document) -> str:
    return "\n\n".join([document.title, *(f"{part.title}\n{part.text}" for part in document.parts)])
