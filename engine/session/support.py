"""Which sections of an outline no gathered paper speaks of: they are found before anything is written for them."""

from __future__ import annotations

from engine.text import terms
from engine.values import Outline, OutlineNode, PaperSelection, walk_outline


def find_unsupported(outline: Outline, selection: PaperSelection, topic: str) -> list[tuple[str, OutlineNode]]:
    """Sections and parts without papers, by number, whose own words stand in no paper that is included.

    Words of the topic are not a section's own: every paper has them. One that has no others is about the topic itself.
    """
    known = set(terms(topic))
    bare = {
        number: (node, set(terms(f"{node.title} {node.description}")) - known)
        for number, node in walk_outline(outline.nodes)
        if node.role == "body" and not (node.papers or node.children)
    }
    sought = {number: own for number, (_, own) in bare.items() if own}
    for paper in selection.list_included():
        if not sought:
            break
        said = set(terms(f"{paper.title} {paper.content}"))
        sought = {number: own for number, own in sought.items() if own.isdisjoint(said)}
    return [(number, bare[number][0]) for number in sought]
