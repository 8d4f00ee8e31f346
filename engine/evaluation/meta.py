"""Judging the judges: rankings compared with people's, and the knowledge test."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from engine.errors import UserError
from engine.evaluation.scores import Score
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill

RESAMPLES = 2_000


def rank_correlation(one: Sequence[float], other: Sequence[float], seed: int = 0) -> tuple[float, tuple[float, float]]:
    """Spearman's rho of two rankings of the same things, and its 95 % bootstrap interval (AE9).

    Raises `ValueError` for fewer than three or different numbers of things.
    """
    if len(one) != len(other) or len(one) < 3:
        raise ValueError("two rankings of the same three or more things are needed")
    from scipy import stats

    rho = float(stats.spearmanr(one, other).statistic)
    chance = random.Random(seed)
    drawn = []
    for _ in range(RESAMPLES):
        picks = [chance.randrange(len(one)) for _ in one]
        a, b = [one[i] for i in picks], [other[i] for i in picks]
        if len(set(a)) > 1 and len(set(b)) > 1:
            drawn.append(float(stats.spearmanr(a, b).statistic))
    low, high = np.percentile(drawn, [2.5, 97.5]) if drawn else (rho, rho)
    return rho, (float(low), float(high))


class Question(BaseModel):
    """A multiple-choice question; ``answer`` is the index of the right choice, from 0."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    choices: tuple[str, ...]
    answer: int


@dataclass(frozen=True, slots=True)
class KnowledgeTestResult:
    """Shares of right answers without and with the survey at hand (AE10)."""

    direct: float
    with_survey: float


class ChoiceAnswer(TypedAnswer):
    """The letter of a choice."""

    letter: Literal["A", "B", "C", "D", "E", "F"]


def read_questions(path: Path) -> tuple[Question, ...]:
    """Questions from a JSON list of ``{"question", "choices", "answer"}``; raises `UserError` for anything else."""
    try:
        questions = TypeAdapter(tuple[Question, ...]).validate_python(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise UserError(f"{path} is not a list of questions ({type(error).__name__}).") from error
    for i, question in enumerate(questions, start=1):
        if not 2 <= len(question.choices) <= 6 or not 0 <= question.answer < len(question.choices):
            raise UserError(f"Question {i} of {path} needs two to six choices, one of which is the answer.")
    return questions


async def knowledge_test(questions: Sequence[Question], survey: str, model: LanguageModel) -> KnowledgeTestResult:
    """The model's share of right answers, alone and with the survey. Raises `ValueError` for no question."""
    if not questions:
        raise ValueError("there are no questions")

    async def right(question: Question, material: str) -> bool:
        choices = "\n".join(f"{'ABCDEF'[i]}. {data(choice)}" for i, choice in enumerate(question.choices))
        prompt = fill("evaluation/question", material=data(material), question=data(question.question), choices=choices)
        answer = await model.answer_typed(Request("judging", "question", prompt, 64, 0.0), ChoiceAnswer)
        return "ABCDEF".index(answer.letter) == question.answer

    direct = await asyncio.gather(*(right(q, "(nothing)") for q in questions))
    helped = await asyncio.gather(*(right(q, survey) for q in questions))
    return KnowledgeTestResult(sum(direct) / len(questions), sum(helped) / len(questions))


def scored(tested: KnowledgeTestResult, count: int) -> tuple[Score, ...]:
    """The test as figures."""
    how = f"share of {count} multiple-choice questions"
    return (
        Score("knowledge test, direct", tested.direct, how),
        Score("knowledge test, with the survey", tested.with_survey, how),
    )
