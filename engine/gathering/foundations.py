"""Foundations: papers that a topic's papers build on, and that do not name the topic themselves."""

from __future__ import annotations

from collections.abc import Sequence

from engine.gathering.synonyms import say_otherwise
from engine.text import terms
from engine.values import Paper, PaperKey, PaperSelection


def find_foundations(selection: PaperSelection, topic: str) -> frozenset[PaperKey]:
    """Papers found because others name them or are close to them, whose texts lack a word of the topic."""
    return frozenset(
        item.paper.key
        for item in selection.found
        if any(reason.by in ("foundation", "similar") for reason in item.reasons) and not names_topic(item.paper, topic)
    )


def choose_naming(papers: Sequence[Paper], topic: str) -> Sequence[Paper]:
    """The papers that name the topic; all where none does."""
    return [paper for paper in papers if names_topic(paper, topic)] or papers


def names_topic(paper: Paper, topic: str) -> bool:
    """Whether title and text together have all words of the topic, or of another name of it."""
    said = {*terms(paper.title), *terms(paper.content)}
    return any(said.issuperset(terms(name)) for name in (topic, *say_otherwise(topic)))
