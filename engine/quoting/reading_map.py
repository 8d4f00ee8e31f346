"""Sections of a reading map: what is counted, and the papers of each group side by side in their own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.quoting.attribution import whose_words
from engine.quoting.counts import frame_section
from engine.quoting.field_overview import Line, draw_map, draw_time_line
from engine.quoting.paper_tables import tabulate_section
from engine.retrieval.embedding import Embedder, embed_papers
from engine.survey import Section
from engine.text import list_words
from engine.values import Brief, Outline, OutlineNode, Paper, PaperKey

SET_APART = "Set apart by: "
"""How the description of a cluster begins."""

CENTRAL = 3
"""Papers named as closest to the middle of a section of more than twice as many."""

DIGITS = 4
"""Decimal places in which closeness is compared, so that every processor ranks alike."""


@dataclass(frozen=True, slots=True)
class Material:
    """What the sections are made from: the papers that may be used, and how close their texts are."""

    brief: Brief
    papers: Mapping[PaperKey, Paper]
    embedder: Embedder

    def of(self, node: OutlineNode) -> tuple[Paper, ...]:
        """The papers of a section and of those below it."""
        return tuple(self.papers[key] for key in node.all_papers() if key in self.papers)


def lines_of(outline: Outline, material: Material) -> tuple[Line, ...]:
    """The groups of an outline that have papers, with the numbers of their sections."""
    return tuple(
        Line(str(number), node.title, terms_of(node), material.of(node))
        for number, node in enumerate(outline.nodes, start=1)
        if node.role == "body" and material.of(node)
    )


def terms_of(node: OutlineNode) -> tuple[str, ...]:
    """The terms that set a section apart, as its description lists them."""
    if not node.description.startswith(SET_APART):
        return ()
    return tuple(node.description.removeprefix(SET_APART).split(", "))


def write_group(node: OutlineNode, material: Material) -> Section:
    """A group: what is counted of it, and its papers as a table, or in the parts below."""
    papers = material.of(node)
    if not papers:
        return Section(node.title, "No paper was gathered for this section.")
    text = frame_section(papers, terms_of(node), () if node.children else find_central(papers, material.embedder))
    if node.children:
        parts = list_words(child.title for child in node.children)
        below = tuple(write_group(child, material) for child in node.children)
        return Section(node.title, f"{text} Its parts: {parts}.", sections=below)
    made = tabulate_section(papers, node.title)
    claims = tuple(claim for part in made for claim in part.claims)
    return Section(node.title, text, claims, tables=tuple(part.table for part in made))


def find_central(papers: Sequence[Paper], embedder: Embedder) -> tuple[Paper, ...]:
    """The papers closest to the middle of all, the closest first; none of a few."""
    if len(papers) <= 2 * CENTRAL:
        return ()
    vectors = embed_papers(embedder, papers).astype(np.float64)
    closeness = (vectors * vectors.mean(axis=0)).sum(axis=1).round(DIGITS)
    order = sorted(range(len(papers)), key=lambda i: (-closeness[i], papers[i].key))
    return tuple(papers[i] for i in order[:CENTRAL])


def write_introduction(node: OutlineNode, material: Material, lines: Sequence[Line]) -> Section:
    """From how many papers the map was made and how it is ordered, with its time line and its map."""
    papers = [paper for line in lines for paper in line.papers]
    years = material.brief.years
    text = f"This reading map of the literature on {material.brief.topic} was made from {len(papers)} papers."
    text += "" if str(years) == ".." else f" Only papers of the years {years} were considered."
    text += f" Each section counts one group of them and sets its papers side by side {whose_words(papers)}"
    text += f": {list_words(f'{line.title} (Section {line.number})' for line in lines)}." if lines else "."
    figures = (draw_time_line(lines), draw_map(lines, material.embedder))
    return Section(node.title, text, figures=tuple(figure for figure in figures if figure is not None))
