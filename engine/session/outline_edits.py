"""Changes of an outline: those that a person makes, and papers for its sections. Pure.

Sections are named by number: ``2`` is the second section, ``2.1`` its first part. What a person wants is called without
the outline and gives an `EditOutline`, which raises `UserError` where it cannot be done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Concatenate, ParamSpec

from engine.errors import UserError
from engine.session.events import EditOutline
from engine.text import terms
from engine.values import KeywordPool, Outline, OutlineNode, Paper, PaperSelection, walk_outline

Nodes = tuple[OutlineNode, ...]
P = ParamSpec("P")


LONGEST_TITLE = 300
"""Characters of a section's title."""

LONGEST_DESCRIPTION = 1_000
"""Characters of what a person says a section is about."""


def _later(change: Callable[Concatenate[Outline, P], Outline]) -> Callable[P, EditOutline]:
    """The function as one that gives the event, to be made of whatever the outline is by then."""
    return lambda *args, **kwargs: EditOutline(lambda outline: change(outline, *args, **kwargs))


def _require_short(what: str, text: str, most: int) -> None:
    if len(text) > most:
        raise UserError(f"A {what} has at most {most:,} characters; this one has {len(text):,}.")


@_later
def rename(outline: Outline, place: str, title: str) -> Outline:
    """Another title; its papers stay."""
    _require_short("title", title, LONGEST_TITLE)
    return splice(outline, place, replace(node_at(outline, place), title=title))


@_later
def describe(outline: Outline, place: str, description: str) -> Outline:
    """Another description of what it says; title and papers stay."""
    _require_short("description", description, LONGEST_DESCRIPTION)
    node = node_at(outline, place)
    if node.role != "body":
        raise UserError("Introduction and conclusion tell of the other sections; describe one of those.")
    return splice(outline, place, replace(node, description=description))


@_later
def drop(outline: Outline, *places: str) -> Outline:
    """Remove the sections with their parts; the last one about the topic stays."""
    for place in sorted(set(places), key=_path, reverse=True):  # from behind, so that numbers keep their meaning
        outline = splice(outline, place)
    if not any(node.role == "body" for node in outline.nodes):
        raise UserError("That is the last section about the topic; it has to stay.")
    return outline


@_later
def move(outline: Outline, place: str, target: str, *, after: bool) -> Outline:
    """Put a section before or after another, at any level."""
    if target == place or target.startswith(f"{place}."):
        raise UserError(f"Section {place} cannot be moved into itself.")
    node = node_at(outline, place)
    gap = replace(node, title="\0")  # stands in its old place, so that numbers keep their meaning
    gapped = splice(outline, place, gap)
    other = node_at(gapped, target)
    placed = splice(gapped, target, *((other, node) if after else (node, other)))
    return _require_order(outline, replace(placed, nodes=_without(placed.nodes, gap)))


@_later
def merge(outline: Outline, place: str, other: str) -> Outline:
    """Two sections of one level become one, with both titles, all papers and all parts."""
    if f"{place}.".startswith(f"{other}.") or other.startswith(f"{place}."):
        raise UserError("A section cannot be merged with itself or with its own parts.")
    first, second = node_at(outline, place), node_at(outline, other)
    if first.role != "body" or second.role != "body":
        raise UserError("The introduction and the conclusion cannot be merged with another section.")
    if bool(first.children) != bool(second.children):
        first, second = (n if n.children else replace(n, papers=(), children=(n,)) for n in (first, second))
    joined = OutlineNode(
        f"{first.title}; {second.title}",
        _join_descriptions(first.description, second.description),
        tuple(dict.fromkeys((*first.papers, *second.papers))),
        hint_papers=(*first.hint_papers, *second.hint_papers),
        children=(*first.children, *second.children),
    )
    return splice(splice(outline, place, joined), other)


def _join_descriptions(first: str, second: str) -> str:
    """Both, once each; of two lists under the same words, such as “Set apart by: …”, one list."""
    (label, colon, items), (other, _, more) = first.partition(": "), second.partition(": ")
    if colon and label == other:
        return f"{label}: {', '.join(dict.fromkeys((*items.split(', '), *more.split(', '))))}"
    return "; ".join(dict.fromkeys(d for d in (first, second) if d))


