"""What a changed outline leaves of a text that was written before: the parts it does not touch. Pure.

A part is the same where its heading, its description and its papers are. One whose claims could not be checked when it
was written stays and is checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.survey import UNCHECKED, UNREWRITTEN, Section, Survey
from engine.values import Outline, OutlineNode, PaperKey

Heading = tuple[str, str, tuple[PaperKey, ...]]


@dataclass(frozen=True, slots=True)
class KeptPart:
    """A part that stays: its number in the outline to be written, and what of it is looked at again."""

    place: str
    section: Section
    same_neighbours: bool
    is_checked: bool = True
    """Whether its claims were checked when it was written."""

    def is_finished(self) -> bool:
        """Whether it stays exactly as it is."""
        return self.same_neighbours and self.is_checked


@dataclass(frozen=True, slots=True)
class KeptText:
    """Whole sections that stay as they are, by position from 0, and the parts that stay of the others."""

    sections: tuple[tuple[int, Section], ...] = ()
    parts: tuple[KeptPart, ...] = ()

    def by_place(self) -> Mapping[str, KeptPart]:
        """The parts by their number."""
        return {part.place: part for part in self.parts}


@dataclass(frozen=True, slots=True)
class _Place:
    """A part of an outline that is written, with the headings before and after it."""

    number: str
    node: OutlineNode
    around: tuple[Heading | None, Heading | None] = field(default=(None, None))


def leaves_of(nodes: Sequence[OutlineNode], prefix: str = "") -> Iterator[tuple[str, OutlineNode]]:
    """The parts that are written, with their numbers, in reading order."""
    for position, node in enumerate(nodes, start=1):
        if node.children:
            yield from leaves_of(node.children, f"{prefix}{position}.")
        else:
            yield f"{prefix}{position}", node


def parts_to_write(outline: Outline, kept: KeptText) -> list[tuple[str, OutlineNode]]:
    """The parts that do not stay, with their numbers; the frame among them."""
    whole = {position for position, _ in kept.sections}
    stays = kept.by_place()
    parts = [(f"{i + 1}{n[1:]}", leaf, i) for i, node in enumerate(outline.nodes) for n, leaf in leaves_of((node,))]
    return [(number, leaf) for number, leaf, position in parts if position not in whole and number not in stays]


def list_missing(outline: Outline, sections: Mapping[int, Section]) -> list[tuple[str, OutlineNode]]:
    """What of the outline the sections, by position, do not hold, with its number: whole sections, else their parts."""
    written = find_texts(outline, sections)
    missing: list[tuple[str, OutlineNode]] = []
    for position, node in enumerate(outline.nodes):
        if position not in sections:
            missing.append((f"{position + 1}", node))
        elif sections[position].sections:
            parts = [(f"{position + 1}{number[1:]}", leaf) for number, leaf in leaves_of((node,))]
            missing += [(number, leaf) for number, leaf in parts if number not in written]
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


@dataclass(frozen=True, slots=True)
class FormerText:
    """What was written for an outline: sections by position, and parts of others.

    Of the sections' parts, by title: those whose claims could not be checked, and those of them that could not be
    connected or rewritten before either.
    """

    outline: Outline
    sections: Mapping[int, Section]
    parts: Sequence[KeptPart] = ()
    unchecked: Collection[str] = ()
    unconnected: Collection[str] = ()

    def keep(self, place: _Place, former: _Place, section: Section) -> KeptPart:
        """What was written at the ``former`` place as a part of another outline."""
        part = next((part for part in self.parts if part.place == former.number), None)
        checked = section.title not in self.unchecked and (part is None or part.is_checked)
        connected = checked or section.title not in self.unconnected
        same = former.around == place.around and connected and (part is None or part.same_neighbours)
        return KeptPart(place.number, section, same, checked)


def read_former_text(outline: Outline, survey: Survey) -> FormerText:
    """What the survey holds of its outline; what the outline does not have is left out."""
    found: dict[int, Section] = {}
    rest = list(survey.sections)
    for position, node in enumerate(outline.nodes):
        at = next((i for i, section in enumerate(rest) if section.title == node.title), None)
        if at is not None:
            found[position] = rest[at]
            rest = rest[at + 1 :]

    def list_failed(*failures: str) -> frozenset[str]:
        return frozenset(w.place for w in survey.warnings if w.kind == "unfinished" and w.detail.startswith(failures))

    return FormerText(outline, found, unchecked=list_failed(UNCHECKED), unconnected=list_failed(UNREWRITTEN))


def keep_text(former: FormerText, after: Outline, usable: Collection[PaperKey]) -> KeptText:
    """What of a text written for one outline stays with another.

    A part that rests on a paper that is not ``usable`` any more does not stay. Introduction and conclusion, which tell
    of all others, stay only where every other section does, in the same order.
    """
    before = former.outline
    written = find_texts(before, former.sections, former.parts)
    left: dict[Heading, list[_Place]] = {}
    for place in _places(before):
        if place.number in written:
            left.setdefault(_describe_heading(place.node), []).append(place)
    kept: dict[str, KeptPart] = {}
    for place in _places(after):
        same = left.get(_describe_heading(place.node), [])
        if not same:
            continue
        source = next((p for p in same if p.around == place.around), same[0])
        section = written[source.number]
        if _list_cited(section) <= set(usable):
            same.remove(source)
            kept[place.number] = former.keep(place, source, section)
    checked = {i: section for i, section in former.sections.items() if section.title not in former.unchecked}
    whole = _whole(before, checked, after, kept)
    inside = {f"{position + 1}" for position in whole}
    return KeptText(
        tuple(sorted(whole.items())), tuple(p for p in kept.values() if p.place.split(".")[0] not in inside)
    )


def _whole(
    before: Outline, sections: Mapping[int, Section], after: Outline, kept: Mapping[str, KeptPart]
) -> dict[int, Section]:
    """The sections of which nothing is touched, by their new position."""
    whole: dict[int, Section] = {}
    for position, node in enumerate(after.nodes):
        own = [number for number, _ in leaves_of((node,), "")]
        numbers = [f"{position + 1}{number[1:]}" for number in own]
        stays = all(number in kept and kept[number].is_finished() for number in numbers)
        if node.role != "body" or not stays:
            continue
        same = [i for i, old in enumerate(before.nodes) if _shape(old) == _shape(node) and i in sections]
        if same:
            whole[position] = sections[same[0]]
    if [_shape(node) for node in after.nodes] == [_shape(node) for node in before.nodes]:
        body = [i for i, node in enumerate(after.nodes) if node.role == "body"]
        if all(i in whole for i in body):
            whole |= {i: sections[i] for i, node in enumerate(after.nodes) if node.role != "body" and i in sections}
    return whole


def find_texts(outline: Outline, sections: Mapping[int, Section], parts: Sequence[KeptPart] = ()) -> dict[str, Section]:
    """What is written of each part between introduction and conclusion, by its number."""
    texts = {part.place: part.section for part in parts}

    def collect(node: OutlineNode, section: Section, number: str) -> None:
        if not node.children:
            texts[number] = section
        rest = list(section.sections)
        for i, child in enumerate(node.children, start=1):
            at = next((k for k, below in enumerate(rest) if below.title == child.title), None)
            if at is not None:
                collect(child, rest[at], f"{number}.{i}")
                rest = rest[at + 1 :]

    for position, section in sections.items():
        if position < len(outline.nodes) and outline.nodes[position].role == "body":
            collect(outline.nodes[position], section, f"{position + 1}")
    return texts


def _places(outline: Outline) -> list[_Place]:
    body = [(f"{i}", node) for i, node in enumerate(outline.nodes, start=1) if node.role == "body"]
    parts = [(f"{top}{number[1:]}", leaf) for top, node in body for number, leaf in leaves_of((node,))]
    names = [None, *(_describe_heading(leaf) for _, leaf in parts), None]
    return [_Place(number, leaf, (names[i], names[i + 2])) for i, (number, leaf) in enumerate(parts)]


def _describe_heading(node: OutlineNode) -> Heading:
    return node.title, node.description, node.papers


def _shape(node: OutlineNode) -> tuple[object, ...]:
    """What of a node its text depends on."""
    return (node.role, *_describe_heading(node), tuple(_shape(child) for child in node.children))


def _list_cited(section: Section) -> set[PaperKey]:
    return {citation.key for claim in section.claims for citation in claim.citations}
