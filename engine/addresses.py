"""Sentences of a paper by number: what a prompt shows, a draft cites (``[@key:3]``) and `why` shows again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from engine.text import sentences, strip_quotes
from engine.values import Paper

LATEST_PAPERS = 4_096
"""Papers whose sentences are kept: prompts, checks and estimates need those of a survey's papers dozens of times."""


Level = Literal["abstract", "full text", "summary"]
"""What is read of a paper; a summary is in somebody else's words and is never quoted."""


@dataclass(frozen=True, slots=True)
class NumberedSentence:
    """A sentence as it stands in a paper; ``number`` counts from 1, ``page`` is known of a full text with pages."""

    number: int
    text: str
    source: Level
    page: int | None = None
    section: str = ""


@lru_cache(maxsize=LATEST_PAPERS)
def number_sentences(paper: Paper) -> tuple[NumberedSentence, ...]:
    """The sentences of its abstract, or else of its summary, then those of the passages of its text, from 1.

    A paper's abstract has the same numbers whether or not its text was read.
    """
    kind: Level = "abstract" if paper.abstract else "summary"
    of_content = sentences(strip_quotes(paper.content))
    found = [NumberedSentence(0, said, kind, section=kind.capitalize()) for said in of_content]
    for passage in paper.body:
        own = sentences(passage.text)
        found += [NumberedSentence(0, said, "full text", passage.page, passage.section) for said in own]
    return tuple(replace(said, number=number) for number, said in enumerate(found, start=1))


def sentences_at(paper: Paper, numbers: Iterable[int]) -> tuple[NumberedSentence, ...]:
    """The sentences with these numbers, in the order of the paper; a number that it does not have gives nothing."""
    wanted = set(numbers)
    return tuple(sentence for sentence in number_sentences(paper) if sentence.number in wanted)


def locate_words(words: str, paper: Paper) -> NumberedSentence | None:
    """The sentence in which these words begin, letter for letter; ``None`` where they stand nowhere."""
    begin = next(iter(sentences(words)), "")
    return next((s for s in number_sentences(paper) if begin in s.text), None) if begin else None