SMALLEST_DIVIDED = 6
"""Papers of a section that can be divided by them."""


def find_parts(outline: Outline, place: str, selection: PaperSelection) -> Nodes:
    """The parts that a section can be split into; none where it has to be divided by its papers.

    Raises `UserError` where it has too few papers for that.
    """
    node = node_at(outline, place)
    if node.role != "body":
        raise UserError("The introduction and the conclusion cannot be split.")
    if len(node.children) > 1:
        return node.children
    count = len(papers_of(node, selection))
    if count < SMALLEST_DIVIDED:
        raise UserError(
            f"Section {place} has {count} {'paper' if count == 1 else 'papers'}, too few to split: it takes "
            f"{SMALLEST_DIVIDED}. To begin another section: add section TITLE after {place}"
        )
    return ()


def papers_of(node: OutlineNode, selection: PaperSelection) -> list[Paper]:
    """The papers of a section and its parts that may be used, best first."""
    keys = set(node.all_papers())
    return [paper for paper in selection.list_included() if paper.key in keys]


def place_paper(outline: Outline, paper: Paper, place: str) -> Outline:
    """The paper belongs to that section, and to no other; in one with parts, to the part that speaks most of it."""

    def bare(node: OutlineNode) -> OutlineNode:
        papers = tuple(k for k in node.papers if k != paper.key)
        return replace(node, papers=papers, children=tuple(map(bare, node.children)))

    without = replace(outline, nodes=tuple(map(bare, outline.nodes)))
    placed = splice(without, place, _with_papers(node_at(without, place), [paper]))
    # Where it is there already it keeps its place among the papers: their order would have the text written anew.
    return outline if _find_homes(outline, paper) == _find_homes(placed, paper) else placed


def _find_homes(outline: Outline, paper: Paper) -> list[str]:
    return [number for number, node in walk_outline(outline.nodes) if paper.key in node.papers]


@_later
def add(outline: Outline, title: str, place: str = "", *, after: bool = True) -> Outline:
    """A new section after or before another, or else last, before the conclusion; its papers are found by its title."""
    _require_short("title", title, LONGEST_TITLE)
    new, nodes = OutlineNode(title), outline.nodes
    if not place:
        end = len(nodes) - (bool(nodes) and nodes[-1].role == "conclusion")
        return replace(outline, nodes=(*nodes[:end], new, *nodes[end:]))
    node = node_at(outline, place)
    if after and node.role == "conclusion":
        raise UserError("The conclusion comes last; name a section before it.")
    if not after and node.role == "introduction":
        raise UserError("The introduction comes first; name a section after it.")
    return splice(outline, place, *((node, new) if after else (new, node)))


_LINE = re.compile(r"(\s*)(?:(\d{1,3}(?:\.\d{1,3})*)[.)]?(?:\s+|$))?(.*)", re.ASCII | re.S)


def as_lines(outline: Outline) -> str:
    """The outline as a text that a person can change: one line for each section, its number before its title."""
    return "\n".join(f"{'  ' * number.count('.')}{number} {node.title}" for number, node in walk_outline(outline.nodes))


@_later
def from_lines(outline: Outline, text: str) -> Outline:
    """The outline that the lines describe.

    A line with a number is that section, wherever it stands now, with the title given; one without is new; a section
    whose number is missing is dropped. New lines are parts where they are indented, others stay on their level.
    """
    used: set[str] = set()
    roots: list[tuple[OutlineNode, list[OutlineNode]]] = []
    for line in filter(str.strip, text.expandtabs(2).splitlines()):
        indent, place, title = _LINE.fullmatch(line.rstrip()).groups()  # type: ignore[union-attr]
        if place in used:
            raise UserError(f"Section {place} stands there twice. Give a new section no number.")
        used |= {place} if place else set()
        if not title:
            raise UserError(f"Section {place} has no title.")
        _require_short("title", title, LONGEST_TITLE)
        node = replace(node_at(outline, place), title=title, children=()) if place else OutlineNode(title)
        is_part = place.count(".") > 0 if place else len(indent) >= 2
        if is_part and not roots:
            raise UserError(f"“{title[:80]}” is a part; a section has to stand before it.")
        if is_part:
            roots[-1][1].append(node)
        else:
            roots.append((node, []))
    nodes = tuple(replace(node, children=tuple(parts)) for node, parts in roots)
    return _require_order(outline, replace(outline, nodes=nodes))


