"""Sections of a reading map: what is counted, and the papers of each group side by side in their own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.quoting.attribution import whose_words
from engine.quoting.counts import frame_section
from engine.quoting.field_overview import Line, draw_map, draw_time_line
from engine.quoting.paper_tables import tabulate_papers
from engine.retrieval.embedding import Embedder
from engine.survey import Section
from engine.text import list_words
from engine.values import Brief, Outline, OutlineNode, Paper, PaperKey

SET_APART = "Set apart by: "
"""How the description of a cluster begins."""


def lines_of(outline: Outline, papers: Mapping[PaperKey, Paper]) -> tuple[Line, ...]:
    """The groups of an outline that have papers, with the numbers of their sections."""
    groups = [(str(number), node) for number, node in enumerate(outline.nodes, start=1) if node.role == "body"]
    return tuple(Line(number, node.title, own) for number, node in groups if (own := _papers_of(node, papers)))


def _papers_of(node: OutlineNode, papers: Mapping[PaperKey, Paper]) -> tuple[Paper, ...]:
    return tuple(papers[key] for key in node.all_papers() if key in papers)


def write_group(node: OutlineNode, papers: Mapping[PaperKey, Paper]) -> Section:
    """A group: what is counted of it, and its papers as a table, or in the parts below."""
    own = _papers_of(node, papers)
    if not own:
        return Section(node.title, "No paper was gathered for this section.")
    told = node.description
    text = frame_section(own, told.removeprefix(SET_APART).split(", ") if told.startswith(SET_APART) else ())
    if node.children:
        parts = list_words(child.title for child in node.children)
        below = tuple(write_group(child, papers) for child in node.children)
        return Section(node.title, f"{text} Its parts: {parts}.", sections=below)
    table, claims = tabulate_papers(own, node.title)
    return Section(node.title, text, claims, tables=(table,))


def write_introduction(node: OutlineNode, brief: Brief, lines: Sequence[Line], embedder: Embedder) -> Section:
    """From how many papers the map was made and how it is ordered, with its time line and its map."""
    papers = [paper for line in lines for paper in line.papers]
    text = f"This reading map of the literature on {brief.topic} was made from {len(papers)} papers."
    text += "" if str(brief.years) == ".." else f" Only papers of the years {brief.years} were considered."
    text += f" Each section counts one group of them and sets its papers side by side {whose_words(papers)}"
    text += f": {list_words(f'{line.title} (Section {line.number})' for line in lines)}." if lines else "."
    figures = (draw_time_line(lines), draw_map(lines, embedder))
    return Section(node.title, text, figures=tuple(figure for figure in figures if figure is not None))
