"""Outlines as a model gives them and as prompts show them, and the chunks of papers that they are drafted from."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import ceil

from pydantic import Field

from engine.llm.model import PlainText, TypedAnswer
from engine.llm.prompting import GIST_TOKENS, data, paper_tokens
from engine.values import Outline, Paper, walk_outline
from engine.writing.model_text import HeadingText

CHUNK_TOKENS = 30_000
"""AutoSurvey's size of an outline chunk; only abstracts at this stage."""


class Plan(TypedAnswer):
    """A section or subsection to be written."""

    title: HeadingText
    description: PlainText


class OutlineAnswer(TypedAnswer):
    """An outline of one level."""

    title: HeadingText
    sections: list[Plan] = Field(min_length=2)


class SubsectionsAnswer(TypedAnswer):
    """The parts of a section."""

    subsections: list[Plan] = Field(min_length=1)


class DuplicatesAnswer(TypedAnswer):
    """Numbers of subsections to leave out."""

    repeated: list[str]


def divide_into_chunks(
    papers: Sequence[Paper], seed: int, tokens: int = CHUNK_TOKENS, *, each: int = GIST_TOKENS
) -> list[list[Paper]]:
    """Papers in random order in chunks of at most so many tokens, ``each`` of a paper; together all of them.

    The chunks are as few as they can be, and about as large as one another: the largest is waited for.
    """
    shuffled = list(papers)
    random.Random(seed).shuffle(shuffled)
    sizes = [paper_tokens(paper, each) for paper in shuffled]
    count = min(ceil(sum(sizes) / tokens), len(shuffled))
    while True:
        chunks: list[list[Paper]] = [[] for _ in range(count)]
        filled = [0] * count
        for paper, size in zip(shuffled, sizes, strict=True):
            emptiest = filled.index(min(filled))
            chunks[emptiest].append(paper)
            filled[emptiest] += size
        if count == len(shuffled) or max(filled) <= tokens:
            return chunks
        count += 1


def outline_text(outline: Outline, *, describes_parts: bool = False) -> str:
    """The outline for prompts: numbers, titles, the sections' descriptions and, where wanted, those of their parts."""
    return "\n".join(
        f"{number} {data(node.title)}" + (f": {data(node.description)}" if "." not in number or describes_parts else "")
        for number, node in walk_outline(outline.nodes)
    )