def _require_order(before: Outline, changed: Outline) -> Outline:
    """The changed outline. Raises `UserError` where its order is wrong in a way in which it was not before."""
    had = set(_find_disorder(before.nodes))  # a template puts its sections where it wants them
    for why in _find_disorder(changed.nodes):
        if why not in had:
            raise UserError(why)
    return changed


def _find_disorder(nodes: Nodes) -> Iterator[str]:
    if not any(node.role == "body" for node in nodes):
        yield "At least one section about the topic has to stay."
    outer = {number: node.role for number, node in walk_outline(nodes) if node.role != "body"}
    if any(role == "introduction" and number != "1" for number, role in outer.items()):
        yield "The introduction comes first."
    if any(role == "conclusion" and number != str(len(nodes)) for number, role in outer.items()):
        yield "The conclusion comes last."
    if any(node.children and node.role != "body" for node in nodes):
        yield "The introduction and the conclusion have no parts."


def _path(place: str) -> tuple[int, ...]:
    return tuple(int(part) for part in place.split("."))


def node_at(outline: Outline, place: str) -> OutlineNode:
    """The section or part of that number. Raises `UserError` where there is none."""
    node = dict(walk_outline(outline.nodes)).get(place)
    if node is None:
        raise UserError(f"There is no section {place} in the outline; it has sections 1 to {len(outline.nodes)}.")
    return node


def splice(outline: Outline, place: str, *given: OutlineNode) -> Outline:
    """The outline with these in the place of the section of that number. Raises `UserError` where there is none."""
    node_at(outline, place)

    def inside(nodes: Nodes, path: tuple[int, ...]) -> Nodes:
        i = path[0] - 1
        below = path[1:] and (replace(nodes[i], children=inside(nodes[i].children, path[1:])),)
        return (*nodes[:i], *(below or given), *nodes[i + 1 :])

    return replace(outline, nodes=inside(outline.nodes, _path(place)))


def _without(nodes: Nodes, gap: OutlineNode) -> Nodes:
    """The nodes without the gap; a section whose last part went keeps standing as a leaf."""
    return tuple(replace(node, children=_without(node.children, gap)) for node in nodes if node != gap)


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
    return splice(outline, place, _with_papers(node, found)) if found else outline


def _with_papers(node: OutlineNode, papers: list[Paper]) -> OutlineNode:
    """With each paper in the part that shares more words with it than the others do."""
    if not node.children:
        return replace(node, papers=(*node.papers, *(paper.key for paper in papers)))
    own = [set(terms(part.describe())) for part in node.children]
    shares: list[list[Paper]] = [[] for _ in own]
    for paper in papers:
        said = set(terms(f"{paper.title} {paper.content}"))
        shares[max(range(len(own)), key=lambda i: len(own[i] & said))].append(paper)
    return replace(node, children=tuple(map(_with_papers, node.children, shares)))


def find_unsupported(outline: Outline, selection: PaperSelection, topic: str) -> set[str]:
    """Numbers of sections and parts without papers whose own words stand in no paper that is included.

    Words of the topic are not a section's own: every paper has them. One that has no others is about the topic itself.
    """
    known = set(terms(topic))
    nodes = ((number, node) for number, node in walk_outline(outline.nodes) if node.role == "body")
    bare = {n: set(terms(node.describe())) - known for n, node in nodes if not (node.papers or node.children)}
    sought = {number: own for number, own in bare.items() if own}
    for paper in selection.list_included():
        if not sought:  # the first few papers of a thousand say the words of nearly every section
            break
        said = set(terms(f"{paper.title} {paper.content}"))
        sought = {number: own for number, own in sought.items() if own.isdisjoint(said)}
    return set(sought)
