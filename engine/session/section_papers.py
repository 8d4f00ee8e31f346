"""Papers for the sections of an outline: which sections none speaks of, and what a search for one adds. Pure."""

from __future__ import annotations

from dataclasses import replace

from engine.session.outline_edits import change_node, node_at
from engine.text import terms
from engine.values import KeywordPool, Outline, OutlineNode, Paper, PaperSelection, walk_outline

SECTION_PAPERS = 12
"""Papers that a search adds to a section, at most."""


def word_section_query(outline: Outline, place: str, keywords: KeywordPool) -> str:
    """What to search for a section of that number: its title, with the topic where that says nothing of it.

    Raises `UserError` where the outline has no such section.
    """
    title, topic = node_at(outline, place).title, keywords.keywords[0].text
    return f"{topic} {title}" if set(terms(title)).isdisjoint(terms(topic)) else title


def supply_section(outline: Outline, place: str, keywords: KeywordPool, selection: PaperSelection) -> Outline:
    """The outline with the best of what was found for the section of that number in its place.

    In a section with parts each paper goes to the part with which it shares most words. Papers that are left out, and
    those that the section has, are not added; without any the outline stays as it is.
    """
    node, query = node_at(outline, place), word_section_query(outline, place, keywords)
    usable = {paper.key for paper in selection.list_included()} - set(node.all_papers())
    ranked = sorted(
        (rank, i)
        for i, item in enumerate(selection.found)
        if item.paper.key in usable and (rank := min((r.rank for r in item.reasons if r.keyword == query), default=0))
    )
    found = [selection.found[i].paper for _, i in ranked[:SECTION_PAPERS]]
    return change_node(outline, place, _with_papers(node, found)) if found else outline


def _with_papers(node: OutlineNode, papers: list[Paper]) -> OutlineNode:
    if not node.children:
        filled = replace(node, papers=(*node.papers, *(paper.key for paper in papers)))
    else:
        shares = _share_out(papers, node.children)
        parts = zip(node.children, shares, strict=True)
        filled = replace(node, children=tuple(_with_papers(child, share) for child, share in parts))
    return replace(filled, thin=node.thin and not papers)


def _share_out(papers: list[Paper], parts: tuple[OutlineNode, ...]) -> list[list[Paper]]:
    """For each part the papers that share more words with its heading than with the others'."""
    own = [set(terms(f"{part.title} {part.description}")) for part in parts]
    shares: list[list[Paper]] = [[] for _ in parts]
    for paper in papers:
        said = set(terms(f"{paper.title} {paper.content}"))
        shares[max(range(len(own)), key=lambda i: len(own[i] & said))].append(paper)
    return shares


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
