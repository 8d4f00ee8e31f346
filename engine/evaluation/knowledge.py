"""The knowledge test (AE10): what a model knows of a topic alone, with a survey at hand, and with the papers."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from engine.errors import UserError
from engine.evaluation.scores import Score
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.retrieval.libraries.library import Library
from engine.text import fold
from engine.values import Paper, Query

UPPER_PAPERS, UPPER_TOKENS = 20, 30_000
"""What the upper bound is given: so many papers, retrieved with the choices, of at most so many tokens together."""

CHOICES = 4
"""Choices of a question that a program makes."""

_PROPOSED = re.compile(r"(\S+(?: \S+)?): (.{20,})")
"""A title that begins with the name of what its paper proposes."""


class Question(BaseModel):
    """A multiple-choice question; ``answer`` is the index of the right choice, from 0; without a topic it is of any."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    choices: tuple[str, ...]
    answer: int
    topic: str = ""


class ChoiceAnswer(TypedAnswer):
    """The letter of a choice."""

    letter: Literal["A", "B", "C", "D", "E", "F"]


def read_questions(path: Path) -> tuple[Question, ...]:
    """Questions from a JSON list of ``{"question", "choices", "answer", "topic"?}``; raises `UserError` for others."""
    try:
        questions = TypeAdapter(tuple[Question, ...]).validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is not a list of questions ({type(error).__name__}).") from error
    for i, question in enumerate(questions, start=1):
        if not 2 <= len(question.choices) <= 6 or not 0 <= question.answer < len(question.choices):
            raise UserError(f"Question {i} of {path} needs two to six choices, one of which is the answer.")
    return questions


def choose_questions(questions: Sequence[Question], topic: str) -> tuple[Question, ...]:
    """Those of the topic, and those of none."""
    return tuple(q for q in questions if not q.topic or fold(q.topic) == fold(topic))


def make_questions(papers: Sequence[Paper], topic: str, count: int, seed: int = 0) -> tuple[Question, ...]:
    """At most ``count`` questions "which paper proposed X?", the first papers first; ``papers`` are those of the topic.

    X is the name that a title begins with. The choices are titles without such names, so that none tells the answer;
    the wrong ones are of papers whose text does not name X.
    """
    chance, made = random.Random(seed), list[Question]()
    named = {paper: found for paper in papers if (found := _PROPOSED.fullmatch(paper.title))}
    bare = {paper.key: named[paper][2] if paper in named else paper.title for paper in papers}
    for paper, found in named.items():
        # Methods' names are written with a capital or a digit inside.
        is_name = all(any(ch.isupper() or ch.isdigit() for ch in word[1:]) for word in found[1].split())
        others = [p for p in papers if p.key != paper.key and not _names(f"{p.title} {p.content}", found[1])]
        if len(made) == count or not is_name or _names(found[2], found[1]) or len(others) < CHOICES - 1:
            continue
        choices = [bare[paper.key], *(bare[p.key] for p in chance.sample(others, CHOICES - 1))]
        shuffled = tuple(chance.sample(choices, len(choices)))
        asked = f"Which paper proposed {found[1]}?"
        made.append(Question(question=asked, choices=shuffled, answer=shuffled.index(choices[0]), topic=topic))
    return tuple(made)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.I) is not None


async def measure_knowledge(
    questions: Sequence[Question], survey: str, naive: str, model: LanguageModel, library: Library
) -> tuple[Score, ...]:
    """Shares of right answers under each condition; without a naive survey there is none with it."""
    count = len(questions)
    conditions = {"direct": "(nothing)", "with a naive survey": naive, "with the survey": survey}
    given: dict[str, Sequence[str]] = {name: [text] * count for name, text in conditions.items() if text}
    given["with the papers (upper bound)"] = await asyncio.gather(*(_retrieve(q, library) for q in questions))
    scores = []
    for name, materials in given.items():
        asked = zip(questions, materials, strict=True)
        right = await asyncio.gather(*(_is_right(question, material, model) for question, material in asked))
        how = f"share of {count} multiple-choice questions"
        scores.append(Score(f"knowledge test, {name}", sum(right) / count, how))
    return tuple(scores)


async def _is_right(question: Question, material: str, model: LanguageModel) -> bool:
    choices = "\n".join(f"{'ABCDEF'[i]}. {data(choice)}" for i, choice in enumerate(question.choices))
    prompt = fill("evaluation/question", material=data(material), question=data(question.question), choices=choices)
    answer = await model.answer_typed(Request("judging", "question", prompt, 64, 0.0), ChoiceAnswer)
    return "ABCDEF".index(answer.letter) == question.answer


async def _retrieve(question: Question, library: Library) -> str:
    """The papers nearest to the question and to each of its choices, in turns."""
    lists = [await library.search(Query(text, UPPER_PAPERS)) for text in (question.question, *question.choices)]
    turns = (item.paper for row in zip_longest(*lists) for item in row if item)
    papers = {paper.key: paper for paper in turns}
    texts = [f"{paper.title}\n{paper.content}" for paper in islice(papers.values(), UPPER_PAPERS)]
    return "\n\n".join(texts)[: UPPER_TOKENS * CHARACTERS_PER_TOKEN]
