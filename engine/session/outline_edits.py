"""Changes a person makes to an outline. Pure; each raises `UserError` where it cannot be done.

Sections are named by number: ``2`` is the second section, ``2.1`` its first part. A function here
returns the change, ready to be applied to whatever the outline is by then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.errors import UserError
from engine.values import Outline, OutlineNode, Paper, PaperKey, PaperSelection, walk_outline

Change = Callable[[Outline], Outline]
Path = tuple[int, ...]
Nodes = tuple[OutlineNode, ...]


LONGEST_TITLE = 300
"""Characters of a section's title."""

LONGEST_DESCRIPTION = 1_000
"""Characters of what a person says a section is about."""


def _require_title(title: str) -> None:
    if len(title) > LONGEST_TITLE:
        raise UserError(f"A title has at most {LONGEST_TITLE} characters; this one has {len(title):,}.")


def rename(place: str, title: str) -> Change:
    """Another title; its papers stay."""
    _require_title(title)
    return lambda outline: _at(
        outline, place, lambda nodes, i: (*nodes[:i], replace(nodes[i], title=title), *nodes[i + 1 :])
    )


def describe(place: str, description: str) -> Change:
    """Another description of what it says; title and papers stay."""
    if len(description) > LONGEST_DESCRIPTION:
        raise UserError(
            f"A description has at most {LONGEST_DESCRIPTION:,} characters; this one has {len(description):,}."
        )

    def described(nodes: Nodes, i: int) -> Nodes:
        if nodes[i].role != "body":
            raise UserError("Introduction and conclusion tell of the other sections; describe one of those.")
        return (*nodes[:i], replace(nodes[i], description=description), *nodes[i + 1 :])

    return lambda outline: _at(outline, place, described)


def drop(*places: str) -> Change:
    """Remove the sections with their parts; the last one about the topic stays."""

    def removed(nodes: Nodes, i: int) -> Nodes:
        return (*nodes[:i], *nodes[i + 1 :])

    def change(outline: Outline) -> Outline:
        result = outline
        for place in sorted(set(places), key=_path, reverse=True):  # from behind, so that numbers keep their meaning
            result = _at(result, place, removed)
        if not any(node.role == "body" for node in result.nodes):
            raise UserError("That is the last section about the topic; it has to stay.")
        return result

    return change


def move(place: str, target: str, *, after: bool) -> Change:
    """Put a section before or after another, at any level."""

    def change(outline: Outline) -> Outline:
        if target == place or target.startswith(f"{place}."):
            raise UserError(f"Section {place} cannot be moved into itself.")
        node = node_at(outline, place)
        marker = replace(node, title="\0")
        with_marker = _at(outline, place, lambda nodes, i: (*nodes[:i], marker, *nodes[i + 1 :]))
        placed = _at(with_marker, target, lambda nodes, i: (*nodes[: i + after], node, *nodes[i + after :]))
        return replace(placed, nodes=_remove_marker(placed.nodes, marker))

    return change


def merge(place: str, other: str) -> Change:
    """Two sections of one level become one, with both titles, all papers and all parts."""

    def change(outline: Outline) -> Outline:
        if place == other:
            raise UserError("A section cannot be merged with itself.")
        first, second = node_at(outline, place), node_at(outline, other)
        if first.role != "body" or second.role != "body":
            raise UserError("The introduction and the conclusion cannot be merged with another section.")
        if bool(first.children) != bool(second.children):
            first, second = _as_parts(first), _as_parts(second)
        joined = OutlineNode(
            f"{first.title}; {second.title}",
            _join_descriptions(first.description, second.description),
            tuple(dict.fromkeys((*first.papers, *second.papers))),
            thin=first.thin and second.thin,
            hint_papers=(*first.hint_papers, *second.hint_papers),
            children=(*first.children, *second.children),
        )
        marker = replace(second, title="\0")
        marked = _at(outline, other, lambda nodes, i: (*nodes[:i], marker, *nodes[i + 1 :]))
        placed = _at(marked, place, lambda nodes, i: (*nodes[:i], joined, *nodes[i + 1 :]))
        return replace(placed, nodes=_remove_marker(placed.nodes, marker))

    return change


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


def find_divisible(outline: Outline, selection: PaperSelection) -> str:
    """The number of the section with most papers that can be split; empty where none can."""
    sizes = {
        number: len(papers_of(node, selection))
        for number, node in walk_outline(outline.nodes)
        if node.role == "body" and "." not in number and _is_divisible(node, selection)
    }
    return max(sizes, key=lambda number: sizes[number], default="")


def _is_divisible(node: OutlineNode, selection: PaperSelection) -> bool:
    return len(node.children) > 1 or len(papers_of(node, selection)) >= SMALLEST_DIVIDED


def papers_of(node: OutlineNode, selection: PaperSelection) -> list[Paper]:
    """The papers of a section and its parts that may be used, best first."""
    keys = set(node.all_papers())
    return [paper for paper in selection.list_included() if paper.key in keys]


def split(place: str, parts: Nodes) -> Change:
    """The section gives way to these parts of it, which stand on its level."""
    return lambda outline: _at(outline, place, lambda nodes, i: (*nodes[:i], *parts, *nodes[i + 1 :]))


def change_node(outline: Outline, place: str, node: OutlineNode) -> Outline:
    """The outline with another node in the place of that number. Raises `UserError` where there is none."""
    return _at(outline, place, lambda nodes, i: (*nodes[:i], node, *nodes[i + 1 :]))


