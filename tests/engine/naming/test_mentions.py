"""A paper says a heading where its words stand side by side, not anywhere in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from engine.naming.lines_of_work import Field, find_lines_of_work
from engine.naming.phrases import GroupedPhrases
from engine.values import Paper
from tests.fakes import WordEmbedder, paper

PLACES = ("Spain", "Kenya", "Peru", "Norway", "Chile", "Ghana", "Nepal", "Cuba")


def write_line(title: str, text: str) -> list[Paper]:
    return [paper(i, title=title.format(place), abstract=text.format(place)) for i, place in enumerate(PLACES)]


def holds(heading: str, title: str, abstract: str, line: list[Paper], topic: str = "farming") -> bool:
    """Whether a paper of that title and abstract stands under the heading of the line."""
    others = [paper(100 + i, title=f"{place} Owls", abstract=f"{place} owls.") for i, place in enumerate(PLACES)]
    asked = paper(200, title=title, abstract=abstract)
    papers = [*line, *others, asked]
    field = Field(GroupedPhrases([papers]), WordEmbedder().embed([p.content for p in papers]), topic, least=3)
    lines = {one.name: one.papers for one in find_lines_of_work(field, np.array([0] * 8 + [1] * 9), 8)}
    return asked in lines[heading]


@pytest.mark.parametrize(
    ("abstract", "is_held"),
    [
        ("We study autonomous driving in Cuba. Autonomous driving needs cars.", True),
        ("Autonomous platforms such as trains without anybody driving are in Cuba. We walk there.", False),
    ],
)
def test_words_apart_are_not_the_heading(abstract: str, is_held: bool) -> None:  # noqa: FBT001
    line = write_line("Autonomous Driving in {}", "We study autonomous driving in {}. Autonomous driving needs cars.")
    assert holds("Autonomous Driving", "Owls", abstract, line) == is_held


@pytest.mark.parametrize(
    ("title", "is_held"), [("Person Search by Night", True), ("Searching Persons", True), ("Search for Owls", False)]
)
def test_a_word_beside_the_topics_is_needed_where_it_is_not_the_first(title: str, is_held: bool) -> None:  # noqa: FBT001
    line = write_line("Person Search in {}", "Person search in {} finds people.")
    assert holds("Person Search", title, "Nothing.", line, topic="person re-identification") == is_held
