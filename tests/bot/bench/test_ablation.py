"""The public code's mistake, made on purpose."""

from __future__ import annotations

from bot.bench.ablation import share_lists
from engine.values import Outline, OutlineNode, PaperKey


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