def place_paper(key: PaperKey, place: str) -> Change:
    """The paper belongs to that section, and to no other."""

    def placed(nodes: Nodes, i: int) -> Nodes:
        return (*nodes[:i], replace(nodes[i], papers=(*nodes[i].papers, key)), *nodes[i + 1 :])

    def change(outline: Outline) -> Outline:
        bare = replace(outline, nodes=tuple(_remove_paper(node, key) for node in outline.nodes))
        return _at(bare, place, placed)

    return change


def _remove_paper(node: OutlineNode, key: PaperKey) -> OutlineNode:
    children = tuple(_remove_paper(child, key) for child in node.children)
    return replace(node, papers=tuple(k for k in node.papers if k != key), children=children)


def add(title: str, place: str, *, after: bool = True) -> Change:
    """A new section after or before another (its papers are those nearest to its title)."""
    _require_title(title)

    def added(nodes: Nodes, i: int) -> Nodes:
        if after and nodes[i].role == "conclusion":
            raise UserError("The conclusion comes last; name a section before it.")
        if not after and nodes[i].role == "introduction":
            raise UserError("The introduction comes first; name a section after it.")
        return (*nodes[: i + after], OutlineNode(title), *nodes[i + after :])

    return lambda outline: _at(outline, place, added)


def add_last(title: str) -> Change:
    """A new section at the end, before the conclusion."""

    def change(outline: Outline) -> Outline:
        nodes = outline.nodes
        end = len(nodes) - (bool(nodes) and nodes[-1].role == "conclusion")
        return replace(outline, nodes=(*nodes[:end], OutlineNode(title), *nodes[end:]))

    return change


_LINE = re.compile(r"(\s*)(?:(\d{1,3}(?:\.\d{1,3})*)[.)]?(?:\s+|$))?(.*)", re.ASCII | re.S)


def as_lines(outline: Outline) -> str:
    """The outline as a text that a person can change: one line for each section, its number before its title."""
    return "\n".join(f"{'  ' * number.count('.')}{number} {node.title}" for number, node in walk_outline(outline.nodes))


def from_lines(text: str) -> Change:
    """The outline that the lines describe.

    A line with a number is that section, wherever it stands now, with the title given; one without is new; a section
    whose number is missing is dropped. New lines are parts where they are indented, others stay on their level.
    """

    def change(outline: Outline) -> Outline:
        used: set[str] = set()
        roots: list[tuple[OutlineNode, list[OutlineNode]]] = []
        for line in filter(str.strip, text.expandtabs(2).splitlines()):
            indent, place, title = _LINE.fullmatch(line.rstrip()).groups()  # type: ignore[union-attr]
            if place in used:
                raise UserError(f"Section {place} stands there twice. Give a new section no number.")
            used.add(place or "")
            used.discard("")
            if not title:
                raise UserError(f"Section {place} has no title.")
            node = replace(node_at(outline, place), title=title, children=()) if place else OutlineNode(title)
            is_part = place.count(".") > 0 if place else len(indent) >= 2
            if is_part and not roots:
                raise UserError(f"“{title[:80]}” is a part; a section has to stand before it.")
            if is_part:
                roots[-1][1].append(node)
            else:
                roots.append((node, []))
        nodes = tuple(replace(node, children=tuple(parts)) for node, parts in roots)
        _check_order(nodes)
        return replace(outline, nodes=nodes)

    return change


def _check_order(nodes: Nodes) -> None:
    if not any(node.role == "body" for node in nodes):
        raise UserError("At least one section about the topic has to stay.")
    if any(node.role == "introduction" for node in nodes[1:]):
        raise UserError("The introduction comes first.")
    if any(node.role == "conclusion" for node in nodes[:-1]):
        raise UserError("The conclusion comes last.")
    if any(node.children and node.role != "body" for node in nodes):
        raise UserError("The introduction and the conclusion have no parts.")


def _as_parts(node: OutlineNode) -> OutlineNode:
    if node.children:
        return node
    part = replace(node, children=())
    return replace(node, papers=(), children=(part,))


def _path(place: str) -> Path:
    return tuple(int(part) for part in place.split("."))


def node_at(outline: Outline, place: str) -> OutlineNode:
    """The section or part of that number. Raises `UserError` where there is none."""
    nodes: Sequence[OutlineNode] = outline.nodes
    found: OutlineNode | None = None
    for number in _path(place):
        if not 1 <= number <= len(nodes):
            raise UserError(f"There is no section {place} in the outline; it has sections 1 to {len(outline.nodes)}.")
        found = nodes[number - 1]
        nodes = found.children
    assert found is not None
    return found


def _at(outline: Outline, place: str, change: Callable[[Nodes, int], Nodes]) -> Outline:
    node_at(outline, place)

    def inside(nodes: Nodes, path: Path) -> Nodes:
        i = path[0] - 1
        if len(path) == 1:
            return change(nodes, i)
        parent = replace(nodes[i], children=inside(nodes[i].children, path[1:]))
        return (*nodes[:i], parent, *nodes[i + 1 :])

    return replace(outline, nodes=inside(outline.nodes, _path(place)))


def _remove_marker(nodes: Nodes, marker: OutlineNode) -> Nodes:
    """The nodes without the marker; a section whose last part went keeps standing as a leaf."""
    return tuple(replace(node, children=_remove_marker(node.children, marker)) for node in nodes if node != marker)
