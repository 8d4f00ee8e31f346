"""Hints, subsections, and putting them in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.recipes.surveyx_outline import (
    FilledSection,
    Heading,
    ReorganiseAnswer,
    merge_same,
    place_headings,
)
from engine.retrieval.embedding import Vectors
from engine.values import Outline, OutlineNode, PaperKey, walk_outline
from tests.fakes import WordEmbedder


def node(title: str, *keys: str) -> OutlineNode:
    papers = tuple(map(PaperKey, keys))
    return OutlineNode(title, papers=papers, hint_papers=papers)


def outline_of(*sections: tuple[str, ...]) -> Outline:
    body = [OutlineNode(f"Section {i}", children=tuple(map(node, parts))) for i, parts in enumerate(sections)]
    first, last = OutlineNode("Introduction", role="introduction"), OutlineNode("Conclusion", role="conclusion")
    return Outline("T", (first, *body, last))


def taken(outline: Outline) -> list[Heading]:
    return [(i, child) for i, top in enumerate(outline.nodes) for child in top.children]


def test_headings_that_say_the_same_become_one_with_the_papers_of_both() -> None:
    one, again, other = (
        node("Dense Retrieval", "a", "b"),
        node("retrieval, dense", "b", "c"),
        node("Graph Attention", "d"),
    )
    kept = merge_same([(1, one), (2, other), (3, again)], WordEmbedder())
    assert [(section, heading.title) for section, heading in kept] == [(1, "Dense Retrieval"), (2, "Graph Attention")]
    assert kept[0][1].papers == ("a", "b", "c")
    assert kept[0][1].hint_papers == ("a", "b", "b", "c")


def test_headings_about_different_things_stay_where_all_headings_are_close() -> None:
    class Crowded:
        """Learnt from so few papers that it tells nothing apart."""

        name = "crowded"

        def embed(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), 1), np.float32)

    titles = ("Drafting Inside the Target Model", "Adaptive Draft Lengths", "Lengths of Adaptive Drafts")
    kept = merge_same([(1, node(title, "a")) for title in titles], Crowded())
    assert [heading.title for _, heading in kept] == list(titles[:2])


def test_a_heading_goes_where_the_answer_puts_it_first() -> None:
    outline = outline_of(("A", "B"), ("C", "D"))
    answer = ReorganiseAnswer(
        sections=[
            FilledSection(section="2", headings=[3, 1, 9]),
            FilledSection(section="3", headings=[1, 2]),
            FilledSection(section="1", headings=[2]),
            FilledSection(section="x", headings=[2]),
        ],
    )
    placed = place_headings(outline, taken(outline), answer)
    assert [[child.title for child in top.children] for top in placed.nodes] == [[], ["C", "A"], ["B", "D"], []]


ANSWERS = st.builds(
    ReorganiseAnswer,
    sections=st.lists(
        st.builds(
            FilledSection,
            section=st.sampled_from(["0", "1", "2", "3", "4", "5", "x"]),
            headings=st.lists(st.integers(0, 9)),
        ),
        max_size=6,
    ),
)


@given(ANSWERS)
def test_whatever_the_answer_every_surviving_heading_is_placed_once(answer: ReorganiseAnswer) -> None:
    outline = outline_of(("A", "B"), ("C", "D", "E"), ("F",))
    headings = [(at, replace(top, papers=(PaperKey(top.title),))) for at, top in taken(outline)]
    placed = place_headings(outline, headings, answer)
    titles = [n.title for number, n in walk_outline(placed.nodes) if "." in number]
    assert len(titles) == len(set(titles))
    assert {key for _, n in walk_outline(placed.nodes) for key in n.papers} == set("ABCDEF")
    assert set(titles) == set("ABCDEF")
    assert not placed.nodes[0].children
    assert not placed.nodes[-1].children
