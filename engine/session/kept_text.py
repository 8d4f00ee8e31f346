"""What a changed outline leaves of a text that was written before: the parts it does not touch. Pure.

A part is the same where its heading, its description and its papers are. One whose claims could not be checked when it
was written stays and is checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.survey import Section
from engine.values import Outline, OutlineNode, PaperKey, walk_outline


@dataclass(frozen=True, slots=True)
class KeptPart:
    """A part that stays: its number in the outline to be written, and whether its claims were checked."""

    place: str
    section: Section
    is_checked: bool = True


@dataclass(frozen=True, slots=True)
class KeptText:
    """Whole sections that stay as they are, by position from 0, and the parts that stay of the others."""

    sections: tuple[tuple[int, Section], ...] = ()
    parts: tuple[KeptPart, ...] = ()


def leaves_of(nodes: tuple[OutlineNode, ...]) -> list[tuple[str, OutlineNode]]:
    """The parts that are written, with their numbers, in reading order."""
    return [(number, node) for number, node in walk_outline(nodes) if not node.children]


def position_of(number: str) -> int:
    """The position, from 0, of the section that a part of that number belongs to."""
    return int(number.split(".")[0]) - 1


def parts_to_write(outline: Outline, kept: KeptText) -> list[tuple[str, OutlineNode]]:
    """The parts that do not stay, with their numbers; the frame among them."""
    whole, stays = {position for position, _ in kept.sections}, {part.place for part in kept.parts}
    return [(n, leaf) for n, leaf in leaves_of(outline.nodes) if position_of(n) not in whole and n not in stays]


def list_missing(outline: Outline, sections: Mapping[int, Section]) -> list[tuple[str, OutlineNode]]:
    """What of the outline the sections, by position, do not hold, with its number: whole sections, else their parts."""
    written = _find_texts(outline, sections)
    missing: list[tuple[str, OutlineNode]] = []
    for number, node in walk_outline(outline.nodes):
        section = sections.get(position_of(number))
        is_missing = section.sections and not node.children and number not in written if section else "." not in number
        if is_missing:
            missing.append((number, node))
    return missing


def put_kept_parts(section: Section, node: OutlineNode, number: str, kept: Mapping[str, KeptPart]) -> Section:
    """The section written for a node, with the parts that stay in the place of those written anew."""
    if not node.children:
        return kept[number].section if number in kept else section
    below = tuple(
        put_kept_parts(part, child, f"{number}.{i}", kept)
        for i, (part, child) in enumerate(zip(section.sections, node.children, strict=True), start=1)
    )
    return replace(section, sections=below)


def pair_sections(nodes: Sequence[OutlineNode], sections: Sequence[Section]) -> Iterator[tuple[int, Section]]:
    """The sections that bear the titles of the nodes, in their order, with the positions of these."""
    rest = list(sections)
    for position, node in enumerate(nodes):
        at = next((i for i, section in enumerate(rest) if section.title == node.title), None)
        if at is not None:
            yield position, rest[at]
            rest = rest[at + 1 :]


def keep_text(
    before: Outline,
    sections: Mapping[int, Section],
    after: Outline,
    usable: Collection[PaperKey],
    parts: Sequence[KeptPart] = (),
    unchecked: Collection[str] = (),
) -> KeptText:
    """What stays with another outline of the sections, by position, and parts that were written for the one before.

    A part that rests on a paper that is not ``usable`` any more does not stay; ``unchecked`` are the titles of those
    whose claims could not be checked. Introduction and conclusion, which tell of all others, stay only where every
    other section does, in the same order.
    """
    written = {part.place: part for part in parts}
    for number, section in _find_texts(before, sections).items():
        written[number] = KeptPart(number, section, section.title not in unchecked)
    left: dict[OutlineNode, list[KeptPart]] = {}
    for number, node in _list_body(before):
        left.setdefault(_shape(node), []).extend([written[number]] if number in written else [])
    kept: dict[str, KeptPart] = {}
    for number, node in _list_body(after):
        same = left.get(_shape(node))
        if same and {c.key for claim in same[0].section.claims for c in claim.citations} <= set(usable):
            kept[number] = replace(same.pop(0), place=number)
    checked = {i: section for i, section in sections.items() if section.title not in unchecked}
    whole = _find_whole(before, checked, after, kept)
    others = tuple(part for part in kept.values() if position_of(part.place) not in whole)
    return KeptText(tuple(sorted(whole.items())), others)


def _find_whole(
    before: Outline, sections: Mapping[int, Section], after: Outline, kept: Mapping[str, KeptPart]
) -> dict[int, Section]:
    """The sections of which nothing is touched, by their new position."""
    was, now = (list(map(_shape, outline.nodes)) for outline in (before, after))
    whole: dict[int, Section] = {}
    leaves = [number for number, _ in leaves_of(after.nodes)]
    for position, shape in enumerate(now):
        numbers = [number for number in leaves if position_of(number) == position]
        same = [i for i, other in enumerate(was) if other == shape and i in sections]
        if shape.role == "body" and same and all(n in kept and kept[n].is_checked for n in numbers):
            whole[position] = sections[same[0]]
    outer = {i for i, node in enumerate(after.nodes) if node.role != "body"}
    if now == was and len(whole) + len(outer) == len(was):
        whole |= {i: sections[i] for i in outer if i in sections}
    return whole


def _find_texts(outline: Outline, sections: Mapping[int, Section]) -> dict[str, Section]:
    """What is written of each part between introduction and conclusion, by its number."""
    texts: dict[str, Section] = {}

    def collect(node: OutlineNode, section: Section, number: str) -> None:
        if not node.children:
            texts[number] = section
        for i, below in pair_sections(node.children, section.sections):
            collect(node.children[i], below, f"{number}.{i + 1}")

    for position, section in sections.items():
        if position < len(outline.nodes) and outline.nodes[position].role == "body":
            collect(outline.nodes[position], section, f"{position + 1}")
    return texts


def _list_body(outline: Outline) -> list[tuple[str, OutlineNode]]:
    """The parts that are written between introduction and conclusion, with their numbers."""
    return [(n, leaf) for n, leaf in leaves_of(outline.nodes) if outline.nodes[position_of(n)].role == "body"]


def _shape(node: OutlineNode) -> OutlineNode:
    """What of a node its text depends on."""
    return replace(node, hint_papers=(), children=tuple(map(_shape, node.children)))
