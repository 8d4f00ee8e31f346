"""Foundations: papers that a topic's papers build on, and that do not name the topic themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.gathering.synonyms import say_otherwise
from engine.text import terms
from engine.values import Paper, PaperKey, PaperSelection

TOPICS_KEPT = 64
"""Topics whose names are remembered."""


def find_foundations(selection: PaperSelection, topic: str) -> frozenset[PaperKey]:
    """Papers found because others name them or are close to them, whose texts lack a word of the topic."""
    return frozenset(
        item.paper.key
        for item in selection.found
        if any(reason.by in ("foundation", "similar") for reason in item.reasons) and not _says_topic(item.paper, topic)
    )


def prefer_on_topic(papers: Sequence[Paper], topic: str) -> Sequence[Paper]:
    """The papers that name the topic; all where none does."""
    return [paper for paper in papers if _says_topic(paper, topic)] or papers


def _says_topic(paper: Paper, topic: str) -> bool:
    """Whether title and text together have all words of the topic, or of another name of it."""
    said = {*terms(paper.title), *terms(paper.content)}
    return any(map(said.issuperset, _list_names(topic)))


@lru_cache(maxsize=TOPICS_KEPT)
def _list_names(topic: str) -> tuple[frozenset[str], ...]:
    """The terms of the topic, and those of each other name of it."""
    return tuple(frozenset(terms(name)) for name in (topic, *say_otherwise(topic)))
