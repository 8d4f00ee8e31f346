"""`scholium bench ablation`: the published tables, and the public code's mistake, made on purpose."""

from __future__ import annotations

import pytest
from rich.console import Console

from bot.bench.ablation import ABLATIONS, ablate, share_lists
from engine.errors import UserError
from engine.values import Brief, Outline, OutlineNode, PaperKey


def part(name: str) -> OutlineNode:
    return OutlineNode(name, papers=(PaperKey(f"doi:10.1/{name}"),))


def test_the_parts_of_every_section_get_the_papers_of_the_first_parts_of_all() -> None:
    outline = Outline(
        "T",
        (
            OutlineNode("Introduction", role="introduction"),
            OutlineNode("A", children=(part("a1"), part("a2"))),
            OutlineNode("B", children=(part("b1"), part("b2"), part("b3"))),
        ),
    )
    shared = share_lists(outline)
    papers = [[child.papers for child in node.children] for node in shared.nodes[1:]]
    a1, a2, b1 = (part(name).papers for name in ("a1", "a2", "b1"))
    assert papers == [[a1, a2], [a1, a2, b1]]
    assert [node.title for node in shared.nodes] == [node.title for node in outline.nodes]


def test_every_published_row_has_a_figure_for_each_measure() -> None:
    assert set(ABLATIONS) == {"autosurvey", "surveyx"}
    for ablation in ABLATIONS.values():
        assert {len(row) for row in ablation.published.values()} == {len(ablation.measures)}
        assert ablation.variants["whole"].needs_model


async def test_a_recipe_without_published_ablations_is_refused() -> None:
    with pytest.raises(UserError, match="an ablation of autosurvey and surveyx, not of quick"):
        await ablate(Console(), Brief("dense retrieval", "quick"))
